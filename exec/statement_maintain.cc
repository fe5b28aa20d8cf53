// ANALYZE, REINDEX, VACUUM.
#include "absl/strings/str_cat.h"
#include "exec/statement.h"
#include "kv/analyze.h"
#include "kv/store.h"

namespace kvsql::exec {
namespace {

using planner::MaintainKind;

bool UsesCollation(const kv::IndexDef& index, kv::Collation collation) {
  for (const kv::IndexColumn& column : index.columns) {
    if (column.collation == collation) return true;
  }
  return false;
}

Status AnalyzeAll(kv::WriteTxn& txn) {
  KV_ASSIGN_OR_RETURN(const std::vector<const kv::TableDef*> tables, txn.Tables());
  for (const kv::TableDef* table : tables) KV_RETURN_IF_ERROR(kv::Analyze(txn, *table));
  return absl::OkStatus();
}

Status AnalyzeNamed(kv::WriteTxn& txn, const std::string& name) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTable(name));
  if (table != nullptr) return kv::Analyze(txn, *table);
  KV_ASSIGN_OR_RETURN(table, txn.FindTableOfIndex(name));
  if (table != nullptr) return kv::Analyze(txn, *table, table->FindIndex(name));
  return absl::NotFoundError(absl::StrCat("no such table: ", name));
}

// By a collation, else a table, else an index; everything without a name.
Status Reindex(kv::WriteTxn& txn, const std::string& name) {
  kv::Collation collation = kv::Collation::kBinary;
  const bool by_collation = !name.empty() && kv::ParseCollation(name, &collation);
  std::vector<const kv::TableDef*> tables;
  std::string_view only;
  if (name.empty() || by_collation) {
    KV_ASSIGN_OR_RETURN(tables, txn.Tables());
  } else {
    KV_ASSIGN_OR_RETURN(const kv::TableDef* table, txn.FindTable(name));
    if (table == nullptr) {
      KV_ASSIGN_OR_RETURN(table, txn.FindTableOfIndex(name));
      only = name;
    }
    if (table == nullptr) {
      return absl::NotFoundError("unable to identify the object to be reindexed");
    }
    tables.push_back(table);
  }
  for (const kv::TableDef* table : tables) {
    for (const kv::IndexDef& index : table->indexes) {
      if (!only.empty() && !kv::EqualsIgnoreCase(index.name, only)) continue;
      if (by_collation && !UsesCollation(index, collation)) continue;
      KV_RETURN_IF_ERROR(txn.RebuildIndex(*table, index));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status Statement::RunMaintain() {
  const auto& plan = static_cast<const planner::MaintainPlan&>(*plan_);
  if (plan.action != MaintainKind::kVacuum) return RunWrite();
  // Its transactions are the store's own.
  if (session_->in_transaction()) {
    return absl::FailedPreconditionError("cannot VACUUM from within a transaction");
  }
  if (session_->store()->read_only()) {
    return absl::FailedPreconditionError("attempt to write a readonly database");
  }
  return session_->store()->Compact();
}

Status Statement::Maintain(kv::WriteTxn& txn) {
  const auto& plan = static_cast<const planner::MaintainPlan&>(*plan_);
  if (plan.action == MaintainKind::kReindex) return Reindex(txn, plan.name);
  KV_RETURN_IF_ERROR(plan.name.empty() ? AnalyzeAll(txn) : AnalyzeNamed(txn, plan.name));
  return txn.NoteSystemTable(kv::kHasStatistics);
}

}  // namespace kvsql::exec
