// The AST of one statement: plain structs in an arena, built once by the parser and read-only from then on.
//
// All strings and lists live in the statement's arena; offsets are bytes of the text that was parsed.
//
// Thread safety: an AST does not change once Parse has returned it, and may be read from any thread.
//
// Invariants:
//   1. Pointers are never null unless a comment says so.
//   2. No expression is higher than Limits::expression_depth, no two nest deeper than Limits::nesting;
//      walks may recurse.
//   3. Names are without quotes, in the spelling of the text.
#ifndef KVSQL_PARSER_AST_H_
#define KVSQL_PARSER_AST_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace kvsql::parser {

struct Expr;
struct Select;

// A piece of the statement's text.
struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string_view In(std::string_view sql) const { return sql.substr(begin, end - begin); }
};

struct Name {
  std::string_view text;
  TextRange range;
  char quote = 0;  // the opening quote it was written with, or 0

  bool empty() const { return text.empty() && range.end == 0; }
};

// schema.object; the schema may be empty().
struct QualifiedName {
  Name schema;
  Name object;
};

// What a type was declared as: "VARCHAR(10)"; blanks between its words made single.
struct TypeName {
  std::string_view text;
};

enum class SortOrder : uint8_t { kUnspecified, kAscending, kDescending };
enum class NullsOrder : uint8_t { kUnspecified, kFirst, kLast };

struct OrderingTerm {
  Expr* expr = nullptr;
  SortOrder order = SortOrder::kUnspecified;
  NullsOrder nulls = NullsOrder::kUnspecified;
};

enum class ConflictAction : uint8_t { kUnspecified, kRollback, kAbort, kFail, kIgnore, kReplace };

enum class StatementKind : uint8_t {
  kSelect,
  kInsert,
  kUpdate,
  kDelete,
  kCreateTable,
  kCreateIndex,
  kCreateView,
  kCreateTrigger,
  kCreateVirtualTable,
  kDrop,
  kAlterTable,
  kBegin,
  kCommit,
  kRollback,
  kSavepoint,
  kRelease,
  kPragma,
  kAttach,
  kDetach,
  kAnalyze,
  kReindex,
  kVacuum,
};

struct Statement {
  StatementKind kind;
  TextRange range;
};

template <typename Node>
const Node& As(const Statement& statement) {
  return static_cast<const Node&>(statement);
}

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AST_H_
