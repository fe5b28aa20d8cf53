// CREATE, DROP; ANALYZE, REINDEX, VACUUM.
#include "absl/strings/str_cat.h"
#include "planner/planner.h"
#include "planner/query/table_expressions.h"
#include "planner/table_builder.h"

namespace kvsql::planner {
namespace {

bool IsReservedName(std::string_view name) {
  return name.size() >= 7 && kv::EqualsIgnoreCase(name.substr(0, 7), "sqlite_");
}

}  // namespace

StatusOr<PlanPtr> Planner::PlanCreateTable(const parser::CreateTableStatement& statement) {
  const parser::QualifiedName& name = statement.name;
  if (statement.temporary || kv::EqualsIgnoreCase(name.schema.text, "temp")) {
    return Unsupported(statement.range.begin, "temporary tables");
  }
  if (!IsMainSchema(name.schema)) {
    return Error(name.schema.range.begin,
                 absl::StrCat("unknown database ", std::string(name.schema.text)));
  }
  if (statement.as_select != nullptr) {
    return Unsupported(statement.range.begin, "CREATE TABLE ... AS");
  }
  if (IsReservedName(name.object.text)) {
    return Error(name.object.range.begin, absl::StrCat("object name reserved for internal use: ",
                                                       std::string(name.object.text)));
  }
  auto plan = New<CreateTablePlan>();
  plan->read_only = false;
  plan->if_not_exists = statement.if_not_exists;
  KV_ASSIGN_OR_RETURN(plan->table, TableBuilder(sql_, statement, reader_).Build());
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanCreateIndex(const parser::CreateIndexStatement& statement) {
  KV_ASSIGN_OR_RETURN(const kv::ViewDef* view, reader_.FindView(statement.table.text));
  if (view != nullptr && IsMainSchema(statement.name.schema)) {
    return Error(statement.table.range.begin, "views may not be indexed");
  }
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table,
                      FindTable({statement.name.schema, statement.table}));
  const parser::Name& name = statement.name.object;
  if (IsReservedName(name.text)) {
    return Error(name.range.begin,
                 absl::StrCat("object name reserved for internal use: ", std::string(name.text)));
  }
  auto plan = New<CreateIndexPlan>();
  plan->read_only = false;
  UseSchema(plan.get());
  plan->if_not_exists = statement.if_not_exists;
  plan->index.name = std::string(name.text);
  plan->index.table = table->name;
  plan->index.unique = statement.unique;
  KV_ASSIGN_OR_RETURN(
      plan->index.columns,
      BindKeyColumns(sql_, *table, statement.columns, reader_, &plan->index.expressions));
  if (statement.where != nullptr) {
    KV_RETURN_IF_ERROR(CheckStorable(sql_, *statement.where, "partial index WHERE clauses"));
    KV_RETURN_IF_ERROR(CheckNames(sql_, table, *statement.where, reader_));
    plan->index.where_sql = std::string(statement.where->range.In(sql_));
  }
  plan->index.sql = absl::StrCat(
      statement.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ",
      std::string(sql_.substr(name.range.begin, statement.range.end - name.range.begin)));
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanCreateView(const parser::CreateViewStatement& statement) {
  const parser::Name& name = statement.name.object;
  if (statement.temporary || kv::EqualsIgnoreCase(statement.name.schema.text, "temp")) {
    return Unsupported(statement.range.begin, "temporary views");
  }
  if (!IsMainSchema(statement.name.schema)) {
    return Error(statement.name.schema.range.begin,
                 absl::StrCat("unknown database ", std::string(statement.name.schema.text)));
  }
  if (IsReservedName(name.text)) {
    return Error(name.range.begin,
                 absl::StrCat("object name reserved for internal use: ", std::string(name.text)));
  }
  if (statement_.parameter_count() > 0) {
    return Error(statement.range.begin, "parameters are not allowed in views");
  }
  auto plan = New<CreateViewPlan>();
  plan->read_only = false;
  plan->if_not_exists = statement.if_not_exists;
  plan->view.name = std::string(name.text);
  for (const parser::Name& column : statement.columns) {
    plan->view.columns.emplace_back(column.text);
  }
  // As sqlite_schema shows it.
  plan->view.sql = absl::StrCat(
      "CREATE VIEW ",
      std::string(sql_.substr(name.range.begin, statement.range.end - name.range.begin)));
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanMaintain(MaintainKind action, const parser::QualifiedName& name) {
  auto plan = New<MaintainPlan>();
  plan->read_only = false;
  plan->action = action;
  if (!name.schema.empty() && !IsMainSchema(name.schema)) {
    return Error(name.schema.range.begin,
                 absl::StrCat("unknown database ", std::string(name.schema.text)));
  }
  // The schema alone stands for all that is in it.
  plan->name = std::string(name.object.text);
  if (name.schema.empty() && kv::EqualsIgnoreCase(plan->name, "main")) plan->name.clear();
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanDrop(const parser::DropStatement& statement) {
  auto plan = New<DropPlan>();
  plan->read_only = false;
  switch (statement.object) {
    case parser::ObjectKind::kTable:
      plan->object = DropKind::kTable;
      break;
    case parser::ObjectKind::kIndex:
      plan->object = DropKind::kIndex;
      break;
    case parser::ObjectKind::kView:
      plan->object = DropKind::kView;
      break;
    case parser::ObjectKind::kTrigger:
      return Unsupported(statement.range.begin, "DROP TRIGGER");
  }
  if (!IsMainSchema(statement.name.schema)) return NoSuchTable(sql_, statement.name);
  const std::string_view name = statement.name.object.text;
  if (plan->object == DropKind::kTable && IsReservedName(name)) {
    return Error(statement.name.object.range.begin,
                 absl::StrCat("table ", std::string(name), " may not be dropped"));
  }
  plan->if_exists = statement.if_exists;
  plan->name = std::string(name);
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
