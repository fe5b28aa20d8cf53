// A prepared statement: a plan with the values and buffers to run it, again and again.
//
// Thread safety: one thread at a time, the one that uses its Session, which must outlive it.
//
// Invariants:
//   1. Running a direct plan allocates nothing once its buffers have grown.
//   2. Before it runs, the plan's schema generation is compared with that of the state it runs on; if they
//      differ, the plan is made anew from the statement's text.
//   3. Column values are valid until the next Step, Reset or destruction. Views into them end earlier if the
//      row belongs to a write transaction that changes something or ends; column() then gives copies.
//   4. A statement that fails leaves the transaction as it was before, except as ON CONFLICT FAIL and
//      ROLLBACK say.
#ifndef KVSQL_EXEC_STATEMENT_H_
#define KVSQL_EXEC_STATEMENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/batch/query_run.h"
#include "exec/evaluate.h"
#include "exec/session.h"
#include "exec/statement_cache.h"
#include "kv/row.h"
#include "kv/value.h"
#include "planner/lifted.h"
#include "planner/plan.h"

namespace kvsql::exec {

class Statement {
 public:
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // --- Parameters, counted from 1 -------------------------------------------------------------------
  // Text and blobs are copied. FAILED_PRECONDITION at a row; OUT_OF_RANGE: no such parameter.
  Status Bind(int position, const kv::ValueView& value);
  void ClearBindings();
  int ParameterCount() const { return static_cast<int>(parameters_.size()); }
  // With its first character (":id"); empty for a parameter without name, or none.
  std::string_view ParameterName(int position) const;
  std::optional<int> ParameterPosition(std::string_view name) const;

  // --- Running --------------------------------------------------------------------------------------
  // True: at the next row. False: done; the next Step begins anew.
  StatusOr<bool> Step();
  // Ends the run, so that Step begins anew. Bindings stay.
  void Reset();
  bool at_row() const { return at_row_; }

  // --- The row; NULL where there is none ------------------------------------------------------------
  // Before the first row they tell of the schema as it is now.
  int column_count() {
    if (!at_row_ && plan_->uses_schema) RefreshPlan();
    return static_cast<int>(plan_->columns.size());
  }
  std::string_view column_name(int i);
  // As in CREATE TABLE; empty if the column is no table's.
  std::string_view declared_type(int i);
  kv::ValueView column(int i) const {
    const auto at = static_cast<size_t>(i);
    if (!at_row_ || at >= plan_->outputs.size()) [[unlikely]]
      return {};
    if (plan_->outputs[at].kind == planner::OperandKind::kColumn && !detached_) [[likely]] {
      return row_.column(plan_->outputs[at].index);
    }
    return shown_[at];
  }

  bool read_only() const { return plan_->read_only; }
  // The statement's text as given to Prepare.
  std::string_view sql() const { return key_lifted_ ? std::string_view(given_) : plan_->text.sql; }
  const planner::Plan& plan() const { return *plan_; }

  // For Session: makes the row independent of the transaction; what the statement holds in memory.
  void Detach();
  size_t MemoryBytes() const;

 private:
  friend class Session;
  friend class StatementPool;
  friend struct StatementRecycler;

  Statement(Session* session, std::shared_ptr<const planner::Plan> plan);

  void SetPlan(std::shared_ptr<const planner::Plan> plan);
  void SetKey(const StatementKey& key, size_t consumed);
  void SetLifted(const parser::Normaliser& normaliser, std::string_view sql);
  // Plans again if names may mean something else now. The reader gets the session's temporary tables.
  Status CheckPlan(kv::StatementReader* reader) {
    if (!session_->has_temp() && !IsStale(*reader)) [[likely]]
      return absl::OkStatus();
    return CheckPlanSlow(reader);
  }
  // For plans of the direct tier, which do not read temporary tables.
  Status CheckPlan(const kv::Reader& reader) {
    kv::StatementReader full(reader);
    return CheckPlan(&full);
  }
  bool IsStale(const kv::Reader& reader) const {
    return plan_->uses_schema && plan_->schema_generation != reader.schema_generation();
  }
  Status CheckPlanSlow(kv::StatementReader* reader);
  void RefreshPlan();

  // statement_read.cc
  StatusOr<bool> Run();
  StatusOr<bool> RunOtherKind();
  StatusOr<bool> RunGet();
  StatusOr<bool> RunCount();
  StatusOr<bool> RunValues();
  StatusOr<bool> RunPragma();
  StatusOr<bool> RunExplain();
  StatusOr<bool> RunQuery();
  StatusOr<bool> FindRow(const kv::Reader& reader, const planner::KeyLookup& lookup);
  StatusOr<bool> NextMadeRow();
  void ShowOutputs();
  void FinishRead();

  // statement_write.cc
  Status RunWrite();
  Status RunTempWrite();
  Status FinishWrite(kv::WriteTxn& txn, Status status);
  Status Write(kv::WriteTxn& txn, const kv::StatementReader& reader);
  Status Insert(kv::WriteTxn& txn, const planner::InsertPlan& plan);
  Status InsertOne(kv::WriteTxn& txn, const planner::InsertPlan& plan, size_t row,
                   size_t matrix_offset, int64_t* inserted);
  Status Update(kv::WriteTxn& txn, const planner::UpdatePlan& plan);
  Status Delete(kv::WriteTxn& txn, const planner::DeletePlan& plan);
  Status RunDdl(kv::WriteTxn& txn);

  // statement_maintain.cc
  Status RunMaintain();
  Status Maintain(kv::WriteTxn& txn);

  // statement_query_write.cc
  Status WriteQueryRows(kv::WriteTxn& txn, const kv::StatementReader& reader);
  Status CreateTableAs(kv::WriteTxn& txn, const kv::StatementReader& reader);
  void SetUpQuery();
  Status RunControl();

  // statement_pragma.cc
  Status MakePragmaRows(const kv::StatementReader& reader);
  Status SetPragma(kv::WriteTxn& txn);

  EvalContext Context(const kv::Row* row, size_t matrix_offset = 0) {
    return {plan_.get(), parameters_.data(), &lifted_, matrix_offset,
            row,         registers_.data(),  &scratch_};
  }

  Session* const session_;
  std::shared_ptr<const planner::Plan> plan_;
  bool at_row_ = false;
  bool detached_ = false;
  bool showing_ = false;  // known to the session as showing a row of its transaction
  kv::ReadTxn* snapshot_ = nullptr;
  TempRead temp_;

  std::vector<kv::ValueView> parameters_;
  std::vector<std::string> parameter_bytes_;
  planner::LiftedValues lifted_;
  std::string given_;  // the text, if it has lifted literals: the plan's has others

  kv::Row row_;
  std::vector<kv::ValueView> registers_;  // of expression programs
  std::vector<kv::ValueView> values_;     // of a row to be written
  std::vector<kv::ValueView> results_;    // outputs that are not read from row_
  const kv::ValueView* shown_ = nullptr;  // results_, or a query's row
  std::vector<kv::Value> detached_values_;
  TextArena scratch_;

  std::unique_ptr<QueryRun> query_;  // of a plan for the batch tier

  // Statements that make all their rows at once.
  std::vector<std::vector<kv::Value>> made_rows_;
  size_t next_row_ = 0;  // of made_rows_, or of VALUES

  // Where it belongs in the session's pool.
  std::string key_text_;
  uint64_t key_hash_ = 0;
  bool key_lifted_ = false;
  bool poolable_ = false;
  size_t consumed_ = 0;
  size_t pool_bytes_ = 0;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_STATEMENT_H_
