#include "parser/parser.h"

#include <exception>
#include <utility>

#include "KvSql.h"
#include "absl/strings/str_cat.h"
#include "parser/antlr_input.h"
#include "parser/ast_builder.h"
#include "parser/statement_scanner.h"

namespace kvsql::parser {
namespace {

using kvsql_antlr::KvSql;

// The hand lexer's numbers are the grammar's.
#define KVSQL_SYMBOL(name, text) \
  static_assert(static_cast<int>(TokenKind::k_##name) == static_cast<int>(KvSql::name));
#define KVSQL_CLASS(name) \
  static_assert(static_cast<int>(TokenKind::k_##name) == static_cast<int>(KvSql::name));
#define KVSQL_KEYWORD(name) \
  static_assert(static_cast<int>(TokenKind::k_##name) == static_cast<int>(KvSql::K_##name));
#include "parser/tokens.def"
#undef KVSQL_SYMBOL
#undef KVSQL_CLASS
#undef KVSQL_KEYWORD

// Thrown out of the generated code when the text fits nothing.
struct Unexpected {};

// Stops at the first error: there is nothing to be gained from guessing what was meant.
class StopAtError : public antlr4::ANTLRErrorStrategy {
 public:
  void reset(antlr4::Parser*) override {}
  antlr4::Token* recoverInline(antlr4::Parser*) override { throw Unexpected(); }
  void recover(antlr4::Parser*, std::exception_ptr) override { throw Unexpected(); }
  void sync(antlr4::Parser*) override {}
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }
  void reportMatch(antlr4::Parser*) override {}
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {
    throw Unexpected();
  }
};

Status SyntaxError(std::string_view sql, const SqlToken& token) {
  if (token.getType() == antlr4::Token::EOF) {
    // The end stands behind the last token, not behind the blanks that follow it.
    size_t end = token.getStartIndex();
    if (end > 0 && end <= sql.size() && sql[end - 1] == ';') {
      return ErrorAt(sql, end - 1, "near \";\": syntax error");
    }
    return ErrorAt(sql, end, "incomplete input");
  }
  if (token.scanned().token.kind == TokenKind::k_ILLEGAL) {
    return ErrorAt(sql, token.getStartIndex(),
                   absl::StrCat("unrecognized token: \"", std::string(token.text()), "\""));
  }
  return ErrorAt(sql, token.getStartIndex(),
                 absl::StrCat("near \"", std::string(token.text()), "\": syntax error"));
}

}  // namespace

Status ErrorAt(std::string_view sql, size_t offset, std::string_view message) {
  const Position position = PositionAt(sql, offset);
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(message), " at line ", position.line, ", column ", position.column));
}

Status NotSupportedAt(std::string_view sql, size_t offset, std::string_view what) {
  const Position position = PositionAt(sql, offset);
  return absl::UnimplementedError(absl::StrCat("not supported yet: ", std::string(what),
                                               " at line ", position.line, ", column ",
                                               position.column));
}

class StatementParser {
 public:
  static Status Run(std::string_view sql, std::span<const LiftedRange> lifted, const Limits& limits,
                    ParsedStatement* out) {
    ScannedStatement scanned;
    KV_RETURN_IF_ERROR(ScanStatement(sql, lifted, limits, &scanned));
    out->consumed_ = scanned.end;
    out->sql_ = std::string(sql.substr(0, scanned.end));
    out->names_ = std::move(scanned.parameter_names);
    out->lifted_slots_ = scanned.lifted_slots;
    if (scanned.tokens.empty()) return absl::OkStatus();

    SqlTokenStream stream(out->sql_, scanned);
    KvSql parser(&stream);
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<StopAtError>());
    auto* simulator = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
    simulator->setPredictionMode(antlr4::atn::PredictionMode::SLL);
    KvSql::StatementContext* tree = nullptr;
    try {
      tree = parser.statement();
    } catch (const Unexpected&) {
      // SLL looks at less context: what it refuses may still be right.
      stream.Rewind();
      parser.reset();
      simulator->setPredictionMode(antlr4::atn::PredictionMode::LL);
      try {
        tree = parser.statement();
      } catch (const Unexpected&) {
        return SyntaxError(out->sql_, stream.furthest());
      }
    }
    AstBuilder builder(out->sql_, limits, scanned.lifted_matrix, &out->arena_);
    KV_ASSIGN_OR_RETURN(const AstBuilder::Root root, builder.Build(tree));
    out->statement_ = root.statement;
    out->explain_ = root.explain;
    out->explain_query_plan_ = root.explain_query_plan;
    return absl::OkStatus();
  }
};

StatusOr<ParsedStatement> Parse(std::string_view sql, std::span<const LiftedRange> lifted,
                                const Limits& limits) {
  ParsedStatement statement;
  try {
    KV_RETURN_IF_ERROR(StatementParser::Run(sql, lifted, limits, &statement));
  } catch (const std::exception& e) {
    return absl::InternalError(absl::StrCat("SQL parser failed: ", e.what()));
  }
  return statement;
}

}  // namespace kvsql::parser
