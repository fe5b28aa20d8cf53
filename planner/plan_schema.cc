// CREATE, DROP, PRAGMA.
#include "absl/strings/str_cat.h"
#include "planner/planner.h"
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
  KV_ASSIGN_OR_RETURN(plan->table, TableBuilder(sql_, statement).Build());
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanCreateIndex(const parser::CreateIndexStatement& statement) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table,
                      FindTable({statement.name.schema, statement.table}));
  const parser::Name& name = statement.name.object;
  if (IsReservedName(name.text)) {
    return Error(name.range.begin,
                 absl::StrCat("object name reserved for internal use: ", std::string(name.text)));
  }
  if (statement.where != nullptr) {
    return Unsupported(statement.where->range.begin, "partial indexes");
  }
  auto plan = New<CreateIndexPlan>();
  plan->read_only = false;
  UseSchema(plan.get());
  plan->if_not_exists = statement.if_not_exists;
  plan->index.name = std::string(name.text);
  plan->index.table = table->name;
  plan->index.unique = statement.unique;
  KV_ASSIGN_OR_RETURN(plan->index.columns, BindKeyColumns(sql_, *table, statement.columns, true));
  plan->index.sql = absl::StrCat(
      statement.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ",
      std::string(sql_.substr(name.range.begin, statement.range.end - name.range.begin)));
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
      return Unsupported(statement.range.begin, "DROP VIEW");
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

StatusOr<PlanPtr> Planner::PlanPragma(const parser::PragmaStatement& statement) {
  auto plan = New<PragmaPlan>();
  const std::string_view name = statement.name.object.text;
  const auto add_columns = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view column : names) {
      plan->columns.push_back({std::string(column), ""});
      plan->outputs.push_back({});
    }
  };
  plan->argument = std::string(statement.value);
  if (kv::EqualsIgnoreCase(name, "integrity_check") || kv::EqualsIgnoreCase(name, "quick_check")) {
    plan->pragma = PragmaKind::kIntegrityCheck;
    add_columns({kv::EqualsIgnoreCase(name, "quick_check") ? "quick_check" : "integrity_check"});
  } else if (kv::EqualsIgnoreCase(name, "table_info")) {
    plan->pragma = PragmaKind::kTableInfo;
    add_columns({"cid", "name", "type", "notnull", "dflt_value", "pk"});
  } else if (kv::EqualsIgnoreCase(name, "index_list")) {
    plan->pragma = PragmaKind::kIndexList;
    add_columns({"seq", "name", "unique", "origin", "partial"});
  } else if (kv::EqualsIgnoreCase(name, "index_info")) {
    plan->pragma = PragmaKind::kIndexInfo;
    add_columns({"seqno", "cid", "name"});
  } else if (kv::EqualsIgnoreCase(name, "kvsql_rules")) {
    plan->pragma = PragmaKind::kRules;
    if (!statement.has_value) add_columns({"rule", "on"});
  } else if (kv::EqualsIgnoreCase(name, "kvsql_tier")) {
    plan->pragma = PragmaKind::kTier;
    if (!statement.has_value) add_columns({"tier"});
  } else {
    return Unsupported(statement.name.object.range.begin,
                       absl::StrCat("PRAGMA ", std::string(name)));
  }
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
