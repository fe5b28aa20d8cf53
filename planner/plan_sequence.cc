// UPDATE and DELETE of sqlite_sequence.
#include "planner/planner.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

StatusOr<PlanPtr> Planner::PlanSequenceWrite(const parser::TargetTable& target,
                                             const std::span<parser::Assignment>* assignments,
                                             const parser::Expr* where) {
  auto plan = New<QuerySequencePlan>();
  plan->read_only = false;
  UseSchema(plan.get());
  QueryBuilder builder(sql_, reader_, options_, plan.get());
  Block block;
  QueryScope scope;
  scope.block = &block;
  KV_ASSIGN_OR_RETURN(Source * source, builder.AddSystemTarget(target, &block));
  plan->writes_temp = source->temporary;
  std::vector<ExprNode*> results = {
      builder.SlotNode(source->columns[0].slot, source->columns[0].traits)};
  if (assignments != nullptr) {
    for (const parser::Assignment& assignment : *assignments) {
      const parser::Name& name = assignment.columns[0];
      if (assignment.columns.size() > 1 || !kv::EqualsIgnoreCase(name.text, "seq")) {
        return Unsupported(name.range.begin, "UPDATE of sqlite_sequence beyond its column seq");
      }
      KV_ASSIGN_OR_RETURN(ExprNode * value, builder.BindScalar(*assignment.value, &scope));
      results.resize(1);  // the last assignment counts
      results.push_back(value);
    }
  }
  std::vector<ExprNode*> conjuncts;
  if (where != nullptr) {
    KV_ASSIGN_OR_RETURN(ExprNode * condition, builder.BindScalar(*where, &scope));
    builder.SplitConjuncts(condition, &conjuncts);
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> root,
                      builder.PlanFromByRules(&block, std::move(conjuncts)));
  KV_RETURN_IF_ERROR(builder.SetResults(results, std::move(root)));
  return PlanPtr(plan);
}

}  // namespace kvsql::planner
