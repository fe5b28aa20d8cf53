#include "planner/planner.h"

#include "planner/explain.h"
#include "planner/names.h"
#include "planner/prepare.h"

namespace kvsql::planner {

using parser::As;
using parser::StatementKind;

size_t Plan::MemoryBytes() const {
  size_t bytes = 1024 + 2 * text.sql.size() + text.lifted.size() * sizeof(parser::LiftedRange);
  bytes += constants.size() * (sizeof(kv::Value) + sizeof(kv::ValueView));
  for (const kv::Value& value : constants)
    bytes += value.view().is_number() ? 0 : value.view().size;
  for (const Program& program : programs) bytes += 64 + program.code.size() * sizeof(Instruction);
  bytes += (columns.size() + parameter_names.size()) * 2 * sizeof(std::string);
  bytes += outputs.size() * sizeof(Operand) + registers * sizeof(kv::ValueView);
  const std::vector<std::vector<Operand>>* rows = nullptr;
  if (kind == PlanKind::kInsert) rows = &static_cast<const InsertPlan*>(this)->rows;
  if (kind == PlanKind::kValues) rows = &static_cast<const ValuesPlan*>(this)->rows;
  if (rows != nullptr) {
    for (const auto& row : *rows) bytes += sizeof(row) + row.size() * sizeof(Operand);
  }
  return bytes;
}

void Planner::UseSchema(Plan* plan) {
  plan->uses_schema = true;
  plan->schema_generation = reader_.schema_generation();
  plan->schema = reader_.SharedSchema();
  plan->temp_generation = reader_.temp_generation();
  if (reader_.temp() != nullptr) plan->temp_schema = reader_.temp()->SharedSchema();
}

StatusOr<const kv::TableDef*> Planner::FindTable(const parser::QualifiedName& name) {
  const SchemaKind schema = SchemaOf(name.schema);
  if (schema == SchemaKind::kUnknown) return NoSuchTable(sql_, name);
  KV_ASSIGN_OR_RETURN(const NamedObject object, FindObject(reader_, schema, name.object.text));
  if (object.table != nullptr) return object.table;
  if (object.view != nullptr) {
    return Error(name.object.range.begin,
                 "cannot modify " + object.view->name + " because it is a view");
  }
  for (const std::string_view schema_table :
       {"sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master"}) {
    if (!kv::EqualsIgnoreCase(name.object.text, schema_table)) continue;
    const bool temporary = schema == SchemaKind::kTemp || schema_table.starts_with("sqlite_temp");
    return Error(name.object.range.begin, temporary ? "table sqlite_temp_master may not be modified"
                                                    : "table sqlite_master may not be modified");
  }
  for (const std::string_view schema_table : {"sqlite_sequence", "sqlite_stat1"}) {
    if (kv::EqualsIgnoreCase(name.object.text, schema_table)) {
      return Unsupported(name.object.range.begin, "table " + std::string(schema_table));
    }
  }
  return NoSuchTable(sql_, name);
}

StatusOr<PlanPtr> Planner::PlanControl() {
  auto plan = New<ControlPlan>();
  const parser::Statement& statement = *statement_.statement();
  switch (statement.kind) {
    case StatementKind::kBegin:
      switch (As<parser::BeginStatement>(statement).mode) {
        case parser::TransactionMode::kDeferred:
          plan->action = ControlAction::kBegin;
          break;
        case parser::TransactionMode::kImmediate:
          plan->action = ControlAction::kBeginImmediate;
          break;
        case parser::TransactionMode::kExclusive:
          plan->action = ControlAction::kBeginExclusive;
          break;
      }
      break;
    case StatementKind::kCommit:
      plan->action = ControlAction::kCommit;
      break;
    case StatementKind::kRollback: {
      const parser::Name& savepoint = As<parser::RollbackStatement>(statement).savepoint;
      plan->action = savepoint.empty() ? ControlAction::kRollback : ControlAction::kRollbackTo;
      plan->name = std::string(savepoint.text);
      break;
    }
    case StatementKind::kSavepoint:
      plan->action = ControlAction::kSavepoint;
      plan->name = std::string(As<parser::SavepointStatement>(statement).name.text);
      break;
    default:
      plan->action = ControlAction::kRelease;
      plan->name = std::string(As<parser::ReleaseStatement>(statement).name.text);
      break;
  }
  return PlanPtr(plan);
}

// EXPLAIN QUERY PLAN: the rows say how the statement would be run.
StatusOr<PlanPtr> Planner::PlanExplain() {
  KV_ASSIGN_OR_RETURN(const PlanPtr explained, PlanStatement());
  auto plan = New<ExplainPlan>();
  plan->uses_schema = explained->uses_schema;
  plan->schema_generation = explained->schema_generation;
  plan->schema = explained->schema;
  plan->rows = Explain(*explained);
  for (const std::string_view column : {"id", "parent", "notused", "detail"}) {
    plan->columns.push_back({std::string(column), ""});
    plan->outputs.push_back({});
  }
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::Run() {
  if (statement_.explain_query_plan()) return PlanExplain();
  if (statement_.explain()) return Unsupported(0, "EXPLAIN");
  return PlanStatement();
}

StatusOr<PlanPtr> Planner::PlanStatement() {
  const parser::Statement& statement = *statement_.statement();
  switch (statement.kind) {
    case StatementKind::kSelect:
      return PlanSelect(As<parser::SelectStatement>(statement));
    case StatementKind::kInsert:
      return PlanInsert(As<parser::InsertStatement>(statement));
    case StatementKind::kUpdate:
      return PlanUpdate(As<parser::UpdateStatement>(statement));
    case StatementKind::kDelete:
      return PlanDelete(As<parser::DeleteStatement>(statement));
    case StatementKind::kCreateTable:
      return PlanCreateTable(As<parser::CreateTableStatement>(statement));
    case StatementKind::kCreateIndex:
      return PlanCreateIndex(As<parser::CreateIndexStatement>(statement));
    case StatementKind::kDrop:
      return PlanDrop(As<parser::DropStatement>(statement));
    case StatementKind::kPragma:
      return PlanPragma(As<parser::PragmaStatement>(statement));
    case StatementKind::kBegin:
    case StatementKind::kCommit:
    case StatementKind::kRollback:
    case StatementKind::kSavepoint:
    case StatementKind::kRelease:
      return PlanControl();
    case StatementKind::kCreateView:
      return PlanCreateView(As<parser::CreateViewStatement>(statement));
    case StatementKind::kCreateTrigger:
      return Unsupported(statement.range.begin, "CREATE TRIGGER");
    case StatementKind::kCreateVirtualTable:
      return Unsupported(statement.range.begin, "CREATE VIRTUAL TABLE");
    case StatementKind::kAlterTable:
      return Unsupported(statement.range.begin, "ALTER TABLE");
    case StatementKind::kAttach:
      return Unsupported(statement.range.begin, "ATTACH");
    case StatementKind::kDetach:
      return Unsupported(statement.range.begin, "DETACH");
    case StatementKind::kAnalyze:
      return PlanMaintain(MaintainKind::kAnalyze, As<parser::AnalyzeStatement>(statement).name);
    case StatementKind::kReindex:
      return PlanMaintain(MaintainKind::kReindex, As<parser::ReindexStatement>(statement).name);
    case StatementKind::kVacuum:
      if (As<parser::VacuumStatement>(statement).into != nullptr) {
        return Unsupported(statement.range.begin, "VACUUM INTO");
      }
      return PlanMaintain(MaintainKind::kVacuum, {});
  }
  return Unsupported(statement.range.begin, "this statement");
}

StatusOr<std::shared_ptr<const Plan>> Prepare(std::string_view sql,
                                              std::span<const parser::LiftedRange> lifted,
                                              const kv::StatementReader& reader,
                                              const PlanOptions& options, size_t* consumed) {
  KV_ASSIGN_OR_RETURN(const parser::ParsedStatement statement, parser::Parse(sql, lifted));
  if (consumed != nullptr) *consumed = statement.consumed();
  if (statement.statement() == nullptr) return std::shared_ptr<const Plan>();
  KV_ASSIGN_OR_RETURN(PlanPtr plan, Planner(statement, reader, options).Run());
  plan->options = options;
  plan->text.sql = std::string(statement.sql());
  plan->text.lifted.assign(lifted.begin(), lifted.end());
  plan->parameter_names = statement.parameter_names();
  // The constants have moved for the last time.
  plan->constant_views.reserve(plan->constants.size());
  for (const kv::Value& value : plan->constants) plan->constant_views.push_back(value.view());
  return std::shared_ptr<const Plan>(std::move(plan));
}

StatusOr<std::shared_ptr<const Plan>> Replan(const Plan& plan, const kv::StatementReader& reader) {
  return Prepare(plan.text.sql, plan.text.lifted, reader, plan.options, nullptr);
}

}  // namespace kvsql::planner
