#include "exec/statement_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/exec/sql_fixture.h"

namespace kvsql::exec {
namespace {

std::shared_ptr<const planner::Plan> SomePlan() { return std::make_shared<planner::ControlPlan>(); }

TEST(StatementCacheTest, KeepsToItsBudgetAndDropsTheOldest) {
  StatementCache cache(20000);
  for (int i = 0; i < 100; ++i) {
    const std::string text = "statement " + std::to_string(i);
    cache.Put(StatementKey::Of(text, false), SomePlan(), text.size());
    EXPECT_NE(cache.Find(StatementKey::Of("statement 0", false)).plan, nullptr)
        << i;  // used all the time
    EXPECT_LE(cache.bytes(), 20000u);
  }
  EXPECT_GT(cache.size(), 5u);
  EXPECT_LT(cache.size(), 30u);
  EXPECT_EQ(cache.Find(StatementKey::Of("statement 1", false)).plan, nullptr);
  EXPECT_NE(cache.Find(StatementKey::Of("statement 99", false)).plan, nullptr);
}

TEST(StatementCacheTest, TellsTextsFromNormalisedForms) {
  StatementCache cache;
  cache.Put(StatementKey::Of("text", true), SomePlan(), 4);
  EXPECT_EQ(cache.Find(StatementKey::Of("text", false)).plan, nullptr);
  EXPECT_NE(cache.Find(StatementKey::Of("text", true)).plan, nullptr);
  cache.Put(StatementKey::Of("text", true), SomePlan(), 4);  // replaces
  EXPECT_EQ(cache.size(), 1u);
}

TEST(StatementCacheTest, RefusesWhatWouldDriveOutTheRest) {
  StatementCache cache(4000);
  cache.Put(StatementKey::Of(std::string(2000, 'x'), false), SomePlan(), 0);
  EXPECT_EQ(cache.size(), 0u);
}

class SharedCacheTest : public SqlTest {};

TEST_F(SharedCacheTest, SessionsOfManyThreadsShareIt) {
  Run("CREATE TABLE t(id INTEGER PRIMARY KEY, v)");
  Run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      Session session(store_, &cache_);
      for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(SqlTest::Run(&session, "SELECT v FROM t WHERE id = " + std::to_string(1 + i % 3)),
                  i % 3 == 0   ? "'a'"
                  : i % 3 == 1 ? "'b'"
                               : "'c'");
        EXPECT_EQ(SqlTest::Run(&session, "SELECT count(*) FROM t"), "3");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kvsql::exec
