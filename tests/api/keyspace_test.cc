#include <kvsql/keyspace.h>

#include <string>
#include <vector>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

class KeyspaceTest : public MemoryTest {
 protected:
  Keyspace k = Must(db.keyspace("k"));
};

TEST_F(KeyspaceTest, GetCopiesIntoTheCallersString) {
  EXPECT_OK(k.put("a", "value"));
  std::string value = "before";
  EXPECT_FALSE(Must(k.get("b", &value)));
  EXPECT_EQ(value, "before");
  EXPECT_TRUE(Must(k.get("a", &value)));
  EXPECT_EQ(value, "value");
}

TEST_F(KeyspaceTest, GetFillsTheCallersBuffer) {
  EXPECT_OK(k.put("a", "value"));
  char buffer[8] = "-------";
  EXPECT_EQ(Must(k.get("a", std::span<char>(buffer))), 5u);
  EXPECT_EQ(std::string(buffer, 7), "value--");
  char small[2];
  EXPECT_EQ(Must(k.get("a", std::span<char>(small))), 5u);
  EXPECT_EQ(std::string(small, 2), "va");
  EXPECT_EQ(Must(k.get("b", std::span<char>(buffer))), std::nullopt);
}

TEST_F(KeyspaceTest, GetReturnsANewString) {
  EXPECT_OK(k.put("a", "value"));
  EXPECT_EQ(Must(k.get("a")), "value");
  EXPECT_EQ(Must(k.get("b")), std::nullopt);
}

TEST_F(KeyspaceTest, EmptyKeysAndValuesAreOrdinary) {
  EXPECT_FALSE(Must(k.contains("")));
  EXPECT_OK(k.put("", ""));
  EXPECT_TRUE(Must(k.contains("")));
  EXPECT_EQ(Must(k.get("")), "");
  const Snapshot snapshot = Must(db.snapshot());
  const PinnedBytes view = Must(k.get_view("", snapshot));
  EXPECT_TRUE(view.exists());
  EXPECT_EQ(view.size(), 0u);
  EXPECT_TRUE(Must(k.erase("")));
  EXPECT_EQ(Must(k.get("")), std::nullopt);
}

TEST_F(KeyspaceTest, BinaryKeysAndValues) {
  const std::string key("\x00\xff\x00", 3);
  const std::string value("\x00\x01", 2);
  EXPECT_OK(k.put(key, value));
  EXPECT_EQ(Must(k.get(key)), value);
  EXPECT_EQ(Must(k.get(std::string("\x00\xff", 2))), std::nullopt);
}

TEST_F(KeyspaceTest, LongKeysAndLargeValues) {
  const std::string key(65535, 'k');
  EXPECT_OK(k.put(key, "v"));
  EXPECT_EQ(Must(k.get(key)), "v");
  EXPECT_CODE(k.put(key + "k", "v"), kInvalidArgument);
  EXPECT_EQ(Must(k.get(key + "k")), std::nullopt);
  for (const size_t size : {1000u, 5000u, 70000u, 3000000u}) {
    std::string compressible(size, 'c');
    std::string random;
    uint64_t state = size;
    while (random.size() < size) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      random += static_cast<char>(state >> 56);
    }
    EXPECT_OK(k.put("c", compressible));
    EXPECT_OK(k.put("r", random));
    std::string value;
    EXPECT_TRUE(Must(k.get("c", &value)));
    EXPECT_TRUE(value == compressible);
    EXPECT_TRUE(Must(k.get("r", &value)));
    EXPECT_TRUE(value == random);
    const Snapshot snapshot = Must(db.snapshot());
    EXPECT_TRUE(Must(k.get_view("c", snapshot)).view() == compressible);
    EXPECT_TRUE(Must(k.get_view("r", snapshot)).view() == random);
    Cursor cursor = k.scan(KeyRange::Prefix("r"), snapshot);
    EXPECT_TRUE(cursor.value() == random);
  }
}

TEST_F(KeyspaceTest, GetViewNeedsSomethingThatKeepsTheView) {
  EXPECT_OK(k.put("a", "value"));
  EXPECT_CODE(k.get_view("a", ReadFrom()), kInvalidArgument);
  Connection connection = Must(db.connect());
  EXPECT_CODE(k.get_view("a", connection), kInvalidArgument);
  EXPECT_OK(connection.execute("BEGIN"));
  EXPECT_EQ(Must(k.get_view("a", connection)).view(), "value");
  const Snapshot snapshot = Must(db.snapshot());
  const PinnedBytes view = Must(k.get_view("a", snapshot));
  EXPECT_FALSE(view.owns_bytes());
  EXPECT_FALSE(Must(k.get_view("b", snapshot)).exists());
  EXPECT_OK(connection.execute("ROLLBACK"));
  EXPECT_OK(k.put("a", "other"));
  EXPECT_EQ(view.view(), "value");
}

TEST_F(KeyspaceTest, MultiGetReadsOneState) {
  EXPECT_OK(k.put("a", "1"));
  EXPECT_OK(k.put("c", "3"));
  const std::string_view keys[] = {"a", "b", "c", "a"};
  std::vector<std::optional<std::string>> values = Must(k.multi_get(keys));
  EXPECT_EQ(values, (std::vector<std::optional<std::string>>{"1", std::nullopt, "3", "1"}));
  const Snapshot before = Must(db.snapshot());
  EXPECT_OK(k.put("b", "2"));
  EXPECT_TRUE(Must(k.erase("c")));
  EXPECT_OK(k.multi_get(keys, &values, before));
  EXPECT_EQ(values, (std::vector<std::optional<std::string>>{"1", std::nullopt, "3", "1"}));
  EXPECT_OK(k.multi_get(keys, &values));
  EXPECT_EQ(values, (std::vector<std::optional<std::string>>{"1", "2", std::nullopt, "1"}));
  EXPECT_TRUE(Must(k.multi_get({})).empty());
}

TEST_F(KeyspaceTest, PutReplaces) {
  EXPECT_OK(k.put("a", "1"));
  EXPECT_OK(k.put("a", "22"));
  EXPECT_EQ(Must(k.get("a")), "22");
  EXPECT_EQ(Must(k.count()), 1u);
}

TEST_F(KeyspaceTest, PutIfAbsentKeepsWhatIsThere) {
  EXPECT_TRUE(Must(k.put_if_absent("a", "1")));
  EXPECT_FALSE(Must(k.put_if_absent("a", "2")));
  EXPECT_EQ(Must(k.get("a")), "1");
}

TEST_F(KeyspaceTest, CompareAndPutNeedsTheExpectedValue) {
  EXPECT_FALSE(Must(k.compare_and_put("a", "0", "1")));
  EXPECT_TRUE(Must(k.compare_and_put("a", std::nullopt, "1")));
  EXPECT_FALSE(Must(k.compare_and_put("a", std::nullopt, "2")));
  EXPECT_FALSE(Must(k.compare_and_put("a", "x", "2")));
  EXPECT_EQ(Must(k.get("a")), "1");
  EXPECT_TRUE(Must(k.compare_and_put("a", "1", "2")));
  EXPECT_EQ(Must(k.get("a")), "2");
}

TEST_F(KeyspaceTest, CompareAndEraseNeedsTheExpectedValue) {
  EXPECT_FALSE(Must(k.compare_and_erase("a", "")));
  EXPECT_OK(k.put("a", "1"));
  EXPECT_FALSE(Must(k.compare_and_erase("a", "2")));
  EXPECT_TRUE(Must(k.contains("a")));
  EXPECT_TRUE(Must(k.compare_and_erase("a", "1")));
  EXPECT_FALSE(Must(k.contains("a")));
}

TEST_F(KeyspaceTest, EraseTellsIfThereWasOne) {
  EXPECT_FALSE(Must(k.erase("a")));
  EXPECT_OK(k.put("a", "1"));
  EXPECT_TRUE(Must(k.erase("a")));
  EXPECT_FALSE(Must(k.erase("a")));
}

TEST_F(KeyspaceTest, WritesThatChangeNothingMakeNoCommit) {
  EXPECT_OK(k.put("a", "1"));
  const uint64_t before = Must(db.snapshot()).transaction_id();
  EXPECT_FALSE(Must(k.put_if_absent("a", "2")));
  EXPECT_FALSE(Must(k.compare_and_put("a", "0", "2")));
  EXPECT_FALSE(Must(k.erase("b")));
  EXPECT_EQ(Must(k.erase_range(KeyRange::From("x"))), 0u);
  EXPECT_EQ(Must(db.snapshot()).transaction_id(), before);
}

TEST_F(KeyspaceTest, CountsRanges) {
  for (const char* key : {"a", "ab", "abc", "b", "c"}) EXPECT_OK(k.put(key, "v"));
  EXPECT_EQ(Must(k.count()), 5u);
  EXPECT_EQ(Must(k.count(KeyRange::All())), 5u);
  EXPECT_EQ(Must(k.count(KeyRange::Prefix("a"))), 3u);
  EXPECT_EQ(Must(k.count(KeyRange::Prefix("ab"))), 2u);
  EXPECT_EQ(Must(k.count(KeyRange::Between("ab", "c"))), 3u);
  EXPECT_EQ(Must(k.count(KeyRange::Between("c", "a"))), 0u);
  EXPECT_EQ(Must(k.count(KeyRange::From("b"))), 2u);
  EXPECT_EQ(Must(k.count(KeyRange::Before("b"))), 3u);
  EXPECT_EQ(Must(k.count(KeyRange::Prefix("z"))), 0u);
  const Snapshot snapshot = Must(db.snapshot());
  EXPECT_TRUE(Must(k.erase("a")));
  EXPECT_EQ(Must(k.count(snapshot)), 5u);
  EXPECT_EQ(Must(k.count(KeyRange::Prefix("a"), snapshot)), 3u);
  EXPECT_EQ(Must(k.count()), 4u);
}

TEST_F(KeyspaceTest, ErasesRanges) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_OK(k.put("k" + std::to_string(1000 + i), "v"));
  }
  EXPECT_EQ(Must(k.erase_range(KeyRange::Between("k1100", "k1900"))), 800u);
  EXPECT_EQ(Must(k.count()), 200u);
  EXPECT_EQ(Must(k.erase_range(KeyRange::Prefix("k10"))), 100u);
  EXPECT_EQ(Must(k.erase_range(KeyRange::Before("k1950"))), 50u);
  EXPECT_EQ(Must(k.erase_range(KeyRange::All())), 50u);
  EXPECT_EQ(Must(k.count()), 0u);
}

TEST(KeyRangeTest, PrefixEndsBehindAllThatHaveIt) {
  std::string end;
  EXPECT_TRUE(KeyRange::Prefix("ab").end(&end));
  EXPECT_EQ(end, "ac");
  EXPECT_TRUE(KeyRange::Prefix("a\xff\xff").end(&end));
  EXPECT_EQ(end, "b");
  EXPECT_FALSE(KeyRange::Prefix("\xff\xff").end(&end));
  EXPECT_FALSE(KeyRange::Prefix("").end(&end));
  EXPECT_FALSE(KeyRange::All().end(&end));
  EXPECT_TRUE(KeyRange::Before("x").end(&end));
  EXPECT_EQ(end, "x");
}

TEST_F(KeyspaceTest, CopiesAreHandlesOfTheirOwn) {
  Keyspace copy = k;
  EXPECT_EQ(copy.name(), "k");
  EXPECT_OK(copy.put("a", "1"));
  EXPECT_EQ(Must(k.get("a")), "1");
  Keyspace other = Must(db.keyspace("other"));
  other = copy;
  EXPECT_EQ(Must(other.get("a")), "1");
  copy = std::move(other);
  EXPECT_EQ(Must(copy.get("a")), "1");
}

TEST_F(KeyspaceTest, NamesAreWithoutCase) {
  EXPECT_OK(k.put("a", "1"));
  EXPECT_EQ(Must(Must(db.keyspace("K")).get("a")), "1");
}

TEST_F(KeyspaceTest, KeyspacesAreApart) {
  Keyspace other = Must(db.keyspace("other"));
  EXPECT_OK(k.put("a", "1"));
  EXPECT_EQ(Must(other.get("a")), std::nullopt);
}

}  // namespace
}  // namespace kvsql
