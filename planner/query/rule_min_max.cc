// MIN and MAX of a column that an index keeps in order: the first entry that is not NULL, from either end.
#include "planner/query/join_planner.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

// The order that would give the answer first; empty if the query is of another kind.
std::vector<SortKey> QueryBuilder::WantedForMinMax(const LogicalQuery& query) const {
  if (!options_.Has(Rule::kMinMax) || query.aggregate == nullptr ||
      !query.aggregate->keys.empty() || query.aggregate->calls.size() != 1) {
    return {};
  }
  const AggregateCall& call = query.aggregate->calls[0];
  if (call.function == nullptr || call.filter != nullptr || call.args.size() != 1 ||
      !call.args[0]->Is(NodeKind::kSlot)) {
    return {};
  }
  const bool is_min = call.function->id == FunctionId::kMinAggregate;
  if (!is_min && call.function->id != FunctionId::kMaxAggregate) return {};
  SortKey key;
  key.expr = call.args[0];
  key.collation = call.collation;
  key.descending = !is_min;
  key.nulls_first = is_min;
  return {key};
}

// Leaves one row of *root, which comes in the order `wanted`, if it does.
void QueryBuilder::TakeFirst(const std::vector<SortKey>& wanted,
                             std::unique_ptr<OperatorPlan>* root) {
  bool reverse = false;
  if (!OrderSatisfies((*root)->order, wanted, &reverse) || reverse) return;
  UseOrder(root->get());
  auto filter = std::make_unique<FilterPlan>();
  filter->filters.push_back(OperatorNode(Opcode::kNotNull, {wanted[0].expr}));
  filter->outputs = (*root)->outputs;
  filter->rows = (*root)->rows;
  filter->cost = (*root)->cost;
  filter->inputs.push_back(std::move(*root));
  *root = AddSortAndLimit(std::move(filter), {}, ConstantNode(kv::ValueView::Integer(1)), nullptr);
}

}  // namespace kvsql::planner
