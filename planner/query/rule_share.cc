// Common tables that are read several times and are more than a join and a projection, or say MATERIALIZED, are computed
// once. Only those of the outermost WITH: others may depend on the row around them.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {

// Makes the source read the rows of a common table that another source has; false: it needs a query of its own.
bool QueryBuilder::ShareRows(const parser::CommonTable& table, const CommonTableScope& scope,
                             Source* source) {
  using Hint = parser::CommonTable::Hint;
  if (!options_.Has(Rule::kShare) || scope.around != nullptr || scope.subquery != nullptr ||
      table.hint == Hint::kNotMaterialized) {
    return false;
  }
  const auto found = bound_tables_.find(&table);
  if (found == bound_tables_.end()) return false;
  Source* first = found->second;
  if (first->query != nullptr) {
    LogicalQuery& query = *first->query;
    const bool simple = query.kind == LogicalQuery::Kind::kCore && query.aggregate == nullptr &&
                        !query.distinct && query.limit == nullptr && query.offset == nullptr;
    if (simple && table.hint != Hint::kMaterialized) return false;
    const auto index = static_cast<uint32_t>(plan_.shared.size());
    SharedQuery& shared = *plan_.shared.emplace_back(std::make_unique<SharedQuery>());
    shared.name = std::string(table.name.text);
    shared.results = query.results;
    logical_->shared.push_back(std::move(first->query));
    first->plan = ReadShared(index, first->columns);
  }
  if (first->plan == nullptr || first->plan->kind != OperatorKind::kShared) return false;
  source->columns = first->columns;
  for (SourceColumn& column : source->columns) {
    column.slot = NewSlot();
    column.merged_away = false;
  }
  source->plan = ReadShared(static_cast<const SharedPlan&>(*first->plan).index, source->columns);
  return true;
}

std::unique_ptr<OperatorPlan> QueryBuilder::ReadShared(uint32_t index,
                                                       const std::vector<SourceColumn>& columns) {
  auto plan = std::make_unique<SharedPlan>();
  plan->index = index;
  for (uint32_t i = 0; i < columns.size(); ++i) {
    // One result may have several names.
    const SlotId slot = columns[i].slot;
    if (std::find(plan->outputs.begin(), plan->outputs.end(), slot) != plan->outputs.end()) {
      continue;
    }
    plan->columns.push_back({i, slot});
    plan->outputs.push_back(slot);
  }
  logical_->readers.push_back(plan.get());
  return plan;
}

// Plans them, before those that read them.
Status QueryBuilder::PlanShared() {
  for (size_t i = 0; i < logical_->shared.size(); ++i) {
    if (plan_.shared[i]->root != nullptr) continue;
    KV_ASSIGN_OR_RETURN(plan_.shared[i]->root, PlanQuery(logical_->shared[i].get()));
  }
  for (SharedPlan* reader : logical_->readers) {
    const OperatorPlan& root = *plan_.shared[reader->index]->root;
    reader->rows = root.rows;
    reader->cost = root.rows;
  }
  logical_->readers.clear();
  return absl::OkStatus();
}

}  // namespace kvsql::planner
