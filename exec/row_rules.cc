#include "exec/row_rules.h"

#include <utility>
#include <vector>

#include "exec/batch/expression.h"
#include "exec/scalar_ops.h"
#include "planner/query/table_expressions.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;
using planner::TableExpressions;

class TableRules : public kv::RowRules {
 public:
  TableRules(const kv::TableDef& table, TableExpressions bound)
      : table_(table),
        bound_(std::move(bound)),
        context_(*bound_.plan),
        evaluation_(&context_),
        vectors_(bound_.slots.size()),
        defaults_(table.columns.size()) {
    for (const Vector& vector : vectors_) batch_.columns.push_back(&vector);
    batch_.selection = {nullptr, 1};
  }

  Status Make() {
    const ExpressionMaker maker(&context_, bound_.slots);
    KV_ASSIGN_OR_RETURN(checks_, maker.MakeAll(bound_.checks));
    for (const TableExpressions::Index& bound : bound_.indexes) {
      Index& index = indexes_.emplace_back();
      if (bound.where != nullptr) {
        KV_ASSIGN_OR_RETURN(index.where, maker.Make(*bound.where));
      }
      index.values.resize(bound.values.size());
      for (size_t i = 0; i < bound.values.size(); ++i) {
        if (bound.values[i] == nullptr) continue;
        KV_ASSIGN_OR_RETURN(index.values[i], maker.Make(*bound.values[i]));
      }
    }
    return absl::OkStatus();
  }

  StatusOr<const kv::CheckDef*> FailedCheck(std::span<const ValueView> values,
                                            int64_t rowid) override {
    Load(values, rowid);
    for (size_t i = 0; i < checks_.size(); ++i) {
      KV_ASSIGN_OR_RETURN(const ValueView value, Evaluate(*checks_[i]));
      if (Truth(value) == 0) return &table_.checks[i];
    }
    return nullptr;
  }

  StatusOr<bool> InIndex(size_t index, std::span<const ValueView> values, int64_t rowid) override {
    Load(values, rowid);
    KV_ASSIGN_OR_RETURN(const ValueView value, Evaluate(*indexes_[index].where));
    return Truth(value) == 1;
  }

  Status IndexExpressions(size_t index, std::span<const ValueView> values, int64_t rowid,
                          std::span<ValueView> tuple) override {
    Load(values, rowid);
    for (size_t i = 0; i < tuple.size(); ++i) {
      const ExpressionPtr& expression = indexes_[index].values[i];
      if (expression == nullptr) continue;
      KV_ASSIGN_OR_RETURN(tuple[i], Evaluate(*expression));
    }
    return absl::OkStatus();
  }

  StatusOr<ValueView> Default(uint32_t column) override {
    const TableExpressions::Default& bound = bound_.defaults[column];
    if (bound.expr == nullptr) return bound.error;
    static const std::vector<planner::SlotId> kNoSlots;
    KV_ASSIGN_OR_RETURN(const ExpressionPtr expression,
                        ExpressionMaker(&context_, kNoSlots).Make(*bound.expr));
    Begin();
    KV_ASSIGN_OR_RETURN(const ValueView value, Evaluate(*expression));
    defaults_[column] = value;
    return defaults_[column].view();
  }

 private:
  struct Index {
    ExpressionPtr where;
    std::vector<ExpressionPtr> values;
  };

  void Begin() {
    evaluation_.arena.Reset();
    evaluation_.functions.status = absl::OkStatus();
    evaluation_.batch = &batch_;
  }

  void Load(std::span<const ValueView> values, int64_t rowid) {
    Begin();
    for (size_t i = 0; i < values.size(); ++i) vectors_[i].MakeConstant(values[i]);
    vectors_[values.size()].MakeConstant(ValueView::Integer(rowid));
  }

  StatusOr<ValueView> Evaluate(Expression& expression) {
    const ValueView value = expression.Evaluate(evaluation_, batch_.selection).At(0);
    KV_RETURN_IF_ERROR(evaluation_.status());
    return value;
  }

  const kv::TableDef& table_;
  TableExpressions bound_;
  QueryContext context_;
  Evaluation evaluation_;
  std::vector<Vector> vectors_;  // one row: a value per column, and the rowid
  Batch batch_;
  std::vector<ExpressionPtr> checks_;
  std::vector<Index> indexes_;
  std::vector<kv::Value> defaults_;
};

}  // namespace

StatusOr<std::unique_ptr<kv::RowRules>> MakeRowRules(const kv::TableDef& table,
                                                     const kv::Reader& reader) {
  KV_ASSIGN_OR_RETURN(TableExpressions bound, planner::BindTableExpressions(table, reader));
  auto rules = std::make_unique<TableRules>(table, std::move(bound));
  KV_RETURN_IF_ERROR(rules->Make());
  return std::unique_ptr<kv::RowRules>(std::move(rules));
}

}  // namespace kvsql::exec
