// Finds the first statement of a text and its tokens, and refuses what the grammar must not see: nesting and
// chains that would overflow the stack of a recursive parser. Text that is no token stays in as k_ILLEGAL: the
// grammar stops there, unless it has stopped before.
#ifndef KVSQL_PARSER_STATEMENT_SCANNER_H_
#define KVSQL_PARSER_STATEMENT_SCANNER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "parser/normaliser.h"
#include "parser/parser.h"
#include "parser/token.h"

namespace kvsql::parser {

struct ScannedToken {
  Token token;
  uint32_t number = 0;  // of a parameter, or slot of a LIFTED token
  bool is_list = false;
};

struct ScannedStatement {
  std::vector<ScannedToken> tokens;  // without the semicolon that ends the statement
  size_t end = 0;                    // bytes, semicolon included
  std::vector<std::string> parameter_names;
  uint32_t lifted_slots = 0;
  bool lifted_matrix = false;
};

Status ScanStatement(std::string_view sql, std::span<const LiftedRange> lifted,
                     const Limits& limits, ScannedStatement* out);

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_STATEMENT_SCANNER_H_
