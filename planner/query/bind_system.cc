// Tables that no CREATE TABLE made: the catalog's, and PRAGMAs in FROM.
#include <string>

#include "planner/names.h"
#include "planner/pragma_rows.h"
#include "planner/query/query_builder.h"
#include "planner/scope.h"

namespace kvsql::planner {

using parser::As;

namespace {

struct SystemColumn {
  std::string_view name;
  std::string_view type;
};

constexpr SystemColumn kSchemaColumns[] = {
    {"type", "TEXT"}, {"name", "TEXT"}, {"tbl_name", "TEXT"}, {"rootpage", "INT"}, {"sql", "TEXT"}};
constexpr SystemColumn kSequenceColumns[] = {{"name", ""}, {"seq", ""}};

// "123 4 1", as sqlite_stat1 has it.
std::string StatisticsText(const std::vector<uint64_t>& numbers) {
  std::string text;
  for (const uint64_t number : numbers) {
    if (!text.empty()) text += ' ';
    text += std::to_string(number);
  }
  return text;
}

StatusOr<std::vector<std::vector<kv::Value>>> StatisticsRows(const kv::Reader& reader) {
  KV_ASSIGN_OR_RETURN(const std::vector<const kv::TableDef*> tables, reader.Tables());
  std::vector<std::vector<kv::Value>> rows;
  const auto text = [](std::string_view t) { return kv::Value(kv::ValueView::Text(t)); };
  for (const kv::TableDef* table : tables) {
    if (!table->analyzed_rows.has_value()) continue;
    bool any = false;
    for (const kv::IndexDef& index : table->indexes) {
      if (index.statistics.empty()) continue;
      any = true;
      rows.push_back({text(table->name), text(index.name), text(StatisticsText(index.statistics))});
    }
    if (!any) {
      rows.push_back({text(table->name), kv::Value(), text(std::to_string(*table->analyzed_rows))});
    }
  }
  return rows;
}

// "table_info" of "pragma_table_info"; empty: none.
std::string_view PragmaOf(std::string_view name) {
  constexpr std::string_view kPrefix = "pragma_";
  if (name.size() <= kPrefix.size() ||
      !kv::EqualsIgnoreCase(name.substr(0, kPrefix.size()), kPrefix)) {
    return {};
  }
  return name.substr(kPrefix.size());
}

}  // namespace

StatusOr<Source*> QueryBuilder::AddSystemTarget(const parser::TargetTable& target, Block* block) {
  KV_ASSIGN_OR_RETURN(Source * source, AddSource(block, target.name.object.range.begin));
  source->name = std::string(target.alias.empty() ? target.name.object.text : target.alias.text);
  source->in_main = target.alias.empty();
  KV_ASSIGN_OR_RETURN(const bool known, BindStoredTable(target.name, source));
  if (!known) return NoSuchTable(sql_, target.name);
  block->from = std::make_unique<FromNode>();
  block->from->source = source;
  block->from->mask = 1;
  return source;
}

// The rows stand in the plan, which holds for one schema.
void QueryBuilder::SetConstantRows(const std::vector<std::string_view>& columns,
                                   const std::vector<std::vector<kv::Value>>& rows,
                                   Source* source) {
  auto plan = std::make_unique<RowsPlan>();
  for (const std::string_view name : columns) {
    SourceColumn& column = source->columns.emplace_back();
    column.name = std::string(name);
    column.slot = NewSlot();
    plan->outputs.push_back(column.slot);
  }
  for (const std::vector<kv::Value>& row : rows) {
    std::vector<ExprNode*>& exprs = plan->rows_exprs.emplace_back();
    for (const kv::Value& value : row) exprs.push_back(ConstantNode(value.view()));
  }
  plan->rows = static_cast<double>(rows.size());
  source->plan = std::move(plan);
}

StatusOr<bool> QueryBuilder::BindSystemTable(const parser::QualifiedName& name, bool temporary,
                                             Source* source) {
  const auto is = [&](std::string_view other) {
    return kv::EqualsIgnoreCase(name.object.text, other);
  };
  source->temporary = temporary;
  const kv::Reader* reader = ReaderOf(reader_, temporary);
  if (is("sqlite_stat1") || is("sqlite_sequence")) {
    const bool sequences = is("sqlite_sequence");
    if (reader == nullptr) return false;
    KV_ASSIGN_OR_RETURN(const int64_t any,
                        reader->ReadProperty(sequences ? kv::kHasSequences : kv::kHasStatistics));
    if (any == 0) return false;
    if (sequences) {
      SetSchemaTable(true, temporary, source);
      return true;
    }
    KV_ASSIGN_OR_RETURN(const std::vector<std::vector<kv::Value>> rows, StatisticsRows(*reader));
    SetConstantRows({"tbl", "idx", "stat"}, rows, source);
    return true;
  }
  if (const std::string_view pragma = PragmaOf(name.object.text); !pragma.empty() && !temporary) {
    KV_ASSIGN_OR_RETURN(const PragmaTable table,
                        PragmaRows(kv::LowerAscii(pragma), SchemaKind::kAny, false, "", reader_));
    if (table.columns.empty()) return false;
    SetConstantRows(table.columns, table.rows, source);
    return true;
  }
  // Without a schema these names mean the database's.
  const bool plain = is("sqlite_schema") || is("sqlite_master");
  if (!(plain && (!temporary || !name.schema.empty())) &&
      !(temporary && (is("sqlite_temp_schema") || is("sqlite_temp_master")))) {
    return false;
  }
  SetSchemaTable(false, temporary, source);
  return true;
}

// sqlite_schema or sqlite_sequence.
void QueryBuilder::SetSchemaTable(bool sequences, bool temporary, Source* source) {
  auto scan = std::make_unique<SchemaTablePlan>();
  scan->sequences = sequences;
  scan->temporary = temporary;
  const auto add = [&](const SystemColumn& def) {
    SourceColumn& column = source->columns.emplace_back();
    column.name = std::string(def.name);
    column.declared_type = std::string(def.type);
    column.traits = {kv::AffinityOfType(def.type), kv::Collation::kBinary, false};
    column.slot = NewSlot();
    scan->columns.push_back({static_cast<uint32_t>(source->columns.size() - 1), column.slot});
    scan->outputs.push_back(column.slot);
  };
  if (sequences) {
    for (const SystemColumn& column : kSequenceColumns) add(column);
  } else {
    for (const SystemColumn& column : kSchemaColumns) add(column);
  }
  source->rowid = NewSlot();
  scan->columns.push_back({kv::kRowidColumn, source->rowid});
  scan->outputs.push_back(source->rowid);
  scan->rows = 20;
  source->plan = std::move(scan);
}

// pragma_table_info('t') and the like, with literals as arguments.
Status QueryBuilder::BindTableFunction(const parser::TableTerm& term, Source* source) {
  const std::string_view name = term.table.object.text;
  const std::string pragma = kv::LowerAscii(PragmaOf(name));
  if (pragma.empty()) return Unsupported(term.range.begin, "table functions");
  std::string argument;
  SchemaKind schema = SchemaKind::kAny;
  for (const parser::Expr* expr : term.arguments) {
    const std::optional<kv::ValueView> literal = LiteralOf(*expr);
    if (!literal.has_value()) {
      return Unsupported(expr->range.begin, "table functions with arguments that are no literals");
    }
    kv::NumberText text;
    const std::string_view value = kv::ApplyAffinity(*literal, kv::Affinity::kText, &text).bytes();
    if (expr == term.arguments[0]) {
      argument = value;
    } else {
      schema = SchemaOf(value);
    }
  }
  KV_ASSIGN_OR_RETURN(const PragmaTable table,
                      PragmaRows(pragma, schema, !term.arguments.empty(), argument, reader_));
  if (table.columns.empty()) return Unsupported(term.range.begin, "table functions");
  source->name = std::string(term.alias.empty() ? name : term.alias.text);
  source->in_main = false;
  used_schema_ = true;
  SetConstantRows(table.columns, table.rows, source);
  return absl::OkStatus();
}

}  // namespace kvsql::planner
