// AST: statements, one struct per kind.
#ifndef KVSQL_PARSER_AST_STATEMENT_H_
#define KVSQL_PARSER_AST_STATEMENT_H_

#include "parser/ast.h"
#include "parser/ast_query.h"
#include "parser/ast_schema.h"

namespace kvsql::parser {

struct SelectStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kSelect;
  Select* select = nullptr;
};

// What INSERT, UPDATE and DELETE change.
struct TargetTable {
  QualifiedName name;
  Name alias;  // may be empty()
  bool not_indexed = false;
  Name index;  // INDEXED BY; may be empty()
};

struct Assignment {
  std::span<Name> columns;  // more than one: (a, b) = row value
  Expr* value = nullptr;
  bool is_row = false;  // the columns stood in parentheses
};

struct Upsert {
  std::span<OrderingTerm> target;  // empty: any conflict
  Expr* target_where = nullptr;    // may be null
  bool do_nothing = false;
  std::span<Assignment> assignments;
  Expr* where = nullptr;  // may be null
};

struct InsertStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kInsert;
  WithClause* with = nullptr;  // may be null
  ConflictAction conflict = ConflictAction::kUnspecified;
  TargetTable target;
  std::span<Name> columns;   // empty: all
  Select* source = nullptr;  // null: DEFAULT VALUES
  std::span<Upsert> upserts;
  std::span<ResultColumn> returning;
};

struct UpdateStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kUpdate;
  WithClause* with = nullptr;  // may be null
  ConflictAction conflict = ConflictAction::kUnspecified;
  TargetTable target;
  std::span<Assignment> assignments;
  std::span<TableTerm> from;
  Expr* where = nullptr;  // may be null
  std::span<ResultColumn> returning;
  std::span<OrderingTerm> order_by;
  Expr* limit = nullptr;   // may be null
  Expr* offset = nullptr;  // may be null
};

struct DeleteStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kDelete;
  WithClause* with = nullptr;  // may be null
  TargetTable target;
  Expr* where = nullptr;  // may be null
  std::span<ResultColumn> returning;
  std::span<OrderingTerm> order_by;
  Expr* limit = nullptr;   // may be null
  Expr* offset = nullptr;  // may be null
};

enum class TransactionMode : uint8_t { kDeferred, kImmediate, kExclusive };

struct BeginStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kBegin;
  TransactionMode mode = TransactionMode::kDeferred;
};

struct CommitStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCommit;
};

struct RollbackStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kRollback;
  Name savepoint;  // empty(): the whole transaction
};

struct SavepointStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kSavepoint;
  Name name;
};

struct ReleaseStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kRelease;
  Name name;
};

struct PragmaStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kPragma;
  QualifiedName name;
  bool has_value = false;
  std::string_view value;  // as text, without quotes
};

struct AttachStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kAttach;
  Expr* file = nullptr;
  Expr* schema = nullptr;
  Expr* key = nullptr;  // may be null
};

struct DetachStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kDetach;
  Expr* schema = nullptr;
};

struct AnalyzeStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kAnalyze;
  QualifiedName name;  // may be empty()
};

struct ReindexStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kReindex;
  QualifiedName name;  // may be empty()
};

struct VacuumStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kVacuum;
  Name schema;           // may be empty()
  Expr* into = nullptr;  // may be null
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AST_STATEMENT_H_
