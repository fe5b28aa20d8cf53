// The .sqltest format (Turso's): reading. What the tests of such a file can rely on:
//
//    @database :memory:        each test has a fresh database; :temp: one in a file
//    setup NAME { SQL }        run before a test that says @setup NAME
//    test NAME { SQL }
//    expect [raw|unordered|pattern|error|@cli|@js] { ... }
//
// A block ends at its matching brace; \} \{ \\ stand for } { \ . # begins a comment outside of blocks.
#ifndef KVSQL_TESTS_SQL_SQLTEST_FILE_H_
#define KVSQL_TESTS_SQL_SQLTEST_FILE_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kvsql::slt {

struct Expectation {
  std::vector<std::string> modes;  // the words between "expect" and the block
  std::string body;

  bool Has(std::string_view mode) const;
};

struct SqlTest {
  size_t line = 0;
  std::string kind;  // "test"; "snapshot", "snapshot-eqp" and "matrix" have no results
  std::string name;
  std::string sql;
  std::vector<std::string> setups;
  std::vector<Expectation> expectations;
};

struct SqltestFile {
  std::vector<std::string> databases;
  std::map<std::string, std::string> setups;
  std::vector<SqlTest> tests;
};

// False, and *error says what and where, if the text is not of the format.
bool ParseSqltest(std::string_view text, SqltestFile* file, std::string* error);

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_SQLTEST_FILE_H_
