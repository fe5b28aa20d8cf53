// Makes the plan of one parsed statement.
//
// Thread safety: none; lives while one plan is made.
#ifndef KVSQL_PLANNER_PLANNER_H_
#define KVSQL_PLANNER_PLANNER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kv/statement_reader.h"
#include "parser/ast_statement.h"
#include "parser/parser.h"
#include "planner/expr_compiler.h"
#include "planner/names.h"
#include "planner/plan.h"
#include "planner/plan_options.h"
#include "planner/scope.h"

namespace kvsql::planner {

using PlanPtr = std::shared_ptr<Plan>;

ConflictMode ModeOf(parser::ConflictAction action);

class Planner {
 public:
  Planner(const parser::ParsedStatement& statement, const kv::StatementReader& reader,
          const PlanOptions& options)
      : statement_(statement), sql_(statement.sql()), reader_(reader), options_(options) {}

  StatusOr<PlanPtr> Run();

 private:
  // --- planner.cc -----------------------------------------------------------------------------------
  template <typename Node>
  std::shared_ptr<Node> New() {
    return std::make_shared<Node>();
  }
  Status Unsupported(size_t offset, std::string_view what) const {
    return parser::NotSupportedAt(sql_, offset, what);
  }
  Status Error(size_t offset, std::string_view message) const {
    return parser::ErrorAt(sql_, offset, message);
  }
  // Notes that the plan depends on the schema.
  void UseSchema(Plan* plan);
  StatusOr<const kv::TableDef*> FindTable(const parser::QualifiedName& name);
  StatusOr<PlanPtr> PlanControl();
  StatusOr<PlanPtr> PlanStatement();
  StatusOr<PlanPtr> PlanExplain();

  // --- plan_select.cc -------------------------------------------------------------------------------
  StatusOr<PlanPtr> PlanSelect(const parser::SelectStatement& statement);
  StatusOr<PlanPtr> PlanDirectSelect(const parser::SelectStatement& statement);
  StatusOr<PlanPtr> PlanValues(const parser::SelectCore& core);
  StatusOr<PlanPtr> PlanConstantSelect(const parser::SelectCore& core);
  StatusOr<PlanPtr> PlanTableSelect(const parser::SelectCore& core);
  StatusOr<PlanPtr> PlanCount(const parser::SelectCore& core, const kv::TableDef& table);
  Status BindOutputs(std::span<const parser::ResultColumn> columns, const Scope& scope, Plan* plan);

  // --- key_lookup.cc --------------------------------------------------------------------------------
  // A lookup of the one row that `where` can be true for; UNIMPLEMENTED if there may be more.
  StatusOr<KeyLookup> BindLookup(const parser::Expr& where, const Scope& scope, Plan* plan);

  // --- plan_write.cc --------------------------------------------------------------------------------
  StatusOr<PlanPtr> PlanInsert(const parser::InsertStatement& statement);
  StatusOr<PlanPtr> PlanDirectInsert(const parser::InsertStatement& statement);
  StatusOr<PlanPtr> PlanUpdate(const parser::UpdateStatement& statement);
  StatusOr<PlanPtr> PlanDirectUpdate(const parser::UpdateStatement& statement);
  StatusOr<PlanPtr> PlanDelete(const parser::DeleteStatement& statement);
  StatusOr<PlanPtr> PlanDirectDelete(const parser::DeleteStatement& statement);
  Status BindInsertRow(std::span<parser::Expr* const> items, std::span<const uint32_t> targets,
                       ExprCompiler* compiler, InsertPlan* plan);

  // --- plan_query_write.cc --------------------------------------------------------------------------
  StatusOr<PlanPtr> PlanQueryInsert(const parser::InsertStatement& statement);
  StatusOr<PlanPtr> PlanQueryUpdate(const parser::UpdateStatement& statement);
  StatusOr<PlanPtr> PlanQueryDelete(const parser::DeleteStatement& statement);

  // --- plan_sequence.cc -----------------------------------------------------------------------------
  // `assignments` null: a DELETE.
  StatusOr<PlanPtr> PlanSequenceWrite(const parser::TargetTable& target,
                                      const std::span<parser::Assignment>* assignments,
                                      const parser::Expr* where);

  // --- plan_schema.cc -------------------------------------------------------------------------------
  StatusOr<PlanPtr> PlanCreateTable(const parser::CreateTableStatement& statement);
  StatusOr<PlanPtr> PlanCreateTableAs(const parser::CreateTableStatement& statement,
                                      bool temporary);
  StatusOr<PlanPtr> PlanCreateIndex(const parser::CreateIndexStatement& statement);
  StatusOr<PlanPtr> PlanCreateView(const parser::CreateViewStatement& statement);
  StatusOr<PlanPtr> PlanMaintain(MaintainKind action, const parser::QualifiedName& name);
  Status NoSuchObject(DropKind object, const parser::QualifiedName& name) const;
  StatusOr<SchemaKind> KnownSchema(const parser::QualifiedName& name) const;
  StatusOr<bool> IsTemporary(bool said, const parser::QualifiedName& name) const;
  StatusOr<PlanPtr> PlanDrop(const parser::DropStatement& statement);

  // --- plan_pragma.cc -------------------------------------------------------------------------------
  StatusOr<PlanPtr> PlanPragma(const parser::PragmaStatement& statement);

  const parser::ParsedStatement& statement_;
  const std::string_view sql_;
  const kv::StatementReader& reader_;
  const PlanOptions options_;
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_PLANNER_H_
