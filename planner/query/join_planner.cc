#include "planner/query/join_planner.h"

#include <algorithm>
#include <cmath>

namespace kvsql::planner {
namespace {

// Costs in reads of one row of a scan.
constexpr double kHashBuild = 1.5;
constexpr double kHashProbe = 1.0;
constexpr double kSurelyInMemory = 100000;  // rows
constexpr double kPair = 0.1;               // a pair of a nested loop

}  // namespace

JoinPlanner::JoinPlanner(QueryBuilder* builder, Block* block) : builder_(*builder), block_(*block) {
  for (const Source& source : block_.sources) {
    for (const SourceColumn& column : source.columns) {
      source_of_.emplace(column.slot, source.number);
    }
    if (source.rowid != kNoSlot) source_of_.emplace(source.rowid, source.number);
    if (source.key != kNoSlot) source_of_.emplace(source.key, source.number);
  }
  if (!builder_.all_needed_) return;
  QueryPlan& plan = builder_.plan();
  needed_.resize(plan.slots);
  for (const ExprNode& node : plan.nodes) {
    if (node.Is(NodeKind::kSlot)) needed_[node.index] = true;
  }
  for (const std::unique_ptr<Subquery>& subquery : plan.subqueries) {
    for (const Subquery::Input& input : subquery->inputs) needed_[input.slot] = true;
  }
}

SourceMask JoinPlanner::MaskOf(const ExprNode* node) const {
  std::vector<SlotId> slots;
  builder_.SlotsOf(node, &slots);
  SourceMask mask = 0;
  for (const SlotId slot : slots) {
    const auto found = source_of_.find(slot);
    if (found != source_of_.end()) mask |= SourceMask{1} << found->second;
  }
  return mask;
}

double JoinPlanner::TableRows(const Source& source) const {
  if (source.table == nullptr) return source.plan != nullptr ? source.plan->rows : 1;
  return std::max(
      1.0, static_cast<double>(builder_.reader_.Of(*source.table).Count(source.table->tree)));
}

AccessPaths JoinPlanner::PathsOf(const Source& source) const {
  return AccessPaths(
      source,
      {TableRows(source),
       [this, &source](const AccessPath& path) { return CountPath(source, path); }},
      builder_.BoundIndexesOf(source), [this](const ExprNode* node) { return MaskOf(node); },
      [this](SlotId slot) {
        if (!builder_.all_needed_) return builder_.IsNeeded(slot);
        return slot < needed_.size() && needed_[slot];
      });
}

// Whether a pair in which all columns of `mask` are NULL cannot satisfy the conjunct.
bool JoinPlanner::RejectsNull(const ExprNode* conjunct, SourceMask mask) const {
  const auto is_column = [&](const ExprNode* node) {
    return node->Is(NodeKind::kSlot) && (MaskOf(node) & mask) != 0;
  };
  switch (conjunct->kind) {
    case NodeKind::kOperator:
      if (conjunct->op >= Opcode::kEqual && conjunct->op <= Opcode::kGreaterEqual) {
        return is_column(conjunct->args[0]) || is_column(conjunct->args[1]);
      }
      return conjunct->op == Opcode::kNotNull && is_column(conjunct->args[0]);
    case NodeKind::kBetween:
    case NodeKind::kInLifted:
      return is_column(conjunct->args[0]);
    case NodeKind::kIn:
      return is_column(conjunct->args[0]);
    default:
      return false;
  }
}

std::unique_ptr<OperatorPlan> JoinPlanner::Filter(std::unique_ptr<OperatorPlan> input,
                                                  std::vector<ExprNode*> conjuncts) const {
  if (conjuncts.empty()) return input;
  auto filter = std::make_unique<FilterPlan>();
  filter->outputs = input->outputs;
  filter->rows = input->rows;
  for (ExprNode* conjunct : conjuncts) {
    if ((conjunct->flags & kImplied) != 0) continue;
    std::vector<SlotId> slots;
    builder_.SlotsOf(conjunct, &slots);
    (slots.empty() ? filter->once : filter->filters).push_back(conjunct);
    filter->rows = std::max(1.0, filter->rows * AccessPaths::Selectivity(*conjunct));
  }
  filter->cost = input->cost;
  filter->order = input->order;
  filter->inputs.push_back(std::move(input));
  return filter;
}

std::unique_ptr<ScanPlan> JoinPlanner::NewScan(Source* source, AccessCandidate candidate,
                                               std::vector<ExprNode*> conjuncts) const {
  auto scan = std::make_unique<ScanPlan>();
  scan->table = source->table;
  scan->name = source->name;
  for (uint32_t i = 0; i < source->columns.size(); ++i) {
    scan->columns.push_back({i, source->columns[i].slot});
    scan->outputs.push_back(source->columns[i].slot);
  }
  if (source->rowid != kNoSlot && !source->table->rowid_alias.has_value()) {
    scan->columns.push_back({kv::kRowidColumn, source->rowid});
    scan->outputs.push_back(source->rowid);
  }
  if (source->key != kNoSlot) {
    scan->columns.push_back({kKeyColumn, source->key});
    scan->outputs.push_back(source->key);
  }
  scan->rows = candidate.rows;
  scan->cost = candidate.cost;
  for (ExprNode* conjunct : conjuncts) {
    if ((conjunct->flags & kImplied) != 0 ||
        std::find(candidate.used.begin(), candidate.used.end(), conjunct) != candidate.used.end()) {
      continue;
    }
    scan->filters.push_back(conjunct);
    scan->rows = std::max(1.0, scan->rows * AccessPaths::Selectivity(*conjunct));
  }
  scan->order = std::move(candidate.order);
  scan->access = std::move(candidate.path);
  return scan;
}

bool OrderSatisfies(const std::vector<OperatorPlan::Order>& order,
                    const std::vector<SortKey>& wanted, bool* reverse) {
  if (wanted.empty() || wanted.size() > order.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const SortKey& key = wanted[i];
    if (!key.expr->Is(NodeKind::kSlot) || key.expr->index != order[i].slot ||
        key.collation != order[i].collation || key.nulls_first == key.descending) {
      return false;
    }
    const bool backwards = key.descending != order[i].descending;
    if (i == 0) {
      *reverse = backwards;
    } else if (*reverse != backwards) {
      return false;
    }
  }
  return true;
}

std::unique_ptr<OperatorPlan> JoinPlanner::PlanLeaf(Source* source,
                                                    std::vector<ExprNode*> conjuncts,
                                                    const std::vector<SortKey>& wanted) {
  if (source->table == nullptr) return Filter(std::move(source->plan), std::move(conjuncts));
  std::vector<ExprNode*> once;
  std::vector<ExprNode*> own;
  for (ExprNode* conjunct : conjuncts) (MaskOf(conjunct) == 0 ? once : own).push_back(conjunct);
  std::vector<AccessCandidate> all = PathsOf(*source).All(own, 0);
  AccessCandidate* best = nullptr;
  double best_cost = 0;
  for (AccessCandidate& candidate : all) {
    bool reverse = false;
    double cost = candidate.cost;
    if (!wanted.empty()) {
      if (OrderSatisfies(candidate.order, wanted, &reverse)) {
        candidate.path.descending = reverse;
      } else {
        cost += candidate.rows * std::log2(candidate.rows + 2) * 0.3;
      }
    }
    if (best == nullptr || cost < best_cost) {
      best = &candidate;
      best_cost = cost;
    }
  }
  if (std::unique_ptr<OperatorPlan> probes = PlanProbes(*source, own, best_cost);
      probes != nullptr) {
    return Filter(std::move(probes), std::move(once));
  }
  if (best->path.descending) {
    for (OperatorPlan::Order& order : best->order) order.descending = !order.descending;
  }
  return Filter(NewScan(source, std::move(*best), std::move(own)), std::move(once));
}

// ------------------------------------------------------------------------------------ joins

std::unique_ptr<OperatorPlan> JoinPlanner::Join(std::unique_ptr<OperatorPlan> left,
                                                SourceMask left_mask,
                                                std::unique_ptr<OperatorPlan> right,
                                                SourceMask right_mask, JoinKind kind,
                                                std::vector<ExprNode*> conditions) {
  auto join = std::make_unique<JoinPlan>();
  join->join = kind;
  double selectivity = 1;
  for (ExprNode* condition : conditions) {
    const bool equal = condition->IsOperator(Opcode::kEqual) || condition->IsOperator(Opcode::kIs);
    if (equal) {
      ExprNode* a = condition->args[0];
      ExprNode* b = condition->args[1];
      SourceMask a_mask = MaskOf(a);
      SourceMask b_mask = MaskOf(b);
      if ((a_mask & ~right_mask) == 0 && (b_mask & ~left_mask) == 0) {
        std::swap(a, b);
        std::swap(a_mask, b_mask);
      }
      if (a_mask != 0 && b_mask != 0 && (a_mask & ~left_mask) == 0 && (b_mask & ~right_mask) == 0) {
        join->keys.push_back({a, b, condition->extra, condition->op == Opcode::kIs});
        selectivity /= std::max(1.0, std::max(left->rows, right->rows));
        continue;
      }
    }
    join->conditions.push_back(condition);
    selectivity *= AccessPaths::Selectivity(*condition);
  }
  join->method = join->keys.empty() ? JoinMethod::kNestedLoop : JoinMethod::kHash;
  join->rows = std::max(1.0, left->rows * right->rows * selectivity);
  if (kind != JoinKind::kInner) join->rows = std::max(join->rows, left->rows);
  join->cost = left->cost + right->cost +
               (join->keys.empty() ? left->rows * right->rows * kPair
                                   : right->rows * kHashBuild + left->rows * kHashProbe);
  join->outputs = left->outputs;
  // Every left batch gives its pairs in order; those without a partner come behind them.
  // (A right side that may not fit into memory would change the order.)
  if (kind == JoinKind::kInner && right->rows < kSurelyInMemory) join->order = left->order;
  join->outputs.insert(join->outputs.end(), right->outputs.begin(), right->outputs.end());
  join->inputs.push_back(std::move(left));
  join->inputs.push_back(std::move(right));
  return join;
}

ExprNode* JoinPlanner::Hand(ExprNode* node, SourceMask mask,
                            std::vector<JoinPlan::Handover>* handovers) {
  if ((MaskOf(node) & mask) == 0) return node;
  ExprNode* copy = builder_.NewNode(node->kind);
  *copy = *node;
  if (node->Is(NodeKind::kSlot)) {
    auto found = std::find_if(handovers->begin(), handovers->end(),
                              [&](const auto& h) { return h.slot == node->index; });
    if (found == handovers->end()) {
      handovers->push_back({node->index, builder_.plan().outer_cells++});
      found = handovers->end() - 1;
    }
    copy->kind = NodeKind::kOuter;
    copy->index = found->cell;
    return copy;
  }
  if (IsSubquery(*node)) {
    // Its inputs have cells already.
    copy->flags |= kHanded;
    for (const Subquery::Input& input : builder_.plan().subqueries[node->index]->inputs) {
      const auto source = source_of_.find(input.slot);
      if (source == source_of_.end() || (mask & SourceMask{1} << source->second) == 0) continue;
      handovers->push_back({input.slot, input.cell});
    }
  }
  for (ExprNode*& arg : copy->args) arg = Hand(arg, mask, handovers);
  return copy;
}

std::unique_ptr<OperatorPlan> JoinPlanner::JoinByIndex(std::unique_ptr<OperatorPlan> left,
                                                       Unit* unit, SourceMask left_mask,
                                                       JoinKind kind, Step step,
                                                       std::vector<ExprNode*> conditions) {
  auto join = std::make_unique<JoinPlan>();
  join->join = kind;
  join->method = JoinMethod::kIndex;
  join->rows = step.rows;
  join->cost = step.cost;
  AccessCandidate candidate = std::move(step.access);
  for (ExprNode*& value : candidate.path.equal) value = Hand(value, left_mask, &join->handovers);
  for (ExprNode** value : {&candidate.path.low, &candidate.path.high, &candidate.path.in_list}) {
    if (*value != nullptr) *value = Hand(*value, left_mask, &join->handovers);
  }
  for (ExprNode* condition : conditions) {
    if (std::find(candidate.used.begin(), candidate.used.end(), condition) ==
        candidate.used.end()) {
      join->conditions.push_back(condition);
    }
  }
  for (ExprNode*& condition : candidate.path.recheck) {
    condition = Hand(condition, left_mask, &join->handovers);
  }
  std::unique_ptr<OperatorPlan> right =
      NewScan(unit->node->source, std::move(candidate), unit->conjuncts);
  join->outputs = left->outputs;
  join->outputs.insert(join->outputs.end(), right->outputs.begin(), right->outputs.end());
  if (kind == JoinKind::kInner) join->order = left->order;
  join->inputs.push_back(std::move(left));
  join->inputs.push_back(std::move(right));
  return join;
}

StatusOr<std::unique_ptr<OperatorPlan>> JoinPlanner::PlanOuter(FromNode* node,
                                                               std::vector<ExprNode*> conjuncts) {
  FromNode* left = node->left.get();
  FromNode* right = node->right.get();
  JoinKind kind = node->join;
  if (kind == JoinKind::kRight) {
    std::swap(left, right);
    kind = JoinKind::kLeft;
  }
  std::vector<ExprNode*> left_conjuncts;
  std::vector<ExprNode*> right_conjuncts;
  std::vector<ExprNode*> conditions;
  std::vector<ExprNode*> above;
  for (ExprNode* conjunct : conjuncts) {
    const bool in_left = (MaskOf(conjunct) & ~left->mask) == 0;
    (in_left && kind == JoinKind::kLeft ? left_conjuncts : above).push_back(conjunct);
  }
  for (ExprNode* conjunct : node->on) {
    const SourceMask mask = MaskOf(conjunct);
    const bool in_right = mask != 0 && (mask & ~right->mask) == 0;
    (in_right && kind == JoinKind::kLeft ? right_conjuncts : conditions).push_back(conjunct);
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> outer,
                      PlanNode(left, std::move(left_conjuncts), {}));
  if (kind == JoinKind::kLeft && right->source != nullptr && right->source->table != nullptr) {
    Unit unit;
    unit.node = right;
    unit.mask = right->mask;
    unit.conjuncts = right_conjuncts;
    unit.base_rows = TableRows(*right->source);
    unit.plan = PlanLeaf(right->source, right_conjuncts, {});
    Step step = StepTo(unit, outer->rows, left->mask, conditions);
    if (step.method == JoinMethod::kIndex) {
      step.cost += outer->cost;
      step.rows = std::max(step.rows, outer->rows);
      return Filter(JoinByIndex(std::move(outer), &unit, left->mask, kind, std::move(step),
                                std::move(conditions)),
                    std::move(above));
    }
    return Filter(Join(std::move(outer), left->mask, std::move(unit.plan), right->mask, kind,
                       std::move(conditions)),
                  std::move(above));
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> inner,
                      PlanNode(right, std::move(right_conjuncts), {}));
  return Filter(Join(std::move(outer), left->mask, std::move(inner), right->mask, kind,
                     std::move(conditions)),
                std::move(above));
}

Status JoinPlanner::CollectUnits(FromNode* node, std::vector<ExprNode*>* conjuncts,
                                 std::vector<Unit>* units) {
  // An outer join whose missing rows the conditions reject is an inner one.
  if (node->source == nullptr && node->join == JoinKind::kLeft) {
    for (const ExprNode* conjunct : *conjuncts) {
      if (RejectsNull(conjunct, node->right->mask)) node->join = JoinKind::kInner;
    }
  }
  if (node->source == nullptr && node->join == JoinKind::kInner) {
    conjuncts->insert(conjuncts->end(), node->on.begin(), node->on.end());
    KV_RETURN_IF_ERROR(CollectUnits(node->left.get(), conjuncts, units));
    const size_t first = units->size();
    KV_RETURN_IF_ERROR(CollectUnits(node->right.get(), conjuncts, units));
    if (node->fixed_order && first > 0) {
      for (size_t i = first; i < units->size(); ++i)
        (*units)[i].after = static_cast<int>(first) - 1;
    }
    return absl::OkStatus();
  }
  Unit& unit = units->emplace_back();
  unit.node = node;
  unit.mask = node->mask;
  return absl::OkStatus();
}

double JoinPlanner::JoinSelectivity(const Unit& unit, const ExprNode& condition) const {
  if (!condition.IsOperator(Opcode::kEqual)) return AccessPaths::Selectivity(condition);
  // One in as many as there are different values: all rows of a key, a tenth of others.
  double different = std::max(1.0, unit.base_rows / 10);
  if (unit.node->source != nullptr && unit.node->source->table != nullptr) {
    const Source& source = *unit.node->source;
    for (const ExprNode* side : condition.args) {
      if (side->Is(NodeKind::kSlot) && side->index == source.rowid) different = unit.base_rows;
    }
  }
  return 1 / different;
}

JoinPlanner::Step JoinPlanner::StepTo(const Unit& unit, double rows, SourceMask mask,
                                      const std::vector<ExprNode*>& joining) const {
  Step step;
  std::vector<ExprNode*> usable = unit.conjuncts;
  bool hashable = false;
  double selectivity = 1;
  for (ExprNode* condition : joining) {
    const SourceMask needs = MaskOf(condition);
    if ((needs & unit.mask) == 0 || (needs & ~(mask | unit.mask)) != 0) continue;
    usable.push_back(condition);
    selectivity *= JoinSelectivity(unit, *condition);
    hashable |= condition->IsOperator(Opcode::kEqual) && (needs & mask) != 0;
  }
  step.rows = std::max(1.0, rows * unit.plan->rows * selectivity);
  if (hashable) {
    step.method = JoinMethod::kHash;
    step.cost = unit.plan->cost + unit.plan->rows * kHashBuild + rows * kHashProbe;
  } else {
    step.cost = unit.plan->cost + rows * unit.plan->rows * kPair;
  }
  step.cost += step.rows * 0.1;
  if (unit.node->source == nullptr || unit.node->source->table == nullptr || mask == 0) {
    return step;
  }
  for (AccessCandidate& candidate : PathsOf(*unit.node->source).All(usable, mask)) {
    if ((candidate.needs & mask) == 0) continue;
    const double cost = rows * candidate.cost + step.rows * 0.1;
    if (cost >= step.cost) continue;
    step.method = JoinMethod::kIndex;
    step.cost = cost;
    step.access = std::move(candidate);
  }
  return step;
}

std::vector<size_t> JoinPlanner::Order(const std::vector<Unit>& units,
                                       const std::vector<ExprNode*>& joining) const {
  const size_t n = units.size();
  std::vector<size_t> order;
  if (n == 1) return {0};
  if (n <= kExhaustive) {
    struct State {
      double cost = -1;
      double rows = 0;
      SourceMask mask = 0;
      size_t last = 0;
      size_t before = 0;
    };
    std::vector<State> states(size_t{1} << n);
    for (size_t i = 0; i < n; ++i) {
      if (units[i].after >= 0) continue;
      states[size_t{1} << i] = {units[i].plan->cost, units[i].plan->rows, units[i].mask, i, 0};
    }
    for (size_t set = 1; set < states.size(); ++set) {
      const State from = states[set];
      if (from.cost < 0) continue;
      for (size_t i = 0; i < n; ++i) {
        const size_t bit = size_t{1} << i;
        if ((set & bit) != 0) continue;
        if (units[i].after >= 0 && (set & (size_t{1} << units[i].after)) == 0) continue;
        const Step step = StepTo(units[i], from.rows, from.mask, joining);
        State& to = states[set | bit];
        const double cost = from.cost + step.cost;
        if (to.cost < 0 || cost < to.cost) {
          to = {cost, step.rows, from.mask | units[i].mask, i, set};
        }
      }
    }
    for (size_t set = states.size() - 1; set != 0; set = states[set].before) {
      order.push_back(states[set].last);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }
  // Greedy: the cheapest start, then whatever keeps the rows fewest.
  std::vector<bool> taken(n);
  SourceMask mask = 0;
  double rows = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t best = n;
    double best_score = 0;
    double best_rows = 0;
    for (size_t i = 0; i < n; ++i) {
      if (taken[i] || (units[i].after >= 0 && !taken[static_cast<size_t>(units[i].after)])) {
        continue;
      }
      double next_rows = units[i].plan->rows;
      double score = units[i].plan->rows;
      if (k > 0) {
        const Step step = StepTo(units[i], rows, mask, joining);
        next_rows = step.rows;
        score = step.rows + step.cost;
      }
      if (best == n || score < best_score) {
        best = i;
        best_score = score;
        best_rows = next_rows;
      }
    }
    taken[best] = true;
    order.push_back(best);
    mask |= units[best].mask;
    rows = best_rows;
  }
  return order;
}

StatusOr<std::unique_ptr<OperatorPlan>> JoinPlanner::PlanInner(FromNode* node,
                                                               std::vector<ExprNode*> conjuncts,
                                                               const std::vector<SortKey>& wanted) {
  std::vector<Unit> units;
  KV_RETURN_IF_ERROR(CollectUnits(node, &conjuncts, &units));
  std::vector<ExprNode*> once;
  std::vector<ExprNode*> joining;
  for (ExprNode* conjunct : conjuncts) {
    const SourceMask mask = MaskOf(conjunct);
    if (mask == 0) {
      once.push_back(conjunct);
      continue;
    }
    auto unit = std::find_if(units.begin(), units.end(),
                             [&](const Unit& u) { return (mask & ~u.mask) == 0; });
    (unit != units.end() ? unit->conjuncts : joining).push_back(conjunct);
  }
  for (Unit& unit : units) {
    const bool is_leaf = unit.node->source != nullptr;
    if (is_leaf) {
      unit.base_rows = TableRows(*unit.node->source);
      unit.plan = PlanLeaf(unit.node->source, unit.conjuncts,
                           units.size() == 1 ? wanted : std::vector<SortKey>());
    } else {
      KV_ASSIGN_OR_RETURN(unit.plan, PlanOuter(unit.node, unit.conjuncts));
      unit.base_rows = unit.plan->rows;
    }
  }
  const std::vector<size_t> order = Order(units, joining);
  Unit& first = units[order[0]];
  if (units.size() > 1 && !wanted.empty() && first.node->source != nullptr &&
      first.node->source->table != nullptr) {
    first.plan = PlanLeaf(first.node->source, first.conjuncts, wanted);
  }
  std::unique_ptr<OperatorPlan> plan = std::move(first.plan);
  SourceMask mask = first.mask;
  for (size_t k = 1; k < order.size(); ++k) {
    Unit& unit = units[order[k]];
    Step step = StepTo(unit, plan->rows, mask, joining);
    std::vector<ExprNode*> conditions;
    const auto decided = [&](ExprNode* c) { return (MaskOf(c) & ~(mask | unit.mask)) == 0; };
    std::copy_if(joining.begin(), joining.end(), std::back_inserter(conditions), decided);
    joining.erase(std::remove_if(joining.begin(), joining.end(), decided), joining.end());
    if (step.method == JoinMethod::kIndex) {
      step.cost += plan->cost;
      plan = JoinByIndex(std::move(plan), &unit, mask, JoinKind::kInner, std::move(step),
                         std::move(conditions));
    } else if (unit.plan->rows > plan->rows && step.method == JoinMethod::kHash) {
      // The smaller side is hashed.
      plan = Join(std::move(unit.plan), unit.mask, std::move(plan), mask, JoinKind::kInner,
                  std::move(conditions));
    } else {
      plan = Join(std::move(plan), mask, std::move(unit.plan), unit.mask, JoinKind::kInner,
                  std::move(conditions));
    }
    mask |= unit.mask;
  }
  return Filter(std::move(plan), std::move(once));
}

StatusOr<std::unique_ptr<OperatorPlan>> JoinPlanner::PlanNode(FromNode* node,
                                                              std::vector<ExprNode*> conjuncts,
                                                              const std::vector<SortKey>& wanted) {
  return PlanInner(node, std::move(conjuncts), wanted);
}

StatusOr<std::unique_ptr<OperatorPlan>> JoinPlanner::Plan(std::vector<ExprNode*> conjuncts,
                                                          const std::vector<SortKey>& wanted) {
  if (block_.from == nullptr) {
    auto row = std::make_unique<RowsPlan>();
    row->rows_exprs.emplace_back();
    return Filter(std::move(row), std::move(conjuncts));
  }
  KV_ASSIGN_OR_RETURN(std::unique_ptr<OperatorPlan> plan,
                      PlanNode(block_.from.get(), std::move(conjuncts), wanted));
  return JoinPartners(std::move(plan));
}

StatusOr<std::unique_ptr<OperatorPlan>> QueryBuilder::PlanFrom(Block* block,
                                                               std::vector<ExprNode*> conjuncts,
                                                               const std::vector<SortKey>& wanted) {
  for (Source& source : block->sources) {
    if (source.query == nullptr) continue;
    KV_ASSIGN_OR_RETURN(source.plan, PlanQuery(source.query.get()));
    source.query.reset();
  }
  return JoinPlanner(this, block).Plan(std::move(conjuncts), wanted);
}

void QueryBuilder::SlotsOf(const ExprNode* node, std::vector<SlotId>* slots) const {
  VisitNodes(node, [&](const ExprNode* n) {
    if (n->Is(NodeKind::kSlot)) slots->push_back(n->index);
    if (IsSubquery(*n)) {
      for (const Subquery::Input& input : plan_.subqueries[n->index]->inputs) {
        slots->push_back(input.slot);
      }
    }
  });
}

}  // namespace kvsql::planner
