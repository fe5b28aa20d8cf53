// Ways to read tables that are made of other operators: several probes for OR, and partners of EXISTS and IN.
#include <algorithm>

#include "planner/query/join_planner.h"

namespace kvsql::planner {
namespace {

constexpr double kSameRow = 0.5;  // finding out whether a row was given already
constexpr size_t kMaxProbes = 32;

void SplitDisjuncts(ExprNode* node, std::vector<ExprNode*>* disjuncts) {
  if (node->IsOperator(Opcode::kOr)) {
    SplitDisjuncts(node->args[0], disjuncts);
    SplitDisjuncts(node->args[1], disjuncts);
    return;
  }
  disjuncts->push_back(node);
}

// The cheapest path that uses one of `own`; null if there is none.
AccessCandidate* BestOf(std::vector<AccessCandidate>* all, const std::vector<ExprNode*>& own) {
  AccessCandidate* best = nullptr;
  for (AccessCandidate& candidate : *all) {
    const bool uses = std::any_of(own.begin(), own.end(), [&](const ExprNode* c) {
      return std::find(candidate.used.begin(), candidate.used.end(), c) != candidate.used.end();
    });
    if (uses && (best == nullptr || candidate.cost < best->cost)) best = &candidate;
  }
  return best;
}

}  // namespace

bool QueryBuilder::HasCorrelatedSubquery(const ExprNode* node) const {
  bool has = false;
  VisitNodes(node, [&](const ExprNode* n) {
    has |= IsSubquery(*n) && !plan_.subqueries[n->index]->inputs.empty();
  });
  return has;
}

std::unique_ptr<OperatorPlan> JoinPlanner::PlanProbes(const Source& source,
                                                      const std::vector<ExprNode*>& conjuncts,
                                                      double cost) {
  if (!builder_.options_.Has(Rule::kOrProbes)) return nullptr;
  // The OR whose probes are cheapest.
  const ExprNode* chosen = nullptr;
  std::vector<ExprNode*> chosen_disjuncts;
  for (ExprNode* conjunct : conjuncts) {
    if (!conjunct->IsOperator(Opcode::kOr)) continue;
    std::vector<ExprNode*> disjuncts;
    SplitDisjuncts(conjunct, &disjuncts);
    if (disjuncts.size() > kMaxProbes) continue;
    // Each probe has slots of its own; a subquery that reads the table's has one place for what it is given.
    if (builder_.HasCorrelatedSubquery(conjunct)) continue;
    double total = 0;
    for (ExprNode* disjunct : disjuncts) {
      std::vector<ExprNode*> own;
      builder_.SplitConjuncts(disjunct, &own);
      std::vector<AccessCandidate> all = PathsOf(source).All(own, 0);
      const AccessCandidate* best = BestOf(&all, own);
      total = best != nullptr ? total + best->cost + best->rows * kSameRow : cost;
      if (total >= cost) break;
    }
    if (total >= cost) continue;
    cost = total;
    chosen = conjunct;
    chosen_disjuncts = std::move(disjuncts);
  }
  if (chosen == nullptr) return nullptr;

  // Each probe has slots of its own; the union's are the table's.
  const auto is_needed = [&](SlotId slot) {
    return builder_.all_needed_ ? slot < needed_.size() && needed_[slot] : builder_.IsNeeded(slot);
  };
  const SlotId identity = source.rowid != kNoSlot ? source.rowid
                          : source.key != kNoSlot ? source.key
                                                  : builder_.NewSlot();
  std::unique_ptr<OperatorPlan> plan;
  std::vector<SlotId> plan_slots;
  for (size_t i = 0; i < chosen_disjuncts.size(); ++i) {
    std::vector<std::pair<SlotId, SlotId>> renamed;
    const auto rename = [&](SlotId slot) {
      for (const auto& [from, to] : renamed) {
        if (from == slot) return to;
      }
      const SlotId own = builder_.NewSlot();
      renamed.emplace_back(slot, own);
      source_of_.emplace(own, source.number);
      std::vector<bool>& needed = builder_.all_needed_ ? needed_ : builder_.needed_;
      if (needed.size() <= own) needed.resize(own + 1);
      needed[own] = is_needed(slot) || slot == identity;
      return own;
    };
    Source probe;
    probe.name = source.name;
    probe.table = source.table;
    probe.number = source.number;
    probe.columns = source.columns;
    std::vector<SlotId> own_slots;
    std::vector<SlotId> table_slots;
    const auto give = [&](SlotId slot) {
      table_slots.push_back(slot);
      own_slots.push_back(rename(slot));
    };
    for (SourceColumn& column : probe.columns) {
      if (is_needed(column.slot) || column.slot == identity) give(column.slot);
      column.slot = rename(column.slot);
    }
    if (source.rowid != kNoSlot) {
      if (!source.table->rowid_alias.has_value()) give(source.rowid);
      probe.rowid = rename(source.rowid);
    } else {
      give(identity);
      probe.key = rename(identity);
    }
    const auto to_probe = [&](ExprNode* node) {
      return builder_.Replace(node, [&](ExprNode* n) -> ExprNode* {
        return n->Is(NodeKind::kSlot) ? builder_.SlotNode(rename(n->index), n->traits) : nullptr;
      });
    };
    std::vector<ExprNode*> own;
    builder_.SplitConjuncts(to_probe(chosen_disjuncts[i]), &own);
    std::vector<AccessCandidate> all = PathsOf(probe).All(own, 0);
    AccessCandidate* best = BestOf(&all, own);
    if (best == nullptr) return nullptr;
    std::unique_ptr<OperatorPlan> scan = NewScan(&probe, std::move(*best), own);
    if (plan == nullptr) {
      plan = std::move(scan);
      plan_slots = own_slots;
      continue;
    }
    auto both = std::make_unique<SetOperationPlan>();
    both->operation = SetOperation::kUnionAll;
    both->left = plan_slots;
    both->right = own_slots;
    both->collations.resize(own_slots.size());
    both->rows = plan->rows + scan->rows;
    both->cost = plan->cost + scan->cost;
    if (i + 1 == chosen_disjuncts.size()) {
      both->outputs = table_slots;
    } else {
      for (size_t k = 0; k < own_slots.size(); ++k) both->outputs.push_back(builder_.NewSlot());
    }
    plan_slots = both->outputs;
    both->inputs.push_back(std::move(plan));
    both->inputs.push_back(std::move(scan));
    plan = std::move(both);
  }
  auto once = std::make_unique<DistinctPlan>();
  once->keys = {identity};
  once->collations = {kv::Collation::kBinary};
  once->outputs = plan->outputs;
  once->rows = plan->rows;
  once->cost = cost;
  once->inputs.push_back(std::move(plan));
  std::vector<ExprNode*> others;
  for (ExprNode* conjunct : conjuncts) {
    if (conjunct != chosen) others.push_back(conjunct);
  }
  return Filter(std::move(once), std::move(others));
}

// Rows with, or without, a partner: what EXISTS and IN became.
StatusOr<std::unique_ptr<OperatorPlan>> JoinPlanner::JoinPartners(
    std::unique_ptr<OperatorPlan> plan) {
  SourceMask mask = block_.from->mask;
  for (SemiJoin& join : block_.semi_joins) {
    FromNode& node = partners_.emplace_back();
    node.source = join.source;
    node.mask = SourceMask{1} << join.source->number;
    Unit unit;
    unit.node = &node;
    unit.mask = node.mask;
    unit.conjuncts = join.where;
    unit.base_rows = TableRows(*join.source);
    unit.plan = PlanLeaf(join.source, join.where, {});
    const double left_rows = plan->rows;
    std::vector<OperatorPlan::Order> order = plan->order;
    std::vector<SlotId> outputs = plan->outputs;
    Step step = StepTo(unit, plan->rows, mask, join.conditions);
    if (step.method == JoinMethod::kIndex) {
      step.cost += plan->cost;
      plan = JoinByIndex(std::move(plan), &unit, mask, join.kind, std::move(step), join.conditions);
    } else {
      plan =
          Join(std::move(plan), mask, std::move(unit.plan), unit.mask, join.kind, join.conditions);
    }
    plan->outputs = std::move(outputs);
    plan->order = std::move(order);
    plan->rows = std::max(1.0, left_rows / 2);
  }
  return plan;
}

}  // namespace kvsql::planner
