// What the generator knows about the tables, views and columns of a case.
#ifndef KVSQL_TESTS_DIFF_MODEL_H_
#define KVSQL_TESTS_DIFF_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kvsql::diff {

// What kind of values a column is filled with. Sums of kSmall are exact in every order, so that they are
// defined; those of the others are not.
enum class Profile : uint8_t {
  kSmall,  // small integers and quarters, sometimes as text
  kWild,   // limits of integers and reals
  kText,
  kBlob,
  kAny,  // of all sorts
};

enum class Affinity : uint8_t { kBlob, kText, kNumeric, kInteger, kReal };

struct Column {
  std::string name;
  Affinity affinity = Affinity::kBlob;
  Profile profile = Profile::kAny;
  // Values that compare equal are the same value: no 1 beside 1.0, no 'a' beside 'A' under NOCASE. Only such
  // columns have a defined answer where one of several equal values is chosen (DISTINCT, UNION, max()).
  bool exact = false;

  bool summable() const { return profile == Profile::kSmall; }
  bool is_text() const { return affinity == Affinity::kText; }
};

// Something that stands in FROM: a table, view, CTE or subquery.
struct Relation {
  std::string name;
  std::vector<Column> columns;
  size_t rows = 0;          // a guess, to keep joins small
  const char* schema = "";  // "main." or "temp.": where a name of the schema may say it is
};

struct TableColumn {
  Column column;
  std::string type;       // as declared
  std::string collation;  // "" for none
  bool not_null = false;
  bool unique = false;  // alone, by UNIQUE or PRIMARY KEY
  bool in_key = false;  // of the PRIMARY KEY
  bool has_default = false;
};

struct Table {
  std::string name;
  std::vector<TableColumn> columns;
  bool without_rowid = false;
  bool strict = false;
  bool temporary = false;
  // The INTEGER PRIMARY KEY's place; -1 for none.
  int rowid_column = -1;
  // UNIQUE constraints and unique indexes, by columns' places; the primary key too.
  std::vector<std::vector<size_t>> keys;
  size_t rows = 0;

  const char* schema() const { return temporary ? "temp." : "main."; }

  Relation AsRelation() const {
    Relation relation{name, {}, rows, schema()};
    for (const TableColumn& column : columns) relation.columns.push_back(column.column);
    return relation;
  }
};

struct Schema {
  std::vector<Table> tables;
  std::vector<Relation> views;
  std::vector<std::string> indexes;
  size_t next_name = 0;  // makes names that no other thing has

  std::string NewName(const char* prefix) { return prefix + std::to_string(next_name++); }
};

// The names that a query's expressions can use: its sources, and those of the queries around it.
struct Source {
  std::string alias;
  std::vector<Column> columns;
};

struct Scope {
  std::vector<Source> sources;
  const Scope* outer = nullptr;
  // Columns that USING or NATURAL made one: written without a table.
  std::vector<Column> merged;
  // How many rows the join may have: a guess, to keep cases short.
  size_t rows = 1;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_MODEL_H_
