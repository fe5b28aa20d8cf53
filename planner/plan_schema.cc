// CREATE, DROP; ANALYZE, REINDEX, VACUUM.
#include "absl/strings/str_cat.h"
#include "parser/token.h"
#include "planner/names.h"
#include "planner/planner.h"
#include "planner/query/query_builder.h"
#include "planner/query/table_expressions.h"
#include "planner/table_builder.h"
#include "planner/walk.h"

namespace kvsql::planner {
namespace {

bool IsReservedName(std::string_view name) {
  return name.size() >= 7 && kv::EqualsIgnoreCase(name.substr(0, 7), "sqlite_");
}

// As SQLite calls it in errors.
std::string SystemTableName(std::string_view name) {
  return kv::EqualsIgnoreCase(name, "sqlite_schema") ? "sqlite_master" : std::string(name);
}

std::string TypeNameOf(kv::Affinity affinity) {
  switch (affinity) {
    case kv::Affinity::kText:
      return "TEXT";
    case kv::Affinity::kNumeric:
      return "NUM";
    case kv::Affinity::kInteger:
      return "INT";
    case kv::Affinity::kReal:
      return "REAL";
    case kv::Affinity::kBlob:
      return "";
  }
  return "";
}

// The name as a statement has to write it.
std::string Quoted(std::string_view name) {
  if (parser::IsPlainIdentifier(name)) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

}  // namespace

// The schema that stands before the name.
StatusOr<SchemaKind> Planner::KnownSchema(const parser::QualifiedName& name) const {
  const SchemaKind schema = SchemaOf(name.schema);
  if (schema != SchemaKind::kUnknown) return schema;
  return Error(name.schema.range.begin,
               absl::StrCat("unknown database ", std::string(name.schema.text)));
}

// Whether the table or view that is made is temporary; `said`: by the word TEMP.
StatusOr<bool> Planner::IsTemporary(bool said, const parser::QualifiedName& name) const {
  KV_ASSIGN_OR_RETURN(const SchemaKind schema, KnownSchema(name));
  if (said && schema == SchemaKind::kMain) {
    return Error(name.schema.range.begin, "temporary table name must be unqualified");
  }
  return said || schema == SchemaKind::kTemp;
}

StatusOr<PlanPtr> Planner::PlanCreateTable(const parser::CreateTableStatement& statement) {
  const parser::QualifiedName& name = statement.name;
  KV_ASSIGN_OR_RETURN(const bool temporary, IsTemporary(statement.temporary, name));
  if (IsReservedName(name.object.text)) {
    return Error(name.object.range.begin, absl::StrCat("object name reserved for internal use: ",
                                                       std::string(name.object.text)));
  }
  if (statement.as_select != nullptr) return PlanCreateTableAs(statement, temporary);
  auto plan = New<CreateTablePlan>();
  plan->read_only = false;
  plan->writes_temp = temporary;
  plan->if_not_exists = statement.if_not_exists;
  KV_ASSIGN_OR_RETURN(plan->table, TableBuilder(sql_, statement, reader_).Build());
  return PlanPtr(plan);
}

// Columns have the results' names, and types that stand for the results' affinities.
StatusOr<PlanPtr> Planner::PlanCreateTableAs(const parser::CreateTableStatement& statement,
                                             bool temporary) {
  if (statement_.parameter_count() > 0) {
    return Error(statement.range.begin, "parameters are not allowed in CREATE TABLE ... AS");
  }
  auto plan = New<QueryCreatePlan>();
  plan->read_only = false;
  plan->writes_temp = temporary;
  plan->if_not_exists = statement.if_not_exists;
  UseSchema(plan.get());
  QueryBuilder builder(sql_, reader_, options_, plan.get());
  KV_ASSIGN_OR_RETURN(BoundQuery query,
                      builder.BindSelect(*statement.as_select, nullptr, nullptr, nullptr));
  KV_ASSIGN_OR_RETURN(plan->root, builder.PlanWhole(query.query.get()));
  for (const SourceColumn& column : query.columns) plan->results.push_back(column.slot);
  KV_RETURN_IF_ERROR(builder.FinishPlan());

  kv::TableDef& table = plan->definition;
  table.name = std::string(statement.name.object.text);
  Source named;
  QueryBuilder::SetQuerySource(std::move(query), &named);
  size_t length = table.name.size() + 2;
  for (const SourceColumn& column : named.columns) {
    kv::ColumnDef& def = table.columns.emplace_back();
    def.name = column.name;
    def.affinity = column.traits.affinity.value_or(kv::Affinity::kBlob);
    def.declared_type = TypeNameOf(def.affinity);
    length += def.name.size() + 7;
  }
  // As SQLite writes it: on one line if it is short.
  const bool one_line = length < 50;
  table.sql = absl::StrCat("CREATE TABLE ", Quoted(table.name), "(");
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const kv::ColumnDef& def = table.columns[i];
    absl::StrAppend(&table.sql, i > 0 ? "," : "", one_line ? "" : "\n  ", Quoted(def.name),
                    def.declared_type.empty() ? "" : " ", def.declared_type);
  }
  table.sql += one_line ? ")" : "\n)";
  return PlanPtr(plan);
}

StatusOr<PlanPtr> Planner::PlanCreateIndex(const parser::CreateIndexStatement& statement) {
  KV_ASSIGN_OR_RETURN(const SchemaKind schema, KnownSchema(statement.name));
  const bool to_temp = schema == SchemaKind::kTemp;
  KV_ASSIGN_OR_RETURN(
      const NamedObject object,
      FindObject(reader_, to_temp ? SchemaKind::kAny : schema, statement.table.text));
  if (object.found() && to_temp && !object.temporary) {
    return Error(
        statement.name.schema.range.begin,
        absl::StrCat("cannot create a TEMP index on non-TEMP table \"",
                     object.table != nullptr ? object.table->name : object.view->name, "\""));
  }
  if (object.view != nullptr) {
    return Error(statement.table.range.begin, "views may not be indexed");
  }
  const kv::TableDef* table = object.table;
  if (table == nullptr) {
    if (IsReservedName(statement.table.text)) {
      return Error(
          statement.table.range.begin,
          absl::StrCat("table ", SystemTableName(statement.table.text), " may not be indexed"));
    }
    const Status missing = Error(
        statement.table.range.begin,
        absl::StrCat("no such table: ", to_temp ? "" : "main.", std::string(statement.table.text)));
    return absl::NotFoundError(missing.message());
  }
  const parser::Name& name = statement.name.object;
  if (IsReservedName(name.text)) {
    return Error(name.range.begin,
                 absl::StrCat("object name reserved for internal use: ", std::string(name.text)));
  }
  auto plan = New<CreateIndexPlan>();
  plan->read_only = false;
  plan->writes_temp = table->temporary;
  UseSchema(plan.get());
  plan->if_not_exists = statement.if_not_exists;
  plan->index.name = std::string(name.text);
  plan->index.table = table->name;
  plan->index.unique = statement.unique;
  KV_ASSIGN_OR_RETURN(plan->index.columns, BindKeyColumns(sql_, *table, statement.columns, reader_,
                                                          &plan->index.expressions));
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
  KV_ASSIGN_OR_RETURN(const bool temporary, IsTemporary(statement.temporary, statement.name));
  if (IsReservedName(name.text)) {
    return Error(name.range.begin,
                 absl::StrCat("object name reserved for internal use: ", std::string(name.text)));
  }
  if (statement_.parameter_count() > 0) {
    return Error(statement.range.begin, "parameters are not allowed in views");
  }
  // A view of the database means the database's tables, whatever connection reads it.
  const auto check = [&](const parser::QualifiedName& table) -> Status {
    const SchemaKind schema = SchemaOf(table.schema);
    if (temporary || schema == SchemaKind::kAny || schema == SchemaKind::kMain) {
      return absl::OkStatus();
    }
    return Error(table.schema.range.begin, absl::StrCat("view ", std::string(name.text),
                                                        " cannot reference objects in database ",
                                                        std::string(table.schema.text)));
  };
  KV_RETURN_IF_ERROR(WalkTables(*statement.select, check));
  auto plan = New<CreateViewPlan>();
  plan->read_only = false;
  plan->writes_temp = temporary;
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
  KV_ASSIGN_OR_RETURN(const SchemaKind schema, KnownSchema(name));
  // The schema alone stands for all that is in it.
  plan->name = std::string(name.object.text);
  if (schema != SchemaKind::kAny) {
    plan->writes_temp = schema == SchemaKind::kTemp;
  } else if (const SchemaKind all = SchemaOf(plan->name);
             all == SchemaKind::kMain || all == SchemaKind::kTemp) {
    plan->writes_temp = all == SchemaKind::kTemp;
    plan->name.clear();
  } else {
    UseSchema(plan.get());
    KV_ASSIGN_OR_RETURN(const NamedObject table, FindObject(reader_, schema, plan->name));
    KV_ASSIGN_OR_RETURN(const NamedObject indexed, FindIndexed(reader_, schema, plan->name));
    plan->writes_temp = table.found() ? table.temporary : indexed.found() && indexed.temporary;
  }
  return PlanPtr(plan);
}

// NOT_FOUND with the name as the statement has it.
Status Planner::NoSuchObject(DropKind object, const parser::QualifiedName& name) const {
  if (object == DropKind::kTable) return NoSuchTable(sql_, name);
  std::string full = object == DropKind::kIndex ? "no such index: " : "no such view: ";
  if (!name.schema.empty()) full.append(name.schema.text).push_back('.');
  full.append(name.object.text);
  return absl::NotFoundError(Error(name.object.range.begin, full).message());
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
  const SchemaKind schema = SchemaOf(statement.name.schema);
  const std::string_view name = statement.name.object.text;
  if (schema == SchemaKind::kUnknown) return NoSuchTable(sql_, statement.name);
  if (plan->object == DropKind::kTable && IsReservedName(name)) {
    return Error(statement.name.object.range.begin,
                 absl::StrCat("table ", SystemTableName(name), " may not be dropped"));
  }
  plan->if_exists = statement.if_exists;
  plan->name = std::string(name);
  UseSchema(plan.get());
  KV_ASSIGN_OR_RETURN(const NamedObject object, plan->object == DropKind::kIndex
                                                    ? FindIndexed(reader_, schema, name)
                                                    : FindObject(reader_, schema, name));
  if (!object.found() && !statement.if_exists) {
    return NoSuchObject(plan->object, statement.name);
  }
  plan->writes_temp = object.found() ? object.temporary : schema == SchemaKind::kTemp;
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
