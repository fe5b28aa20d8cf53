// PRAGMAs that answer rows.
#include <string_view>

#include "exec/statement.h"

namespace kvsql::exec {
namespace {

using kv::Value;
using kv::ValueView;
using planner::PragmaKind;

Value Text(std::string_view text) { return Value(ValueView::Text(text)); }
Value Integer(int64_t integer) { return Value(ValueView::Integer(integer)); }

using Rows = std::vector<std::vector<Value>>;

void TableInfo(const kv::TableDef& table, Rows* rows) {
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const kv::ColumnDef& column = table.columns[i];
    int64_t key_position = 0;
    for (size_t k = 0; k < table.primary_key.size(); ++k) {
      if (table.primary_key[k].column == i) key_position = static_cast<int64_t>(k) + 1;
    }
    rows->push_back({Integer(i), Text(column.name), Text(column.declared_type),
                     Integer(column.not_null ? 1 : 0),
                     column.default_sql.empty() ? Value() : Text(column.default_sql),
                     Integer(key_position)});
  }
}

// Newest first, as SQLite lists them.
void IndexList(const kv::TableDef& table, Rows* rows) {
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    const kv::IndexDef& index = table.indexes[table.indexes.size() - 1 - i];
    const std::string_view origin = index.origin == kv::IndexOrigin::kPrimaryKey ? "pk"
                                    : index.origin == kv::IndexOrigin::kUnique   ? "u"
                                                                                 : "c";
    rows->push_back({Integer(static_cast<int64_t>(i)), Text(index.name),
                     Integer(index.unique ? 1 : 0), Text(origin), Integer(0)});
  }
}

void IndexInfo(const kv::TableDef& table, std::string_view name, Rows* rows) {
  const kv::IndexDef* index = table.FindIndex(name);
  if (index == nullptr) return;
  for (size_t i = 0; i < index->columns.size(); ++i) {
    const uint32_t column = index->columns[i].column;
    rows->push_back(
        {Integer(static_cast<int64_t>(i)), Integer(column), Text(table.columns[column].name)});
  }
}

}  // namespace

Status Statement::MakePragmaRows(const kv::Reader& reader) {
  const auto& plan = static_cast<const planner::PragmaPlan&>(*plan_);
  switch (plan.pragma) {
    case PragmaKind::kIntegrityCheck: {
      if (session_->write_txn() != nullptr) {
        return absl::FailedPreconditionError(
            "PRAGMA integrity_check cannot run inside a transaction that writes");
      }
      KV_ASSIGN_OR_RETURN(const std::vector<std::string> findings,
                          session_->store()->CheckIntegrity());
      for (const std::string& finding : findings) made_rows_.push_back({Text(finding)});
      if (findings.empty()) made_rows_.push_back({Text("ok")});
      return absl::OkStatus();
    }
    case PragmaKind::kTableInfo:
    case PragmaKind::kIndexList: {
      KV_ASSIGN_OR_RETURN(const kv::TableDef* table, reader.FindTable(plan.argument));
      if (table == nullptr) return absl::OkStatus();
      if (plan.pragma == PragmaKind::kTableInfo) {
        TableInfo(*table, &made_rows_);
      } else {
        IndexList(*table, &made_rows_);
      }
      return absl::OkStatus();
    }
    case PragmaKind::kIndexInfo: {
      KV_ASSIGN_OR_RETURN(const kv::TableDef* table,
                          reader.read_txn() != nullptr
                              ? reader.read_txn()->FindTableOfIndex(plan.argument)
                              : reader.write_txn()->FindTableOfIndex(plan.argument));
      if (table != nullptr) IndexInfo(*table, plan.argument, &made_rows_);
      return absl::OkStatus();
    }
    case PragmaKind::kRules:
    case PragmaKind::kTier: {
      const bool rules = plan.pragma == PragmaKind::kRules;
      planner::PlanOptions options = session_->plan_options();
      if (plan.columns.empty()) {
        KV_RETURN_IF_ERROR(rules ? options.SetRules(plan.argument)
                                 : options.SetTier(plan.argument));
        session_->set_plan_options(options);
        return absl::OkStatus();
      }
      if (!rules) {
        made_rows_.push_back({Text(options.batch_only ? "batch" : "auto")});
        return absl::OkStatus();
      }
      for (uint32_t i = 0; i < planner::kRuleCount; ++i) {
        const auto rule = static_cast<planner::Rule>(i);
        made_rows_.push_back({Text(RuleName(rule)), Integer(options.Has(rule) ? 1 : 0)});
      }
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

}  // namespace kvsql::exec
