// Queries with almost no memory answer as they do with enough of it.
#include <gtest/gtest.h>

#include <string>

#include "exec/batch/spill.h"
#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

class SpillTest : public SqlTest {
 protected:
  SpillTest() {
    Run("CREATE TABLE d(n); INSERT INTO d VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);"
        "CREATE TABLE big(id INTEGER PRIMARY KEY, k, s TEXT, r REAL);"
        "INSERT INTO big SELECT a.n+b.n*10+c.n*100+e.n*1000, (a.n*7919+b.n*104729+c.n*1299709+"
        "e.n*15485863) % 3001, 'text number '||((a.n*31+b.n*37+c.n*41+e.n*43)*7919 % 9973), "
        "a.n*0.5+b.n FROM d a, d b, d c, d e;"
        "INSERT INTO big(k, s, r) VALUES (NULL, NULL, NULL), (NULL, 'x', 1), (1.0, x'00', 2);");
  }

  void Check(const std::string& sql) {
    Run("PRAGMA kvsql_query_memory = 268435456");
    const std::string all = Run(sql);
    Run("PRAGMA kvsql_query_memory = 65536");
    EXPECT_TRUE(Run(sql) == all) << sql;
    EXPECT_EQ(all.find("RESOURCE"), std::string::npos) << all;
  }
};

TEST_F(SpillTest, Sort) {
  Check("SELECT id, k, s FROM big ORDER BY s DESC, k");
  Check("SELECT id FROM big ORDER BY r");
  Check("SELECT id, s FROM big ORDER BY r, s COLLATE NOCASE DESC LIMIT 50 OFFSET 7000");
}

TEST_F(SpillTest, Groups) {
  Check(
      "SELECT * FROM (SELECT k, count(*), min(s), sum(id), count(DISTINCT r), max(r) FROM big "
      "GROUP BY k) ORDER BY 1, 2");
  Check("SELECT * FROM (SELECT s, k, max(id), r FROM big GROUP BY s, k) ORDER BY 1, 2");
  Check("SELECT * FROM (SELECT DISTINCT k, s FROM big) ORDER BY 1, 2");
  Check("SELECT count(*), sum(length(x)) FROM (SELECT s AS x FROM big UNION SELECT k FROM big)");
}

TEST_F(SpillTest, Joins) {
  Check("SELECT count(*), sum(a.id), sum(b.id) FROM big a JOIN big b ON a.k = b.k AND a.s = b.s");
  for (const char* kind : {"LEFT", "RIGHT", "FULL"}) {
    Check(std::string("SELECT count(*), sum(a.id), sum(b.id), count(b.k) FROM big a ") + kind +
          " JOIN big b ON a.k = b.k + 5 AND b.r < a.r");
  }
  Check(
      "SELECT count(*), sum(id) FROM big a WHERE EXISTS (SELECT 1 FROM big b WHERE b.k = a.k + 3 "
      "AND b.s > a.s)");
  Check(
      "SELECT count(*), sum(id) FROM big a WHERE NOT EXISTS (SELECT 1 FROM big b WHERE b.k = "
      "a.k + 3)");
}

// What is kept in memory alone says so where there is no room, and leaves everything as it was.
TEST_F(SpillTest, WithoutRoom) {
  for (const char* sql :
       {"SELECT count(*) FROM (SELECT k, s FROM big EXCEPT SELECT k + 1, s FROM big)",
        "SELECT count(*) FROM (SELECT k, s FROM big INTERSECT SELECT k, s FROM big)",
        "SELECT count(*) FROM big WHERE s IN (SELECT s || k FROM big)",
        "SELECT count(*) FROM big WHERE s NOT IN (SELECT s || k FROM big)",
        "SELECT count(*) FROM big WHERE (k, s) NOT IN (SELECT k + 1, s FROM big WHERE id > 5)",
        "SELECT count(*) FROM big a, big b WHERE a.id < b.k AND b.s < a.s AND b.id < 9000",
        "WITH c AS MATERIALIZED (SELECT k, s FROM big) SELECT count(*) FROM c x, c y WHERE x.k = "
        "y.k",
        "INSERT INTO big(k, s) SELECT k, s FROM big", "UPDATE big SET s = s || 'w'",
        "DELETE FROM big WHERE s IN (SELECT s || k FROM big)",
        "CREATE TABLE copy AS SELECT * FROM big", "CREATE TEMP TABLE copy AS SELECT * FROM big"}) {
    Run("PRAGMA kvsql_query_memory = 65536");
    const std::string answer = Run(sql);
    EXPECT_EQ(answer.find("RESOURCE: the query needs more than its memory budget"), 0u)
        << sql << ": " << answer;
    EXPECT_EQ(Run("SELECT count(*), max(id), count(s) FROM big"), "10003,10002,10002") << sql;
  }
}

TEST_F(SpillTest, BlocksAreUsedAgain) {
  std::unique_ptr<SpillFile> file = SpillFile::Create("").value();
  for (int round = 0; round < 3; ++round) {
    SpillStream stream(file.get());
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(stream.Append(std::string(static_cast<size_t>(i % 100), 'x')).ok());
    }
    ASSERT_TRUE(stream.Finish().ok());
    std::string_view record;
    int count = 0;
    while (stream.Next(&record).value()) {
      ASSERT_EQ(record.size(), static_cast<size_t>(count % 100));
      ++count;
    }
    EXPECT_EQ(count, 5000);
  }
  EXPECT_LE(file->blocks(), 17u);
}

}  // namespace
}  // namespace kvsql::exec
