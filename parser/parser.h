// SQL text to AST.
//
// Thread safety: Parse may be called from any thread.
//
// Errors: INVALID_ARGUMENT with SQLite's words, the offending token and where it stands:
//     near "FORM": syntax error at line 1, column 10
//     unrecognized token: "'abc" at line 1, column 8
//     incomplete input at line 1, column 14
// Limits give INVALID_ARGUMENT too. No exception leaves Parse, however hostile the text.
#ifndef KVSQL_PARSER_PARSER_H_
#define KVSQL_PARSER_PARSER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "parser/ast_statement.h"
#include "parser/normaliser.h"

namespace kvsql::parser {

struct Limits {
  size_t statement_bytes = 1'000'000'000;
  size_t tokens = 1'000'000;  // that reach the grammar; lifted literals do not
  size_t nesting = 200;       // parentheses and CASEs inside each other
  size_t expression_depth = 1000;
  size_t parameters = 250'000;  // the largest parameter number
};

// One statement, or an empty text (statement() is null).
class ParsedStatement {
 public:
  const Statement* statement() const { return statement_; }
  bool explain() const { return explain_; }
  bool explain_query_plan() const { return explain_query_plan_; }
  // The text that offsets in the AST refer to: the statement, with what stood before it.
  std::string_view sql() const { return sql_; }
  // Bytes of the given text that were read: the statement with its semicolon.
  size_t consumed() const { return consumed_; }
  // The largest parameter number; names()[n - 1] is the name of parameter n, with its first
  // character, empty for those without.
  uint32_t parameter_count() const { return static_cast<uint32_t>(names_.size()); }
  const std::vector<std::string>& parameter_names() const { return names_; }
  uint32_t lifted_slots() const { return lifted_slots_; }
  size_t memory_bytes() const { return arena_.allocated_bytes() + sql_.size() + sizeof(*this); }

 private:
  friend class StatementParser;
  Arena arena_;
  std::string sql_;
  const Statement* statement_ = nullptr;
  size_t consumed_ = 0;
  std::vector<std::string> names_;
  uint32_t lifted_slots_ = 0;
  bool explain_ = false;
  bool explain_query_plan_ = false;
};

// Parses the first statement of `sql`. `lifted` are the ranges that a Normaliser found in the same text.
StatusOr<ParsedStatement> Parse(std::string_view sql, std::span<const LiftedRange> lifted = {},
                                const Limits& limits = {});

// "<message> at line L, column C", as INVALID_ARGUMENT.
Status ErrorAt(std::string_view sql, size_t offset, std::string_view message);
// UNIMPLEMENTED "not supported yet: <what> at line L, column C".
Status NotSupportedAt(std::string_view sql, size_t offset, std::string_view what);

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_PARSER_H_
