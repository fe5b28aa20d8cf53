#include <kvsql/database.h>
#include <kvsql/version.h>

#include <filesystem>
#include <fstream>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

TEST(DatabaseOpenTest, MakesAFileAndKeepsWhatWasPut) {
  TempDir dir;
  const std::string path = dir.file("a.kvsql");
  {
    Database db = Must(Database::Open(path));
    EXPECT_OK(Must(db.keyspace("k")).put("key", "value"));
    EXPECT_OK(db.close());
  }
  Database db = Must(Database::Open(path, {.create_if_missing = false}));
  EXPECT_EQ(Must(Must(db.keyspace("k", {.create_if_missing = false})).get("key")), "value");
}

TEST(DatabaseOpenTest, KeepsWhatWasPutWithoutClose) {
  TempDir dir;
  const std::string path = dir.file("a.kvsql");
  {
    Database db = Must(Database::Open(path));
    EXPECT_OK(Must(db.keyspace("k")).put("key", "value"));
  }
  EXPECT_EQ(Must(Must(Must(Database::Open(path)).keyspace("k")).get("key")), "value");
}

TEST(DatabaseOpenTest, MissingFileIsNotFoundWhenItMayNotBeMade) {
  TempDir dir;
  EXPECT_CODE(Database::Open(dir.file("none"), {.create_if_missing = false}), kNotFound);
  EXPECT_CODE(Database::Open(dir.file("none"), {.read_only = true}), kNotFound);
  EXPECT_FALSE(std::filesystem::exists(dir.file("none")));
}

TEST(DatabaseOpenTest, RefusesWhatIsNoDatabase) {
  TempDir dir;
  std::ofstream(dir.file("text")) << std::string(20000, 'x');
  EXPECT_CODE(Database::Open(dir.file("text")), kFailedPrecondition);
  std::ifstream in(dir.file("text"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), std::string(20000, 'x'));
}

TEST(DatabaseOpenTest, MakesAnEmptyFileADatabase) {
  TempDir dir;
  std::ofstream(dir.file("empty")).flush();
  EXPECT_OK(Database::Open(dir.file("empty")));
}

TEST(DatabaseOpenTest, ChecksOptions) {
  EXPECT_CODE(Database::Open(":memory:", {.page_size = 1000}), kInvalidArgument);
  EXPECT_CODE(Database::Open(":memory:", {.page_size = 2048}), kInvalidArgument);
  EXPECT_CODE(Database::Open(":memory:", {.log_limit = 1}), kInvalidArgument);
  EXPECT_CODE(Database::Open(":memory:", {.busy_timeout = std::chrono::milliseconds(-1)}),
              kInvalidArgument);
  EXPECT_CODE(Database::Open(":memory:", {.read_only = true}), kInvalidArgument);
}

TEST(DatabaseOpenTest, TakesEveryPageSize) {
  for (uint32_t page_size = 4096; page_size <= 65536; page_size *= 2) {
    TempDir dir;
    Database db = Must(Database::Open(dir.file("a"), {.page_size = page_size}));
    EXPECT_OK(Must(db.keyspace("k")).put("key", std::string(10000, 'v')));
    EXPECT_EQ(Must(db.stats()).page_size, page_size);
    EXPECT_OK(db.close());
    Database again = Must(Database::Open(dir.file("a")));
    EXPECT_EQ(Must(again.stats()).page_size, page_size);
    EXPECT_TRUE(Must(Must(again.keyspace("k")).get("key")) == std::string(10000, 'v'));
  }
}

TEST(DatabaseOpenTest, CompressesLargeValuesUnlessToldNotTo) {
  TempDir dir;
  uint64_t pages[2];
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const std::string path = dir.file(compression == Compression::kZstd ? "zstd" : "none");
    Database db = Must(Database::Open(path, {.compression = compression}));
    Keyspace k = Must(db.keyspace("k"));
    ASSERT_OK(k.put("large", std::string(1 << 20, 'l')));
    const Snapshot snapshot = Must(db.snapshot());
    const PinnedBytes view = Must(k.get_view("large", snapshot));
    EXPECT_EQ(view.owns_bytes(), compression == Compression::kZstd);
    EXPECT_TRUE(view.view() == std::string(1 << 20, 'l'));
    const DatabaseStats stats = Must(db.stats());
    pages[compression == Compression::kZstd ? 1 : 0] = stats.pages - stats.free_pages;
  }
  EXPECT_GT(pages[0], pages[1] + 200);
}

TEST(DatabaseOpenTest, MemoryDatabasesAreApart) {
  Database a = Must(Database::Open(":memory:"));
  Database b = Must(Database::Open(""));
  EXPECT_OK(Must(a.keyspace("k")).put("key", "a"));
  EXPECT_EQ(Must(Must(b.keyspace("k")).get("key")), std::nullopt);
  EXPECT_EQ(a.path(), ":memory:");
}

TEST(DatabaseOpenTest, SecondOpenInTheProcessSharesTheFile) {
  TempDir dir;
  Database first = Must(Database::Open(dir.file("a")));
  std::filesystem::create_symlink(dir.file("a"), dir.file("link"));
  Database second = Must(Database::Open(dir.file("link")));
  EXPECT_EQ(first.path(), second.path());
  Keyspace in_first = Must(first.keyspace("k"));
  Keyspace in_second = Must(second.keyspace("k"));
  EXPECT_OK(in_first.put("key", "1"));
  EXPECT_EQ(Must(in_second.get("key")), "1");
  EXPECT_OK(in_second.put("key", "2"));
  EXPECT_EQ(Must(in_first.get("key")), "2");
  // The first one's close does not touch the second.
  EXPECT_OK(first.close());
  EXPECT_CODE(in_first.get("key"), kFailedPrecondition);
  EXPECT_EQ(Must(in_second.get("key")), "2");
  EXPECT_OK(in_second.put("key", "3"));
  EXPECT_OK(second.close());
  EXPECT_EQ(Must(Must(Must(Database::Open(dir.file("a"))).keyspace("k")).get("key")), "3");
}

TEST(DatabaseOpenTest, ReadOnlyReadsAndRefusesWrites) {
  TempDir dir;
  {
    Database db = Must(Database::Open(dir.file("a")));
    EXPECT_OK(Must(db.keyspace("k")).put("key", "value"));
    EXPECT_OK(Must(db.connect()).execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)"));
    EXPECT_OK(Must(db.table("t")).insert_row({1, "one"}));
    EXPECT_OK(db.close());
  }
  Database db = Must(Database::Open(dir.file("a"), {.read_only = true}));
  EXPECT_TRUE(db.read_only());
  Keyspace k = Must(db.keyspace("k"));
  Table t = Must(db.table("t"));
  EXPECT_EQ(Must(k.get("key")), "value");
  EXPECT_EQ(Must(t.get_row(1)).text(1), "one");
  EXPECT_CODE(k.put("key", "x"), kFailedPrecondition);
  EXPECT_CODE(k.erase("key"), kFailedPrecondition);
  EXPECT_CODE(t.insert_row({2, "two"}), kFailedPrecondition);
  EXPECT_CODE(db.begin(), kFailedPrecondition);
  EXPECT_CODE(db.keyspace("other"), kNotFound);
  EXPECT_CODE(db.drop_keyspace("k"), kFailedPrecondition);
  EXPECT_CODE(db.checkpoint(), kFailedPrecondition);
  Connection connection = Must(db.connect());
  EXPECT_CODE(connection.execute("INSERT INTO t VALUES (2, 'two')"), kFailedPrecondition);
  EXPECT_OK(db.close());
}

TEST(DatabaseCloseTest, EveryHandleAnswersFailedPreconditionAfterwards) {
  TempDir dir;
  Database db = Must(Database::Open(dir.file("a")));
  Database copy = db;
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_OK(k.put("a", "1"));
  Connection connection = Must(db.connect());
  EXPECT_OK(connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)"));
  Table t = Must(db.table("t"));
  Statement statement = Must(connection.prepare("SELECT x FROM t WHERE id = 1"));
  EXPECT_FALSE(Must(statement.step()));
  EXPECT_OK(db.close());

  EXPECT_CODE(db.close(), kFailedPrecondition);
  EXPECT_CODE(copy.snapshot(), kFailedPrecondition);
  EXPECT_CODE(db.begin(), kFailedPrecondition);
  EXPECT_CODE(db.keyspace("k"), kFailedPrecondition);
  EXPECT_CODE(db.keyspaces(), kFailedPrecondition);
  EXPECT_CODE(db.drop_keyspace("k"), kFailedPrecondition);
  EXPECT_CODE(db.table("t"), kFailedPrecondition);
  EXPECT_CODE(db.connect(), kFailedPrecondition);
  EXPECT_CODE(db.checkpoint(), kFailedPrecondition);
  EXPECT_CODE(db.check_integrity(), kFailedPrecondition);
  EXPECT_CODE(db.stats(), kFailedPrecondition);
  EXPECT_CODE(db.write(Batch()), kFailedPrecondition);
  std::string value;
  EXPECT_CODE(k.get("a", &value), kFailedPrecondition);
  EXPECT_CODE(k.get("a"), kFailedPrecondition);
  EXPECT_CODE(k.count(), kFailedPrecondition);
  EXPECT_CODE(k.put("a", "2"), kFailedPrecondition);
  EXPECT_CODE(k.scan().status(), kFailedPrecondition);
  EXPECT_CODE(t.get_row(1), kFailedPrecondition);
  EXPECT_CODE(t.insert_row({1, 2}), kFailedPrecondition);
  EXPECT_CODE(connection.execute("SELECT x FROM t WHERE id = 1"), kFailedPrecondition);
  EXPECT_CODE(statement.step(), kFailedPrecondition);
}

TEST(DatabaseCloseTest, IsRefusedWhileSomethingIsOpen) {
  TempDir dir;
  Database db = Must(Database::Open(dir.file("a")));
  Keyspace k = Must(db.keyspace("k"));
  EXPECT_OK(k.put("a", "1"));
  {
    Snapshot snapshot = Must(db.snapshot());
    EXPECT_CODE(db.close(), kFailedPrecondition);
    EXPECT_EQ(Must(k.get("a", snapshot)), "1");
  }
  {
    WriteTransaction transaction = Must(db.begin());
    EXPECT_CODE(db.close(), kFailedPrecondition);
    EXPECT_OK(k.put("a", "2", transaction));
    EXPECT_OK(transaction.commit());
  }
  {
    Cursor cursor = k.scan();
    EXPECT_CODE(db.close(), kFailedPrecondition);
    EXPECT_EQ(cursor.value(), "2");
  }
  EXPECT_EQ(Must(k.get("a")), "2");
  EXPECT_OK(db.close());
}

TEST(DatabaseCloseTest, RemovesTheLog) {
  TempDir dir;
  Database db = Must(Database::Open(dir.file("a")));
  Keyspace k = Must(db.keyspace("k"));
  for (int i = 0; i < 20; ++i) EXPECT_OK(k.put(std::to_string(i), "v"));
  EXPECT_OK(db.close());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    ++files;
    EXPECT_EQ(entry.path().string(), dir.file("a"));
  }
  EXPECT_EQ(files, 1);
}

TEST(DatabaseCloseTest, HandlesKeepTheDatabaseOpen) {
  TempDir dir;
  std::optional<Keyspace> k;
  {
    Database db = Must(Database::Open(dir.file("a")));
    k = Must(db.keyspace("k"));
  }
  EXPECT_OK(k->put("a", "1"));
  EXPECT_EQ(Must(k->get("a")), "1");
}

TEST(DatabaseTest, MovedFromHandlesAnswerFailedPrecondition) {
  Database db = Must(Database::Open(":memory:"));
  Keyspace k = Must(db.keyspace("k"));
  Keyspace moved = std::move(k);
  EXPECT_CODE(k.get("a"), kFailedPrecondition);
  EXPECT_CODE(k.put("a", "1"), kFailedPrecondition);
  EXPECT_CODE(k.scan().status(), kFailedPrecondition);
  EXPECT_EQ(k.name(), "");
  Snapshot snapshot = Must(db.snapshot());
  Snapshot kept = std::move(snapshot);
  EXPECT_CODE(moved.get("a", snapshot), kFailedPrecondition);
  EXPECT_EQ(snapshot.transaction_id(), 0u);
  WriteTransaction transaction = Must(db.begin());
  WriteTransaction kept_transaction = std::move(transaction);
  EXPECT_CODE(moved.put("a", "1", transaction), kFailedPrecondition);
  EXPECT_CODE(transaction.commit(), kFailedPrecondition);
  EXPECT_OK(kept_transaction.commit());
  Database moved_db = std::move(db);
  EXPECT_CODE(db.snapshot(), kFailedPrecondition);
  EXPECT_CODE(db.begin(), kFailedPrecondition);
  EXPECT_CODE(db.close(), kFailedPrecondition);
}

TEST(DatabaseTest, KeyspacesAreListedMadeAndDropped) {
  Database db = Must(Database::Open(":memory:"));
  EXPECT_EQ(Must(db.keyspaces()), std::vector<std::string>{});
  EXPECT_CODE(db.keyspace("a", {.create_if_missing = false}), kNotFound);
  Keyspace b = Must(db.keyspace("b"));
  Keyspace a = Must(db.keyspace("a"));
  EXPECT_EQ(b.name(), "b");
  EXPECT_EQ(Must(db.keyspaces()), (std::vector<std::string>{"a", "b"}));
  EXPECT_OK(b.put("key", "value"));
  Snapshot before = Must(db.snapshot());
  EXPECT_OK(db.drop_keyspace("b"));
  EXPECT_CODE(db.drop_keyspace("b"), kNotFound);
  EXPECT_EQ(Must(db.keyspaces()), std::vector<std::string>{"a"});
  EXPECT_CODE(b.get("key"), kNotFound);
  EXPECT_CODE(b.put("key", "value"), kNotFound);
  EXPECT_CODE(b.scan().status(), kNotFound);
  // The snapshot still has it.
  EXPECT_EQ(Must(b.get("key", before)), "value");
  EXPECT_EQ(Must(db.keyspaces(before)), (std::vector<std::string>{"a", "b"}));
  // Made again, the handle finds the new one.
  Must(db.keyspace("b"));
  EXPECT_EQ(Must(b.get("key")), std::nullopt);
  EXPECT_EQ(Must(b.get("key", before)), "value");
}

TEST(DatabaseTest, ChecksKeyspaceNames) {
  Database db = Must(Database::Open(":memory:"));
  EXPECT_CODE(db.keyspace(""), kInvalidArgument);
  EXPECT_CODE(db.keyspace(std::string(256, 'x')), kInvalidArgument);
  EXPECT_OK(db.keyspace(std::string(255, 'x')));
  EXPECT_OK(db.keyspace("with space, 'quotes' and \xc3\xa4"));
}

TEST(DatabaseTest, RefusesWhatBelongsToAnotherDatabase) {
  Database a = Must(Database::Open(":memory:"));
  Database b = Must(Database::Open(":memory:"));
  Keyspace k = Must(a.keyspace("k"));
  EXPECT_CODE(k.get("x", Must(b.snapshot())), kInvalidArgument);
  EXPECT_CODE(a.keyspaces(Must(b.snapshot())), kInvalidArgument);
  EXPECT_CODE(a.connect(Must(b.snapshot())), kInvalidArgument);
  WriteTransaction transaction = Must(b.begin());
  EXPECT_CODE(k.put("x", "y", transaction), kInvalidArgument);
  EXPECT_CODE(a.write(Batch(), transaction), kInvalidArgument);
}

TEST(DatabaseTest, SecondWriterWaitsAndThenAnswersUnavailable) {
  Database db = Must(Database::Open(":memory:", {.busy_timeout = std::chrono::milliseconds(20)}));
  Keyspace k = Must(db.keyspace("k"));
  WriteTransaction transaction = Must(db.begin());
  EXPECT_CODE(db.begin(), kUnavailable);
  EXPECT_CODE(k.put("a", "1"), kUnavailable);
  EXPECT_OK(transaction.rollback());
  EXPECT_OK(k.put("a", "1"));
}

TEST(DatabaseTest, CheckpointEmptiesUnwrittenPages) {
  TempDir dir;
  Database db = Must(Database::Open(dir.file("a")));
  Keyspace k = Must(db.keyspace("k"));
  for (int i = 0; i < 100; ++i) EXPECT_OK(k.put(std::to_string(i), std::string(100, 'v')));
  EXPECT_OK(db.checkpoint());
  const DatabaseStats stats = Must(db.stats());
  EXPECT_EQ(stats.unwritten_pages, 0u);
  EXPECT_GT(stats.checkpoints, 0u);
  EXPECT_GT(stats.file_bytes, 0u);
  EXPECT_GT(stats.pages, 2u);
  EXPECT_GT(stats.transaction_id, 100u);
}

TEST(DatabaseTest, IntegrityOfASoundDatabase) {
  TempDir dir;
  Database db = Must(Database::Open(dir.file("a")));
  Keyspace k = Must(db.keyspace("k"));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_OK(k.put(std::to_string(i), std::string(i % 300, 'v'), Durability::kNormal));
  }
  EXPECT_OK(k.put("large", std::string(1 << 20, 'l')));
  const IntegrityReport report = Must(db.check_integrity());
  EXPECT_TRUE(report.ok()) << report.problems.front();
}

TEST(DatabaseTest, IntegrityCheckReportsDamage) {
  TempDir dir;
  {
    Database db = Must(Database::Open(dir.file("a")));
    Keyspace k = Must(db.keyspace("k"));
    WriteTransaction transaction = Must(db.begin());
    for (int i = 0; i < 5000; ++i) {
      EXPECT_OK(k.put(std::to_string(i), std::string(100, 'v'), transaction));
    }
    EXPECT_OK(transaction.commit());
    EXPECT_OK(db.close());
  }
  {
    std::fstream file(dir.file("a"), std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    const size_t at = bytes.find(std::string(100, 'v'), bytes.size() / 2);
    ASSERT_NE(at, std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put('w');
  }
  Database db = Must(Database::Open(dir.file("a")));
  StatusOr<IntegrityReport> report = db.check_integrity();
  EXPECT_TRUE(!report.ok() || !report->ok());
  Keyspace k = Must(db.keyspace("k"));
  int damaged = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto value = k.get(std::to_string(i));
    if (!value.ok()) {
      EXPECT_CODE(value, kDataLoss);
      ++damaged;
    } else {
      EXPECT_EQ(*value, std::string(100, 'v'));
    }
  }
  EXPECT_GT(damaged, 0);
}

TEST(DatabaseTest, TellsItsVersion) { EXPECT_EQ(version(), KVSQL_VERSION); }

}  // namespace
}  // namespace kvsql
