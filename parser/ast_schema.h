// AST: CREATE, DROP and ALTER. Include ast_statement.h instead of this file.
#ifndef KVSQL_PARSER_AST_SCHEMA_H_
#define KVSQL_PARSER_AST_SCHEMA_H_

#include "parser/ast.h"
#include "parser/ast_query.h"

namespace kvsql::parser {

enum class ReferenceAction : uint8_t {
  kNone,
  kSetNull,
  kSetDefault,
  kCascade,
  kRestrict,
  kNoAction
};

struct References {
  Name table;
  std::span<Name> columns;  // empty: the primary key
  ReferenceAction on_delete = ReferenceAction::kNone;
  ReferenceAction on_update = ReferenceAction::kNone;
  bool deferrable = false;
  bool initially_deferred = false;
};

enum class ConstraintKind : uint8_t {
  kDefault,
  kNull,
  kNotNull,
  kPrimaryKey,
  kUnique,
  kCheck,
  kReferences,  // of a column
  kForeignKey,  // of a table
  kCollate,
  kGenerated,
};

// A constraint of a column or of the table; only the members that belong to its kind are set.
struct Constraint {
  ConstraintKind kind = ConstraintKind::kNull;
  TextRange range;
  Name name;  // CONSTRAINT name; may be empty()
  ConflictAction conflict = ConflictAction::kUnspecified;
  Expr* expr = nullptr;                       // default, check, generated
  SortOrder order = SortOrder::kUnspecified;  // PRIMARY KEY DESC of a column
  bool autoincrement = false;
  bool stored = false;  // generated
  Name collation;
  std::span<OrderingTerm> columns;  // PRIMARY KEY and UNIQUE of a table
  std::span<Name> child_columns;    // FOREIGN KEY
  References* references = nullptr;
};

struct ColumnDefinition {
  Name name;
  TypeName type;  // empty: none
  std::span<Constraint> constraints;
};

struct CreateTableStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateTable;
  bool temporary = false;
  bool if_not_exists = false;
  QualifiedName name;
  std::span<ColumnDefinition> columns;
  std::span<Constraint> constraints;
  bool without_rowid = false;
  bool strict = false;
  Name compression;             // WITH (compression = ...); empty: none
  Select* as_select = nullptr;  // may be null
};

struct CreateIndexStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateIndex;
  bool unique = false;
  bool if_not_exists = false;
  QualifiedName name;
  Name table;
  std::span<OrderingTerm> columns;
  Expr* where = nullptr;  // may be null
};

struct CreateViewStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateView;
  bool temporary = false;
  bool if_not_exists = false;
  QualifiedName name;
  std::span<Name> columns;
  Select* select = nullptr;
};

enum class TriggerTiming : uint8_t { kBefore, kAfter, kInsteadOf };
enum class TriggerEvent : uint8_t { kInsert, kUpdate, kDelete };

struct CreateTriggerStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateTrigger;
  bool temporary = false;
  bool if_not_exists = false;
  QualifiedName name;
  TriggerTiming timing = TriggerTiming::kBefore;
  TriggerEvent event = TriggerEvent::kInsert;
  std::span<Name> update_of;
  QualifiedName table;
  Expr* when = nullptr;  // may be null
  std::span<Statement*> body;
};

struct CreateVirtualTableStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kCreateVirtualTable;
  bool if_not_exists = false;
  QualifiedName name;
  Name module;
  std::span<std::string_view> arguments;  // as written
};

enum class ObjectKind : uint8_t { kTable, kIndex, kView, kTrigger };

struct DropStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kDrop;
  ObjectKind object = ObjectKind::kTable;
  bool if_exists = false;
  QualifiedName name;
};

enum class AlterAction : uint8_t { kRenameTable, kRenameColumn, kAddColumn, kDropColumn };

struct AlterTableStatement : Statement {
  static constexpr StatementKind kKind = StatementKind::kAlterTable;
  QualifiedName table;
  AlterAction action = AlterAction::kRenameTable;
  Name column;                        // renamed or dropped
  Name new_name;                      // of the table or column
  ColumnDefinition* added = nullptr;  // kAddColumn
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AST_SCHEMA_H_
