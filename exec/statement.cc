#include "exec/statement.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/prepare.h"
#include "planner/query/query_plan.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;
using planner::OperandKind;
using planner::PlanKind;

Statement::Statement(Session* session, std::shared_ptr<const planner::Plan> plan)
    : session_(session) {
  SetPlan(std::move(plan));
}

Statement::~Statement() { Reset(); }

void Statement::SetPlan(std::shared_ptr<const planner::Plan> plan) {
  query_.reset();  // it knows the old plan
  plan_ = std::move(plan);
  registers_.resize(plan_->registers);
  results_.resize(plan_->outputs.size());
  shown_ = results_.data();
  // The parameters of a text do not change with the schema.
  parameters_.resize(plan_->parameter_names.size());
  parameter_bytes_.resize(plan_->parameter_names.size());
}

void Statement::SetKey(const StatementKey& key, size_t consumed) {
  key_text_ = std::string(key.text);
  key_hash_ = key.hash;
  key_lifted_ = key.lifted;
  consumed_ = consumed;
  poolable_ = true;
}

void Statement::SetLifted(const parser::Normaliser& normaliser, std::string_view sql) {
  lifted_.Assign(normaliser);
  given_.assign(sql.data(), normaliser.statement_end());
}

size_t Statement::MemoryBytes() const {
  size_t bytes =
      sizeof(Statement) + plan_->MemoryBytes() + key_text_.capacity() + given_.capacity() +
      lifted_.bytes.capacity() + lifted_.values.capacity() * sizeof(ValueView) +
      (registers_.capacity() + values_.capacity() + results_.capacity()) * sizeof(ValueView);
  for (const std::string& text : parameter_bytes_) bytes += sizeof(text) + text.capacity();
  return bytes;
}

// ------------------------------------------------------------------------------------ parameters

Status Statement::Bind(int position, const ValueView& value) {
  if (at_row_) {
    return absl::FailedPreconditionError(
        "a parameter cannot be bound while the statement is at a row");
  }
  const size_t index = static_cast<size_t>(position) - 1;
  if (position < 1 || index >= parameters_.size()) {
    return absl::OutOfRangeError(
        absl::StrCat("no parameter ", position, ": the statement has ", parameters_.size()));
  }
  ValueView& parameter = parameters_[index];
  parameter = value;
  if (value.type == ValueType::kText || value.type == ValueType::kBlob) {
    parameter_bytes_[index].assign(value.data, value.size);
    parameter.data = parameter_bytes_[index].data();
  }
  return absl::OkStatus();
}

void Statement::ClearBindings() {
  for (ValueView& parameter : parameters_) parameter = ValueView();
}

std::string_view Statement::ParameterName(int position) const {
  const size_t index = static_cast<size_t>(position) - 1;
  return position < 1 || index >= plan_->parameter_names.size()
             ? std::string_view()
             : std::string_view(plan_->parameter_names[index]);
}

std::optional<int> Statement::ParameterPosition(std::string_view name) const {
  if (name.empty()) return std::nullopt;
  for (size_t i = 0; i < plan_->parameter_names.size(); ++i) {
    if (plan_->parameter_names[i] == name) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

std::string_view Statement::column_name(int i) {
  const auto at = static_cast<size_t>(i);
  if (!at_row_ && plan_->uses_schema) RefreshPlan();
  return at < plan_->columns.size() ? std::string_view(plan_->columns[at].name)
                                    : std::string_view();
}

std::string_view Statement::declared_type(int i) {
  const auto at = static_cast<size_t>(i);
  if (!at_row_ && plan_->uses_schema) RefreshPlan();
  return at < plan_->columns.size() ? std::string_view(plan_->columns[at].declared_type)
                                    : std::string_view();
}

// ------------------------------------------------------------------------------------ running

Status Statement::CheckPlanSlow(kv::StatementReader* reader) {
  if (session_->has_temp() && reader->temp() == nullptr) {
    KV_RETURN_IF_ERROR(session_->BeginTempRead(&temp_));
    reader->set_temp(&*temp_.reader);
  }
  if (!plan_->uses_schema ||
      (!IsStale(*reader) && plan_->temp_generation == reader->temp_generation())) {
    return absl::OkStatus();
  }
  KV_ASSIGN_OR_RETURN(std::shared_ptr<const planner::Plan> plan, planner::Replan(*plan_, *reader));
  // A row buffer may still know a table of the old plan.
  row_ = kv::Row();
  SetPlan(std::move(plan));
  return absl::OkStatus();
}

// A plan out of the pool or the cache may be one of a former schema. Where it cannot be made anew, Step says why.
void Statement::RefreshPlan() {
  kv::ReadTxn* snapshot = nullptr;
  TempRead temp;
  const StatusOr<kv::StatementReader> reader = session_->BeginPlanning(&snapshot, &temp);
  if (reader.ok() && (IsStale(*reader) || plan_->temp_generation != reader->temp_generation())) {
    if (StatusOr<std::shared_ptr<const planner::Plan>> plan = planner::Replan(*plan_, *reader);
        plan.ok()) {
      row_ = kv::Row();
      SetPlan(*std::move(plan));
    }
  }
  session_->EndRead(snapshot);
  TempDatabase::EndRead(&temp);
}

StatusOr<bool> Statement::Step() {
  if (plan_->kind == PlanKind::kGet) [[likely]] {
    if (at_row_) {
      FinishRead();
      return false;
    }
    return RunGet();
  }
  if (at_row_ && query_ != nullptr && query_->StepAtHand()) {
    shown_ = query_->row();
    return true;
  }
  return Run();
}

StatusOr<bool> Statement::Run() {
  switch (plan_->kind) {
    case PlanKind::kGet:
      break;
    case PlanKind::kQuery:
      return RunQuery();
    case PlanKind::kValues:
      return RunValues();
    case PlanKind::kCount:
      return RunCount();
    case PlanKind::kExplain:
      return RunExplain();
    case PlanKind::kPragma:
      if (plan_->read_only) return RunPragma();
      KV_RETURN_IF_ERROR(RunWrite());
      return false;
    case PlanKind::kMaintain:
      KV_RETURN_IF_ERROR(RunMaintain());
      return false;
    case PlanKind::kControl:
      KV_RETURN_IF_ERROR(RunControl());
      return false;
    case PlanKind::kInsert:
    case PlanKind::kUpdate:
    case PlanKind::kDelete:
    case PlanKind::kQueryInsert:
    case PlanKind::kQueryUpdate:
    case PlanKind::kQueryDelete:
    case PlanKind::kQueryCreate:
    case PlanKind::kQuerySequence:
    case PlanKind::kCreateTable:
    case PlanKind::kCreateIndex:
    case PlanKind::kCreateView:
    case PlanKind::kDrop:
      KV_RETURN_IF_ERROR(RunWrite());
      return false;
  }
  return absl::InternalError("unknown plan");
}

void Statement::Reset() {
  if (at_row_) FinishRead();
  next_row_ = 0;
  made_rows_.clear();
}

void Statement::FinishRead() {
  at_row_ = false;
  detached_ = false;
  if (showing_) {
    showing_ = false;
    session_->RemoveShowing(this);
  }
  if (temp_.reader.has_value()) [[unlikely]]
    TempDatabase::EndRead(&temp_);
  session_->EndRead(std::exchange(snapshot_, nullptr));
}

void Statement::Detach() {
  showing_ = false;
  if (!at_row_) return;
  if (plan_->kind == PlanKind::kQuery) {
    query_->Drain();
    shown_ = query_->row();
    return;
  }
  detached_values_.resize(results_.size());
  for (size_t i = 0; i < results_.size(); ++i) {
    detached_values_[i] = column(static_cast<int>(i));
    results_[i] = detached_values_[i].view();
  }
  detached_ = true;
}

// Computes what column() does not read from the row itself, and lets the session know of the row.
void Statement::ShowOutputs() {
  const EvalContext context = Context(&row_);
  for (size_t i = 0; i < plan_->outputs.size(); ++i) {
    if (plan_->outputs[i].kind != OperandKind::kColumn) {
      results_[i] = Evaluate(plan_->outputs[i], context);
    }
  }
  at_row_ = true;
  detached_ = false;
  if (snapshot_ == nullptr && session_->in_transaction()) {
    showing_ = true;
    session_->AddShowing(this);
  }
}

// ------------------------------------------------------------------------------------ reading

namespace {

// Whether a value of a REAL column can equal `value` at all: comparisons are exact, but the key's column
// would round a large integer to its next real.
bool FitsReal(const ValueView& value) {
  kv::NumberText text;
  const ValueView number = kv::ApplyAffinity(value, kv::Affinity::kNumeric, &text);
  if (number.type != ValueType::kInteger) return true;
  return kv::CompareIntegerReal(number.integer, static_cast<double>(number.integer)) == 0;
}

}  // namespace

// True: row_ is the row that the lookup finds.
StatusOr<bool> Statement::FindRow(const kv::Reader& reader, const planner::KeyLookup& lookup) {
  scratch_.Reset();
  const EvalContext context = Context(nullptr);
  bool found = false;
  if (lookup.by == planner::KeyLookup::By::kRowid) {
    ValueView key = Evaluate(lookup.key[0], context);
    if (key.type != ValueType::kInteger) [[unlikely]] {
      // Only what equals an integer after the column's affinity can be a rowid.
      kv::NumberText text;
      key = kv::ApplyAffinity(key, kv::Affinity::kInteger, &text);
      if (key.type == ValueType::kReal) {
        int64_t integer = 0;
        if (!kv::RealToInteger(key.real, &integer)) return false;
        key = ValueView::Integer(integer);
      }
      if (key.type != ValueType::kInteger) return false;
    }
    KV_ASSIGN_OR_RETURN(found, kv::GetByRowid(reader, *lookup.table, key.integer, &row_));
  } else {
    values_.resize(lookup.key.size());
    for (size_t i = 0; i < lookup.key.size(); ++i) {
      values_[i] = Evaluate(lookup.key[i], context);
      if (values_[i].is_null()) return false;
      const kv::IndexColumn& column =
          lookup.index != nullptr ? lookup.index->columns[i] : lookup.table->primary_key[i];
      if (lookup.table->columns[column.column].affinity == kv::Affinity::kReal &&
          !FitsReal(values_[i])) {
        return false;
      }
    }
    if (lookup.by == planner::KeyLookup::By::kPrimaryKey) {
      KV_ASSIGN_OR_RETURN(found, kv::GetByPrimaryKey(reader, *lookup.table, values_, &row_));
    } else {
      KV_ASSIGN_OR_RETURN(
          found, kv::GetByUniqueIndex(reader, *lookup.table, *lookup.index, values_, &row_));
    }
  }
  if (found && lookup.filter.has_value()) {
    found = Truth(Evaluate(*lookup.filter, Context(&row_))) == 1;
  }
  return found;
}

// Under the new schema the statement is of another kind: an index that it used is gone, or one has come.
StatusOr<bool> Statement::RunOtherKind() {
  FinishRead();
  return Step();
}

StatusOr<bool> Statement::RunGet() {
  KV_ASSIGN_OR_RETURN(const kv::Reader reader, session_->BeginRead(&snapshot_));
  Status status = CheckPlan(reader);
  if (plan_->kind != PlanKind::kGet) [[unlikely]]
    return RunOtherKind();
  if (status.ok()) [[likely]] {
    StatusOr<bool> found = FindRow(reader, static_cast<const planner::GetPlan&>(*plan_).lookup);
    if (found.ok()) [[likely]] {
      if (*found) [[likely]] {
        ShowOutputs();
        return true;
      }
      FinishRead();
      return false;
    }
    status = std::move(found).status();
  }
  FinishRead();
  return status;
}

StatusOr<bool> Statement::RunQuery() {
  if (!at_row_) {
    KV_ASSIGN_OR_RETURN(kv::StatementReader reader, session_->BeginRead(&snapshot_));
    Status status = CheckPlan(&reader);
    if (plan_->kind != PlanKind::kQuery) return RunOtherKind();
    if (status.ok()) {
      SetUpQuery();
      status = query_->Start(reader);
    }
    if (!status.ok()) {
      FinishRead();
      return status;
    }
    if (snapshot_ == nullptr && session_->in_transaction()) {
      showing_ = true;
      session_->AddShowing(this);
    }
  }
  const StatusOr<bool> stepped = query_->Step();
  if (!stepped.ok() || !*stepped) {
    FinishRead();
    return stepped;
  }
  shown_ = query_->row();
  at_row_ = true;
  return true;
}

StatusOr<bool> Statement::RunCount() {
  if (at_row_) {
    FinishRead();
    return false;
  }
  KV_ASSIGN_OR_RETURN(const kv::Reader reader, session_->BeginRead(&snapshot_));
  Status status = CheckPlan(reader);
  if (plan_->kind != PlanKind::kCount) return RunOtherKind();
  StatusOr<uint64_t> count = 0;
  if (status.ok()) {
    count = kv::CountRows(reader, *static_cast<const planner::CountPlan&>(*plan_).table);
    status = count.status();
  }
  FinishRead();
  KV_RETURN_IF_ERROR(status);
  results_[0] = ValueView::Integer(static_cast<int64_t>(*count));
  at_row_ = true;
  return true;
}

StatusOr<bool> Statement::RunValues() {
  const auto& plan = static_cast<const planner::ValuesPlan&>(*plan_);
  at_row_ = false;
  if (next_row_ >= plan.rows.size()) {
    next_row_ = 0;
    return false;
  }
  scratch_.Reset();
  const EvalContext context = Context(nullptr);
  if (plan.filter.has_value() && Truth(Evaluate(*plan.filter, context)) != 1) {
    next_row_ = 0;
    return false;
  }
  const std::vector<planner::Operand>& row = plan.rows[next_row_++];
  for (size_t i = 0; i < row.size(); ++i) results_[i] = Evaluate(row[i], context);
  at_row_ = true;
  return true;
}

StatusOr<bool> Statement::NextMadeRow() {
  at_row_ = false;
  if (next_row_ >= made_rows_.size()) {
    Reset();
    return false;
  }
  const std::vector<kv::Value>& row = made_rows_[next_row_++];
  for (size_t i = 0; i < row.size(); ++i) results_[i] = row[i].view();
  at_row_ = true;
  return true;
}

StatusOr<bool> Statement::RunPragma() {
  if (next_row_ == 0) {
    made_rows_.clear();
    KV_ASSIGN_OR_RETURN(kv::StatementReader reader, session_->BeginRead(&snapshot_));
    Status status = CheckPlan(&reader);
    if (status.ok()) status = MakePragmaRows(reader);
    FinishRead();
    KV_RETURN_IF_ERROR(status);
  }
  return NextMadeRow();
}

StatusOr<bool> Statement::RunExplain() {
  if (next_row_ == 0) {
    made_rows_.clear();
    KV_ASSIGN_OR_RETURN(const kv::Reader reader, session_->BeginRead(&snapshot_));
    const Status status = CheckPlan(reader);
    FinishRead();
    KV_RETURN_IF_ERROR(status);
    for (const auto& row : static_cast<const planner::ExplainPlan&>(*plan_).rows) {
      made_rows_.push_back(
          {kv::Value(ValueView::Integer(row.id)), kv::Value(ValueView::Integer(row.parent)),
           kv::Value(ValueView::Integer(0)), kv::Value(ValueView::Text(row.detail))});
    }
  }
  return NextMadeRow();
}

}  // namespace kvsql::exec
