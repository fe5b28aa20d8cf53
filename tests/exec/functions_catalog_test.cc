// The catalog against SQLite's own list of functions.
#include <set>

#include "tests/exec/function_oracle.h"

namespace kvsql::exec {
namespace {

using planner::FindFunction;
using planner::FunctionInfo;

class FunctionCatalogTest : public testing::Test {
 protected:
  // What SQLite says of a call that is prepared only; empty: nothing against it.
  std::string Prepare(const std::string& name, int args) {
    std::string sql = "SELECT " + name + "(";
    for (int i = 0; i < args; ++i) sql += i > 0 ? ",0.5" : "0.5";
    sqlite3_stmt* statement = nullptr;
    const int result =
        sqlite3_prepare_v2(sqlite_.db(), (sql + ")").c_str(), -1, &statement, nullptr);
    sqlite3_finalize(statement);
    return result == SQLITE_OK ? "" : sqlite3_errmsg(sqlite_.db());
  }

  FunctionOracle sqlite_;
};

TEST_F(FunctionCatalogTest, NumbersOfArgumentsAreSqlites) {
  for (uint16_t i = 0; i < planner::kFunctionCount; ++i) {
    const FunctionInfo& info = planner::InfoOf(static_cast<planner::FunctionId>(i));
    EXPECT_EQ(static_cast<uint16_t>(info.id), i);
    if ((info.flags & planner::kKeyword) != 0) continue;
    const std::string name(info.name);
    for (int args = 0; args <= 6; ++args) {
      bool known = false;
      const FunctionInfo* found = FindFunction(name, args, &known);
      EXPECT_TRUE(known);
      EXPECT_EQ(found == nullptr ? "wrong number of arguments to function " + name + "()" : "",
                Prepare(name, args))
          << name << " of " << args;
    }
  }
}

TEST_F(FunctionCatalogTest, NamesInAnyCase) {
  bool known = false;
  EXPECT_EQ(FindFunction("LENGTH", 1, &known), FindFunction("length", 1, &known));
  EXPECT_EQ(FindFunction("Max", 1, &known)->id, planner::FunctionId::kMaxAggregate);
  EXPECT_EQ(FindFunction("Max", 2, &known)->id, planner::FunctionId::kMaxScalar);
  for (const char* name : {"", "lengt", "lengthy", "a_name_longer_than_any_function_has"}) {
    EXPECT_EQ(FindFunction(name, 1, &known), nullptr);
    EXPECT_FALSE(known);
  }
}

TEST_F(FunctionCatalogTest, DeterministicFunctionsAreSqlites) {
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(sqlite_.db(),
                               "SELECT name, flags & 2048 FROM pragma_function_list WHERE builtin "
                               "AND type = 's'",
                               -1, &statement, nullptr),
            SQLITE_OK);
  std::set<std::string> deterministic;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    if (sqlite3_column_int(statement, 1) == 0) continue;
    deterministic.insert(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
  }
  sqlite3_finalize(statement);
  for (uint16_t i = 0; i < planner::kFunctionCount; ++i) {
    const FunctionInfo& info = planner::InfoOf(static_cast<planner::FunctionId>(i));
    if ((info.flags & planner::kAggregate) != 0) continue;
    EXPECT_EQ((info.flags & planner::kDeterministic) != 0,
              deterministic.contains(std::string(info.name)))
        << info.name;
  }
}

// Every function of SQLite is here but those named here.
TEST_F(FunctionCatalogTest, NoneIsForgotten) {
  const std::set<std::string> later = {
      // Dates.
      "date", "datetime", "julianday", "strftime", "time", "unixepoch",
      // Windows.
      "cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile",
      "percent_rank", "rank", "row_number",
      // Of SQLite itself, or of how Debian builds it.
      "load_extension", "soundex", "sqlite_compileoption_get", "sqlite_compileoption_used",
      "sqlite_log", "sqlite_source_id", "subtype"};
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(sqlite_.db(),
                               "SELECT DISTINCT name FROM pragma_function_list WHERE builtin "
                               "AND name NOT LIKE 'json%' AND name NOT LIKE '-%'",
                               -1, &statement, nullptr),
            SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const std::string name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    bool known = false;
    FindFunction(name, 1, &known);
    if (name == "match" || name.starts_with("fts") || name.starts_with("rtree")) continue;
    EXPECT_NE(known, later.contains(name)) << name;
  }
  sqlite3_finalize(statement);
}

}  // namespace
}  // namespace kvsql::exec
