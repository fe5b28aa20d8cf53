// The warm read path does not allocate: counted by replacing operator new in this program.
#include <kvsql/kvsql.h>

#include <cstdlib>
#include <new>
#include <string>

#include "tests/api/api_test_util.h"

// GCC, inlining these into sanitized code, takes malloc and free for a mismatched pair.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
thread_local uint64_t allocations = 0;

void* Count(size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
void* CountAligned(size_t size, std::align_val_t alignment) {
  ++allocations;
  const size_t align = static_cast<size_t>(alignment);
  if (void* const memory = std::aligned_alloc(align, (size + align - 1) / align * align)) {
    return memory;
  }
  std::abort();
}
}  // namespace

void* operator new(size_t size) { return Count(size); }
void* operator new[](size_t size) { return Count(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Count(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Count(size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return CountAligned(size, alignment);
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return CountAligned(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace kvsql {
namespace {

// Allocations of the second of two runs.
template <typename Body>
uint64_t WarmAllocations(Body&& body) {
  body();
  const uint64_t before = allocations;
  body();
  return allocations - before;
}

class AllocationTest : public MemoryTest {
 protected:
  AllocationTest() {
    EXPECT_OK(
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, score REAL)"));
    Table t = Must(db.table("t"));
    WriteTransaction transaction = Must(db.begin());
    for (int i = 0; i < kRows; ++i) {
      const std::string key = "key " + std::to_string(i);
      EXPECT_OK(k.put(key, "value of some length, longer than a small string " + key, transaction));
      EXPECT_OK(t.insert_row({i, std::string_view(key), 0.5}, transaction));
      keys.push_back(key);
    }
    EXPECT_OK(transaction.commit());
  }

  static constexpr int kRows = 2000;
  Keyspace k = Must(db.keyspace("k"));
  Connection connection = Must(db.connect());
  std::vector<std::string> keys;
};

TEST_F(AllocationTest, TheCounterCounts) {
  EXPECT_GT(WarmAllocations([] { delete new int(1); }), 0u);
}

TEST_F(AllocationTest, GetIntoAString) {
  std::string value;
  EXPECT_EQ(WarmAllocations([&] {
              for (const std::string& key : keys) ASSERT_TRUE(Must(k.get(key, &value)));
              ASSERT_FALSE(Must(k.get("none", &value)));
            }),
            0u);
}

TEST_F(AllocationTest, GetIntoABuffer) {
  char buffer[100];
  EXPECT_EQ(WarmAllocations([&] {
              for (const std::string& key : keys) {
                ASSERT_TRUE(Must(k.get(key, std::span<char>(buffer))).has_value());
              }
            }),
            0u);
}

TEST_F(AllocationTest, CompressedValuesAndRows) {
  Keyspace packed = Must(db.keyspace("packed", {.compression = Compression::kZstd}));
  EXPECT_OK(connection.execute(
      "CREATE TABLE packed(id INTEGER PRIMARY KEY, body TEXT) WITH (compression = zstd)"));
  Table rows = Must(db.table("packed"));
  WriteTransaction transaction = Must(db.begin());
  std::string text;
  for (int i = 0; i < kRows; ++i) {
    text.clear();
    for (int n = 0; n < 40; ++n) text += "word " + std::to_string((i * 31 + n * 7) % 97) + " ";
    EXPECT_OK(packed.put(keys[i], text, transaction));
    EXPECT_OK(rows.insert_row({i, std::string_view(text)}, transaction));
  }
  EXPECT_OK(transaction.commit());
  std::string value;
  EXPECT_EQ(WarmAllocations([&] {
              for (int i = 0; i < kRows; ++i) {
                ASSERT_TRUE(Must(packed.get(keys[i], &value)));
                ASSERT_EQ(Must(rows.get_row(i)).text(1), value);
              }
            }),
            0u);
}

TEST_F(AllocationTest, GetInASnapshot) {
  const Snapshot snapshot = Must(db.snapshot());
  std::string value;
  EXPECT_EQ(WarmAllocations([&] {
              for (const std::string& key : keys) {
                ASSERT_TRUE(Must(k.get(key, &value, snapshot)));
                ASSERT_TRUE(Must(k.get_view(key, snapshot)).exists());
                ASSERT_TRUE(Must(k.contains(key, snapshot)));
              }
            }),
            0u);
}

TEST_F(AllocationTest, GetInATransaction) {
  WriteTransaction transaction = Must(db.begin());
  std::string value;
  EXPECT_EQ(WarmAllocations([&] {
              for (const std::string& key : keys) {
                ASSERT_TRUE(Must(k.get(key, &value, transaction)));
              }
            }),
            0u);
}

TEST_F(AllocationTest, MultiGetIntoAVector) {
  std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<std::optional<std::string>> values;
  EXPECT_EQ(WarmAllocations([&] { ASSERT_OK(k.multi_get(views, &values)); }), 0u);
}

TEST_F(AllocationTest, CountAndContains) {
  EXPECT_EQ(WarmAllocations([&] {
              ASSERT_EQ(Must(k.count()), uint64_t{kRows});
              ASSERT_EQ(Must(k.count(KeyRange::Prefix("key 1"))), 1111u);
              ASSERT_TRUE(Must(k.contains("key 1")));
            }),
            0u);
}

TEST_F(AllocationTest, CursorSteps) {
  Cursor cursor = k.scan();
  EXPECT_EQ(WarmAllocations([&] {
              int seen = 0;
              for (cursor.rewind(); cursor.valid(); cursor.next()) {
                seen += cursor.key().empty() || cursor.value().empty() ? 0 : 1;
              }
              ASSERT_EQ(seen, kRows);
            }),
            0u);
}

TEST_F(AllocationTest, ForEach) {
  EXPECT_EQ(WarmAllocations([&] {
              int seen = 0;
              ASSERT_OK(k.for_each(KeyRange::Prefix("key 1"), Direction::kBackward,
                                   [&](const VisitedEntry& entry) {
                                     seen += entry.value().empty() ? 0 : 1;
                                     return seen < 10;
                                   }));
              ASSERT_EQ(seen, 10);
            }),
            0u);
}

TEST_F(AllocationTest, GetRow) {
  Table t = Must(db.table("t"));
  const Snapshot snapshot = Must(db.snapshot());
  int64_t sum = 0;
  EXPECT_EQ(WarmAllocations([&] {
              for (int i = 0; i < kRows; ++i) {
                const Row row = Must(t.get_row(i));
                ASSERT_TRUE(row.exists());
                sum += row.integer(0) + static_cast<int64_t>(row.text(1).size() + row.real(2));
                ASSERT_EQ(row["name"].text(), keys[i]);
                ASSERT_TRUE(Must(t.get_row(i, snapshot)).exists());
              }
              ASSERT_FALSE(Must(t.get_row(kRows)).exists());
            }),
            0u);
  EXPECT_GT(sum, 0);
}

TEST_F(AllocationTest, GetRowByUniqueIndex) {
  Table t = Must(db.table("t"));
  EXPECT_EQ(WarmAllocations([&] {
              for (int i = 0; i < kRows; ++i) {
                ASSERT_EQ(Must(t.get_row_by("name", {std::string_view(keys[i])})).rowid(), i);
              }
            }),
            0u);
}

TEST_F(AllocationTest, PreparedPointSelect) {
  Statement select = Must(connection.prepare("SELECT name, score FROM t WHERE id = ?"));
  EXPECT_EQ(WarmAllocations([&] {
              for (int i = 0; i < kRows; ++i) {
                ASSERT_OK(select.bind(1, i));
                ASSERT_TRUE(Must(select.step()));
                ASSERT_EQ(select.text(0), keys[i]);
                select.reset();
              }
            }),
            0u);
}

}  // namespace
}  // namespace kvsql
