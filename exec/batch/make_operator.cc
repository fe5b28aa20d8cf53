// From plan nodes to operators.
#include "exec/batch/operator.h"

namespace kvsql::exec {

using planner::As;
using planner::OperatorKind;
using planner::OperatorPlan;

StatusOr<OperatorPtr> MakeOperator(const OperatorPlan& plan, QueryContext* context) {
  Inputs inputs;
  for (const std::unique_ptr<OperatorPlan>& input : plan.inputs) {
    KV_ASSIGN_OR_RETURN(OperatorPtr made, MakeOperator(*input, context));
    inputs.push_back(std::move(made));
  }
  switch (plan.kind) {
    case OperatorKind::kRows:
      return MakeRows(As<planner::RowsPlan>(plan), context);
    case OperatorKind::kScan:
      return MakeScan(As<planner::ScanPlan>(plan), context);
    case OperatorKind::kFilter:
      return MakeFilter(As<planner::FilterPlan>(plan), context, std::move(inputs[0]));
    case OperatorKind::kProject:
      return MakeProject(As<planner::ProjectPlan>(plan), context, std::move(inputs[0]));
    case OperatorKind::kAggregate:
      return MakeAggregate(As<planner::AggregatePlan>(plan), context, std::move(inputs[0]));
    case OperatorKind::kDistinct:
      return MakeDistinct(As<planner::DistinctPlan>(plan), context, std::move(inputs[0]));
    case OperatorKind::kSort:
      return MakeSort(As<planner::SortPlan>(plan), context, std::move(inputs[0]));
    case OperatorKind::kLimit:
      return MakeLimit(As<planner::LimitPlan>(plan), context, std::move(inputs[0]));
    case OperatorKind::kJoin:
      return MakeJoin(As<planner::JoinPlan>(plan), context, std::move(inputs[0]),
                      std::move(inputs[1]));
    case OperatorKind::kSetOperation:
      return MakeSetOperation(As<planner::SetOperationPlan>(plan), context, std::move(inputs[0]),
                              std::move(inputs[1]));
    case OperatorKind::kShared:
      return MakeShared(As<planner::SharedPlan>(plan), context);
    case OperatorKind::kSchemaTable:
      return MakeSchemaTable(As<planner::SchemaTablePlan>(plan), context);
  }
  return absl::InternalError("plan: unknown operator");
}

}  // namespace kvsql::exec
