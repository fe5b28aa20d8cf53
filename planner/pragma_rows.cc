#include "planner/pragma_rows.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "planner/function_catalog.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

using kv::Value;
using kv::ValueView;
using Rows = std::vector<std::vector<Value>>;

Value Text(std::string_view text) { return Value(ValueView::Text(text)); }
Value Integer(int64_t integer) { return Value(ValueView::Integer(integer)); }

// The results of `SELECT * FROM name`, of a view or a table of the schema; none if there is no such thing.
std::vector<SourceColumn> ColumnsOfQuery(std::string_view name, SchemaKind schema,
                                         const kv::StatementReader& reader) {
  std::string sql = "SELECT * FROM ";
  if (schema == SchemaKind::kMain) sql += "main.";
  if (schema == SchemaKind::kTemp) sql += "temp.";
  sql += '"';
  for (const char c : name) sql.append(c == '"' ? 2 : 1, c);
  sql += '"';
  const StatusOr<parser::ParsedStatement> parsed = parser::Parse(sql);
  if (!parsed.ok()) return {};
  QueryPlan scratch;
  QueryBuilder builder(parsed->sql(), reader, &scratch);
  StatusOr<BoundQuery> query = builder.BindSelect(
      *parser::As<parser::SelectStatement>(*parsed->statement()).select, nullptr, nullptr, nullptr);
  return query.ok() ? std::move(query->columns) : std::vector<SourceColumn>();
}

int64_t KeyPosition(const kv::TableDef& table, uint32_t column) {
  for (size_t k = 0; k < table.primary_key.size(); ++k) {
    if (table.primary_key[k].column == column) return static_cast<int64_t>(k) + 1;
  }
  return 0;
}

StatusOr<Rows> TableInfo(std::string_view name, SchemaKind schema, bool extended,
                         const kv::StatementReader& reader) {
  Rows rows;
  KV_ASSIGN_OR_RETURN(const NamedObject object, FindObject(reader, schema, name));
  const kv::TableDef* table = object.table;
  if (table == nullptr) {
    int64_t number = 0;
    for (const SourceColumn& column : ColumnsOfQuery(name, schema, reader)) {
      rows.push_back({Integer(number++), Text(column.name), Text(column.declared_type), Integer(0),
                      Value(), Integer(0)});
      if (extended) rows.back().push_back(Integer(0));
    }
    return rows;
  }
  for (uint32_t i = 0; i < table->columns.size(); ++i) {
    const kv::ColumnDef& column = table->columns[i];
    if (column.hidden && !extended) continue;
    rows.push_back({Integer(i), Text(column.name), Text(column.declared_type),
                    Integer(column.not_null ? 1 : 0),
                    column.default_sql.empty() ? Value() : Text(column.default_sql),
                    Integer(KeyPosition(*table, i))});
    if (extended) rows.back().push_back(Integer(column.hidden ? 1 : 0));
  }
  return rows;
}

StatusOr<Rows> TableList(SchemaKind wanted, bool has_argument, std::string_view only,
                         const kv::StatementReader& all) {
  Rows rows;
  for (const bool temporary : {true, false}) {
    if (!Includes(wanted, temporary)) continue;
    const SchemaKind kind = temporary ? SchemaKind::kTemp : SchemaKind::kMain;
    const auto add = [&](std::string_view name, std::string_view type, size_t columns,
                         bool without_rowid, bool strict) {
      if (has_argument && !kv::EqualsIgnoreCase(name, only)) return;
      rows.push_back({Text(temporary ? "temp" : "main"), Text(name), Text(type),
                      Integer(static_cast<int64_t>(columns)), Integer(without_rowid ? 1 : 0),
                      Integer(strict ? 1 : 0)});
    };
    if (const kv::Reader* reader = ReaderOf(all, temporary); reader != nullptr) {
      KV_ASSIGN_OR_RETURN(const std::vector<const kv::TableDef*> tables, reader->Tables());
      for (const kv::TableDef* table : tables) {
        add(table->name, "table", table->columns.size(), !table->has_rowid(), table->strict);
      }
      KV_ASSIGN_OR_RETURN(const std::vector<const kv::ViewDef*> views, reader->Views());
      for (const kv::ViewDef* view : views) {
        add(view->name, "view", ColumnsOfQuery(view->name, kind, all).size(), false, false);
      }
      KV_ASSIGN_OR_RETURN(const int64_t sequences, reader->ReadProperty(kv::kHasSequences));
      if (sequences != 0) add("sqlite_sequence", "table", 2, false, false);
      KV_ASSIGN_OR_RETURN(const int64_t statistics, reader->ReadProperty(kv::kHasStatistics));
      if (statistics != 0) add("sqlite_stat1", "table", 3, false, false);
    }
    add(temporary ? "sqlite_temp_schema" : "sqlite_schema", "table", 5, false, false);
  }
  return rows;
}

// The index that SQLite would have for the primary key of a table without rowids: its name. Here the table
// itself is it.
std::string KeyIndexName(const kv::TableDef& table) {
  return absl::StrCat("sqlite_autoindex_", table.name, "_", table.key_rank + 1);
}

// Newest first; those whose constraint says REPLACE stand behind the others, as in SQLite.
void IndexList(const kv::TableDef& table, Rows* rows) {
  const auto add = [&](std::string_view name, bool unique, std::string_view origin, bool partial) {
    rows->push_back({Integer(static_cast<int64_t>(rows->size())), Text(name),
                     Integer(unique ? 1 : 0), Text(origin), Integer(partial ? 1 : 0)});
  };
  for (const bool replaces : {false, true}) {
    const auto belongs = [&](kv::OnConflict c) {
      return (c == kv::OnConflict::kReplace) == replaces;
    };
    for (size_t i = table.indexes.size() + 1; i-- > 0;) {
      if (!table.has_rowid() && i == table.key_rank && belongs(table.key_conflict)) {
        add(KeyIndexName(table), true, "pk", false);
      }
      if (i == 0) break;
      const kv::IndexDef& index = table.indexes[i - 1];
      if (!belongs(index.conflict)) continue;
      add(index.name, index.unique,
          index.origin == kv::IndexOrigin::kPrimaryKey ? "pk"
          : index.origin == kv::IndexOrigin::kUnique   ? "u"
                                                       : "c",
          index.partial());
    }
  }
}

void IndexInfo(const kv::TableDef& table, std::span<const kv::IndexColumn> key, bool is_table,
               bool extended, Rows* rows) {
  const auto add = [&](const kv::IndexColumn& column, bool in_key) {
    const bool named = column.column < table.columns.size();
    rows->push_back({Integer(static_cast<int64_t>(rows->size())),
                     Integer(named                                    ? int64_t{column.column}
                             : column.column == kv::kExpressionColumn ? -2
                                                                      : -1),
                     named ? Text(table.columns[column.column].name) : Value()});
    if (!extended) return;
    rows->back().push_back(Integer(column.descending ? 1 : 0));
    rows->back().push_back(Text(kv::CollationName(column.collation)));
    rows->back().push_back(Integer(in_key ? 1 : 0));
  };
  const auto in_key = [&](uint32_t column) {
    return std::any_of(key.begin(), key.end(), [&](const auto& c) { return c.column == column; });
  };
  for (const kv::IndexColumn& column : key) add(column, true);
  if (!extended) return;
  if (table.has_rowid()) {
    add({kv::kRowidColumn, kv::Collation::kBinary, false}, false);
  } else if (is_table) {
    for (uint32_t i = 0; i < table.columns.size(); ++i) {
      if (!in_key(i)) add({i, table.columns[i].collation, false}, false);
    }
  } else {
    for (const kv::IndexColumn& column : table.primary_key) {
      if (!in_key(column.column)) add(column, false);
    }
  }
}

Status IndexInfo(std::string_view name, SchemaKind schema, bool extended,
                 const kv::StatementReader& all, Rows* rows) {
  for (const bool temporary : {true, false}) {
    const kv::Reader* reader = ReaderOf(all, temporary);
    if (reader == nullptr || !Includes(schema, temporary)) continue;
    KV_ASSIGN_OR_RETURN(const kv::TableDef* table, reader->FindTableOfIndex(name));
    if (table != nullptr) {
      IndexInfo(*table, table->FindIndex(name)->columns, false, extended, rows);
      return absl::OkStatus();
    }
    KV_ASSIGN_OR_RETURN(const std::vector<const kv::TableDef*> tables, reader->Tables());
    for (const kv::TableDef* each : tables) {
      if (!each->has_rowid() && kv::EqualsIgnoreCase(KeyIndexName(*each), name)) table = each;
    }
    // SQLite also takes the name of a table without rowids.
    if (table == nullptr) {
      KV_ASSIGN_OR_RETURN(table, reader->FindTable(name));
    }
    if (table != nullptr && !table->has_rowid()) {
      IndexInfo(*table, table->primary_key, true, extended, rows);
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

std::string_view ActionName(parser::ReferenceAction action) {
  switch (action) {
    case parser::ReferenceAction::kSetNull:
      return "SET NULL";
    case parser::ReferenceAction::kSetDefault:
      return "SET DEFAULT";
    case parser::ReferenceAction::kCascade:
      return "CASCADE";
    case parser::ReferenceAction::kRestrict:
      return "RESTRICT";
    default:
      return "NO ACTION";
  }
}

// The foreign keys of the table's text, the last one first.
Status ForeignKeyList(std::string_view name, SchemaKind schema, const kv::StatementReader& reader,
                      Rows* rows) {
  KV_ASSIGN_OR_RETURN(const NamedObject object, FindObject(reader, schema, name));
  const kv::TableDef* table = object.table;
  if (table == nullptr) return absl::OkStatus();
  const StatusOr<parser::ParsedStatement> parsed = parser::Parse(table->sql);
  if (!parsed.ok() || parsed->statement() == nullptr ||
      parsed->statement()->kind != parser::StatementKind::kCreateTable) {
    return absl::OkStatus();
  }
  struct Key {
    std::vector<std::string_view> from;
    const parser::References* references;
  };
  std::vector<Key> keys;
  const auto& statement = parser::As<parser::CreateTableStatement>(*parsed->statement());
  for (const parser::ColumnDefinition& column : statement.columns) {
    for (const parser::Constraint& constraint : column.constraints) {
      if (constraint.kind != parser::ConstraintKind::kReferences) continue;
      keys.push_back({{column.name.text}, constraint.references});
    }
  }
  for (const parser::Constraint& constraint : statement.constraints) {
    if (constraint.kind != parser::ConstraintKind::kForeignKey) continue;
    Key& key = keys.emplace_back();
    key.references = constraint.references;
    for (const parser::Name& column : constraint.child_columns) key.from.push_back(column.text);
  }
  int64_t id = 0;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key, ++id) {
    for (size_t i = 0; i < key->from.size(); ++i) {
      const std::span<parser::Name> to = key->references->columns;
      rows->push_back({Integer(id), Integer(static_cast<int64_t>(i)),
                       Text(key->references->table.text), Text(key->from[i]),
                       i < to.size() ? Text(to[i].text) : Value(),
                       Text(ActionName(key->references->on_update)),
                       Text(ActionName(key->references->on_delete)), Text("NONE")});
    }
  }
  return absl::OkStatus();
}

void FunctionList(Rows* rows) {
  for (uint16_t i = 0; i < kFunctionCount; ++i) {
    const FunctionInfo& info = InfoOf(static_cast<FunctionId>(i));
    rows->push_back({Text(info.name), Integer(1), Text((info.flags & kAggregate) != 0 ? "w" : "s"),
                     Text("utf8"), Integer(info.min_args == info.max_args ? info.min_args : -1),
                     Integer((info.flags & kDeterministic) != 0 ? 2048 : 0)});
  }
}

}  // namespace

StatusOr<PragmaTable> PragmaRows(std::string_view pragma, SchemaKind schema, bool has_argument,
                                 std::string_view argument, const kv::StatementReader& reader) {
  PragmaTable table;
  if (pragma == "table_info" || pragma == "table_xinfo") {
    table.columns = {"cid", "name", "type", "notnull", "dflt_value", "pk"};
    const bool extended = pragma == "table_xinfo";
    if (extended) table.columns.push_back("hidden");
    if (has_argument) {
      KV_ASSIGN_OR_RETURN(table.rows, TableInfo(argument, schema, extended, reader));
    }
  } else if (pragma == "table_list") {
    table.columns = {"schema", "name", "type", "ncol", "wr", "strict"};
    KV_ASSIGN_OR_RETURN(table.rows, TableList(schema, has_argument, argument, reader));
  } else if (pragma == "index_list") {
    table.columns = {"seq", "name", "unique", "origin", "partial"};
    KV_ASSIGN_OR_RETURN(const NamedObject object, FindObject(reader, schema, argument));
    if (object.table != nullptr) IndexList(*object.table, &table.rows);
  } else if (pragma == "index_info") {
    table.columns = {"seqno", "cid", "name"};
    KV_RETURN_IF_ERROR(IndexInfo(argument, schema, false, reader, &table.rows));
  } else if (pragma == "index_xinfo") {
    table.columns = {"seqno", "cid", "name", "desc", "coll", "key"};
    KV_RETURN_IF_ERROR(IndexInfo(argument, schema, true, reader, &table.rows));
  } else if (pragma == "collation_list") {
    table.columns = {"seq", "name"};
    for (const std::string_view name : {"RTRIM", "NOCASE", "BINARY"}) {
      table.rows.push_back({Integer(static_cast<int64_t>(table.rows.size())), Text(name)});
    }
  } else if (pragma == "function_list") {
    table.columns = {"name", "builtin", "type", "enc", "narg", "flags"};
    FunctionList(&table.rows);
  } else if (pragma == "pragma_list") {
    table.columns = {"name"};
    for (const std::string_view name : PragmaNames()) table.rows.push_back({Text(name)});
  } else if (pragma == "module_list") {
    table.columns = {"name"};
  } else if (pragma == "compile_options") {
    table.columns = {"compile_options"};
  } else if (pragma == "foreign_key_list") {
    table.columns = {"id", "seq", "table", "from", "to", "on_update", "on_delete", "match"};
    KV_RETURN_IF_ERROR(ForeignKeyList(argument, schema, reader, &table.rows));
  } else if (pragma == "foreign_key_check") {
    table.columns = {"table", "rowid", "parent", "fkid"};
  }
  return table;
}

}  // namespace kvsql::planner
