// PRAGMAs: those that answer what only the running database knows.
#include <algorithm>
#include <string>

#include "exec/statement.h"

namespace kvsql::exec {
namespace {

using kv::Value;
using kv::ValueView;
using planner::PragmaKind;

Value Text(std::string_view text) { return Value(ValueView::Text(text)); }
Value Integer(int64_t integer) { return Value(ValueView::Integer(integer)); }

// As sqlite3Atoi: a decimal or hexadecimal number of 32 bits at the beginning; else 0.
int64_t ToInteger(std::string_view text) {
  const std::string copy(text);
  const bool hex = copy.size() > 2 && copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X');
  const long long value = std::strtoll(copy.c_str(), nullptr, hex ? 16 : 10);
  if (hex) return static_cast<int32_t>(static_cast<uint32_t>(value));
  return value >= INT32_MIN && value <= INT32_MAX ? value : 0;
}

bool ToBoolean(std::string_view text) {
  for (const std::string_view on : {"on", "yes", "true"}) {
    if (kv::EqualsIgnoreCase(text, on)) return true;
  }
  return ToInteger(text) != 0;
}

kv::Durability ToDurability(std::string_view text) {
  // OFF promises less than kvsql has.
  for (const std::string_view level : {"off", "normal", "0", "1"}) {
    if (kv::EqualsIgnoreCase(text, level)) return kv::Durability::kNormal;
  }
  return kv::Durability::kFull;
}

StatusOr<std::vector<std::vector<Value>>> CheckIntegrity(Session* session,
                                                         std::string_view argument) {
  if (session->write_txn() != nullptr) {
    return absl::FailedPreconditionError(
        "PRAGMA integrity_check cannot run inside a transaction that writes");
  }
  const int64_t limit = ToInteger(argument);
  KV_ASSIGN_OR_RETURN(
      const std::vector<std::string> findings,
      session->store()->CheckIntegrity(limit > 0 ? static_cast<size_t>(limit) : size_t{100}));
  std::vector<std::vector<Value>> rows;
  for (const std::string& finding : findings) rows.push_back({Text(finding)});
  if (findings.empty()) rows.push_back({Text("ok")});
  return rows;
}

}  // namespace

Status Statement::MakePragmaRows(const kv::StatementReader& reader) {
  const auto& plan = static_cast<const planner::PragmaPlan&>(*plan_);
  const std::shared_ptr<kv::Store>& store = session_->store();
  const auto answer = [&](Value value) {
    made_rows_.push_back({std::move(value)});
    return absl::OkStatus();
  };
  switch (plan.pragma) {
    case PragmaKind::kRows:
      made_rows_ = plan.rows;
      return absl::OkStatus();
    case PragmaKind::kIntegrityCheck: {
      KV_ASSIGN_OR_RETURN(made_rows_, CheckIntegrity(session_, plan.argument));
      return absl::OkStatus();
    }
    case PragmaKind::kProperty: {
      const kv::Reader* from = plan.temporary ? reader.temp() : &reader;
      if (from == nullptr) return answer(Integer(0));
      KV_ASSIGN_OR_RETURN(const int64_t value, from->ReadProperty(plan.property));
      return answer(Integer(value));
    }
    case PragmaKind::kDatabaseList:
      made_rows_.push_back({Integer(0), Text("main"), Text(store->options().path)});
      if (session_->has_temp()) made_rows_.push_back({Integer(1), Text("temp"), Text("")});
      return absl::OkStatus();
    case PragmaKind::kJournalMode:
      return answer(Text(store->pager()->in_memory() ? "memory" : "wal"));
    case PragmaKind::kSynchronous:
      if (plan.has_argument) {
        session_->set_durability(ToDurability(plan.argument));
        return absl::OkStatus();
      }
      return answer(Integer(session_->durability() == kv::Durability::kFull ? 2 : 1));
    case PragmaKind::kBusyTimeout:
      if (plan.has_argument) {
        session_->set_busy_timeout(
            std::chrono::milliseconds(std::max<int64_t>(ToInteger(plan.argument), 0)));
      }
      return answer(Integer(session_->busy_timeout().count()));
    case PragmaKind::kQueryOnly:
      if (plan.has_argument) {
        session_->set_query_only(ToBoolean(plan.argument));
        return absl::OkStatus();
      }
      return answer(Integer(session_->query_only() ? 1 : 0));
    case PragmaKind::kMmapSize:
      if (store->pager()->in_memory()) return absl::OkStatus();
      return answer(Integer(static_cast<int64_t>(store->options().map_size)));
    case PragmaKind::kPageSize:
      return answer(Integer(reader.pages().page_size()));
    case PragmaKind::kPageCount:
      return answer(Integer(static_cast<int64_t>(store->pager()->stats().page_count)));
    case PragmaKind::kFreelistCount:
      return answer(Integer(static_cast<int64_t>(store->pager()->stats().free_pages)));
    case PragmaKind::kCheckpoint:
      if (session_->write_txn() != nullptr || store->pager()->in_memory()) {
        made_rows_.push_back(
            {Integer(session_->write_txn() != nullptr ? 1 : 0), Integer(-1), Integer(-1)});
        return absl::OkStatus();
      }
      KV_RETURN_IF_ERROR(store->Checkpoint());
      made_rows_.push_back({Integer(0), Integer(0), Integer(0)});
      return absl::OkStatus();
    case PragmaKind::kQueryMemory:
      if (plan.has_argument) {
        session_->set_query_memory(
            static_cast<uint64_t>(std::max<int64_t>(ToInteger(plan.argument), 0)));
        return absl::OkStatus();
      }
      return answer(Integer(static_cast<int64_t>(session_->query_memory())));
    case PragmaKind::kRules:
    case PragmaKind::kTier: {
      const bool rules = plan.pragma == PragmaKind::kRules;
      planner::PlanOptions options = session_->plan_options();
      if (plan.has_argument) {
        KV_RETURN_IF_ERROR(rules ? options.SetRules(plan.argument)
                                 : options.SetTier(plan.argument));
        session_->set_plan_options(options);
        return absl::OkStatus();
      }
      if (!rules) return answer(Text(options.batch_only ? "batch" : "auto"));
      for (uint32_t i = 0; i < planner::kRuleCount; ++i) {
        const auto rule = static_cast<planner::Rule>(i);
        made_rows_.push_back({Text(RuleName(rule)), Integer(options.Has(rule) ? 1 : 0)});
      }
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

Status Statement::SetPragma(kv::WriteTxn& txn) {
  const auto& plan = static_cast<const planner::PragmaPlan&>(*plan_);
  return txn.WriteProperty(plan.property, ToInteger(plan.argument));
}

}  // namespace kvsql::exec
