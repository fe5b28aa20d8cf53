// Tables and keyspaces with compressed values, next to twins without: what they answer, what they take, and what
// becomes of them when dictionaries are trained.
#include <kvsql/kvsql.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

// Records as an agent's memory might have them: the same names in each, and text from a vocabulary.
class Records {
 public:
  explicit Records(uint64_t seed, std::string_view kind = "note") : random_(seed), kind_(kind) {
    for (int i = 0; i < 300; ++i) {
      std::string& word = words_.emplace_back();
      for (uint64_t n = 2 + random_() % 8; n > 0; --n)
        word += static_cast<char>('a' + random_() % 26);
    }
  }

  std::string Next(size_t words = 25) {
    std::string text = "{\"kind\":\"" + kind_ + "\",\"agent\":" + std::to_string(random_() % 64) +
                       ",\"revision\":1,\"text\":\"";
    for (size_t i = 0; i < words; ++i) text += words_[random_() % words_.size()] + " ";
    return text + "\"}";
  }
  std::string Noise(size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    return bytes;
  }
  uint64_t Random(uint64_t below) { return random_() % below; }

 private:
  std::mt19937_64 random_;
  std::string kind_;
  std::vector<std::string> words_;
};

std::string KeyOf(int i) {
  std::string key = std::to_string(i);
  return "memory/" + std::string(8 - key.size(), '0') + key;
}

const KeyspaceOptions kCompressed{.compression = Compression::kZstd};

class CompressionTest : public ::testing::Test {
 protected:
  CompressionTest() { Open(); }
  ~CompressionTest() override { CheckSound(); }

  void Open() { db_.emplace(Must(Database::Open(directory_.file("test.kv")))); }
  void Reopen() {
    ASSERT_OK(db_->close());
    Open();
  }
  void CheckSound() {
    const IntegrityReport report = Must(db_->check_integrity());
    for (const std::string& problem : report.problems) ADD_FAILURE() << problem;
  }
  void Execute(std::string_view sql) { ASSERT_OK(Must(db_->connect()).execute(sql)); }
  std::string Ask(std::string_view sql) {
    Connection connection = Must(db_->connect());
    Statement statement = Must(connection.prepare(sql));
    std::string all;
    while (Must(statement.step())) {
      for (int i = 0; i < statement.column_count(); ++i) {
        all += statement.at(i).to_string() + "|";
      }
      all += "\n";
    }
    return all;
  }
  uint64_t FileSize() {
    EXPECT_OK(db_->close());
    const uint64_t size = std::filesystem::file_size(directory_.file("test.kv"));
    Open();
    return size;
  }
  // Of a keyspace and what it should have.
  void ExpectEntries(const std::map<std::string, std::string>& expected) {
    Keyspace k = Must(db_->keyspace("k"));
    EXPECT_EQ(Must(k.count()), expected.size());
    std::string value;
    for (const auto& [key, wanted] : expected) {
      ASSERT_TRUE(Must(k.get(key, &value)));
      ASSERT_EQ(value, wanted);
    }
    auto next = expected.begin();
    Cursor cursor = k.scan();
    for (; cursor.valid(); cursor.next(), ++next) {
      ASSERT_EQ(cursor.key(), next->first);
      ASSERT_EQ(cursor.value(), next->second);
    }
    EXPECT_OK(cursor.status());
    EXPECT_TRUE(next == expected.end());
  }

  TempDir directory_;
  std::optional<Database> db_;
};

TEST_F(CompressionTest, KeyspaceRoundTripsThroughCommitsAndReopening) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  Records records(1);
  std::map<std::string, std::string> expected;
  // Single commits, a transaction, overwriting, short and incompressible values among them.
  for (int i = 0; i < 400; ++i) {
    std::string& value = expected[KeyOf(i)];
    value = i % 7 == 0 ? records.Noise(records.Random(200)) : records.Next();
    ASSERT_OK(k.put(KeyOf(i), value, Durability::kNormal));
  }
  WriteTransaction transaction = Must(db_->begin());
  for (int i = 200; i < 4000; ++i) {
    std::string& value = expected[KeyOf(i)];
    value = i % 500 == 0 ? records.Next(5000) : i % 11 == 0 ? "" : records.Next();
    ASSERT_OK(k.put(KeyOf(i), value, transaction));
  }
  std::string value;
  EXPECT_TRUE(Must(k.get(KeyOf(3999), &value, transaction)));
  EXPECT_EQ(value, expected[KeyOf(3999)]);
  ASSERT_OK(transaction.commit());
  ExpectEntries(expected);
  Reopen();
  ExpectEntries(expected);
  k = Must(db_->keyspace("k"));
  for (int i = 0; i < 4000; i += 3) {
    ASSERT_TRUE(Must(k.erase(KeyOf(i))));
    expected.erase(KeyOf(i));
  }
  ExpectEntries(expected);
}

TEST_F(CompressionTest, EveryWayOfReadingAValue) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  Records records(2);
  std::vector<std::string> values;
  WriteTransaction transaction = Must(db_->begin());
  for (int i = 0; i < 3000; ++i) {
    values.push_back(records.Next());
    ASSERT_OK(k.put(KeyOf(i), values.back(), transaction));
  }
  const PinnedBytes inside = Must(k.get_view(KeyOf(7), transaction));
  EXPECT_EQ(inside.view(), values[7]);
  ASSERT_OK(transaction.commit());

  const std::string& wanted = values[2000];
  char buffer[1000];
  EXPECT_EQ(Must(k.get(KeyOf(2000), std::span<char>(buffer))), wanted.size());
  EXPECT_EQ(std::string_view(buffer, wanted.size()), wanted);
  char small[10] = {};
  EXPECT_EQ(Must(k.get(KeyOf(2000), std::span<char>(small, 9))), wanted.size());
  EXPECT_EQ(std::string_view(small), wanted.substr(0, 9));
  EXPECT_EQ(Must(k.get(KeyOf(2000))), wanted);
  EXPECT_EQ(Must(k.get(KeyOf(9999))), std::nullopt);

  const Snapshot snapshot = Must(db_->snapshot());
  ASSERT_OK(k.put(KeyOf(2000), "other"));
  const PinnedBytes view = Must(k.get_view(KeyOf(2000), snapshot));
  EXPECT_EQ(view.view(), wanted);
  EXPECT_TRUE(view.owns_bytes());
  EXPECT_EQ(Must(k.get(KeyOf(2000))), "other");

  const std::string keys[] = {KeyOf(1), KeyOf(9999), KeyOf(3)};
  const std::vector<std::string_view> asked(std::begin(keys), std::end(keys));
  const auto found = Must(k.multi_get(asked));
  EXPECT_EQ(found[0], values[1]);
  EXPECT_EQ(found[1], std::nullopt);
  EXPECT_EQ(found[2], values[3]);

  EXPECT_FALSE(Must(k.compare_and_put(KeyOf(1), "wrong", "new")));
  EXPECT_TRUE(Must(k.compare_and_put(KeyOf(1), values[1], values[2])));
  EXPECT_FALSE(Must(k.compare_and_erase(KeyOf(1), values[1])));
  EXPECT_TRUE(Must(k.compare_and_erase(KeyOf(1), values[2])));
  EXPECT_FALSE(Must(k.put_if_absent(KeyOf(2), "new")));
  EXPECT_EQ(Must(k.get(KeyOf(2))), values[2]);
}

TEST_F(CompressionTest, CursorOfATransactionSeesWhatIsPutMeanwhile) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  Records records(3);
  WriteTransaction transaction = Must(db_->begin());
  ASSERT_OK(k.put(KeyOf(0), "first", transaction));
  Cursor cursor = k.scan(KeyRange::All(), transaction);
  EXPECT_EQ(cursor.value(), "first");
  // Trains a dictionary under the cursor.
  std::string last;
  for (int i = 1; i < 3000; ++i) ASSERT_OK(k.put(KeyOf(i), last = records.Next(), transaction));
  EXPECT_EQ(cursor.value(), "first");
  ASSERT_OK(k.put(KeyOf(0), last, transaction));
  EXPECT_EQ(cursor.value(), last);
  int entries = 0;
  for (; cursor.valid(); cursor.next()) ++entries;
  EXPECT_OK(cursor.status());
  EXPECT_EQ(entries, 3000);
  ASSERT_OK(transaction.commit());
}

TEST_F(CompressionTest, RolledBackTrainingLeavesNothingBehind) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  Records records(4);
  Records others(5, "something quite different");
  std::map<std::string, std::string> expected;
  const auto fill = [&](Records& from, WriteTransaction& transaction, bool keep) {
    for (int i = 0; i < 3000; ++i) {
      const std::string value = from.Next();
      ASSERT_OK(k.put(KeyOf(i), value, transaction));
      if (keep) expected[KeyOf(i)] = value;
    }
  };
  {
    WriteTransaction transaction = Must(db_->begin());
    fill(records, transaction, false);
    ASSERT_OK(transaction.rollback());
  }
  ExpectEntries(expected);
  WriteTransaction transaction = Must(db_->begin());
  ASSERT_OK(transaction.savepoint("s"));
  fill(records, transaction, false);
  ASSERT_OK(transaction.rollback_to("s"));
  fill(others, transaction, true);
  ASSERT_OK(transaction.commit());
  ExpectEntries(expected);
  Reopen();
  ExpectEntries(expected);
}

TEST_F(CompressionTest, TablesAnswerLikeTheirTwins) {
  const std::string columns =
      "(id INTEGER PRIMARY KEY, agent INTEGER, sequence INTEGER, body TEXT, score REAL, data BLOB)";
  Execute("CREATE TABLE plain" + columns);
  Execute("CREATE TABLE packed" + columns + " WITH (compression = zstd)");
  Execute("CREATE INDEX plain_agent ON plain(agent, sequence)");
  Execute("CREATE UNIQUE INDEX packed_agent ON packed(agent, sequence)");
  Records records(6);
  Connection connection = Must(db_->connect());
  ASSERT_OK(connection.execute("BEGIN"));
  for (const char* table : {"plain", "packed"}) {
    Records same(7);
    Statement insert = Must(
        connection.prepare(std::string("INSERT INTO ") + table + " VALUES (?, ?, ?, ?, ?, ?)"));
    for (int i = 0; i < 4000; ++i) {
      const std::string body = i % 100 == 0 ? same.Next(800) : same.Next();
      ASSERT_OK(insert.bind(1, i));
      ASSERT_OK(insert.bind(2, static_cast<int64_t>(same.Random(64))));
      ASSERT_OK(insert.bind(3, i * 3));
      ASSERT_OK(insert.bind(4, body));
      ASSERT_OK(insert.bind(5, i / 7.0));
      if (i % 5 == 0) {
        ASSERT_OK(insert.bind(6, nullptr));
      } else {
        ASSERT_OK(insert.bind(6, ValueView::Blob(std::string_view(body).substr(0, i % 50))));
      }
      ASSERT_OK(insert.execute());
    }
  }
  ASSERT_OK(connection.execute("COMMIT"));
  const auto compare = [&] {
    for (const char* query :
         {"SELECT * FROM %", "SELECT count(*), sum(length(body)), sum(agent), avg(score) FROM %",
          "SELECT body FROM % WHERE id = 1234",
          "SELECT id, body FROM % WHERE id BETWEEN 90 AND 120",
          "SELECT body, data FROM % WHERE agent = 17 ORDER BY sequence DESC LIMIT 10",
          "SELECT agent, max(body), count(*) FROM % GROUP BY agent ORDER BY agent",
          "SELECT body FROM % ORDER BY body DESC LIMIT 20",
          "SELECT a.id, b.body FROM % a JOIN % b ON a.sequence = b.id WHERE a.agent < 3 ORDER BY 1",
          "SELECT id FROM % WHERE body LIKE '%\"agent\":12,%' ORDER BY id"}) {
      std::string sql[2];
      for (int i = 0; i < 2; ++i) {
        for (const char* c = query; *c != '\0'; ++c) {
          // A % before a quote or a comma's end is LIKE's.
          if (*c == '%' && c[1] != '"' && c[1] != '\'') {
            sql[i] += i == 0 ? "plain" : "packed";
          } else {
            sql[i] += *c;
          }
        }
      }
      ASSERT_EQ(Ask(sql[0]), Ask(sql[1])) << sql[1];
    }
    Table plain = Must(db_->table("plain"));
    Table packed = Must(db_->table("packed"));
    for (int i = 0; i < 4000; i += 37) {
      const Row a = Must(plain.get_row(i));
      const Row b = Must(packed.get_row(i));
      ASSERT_EQ(a.exists(), b.exists());
      if (a.exists()) {
        ASSERT_EQ(a["body"].text(), b["body"].text());
      }
    }
  };
  compare();
  for (const char* table : {"plain", "packed"}) {
    const std::string name = table;
    Execute("UPDATE " + name + " SET score = score + 1 WHERE id % 3 = 0");
    Execute("UPDATE " + name +
            " SET body = body || ' and more', sequence = sequence + 1000000 WHERE id % 5 = 0");
    Execute("UPDATE " + name + " SET agent = 3 WHERE id = 77");
    Execute("DELETE FROM " + name + " WHERE id % 11 = 0");
    Execute("INSERT OR REPLACE INTO " + name +
            " SELECT id + 1, agent, sequence + 5000000, body, score, data FROM " + name +
            " WHERE id % 13 = 0");
  }
  compare();
  Reopen();
  compare();
  Execute("VACUUM");
  compare();
  CheckSound();
  Reopen();
  compare();
}

TEST_F(CompressionTest, WithoutRowidTablesAndLargeColumns) {
  Execute(
      "CREATE TABLE t(name TEXT COLLATE NOCASE PRIMARY KEY, body, big) WITHOUT ROWID WITH "
      "(compression = zstd)");
  Connection connection = Must(db_->connect());
  Records records(8);
  std::vector<std::string> bodies;
  std::vector<std::string> large;
  ASSERT_OK(connection.execute("BEGIN"));
  Statement insert = Must(connection.prepare("INSERT INTO t VALUES (?, ?, ?)"));
  for (int i = 0; i < 2000; ++i) {
    bodies.push_back(records.Next());
    large.push_back(records.Next(i % 10 == 0 ? 2000 : 3));
    ASSERT_OK(insert.bind(1, "Name" + std::to_string(i)));
    ASSERT_OK(insert.bind(2, bodies.back()));
    ASSERT_OK(insert.bind(3, large.back()));
    ASSERT_OK(insert.execute());
  }
  ASSERT_OK(connection.execute("COMMIT"));
  const auto check = [&] {
    Table t = Must(db_->table("t"));
    for (int i = 0; i < 2000; ++i) {
      const Row row = Must(t.get_row("nAME" + std::to_string(i)));
      ASSERT_TRUE(row.exists());
      ASSERT_EQ(row["name"].text(), "Name" + std::to_string(i));
      ASSERT_EQ(row["body"].text(), bodies[i]);
      ASSERT_EQ(row["big"].text(), large[i]);
    }
    EXPECT_EQ(Ask("SELECT count(*), sum(length(big)) > 0 FROM t WHERE name LIKE 'NAME1%'"),
              "1111|1|\n");
  };
  check();
  Execute("VACUUM");
  check();
  Reopen();
  check();
}

TEST_F(CompressionTest, OneStatementThatFillsATableIsCompressedToo) {
  Execute("CREATE TABLE source(id INTEGER PRIMARY KEY, body TEXT)");
  Connection connection = Must(db_->connect());
  Records records(9);
  ASSERT_OK(connection.execute("BEGIN"));
  Statement insert = Must(connection.prepare("INSERT INTO source(body) VALUES (?)"));
  for (int i = 0; i < 10000; ++i) {
    ASSERT_OK(insert.bind(1, records.Next()));
    ASSERT_OK(insert.execute());
  }
  ASSERT_OK(connection.execute("COMMIT"));
  const uint64_t before = FileSize();
  Execute("CREATE TABLE packed(id INTEGER PRIMARY KEY, body TEXT) WITH (compression = zstd)");
  Execute("INSERT INTO packed SELECT * FROM source");
  EXPECT_EQ(Ask("SELECT count(*) FROM source JOIN packed USING (id, body)"), "10000|\n");
  const uint64_t after = FileSize();
  // Words from a vocabulary of 300 take half of what they took, or less.
  EXPECT_LT(after - before, before / 2);
}

TEST_F(CompressionTest, VacuumTrainsForWhatThereIsNow) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  std::map<std::string, std::string> expected;
  // A dictionary for one kind of records, and then many of another.
  Records first(10);
  WriteTransaction transaction = Must(db_->begin());
  for (int i = 0; i < 1500; ++i) {
    ASSERT_OK(k.put(KeyOf(i), expected[KeyOf(i)] = first.Next(), transaction));
  }
  ASSERT_OK(transaction.commit());
  Records second(11, "observation");
  transaction = Must(db_->begin());
  for (int i = 1500; i < 12000; ++i) {
    ASSERT_OK(k.put(KeyOf(i), expected[KeyOf(i)] = second.Next(), transaction));
  }
  ASSERT_OK(transaction.commit());
  const Snapshot snapshot = Must(db_->snapshot());
  Keyspace older = Must(db_->keyspace("k"));
  EXPECT_EQ(Must(older.get(KeyOf(20), snapshot)), expected[KeyOf(20)]);
  Execute("VACUUM");
  // What was read before is still read with the dictionaries of its time.
  EXPECT_EQ(Must(older.get(KeyOf(20), snapshot)), expected[KeyOf(20)]);
  EXPECT_EQ(Must(older.get(KeyOf(11000), snapshot)), expected[KeyOf(11000)]);
  EXPECT_EQ(Must(older.get(KeyOf(11000))), expected[KeyOf(11000)]);
  ExpectEntries(expected);
}

TEST_F(CompressionTest, VacuumMakesTheFileSmaller) {
  std::map<std::string, std::string> expected;
  {
    Keyspace k = Must(db_->keyspace("k", kCompressed));
    Records first(12);
    Records second(13, "observation");
    WriteTransaction transaction = Must(db_->begin());
    for (int i = 0; i < 12000; ++i) {
      expected[KeyOf(i)] = i < 1500 ? first.Next() : second.Next();
      ASSERT_OK(k.put(KeyOf(i), expected[KeyOf(i)], transaction));
    }
    ASSERT_OK(transaction.commit());
  }
  const uint64_t before = FileSize();
  Execute("VACUUM");
  ExpectEntries(expected);
  EXPECT_LT(FileSize(), before);
  ExpectEntries(expected);
}

TEST_F(CompressionTest, SeveralDictionariesAtOnce) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  std::map<std::string, std::string> expected;
  Records first(14);
  // The keyspace grows to many times what the first dictionary was trained on, with other values.
  for (int round = 0; round < 4; ++round) {
    Records kind(15 + round, "kind " + std::to_string(round));
    WriteTransaction transaction = Must(db_->begin());
    const int begin = round == 0 ? 0 : 1500 << (2 * (round - 1));
    for (int i = begin; i < 1500 << (2 * round); ++i) {
      ASSERT_OK(k.put(KeyOf(i), expected[KeyOf(i)] = kind.Next(20), transaction));
    }
    ASSERT_OK(transaction.commit());
  }
  ExpectEntries(expected);
  Reopen();
  ExpectEntries(expected);
  CheckSound();
  Execute("VACUUM");
  ExpectEntries(expected);
}

TEST_F(CompressionTest, DroppingTakesTheDictionariesAlong) {
  Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT) WITH (compression = zstd)");
  for (int round = 0; round < 2; ++round) {
    Keyspace k = Must(db_->keyspace("k", kCompressed));
    Records records(20 + round);
    WriteTransaction transaction = Must(db_->begin());
    Table t = Must(transaction.table("t"));
    for (int i = 0; i < 3000; ++i) {
      const std::string value = records.Next();
      ASSERT_OK(k.put(KeyOf(i), value, transaction));
      ASSERT_OK(t.insert_row({i, value}, transaction));
    }
    ASSERT_OK(transaction.commit());
    EXPECT_EQ(Ask("SELECT count(*) FROM t WHERE body LIKE '{\"kind\":\"note\"%'"), "3000|\n");
    ASSERT_OK(db_->drop_keyspace("k"));
    Execute("DROP TABLE t");
    // The integrity check finds dictionaries that nothing names.
    CheckSound();
    Execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT) WITH (compression = zstd)");
  }
}

TEST_F(CompressionTest, TheStatementIsKeptAndWrongOptionsAreRefused) {
  const std::string sql =
      "CREATE TABLE t(id INTEGER PRIMARY KEY, x) STRICT WITH (compression = zstd)";
  EXPECT_CODE(Must(db_->connect()).execute(sql), kInvalidArgument);  // x has no type
  const std::string good =
      "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT) STRICT WITH (compression = zstd)";
  Execute(good);
  EXPECT_EQ(Ask("SELECT sql FROM sqlite_schema WHERE name = 't'"), "'" + good + "'|\n");
  Connection connection = Must(db_->connect());
  for (const char* wrong :
       {"CREATE TABLE u(x) WITH (compression = lz4)", "CREATE TABLE u(x) WITH (compression = 3)",
        "CREATE TABLE u(x) WITH (fillfactor = zstd)", "CREATE TABLE u(x) WITH ()",
        "CREATE TABLE u(x) WITH (compression = zstd, compression = zstd)",
        "CREATE TABLE u(x) WITH compression"}) {
    SCOPED_TRACE(wrong);
    EXPECT_CODE(connection.execute(wrong), kInvalidArgument);
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM sqlite_schema"), "1|\n");
}

TEST_F(CompressionTest, ReadersWhileDictionariesComeAndGo) {
  Keyspace k = Must(db_->keyspace("k", kCompressed));
  Records records(40);
  const std::string first = records.Next();
  ASSERT_OK(k.put(KeyOf(0), first));
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      Keyspace mine = k;
      std::string value;
      do {
        ASSERT_TRUE(Must(mine.get(KeyOf(0), &value)));
        ASSERT_EQ(value, first);
        Cursor cursor = mine.scan();
        for (int n = 0; cursor.valid() && n < 100; cursor.next(), ++n) {
          ASSERT_FALSE(cursor.value().empty());
        }
        ASSERT_OK(cursor.status());
      } while (!done);
    });
  }
  for (int round = 0; round < 3; ++round) {
    Records kind(50 + round, "kind " + std::to_string(round));
    for (int i = 0; i < 2000; ++i) {
      ASSERT_OK(k.put(KeyOf(1 + round * 2000 + i), kind.Next(), Durability::kNormal));
    }
    Execute("VACUUM");
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(CompressionInMemoryTest, WorksAndVacuums) {
  Database db = Must(Database::Open(":memory:"));
  Keyspace k = Must(db.keyspace("k", kCompressed));
  Records records(30);
  std::vector<std::string> values;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(records.Next());
    ASSERT_OK(k.put(KeyOf(i), values.back()));
  }
  ASSERT_OK(Must(db.connect()).execute("VACUUM"));
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(Must(k.get(KeyOf(i))), values[i]);
  EXPECT_TRUE(Must(db.check_integrity()).problems.empty());
}

}  // namespace
}  // namespace kvsql
