// PRAGMAs: which there are, and the rows of those that tell of the schema.
#include "planner/names.h"
#include "planner/planner.h"
#include "planner/pragma_rows.h"

namespace kvsql::planner {
namespace {

using Names = std::vector<std::string_view>;

enum PragmaFlags : uint8_t {
  kSchemaRows = 1,   // rows that PragmaRows makes
  kFixed = 2,        // always the one answer `fixed`; what is set is ignored, as documented
  kOnlyDefault = 4,  // setting anything else than `fixed` is refused
  kSilentSet = 8,    // with a value it answers nothing
};

struct Pragma {
  std::string_view name;
  PragmaKind kind = PragmaKind::kRows;
  uint8_t flags = 0;
  std::string_view fixed;        // a number, or a text
  std::string_view column = {};  // its name, if that is not the pragma's
};

constexpr uint8_t kOption = kFixed | kSilentSet;

constexpr Pragma kPragmas[] = {
    {"analysis_limit", PragmaKind::kRows, kFixed, "0"},
    {"application_id", PragmaKind::kProperty, kSilentSet, ""},
    {"auto_vacuum", PragmaKind::kRows, kOption, "0"},
    {"automatic_index", PragmaKind::kRows, kOption, "1"},
    {"busy_timeout", PragmaKind::kBusyTimeout, 0, "", "timeout"},
    {"cache_size", PragmaKind::kRows, kOption, "-2000"},
    {"cache_spill", PragmaKind::kRows, kOption, "0"},
    {"case_sensitive_like", PragmaKind::kRows, kOption | kOnlyDefault, "0"},
    {"cell_size_check", PragmaKind::kRows, kOption, "0"},
    {"checkpoint_fullfsync", PragmaKind::kRows, kOption, "0"},
    {"collation_list", PragmaKind::kRows, kSchemaRows, ""},
    {"compile_options", PragmaKind::kRows, kSchemaRows, ""},
    {"count_changes", PragmaKind::kRows, kOption | kOnlyDefault, "0"},
    {"data_version", PragmaKind::kRows, kFixed, "1"},
    {"database_list", PragmaKind::kDatabaseList, 0, ""},
    {"default_cache_size", PragmaKind::kRows, kOption, "-2000", "cache_size"},
    {"defer_foreign_keys", PragmaKind::kRows, kOption, "0"},
    {"empty_result_callbacks", PragmaKind::kRows, kOption, "0"},
    {"encoding", PragmaKind::kRows, kOption, "UTF-8"},
    {"foreign_key_check", PragmaKind::kRows, kSchemaRows, ""},
    {"foreign_key_list", PragmaKind::kRows, kSchemaRows, ""},
    {"foreign_keys", PragmaKind::kRows, kOption, "0"},
    {"freelist_count", PragmaKind::kFreelistCount, 0, ""},
    {"full_column_names", PragmaKind::kRows, kOption | kOnlyDefault, "0"},
    {"fullfsync", PragmaKind::kRows, kOption, "0"},
    {"function_list", PragmaKind::kRows, kSchemaRows, ""},
    {"hard_heap_limit", PragmaKind::kRows, kFixed, "0"},
    {"ignore_check_constraints", PragmaKind::kRows, kOption | kOnlyDefault, "0"},
    {"incremental_vacuum", PragmaKind::kRows, kSchemaRows, ""},
    {"index_info", PragmaKind::kRows, kSchemaRows, ""},
    {"index_list", PragmaKind::kRows, kSchemaRows, ""},
    {"index_xinfo", PragmaKind::kRows, kSchemaRows, ""},
    {"integrity_check", PragmaKind::kIntegrityCheck, 0, ""},
    {"journal_mode", PragmaKind::kJournalMode, 0, ""},
    {"journal_size_limit", PragmaKind::kRows, kFixed, "-1"},
    {"kvsql_query_memory", PragmaKind::kQueryMemory, kSilentSet, ""},
    {"kvsql_rules", PragmaKind::kRules, kSilentSet, ""},
    {"kvsql_tier", PragmaKind::kTier, kSilentSet, "", "tier"},
    {"legacy_alter_table", PragmaKind::kRows, kOption, "0"},
    {"legacy_file_format", PragmaKind::kRows, kSchemaRows, ""},
    {"locking_mode", PragmaKind::kRows, kFixed, "normal"},
    {"max_page_count", PragmaKind::kRows, kFixed, "1073741823"},
    {"mmap_size", PragmaKind::kMmapSize, 0, ""},
    {"module_list", PragmaKind::kRows, kSchemaRows, ""},
    {"optimize", PragmaKind::kRows, kSchemaRows, ""},
    {"page_count", PragmaKind::kPageCount, 0, ""},
    {"page_size", PragmaKind::kPageSize, kSilentSet, ""},
    {"pragma_list", PragmaKind::kRows, kSchemaRows, ""},
    {"query_only", PragmaKind::kQueryOnly, kSilentSet, ""},
    {"quick_check", PragmaKind::kIntegrityCheck, 0, ""},
    {"read_uncommitted", PragmaKind::kRows, kOption, "0"},
    {"recursive_triggers", PragmaKind::kRows, kOption, "0"},
    {"reverse_unordered_selects", PragmaKind::kRows, kOption, "0"},
    {"schema_version", PragmaKind::kProperty, kSilentSet, ""},
    {"secure_delete", PragmaKind::kRows, kFixed, "0"},
    {"short_column_names", PragmaKind::kRows, kOption | kOnlyDefault, "1"},
    {"shrink_memory", PragmaKind::kRows, kSchemaRows, ""},
    {"soft_heap_limit", PragmaKind::kRows, kFixed, "0"},
    {"synchronous", PragmaKind::kSynchronous, kSilentSet, ""},
    {"table_info", PragmaKind::kRows, kSchemaRows, ""},
    {"table_list", PragmaKind::kRows, kSchemaRows, ""},
    {"table_xinfo", PragmaKind::kRows, kSchemaRows, ""},
    {"temp_store", PragmaKind::kRows, kOption, "0"},
    {"temp_store_directory", PragmaKind::kRows, kSchemaRows, ""},
    {"threads", PragmaKind::kRows, kFixed, "0"},
    {"trusted_schema", PragmaKind::kRows, kOption, "1"},
    {"user_version", PragmaKind::kProperty, kSilentSet, ""},
    {"wal_autocheckpoint", PragmaKind::kRows, kFixed, "1000"},
    {"wal_checkpoint", PragmaKind::kCheckpoint, 0, ""},
    {"writable_schema", PragmaKind::kRows, kOption | kOnlyDefault, "0"},
};

const Pragma* FindPragma(std::string_view name) {
  for (const Pragma& pragma : kPragmas) {
    if (kv::EqualsIgnoreCase(pragma.name, name)) return &pragma;
  }
  return nullptr;
}

kv::Value FixedValue(std::string_view text) {
  kv::NumberText buffer;
  return kv::Value(kv::ApplyAffinity(kv::ValueView::Text(text), kv::Affinity::kInteger, &buffer));
}

bool IsOff(std::string_view value) {
  for (const std::string_view off : {"0", "off", "no", "false"}) {
    if (kv::EqualsIgnoreCase(value, off)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> PragmaNames() {
  std::vector<std::string_view> names;
  for (const Pragma& pragma : kPragmas) names.push_back(pragma.name);
  return names;
}

StatusOr<PlanPtr> Planner::PlanPragma(const parser::PragmaStatement& statement) {
  auto plan = New<PragmaPlan>();
  const parser::QualifiedName& name = statement.name;
  const SchemaKind schema = SchemaOf(name.schema);
  if (schema == SchemaKind::kUnknown) {
    return Error(name.schema.range.begin, "unknown database " + std::string(name.schema.text));
  }
  const Pragma* pragma = FindPragma(name.object.text);
  // As in SQLite, a pragma that nobody knows answers nothing.
  if (pragma == nullptr) return PlanPtr(plan);
  plan->pragma = pragma->kind;
  plan->argument = std::string(statement.value);
  plan->has_argument = statement.has_value;
  if ((pragma->flags & kOnlyDefault) != 0 && statement.has_value &&
      IsOff(statement.value) != (pragma->fixed == "0")) {
    return Unsupported(name.object.range.begin,
                       "PRAGMA " + std::string(pragma->name) + " = " + plan->argument);
  }
  if (pragma->kind == PragmaKind::kProperty) {
    plan->property = std::string(pragma->name);
    plan->read_only = !statement.has_value;
    plan->temporary = schema == SchemaKind::kTemp;
    plan->writes_temp = plan->temporary && statement.has_value;
  }
  std::vector<std::string_view> columns = {pragma->column.empty() ? pragma->name : pragma->column};
  if ((pragma->flags & kSchemaRows) != 0) {
    KV_ASSIGN_OR_RETURN(PragmaTable table, PragmaRows(pragma->name, schema, statement.has_value,
                                                      plan->argument, reader_));
    columns = std::move(table.columns);
    plan->rows = std::move(table.rows);
    UseSchema(plan.get());
  } else if (pragma->kind == PragmaKind::kDatabaseList) {
    columns = {"seq", "name", "file"};
  } else if (pragma->kind == PragmaKind::kRules && !statement.has_value) {
    columns = {"rule", "on"};
  } else if (pragma->kind == PragmaKind::kCheckpoint) {
    columns = {"busy", "log", "checkpointed"};
  } else if ((pragma->flags & kSilentSet) != 0 && statement.has_value) {
    columns.clear();
  } else if ((pragma->flags & kFixed) != 0) {
    plan->rows.push_back({FixedValue(pragma->fixed)});
  }
  for (const std::string_view column : columns) plan->columns.push_back({std::string(column), ""});
  plan->outputs.resize(columns.size());
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
