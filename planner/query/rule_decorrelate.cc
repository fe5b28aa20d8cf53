// Decorrelation. EXISTS, IN and their negations whose query is tied to the outer row by an equality become semi and
// anti joins; a correlated query of one aggregate becomes a join with the groups of that aggregate. So the inner
// rows are read once instead of once per outer row.
//
// Left as they are: queries with LIMIT or DISTINCT aggregates of groups, ties other than in WHERE, NOT IN unless no
// NULL can be involved, and single values that an index finds quickly for few outer rows.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

bool AllInner(const FromNode* node) {
  if (node == nullptr || node->source != nullptr) return true;
  return node->join == JoinKind::kInner && AllInner(node->left.get()) &&
         AllInner(node->right.get());
}

// Whether the slot is a column that holds no NULL.
bool NeverNull(const Block& block, const ExprNode* node) {
  if (!node->Is(NodeKind::kSlot) || !AllInner(block.from.get())) return false;
  for (const Source& source : block.sources) {
    if (source.table == nullptr) continue;
    if (source.rowid == node->index) return true;
    for (size_t i = 0; i < source.columns.size(); ++i) {
      if (source.columns[i].slot == node->index) return source.table->columns[i].not_null;
    }
  }
  return false;
}

// Whether comparing leaves the inner values as they are, so that groups of equal ones stay apart as they compare.
bool KeepsInner(const ExprNode& inner, uint8_t extra) {
  const std::optional<kv::Affinity>& affinity = inner.traits.affinity;
  switch (AffinityOfComparison(extra)) {
    case CompareAffinity::kNone:
      return true;
    case CompareAffinity::kNumeric:
      return affinity.has_value() && *affinity >= kv::Affinity::kNumeric;
    case CompareAffinity::kText:
      return affinity == kv::Affinity::kText;
  }
  return false;
}

}  // namespace

// Gives how the query's condition reads its outer cells, of those that `subquery` is handed.
struct QueryBuilder::Ties {
  std::vector<ExprNode*> own;   // conditions without cells
  std::vector<ExprNode*> tied;  // with them; the cells replaced by the outer row's slots
  bool equal = false;           // one of the tied ones is inner = outer
};

bool QueryBuilder::FindTies(uint32_t index, Ties* ties) {
  LogicalQuery& query = *subqueries_[index];
  const Subquery& subquery = *plan_.subqueries[index];
  if (query.kind != LogicalQuery::Kind::kCore || query.limit != nullptr ||
      query.offset != nullptr || query.block->from == nullptr || !query.block->semi_joins.empty() ||
      subquery.inputs.empty()) {
    return false;
  }
  const auto input_of = [&](const ExprNode* node) -> const Subquery::Input* {
    if (!node->Is(NodeKind::kOuter)) return nullptr;
    for (const Subquery::Input& input : subquery.inputs) {
      if (input.cell == node->index) return &input;
    }
    return nullptr;
  };
  // No query inside it may read the cells.
  for (size_t i = 0; i < plan_.subqueries.size(); ++i) {
    if (i == index) continue;
    for (const uint32_t cell : plan_.subqueries[i]->depends) {
      for (const Subquery::Input& input : subquery.inputs) {
        if (input.cell == cell) return false;
      }
    }
  }
  HoistConditions(query.block->from.get(), &query.where);
  const auto cells_in = [&](const ExprNode* node) {
    size_t count = 0;
    VisitNodes(node, [&](const ExprNode* n) { count += input_of(n) != nullptr ? 1 : 0; });
    return count;
  };
  size_t everywhere = 0;
  VisitExprs(query, [&](const ExprNode* node) { everywhere += cells_in(node); });
  size_t in_where = 0;
  for (ExprNode* condition : query.where) {
    const size_t cells = cells_in(condition);
    in_where += cells;
    if (cells == 0) {
      ties->own.push_back(condition);
      continue;
    }
    if (HasSubquery(condition)) return false;
    if (condition->IsOperator(Opcode::kEqual)) {
      for (size_t side = 0; side < 2; ++side) {
        std::vector<SlotId> inner[2];
        SlotsOf(condition->args[0], &inner[0]);
        SlotsOf(condition->args[1], &inner[1]);
        ties->equal |=
            !inner[side].empty() && cells_in(condition->args[side]) == 0 && inner[1 - side].empty();
      }
    }
    ties->tied.push_back(Replace(condition, [&](ExprNode* node) -> ExprNode* {
      const Subquery::Input* input = input_of(node);
      return input != nullptr ? SlotNode(input->slot, node->traits) : nullptr;
    }));
  }
  return in_where == everywhere && in_where > 0;
}

// Makes the query with this number a source of the block.
Source* QueryBuilder::AdoptQuery(Block* block, uint32_t index) {
  Source& source = block->sources.emplace_back();
  source.number = static_cast<uint32_t>(block->sources.size()) - 1;
  source.query = std::move(subqueries_[index]);
  plan_.subqueries[index]->inputs.clear();
  plan_.subqueries[index]->depends.clear();
  return &source;
}

bool QueryBuilder::ToSemiJoin(Block* block, ExprNode* condition) {
  bool negated = false;
  ExprNode* node = condition;
  if (node->IsOperator(Opcode::kNot)) {
    negated = true;
    node = node->args[0];
  }
  if (!node->Is(NodeKind::kExists) && !node->Is(NodeKind::kInSubquery)) return false;
  if (block->from == nullptr || block->sources.size() >= kMaxSources) return false;
  const uint32_t index = node->index;
  if (subqueries_[index] == nullptr) return false;
  LogicalQuery& query = *subqueries_[index];
  if (query.aggregate != nullptr || !query.having.empty()) return false;
  Ties ties;
  if (!FindTies(index, &ties)) return false;
  if (node->Is(NodeKind::kInSubquery)) {
    for (size_t i = 0; i < node->args.size(); ++i) {
      ExprNode* left = node->args[i];
      if (HasSubquery(left)) return false;
      ExprNode* right = nullptr;
      for (const ProjectPlan::Item& item : query.items) {
        if (item.slot == query.results[i]) right = item.expr;
      }
      if (right == nullptr) {
        right = SlotNode(query.results[i], {});
        for (const Source& source : query.block->sources) {
          for (const SourceColumn& column : source.columns) {
            if (column.slot == query.results[i]) right->traits = column.traits;
          }
        }
      }
      if (!IsPure(right)) return false;
      if (negated && (!NeverNull(*block, left) || !NeverNull(*query.block, right))) return false;
      ExprNode* equal = OperatorNode(Opcode::kEqual, {left, right});
      equal->extra = node->compare_extras[i];
      ties.tied.push_back(equal);
      ties.equal = true;
    }
  }
  if (!ties.equal) return false;
  query.where = std::move(ties.own);
  query.items.clear();
  query.order.clear();
  query.distinct = false;

  // The inner slots that the conditions read: what the partner's rows are made of.
  std::vector<SlotId> used;
  for (const ExprNode* tied : ties.tied) SlotsOf(tied, &used);
  SemiJoin join;
  join.kind = negated ? JoinKind::kAnti : JoinKind::kSemi;
  join.conditions = std::move(ties.tied);
  Source* only = query.block->from->source;
  const bool has_queries = std::any_of(query.where.begin(), query.where.end(),
                                       [&](const ExprNode* own) { return HasSubquery(own); });
  if (only != nullptr && only->table != nullptr && !has_queries) {
    // One table: it may be looked up by an index.
    std::unique_ptr<LogicalQuery> gone = std::move(subqueries_[index]);
    plan_.subqueries[index]->inputs.clear();
    plan_.subqueries[index]->depends.clear();
    Source& source = block->sources.emplace_back(std::move(*only));
    source.number = static_cast<uint32_t>(block->sources.size()) - 1;
    join.source = &source;
    join.where = std::move(gone->where);
  } else {
    std::vector<SlotId> results;
    for (const Source& source : query.block->sources) {
      const auto take = [&](SlotId slot) {
        if (slot != kNoSlot && std::find(used.begin(), used.end(), slot) != used.end() &&
            std::find(results.begin(), results.end(), slot) == results.end()) {
          results.push_back(slot);
        }
      };
      for (const SourceColumn& column : source.columns) take(column.slot);
      take(source.rowid);
    }
    query.results = results;
    join.source = AdoptQuery(block, index);
    for (const SlotId slot : results) {
      SourceColumn& column = join.source->columns.emplace_back();
      column.slot = slot;
    }
  }
  block->semi_joins.push_back(std::move(join));
  return true;
}

// The value of a correlated aggregate as an expression over a left join with its groups, which is added to FROM; null
// if that cannot be done, or does not pay.
ExprNode* QueryBuilder::ToGroupedJoin(Block* block, ExprNode* node) {
  const uint32_t index = node->index;
  if (const auto known = grouped_.find(index); known != grouped_.end()) return known->second;
  if (block->from == nullptr || block->sources.size() >= kMaxSources ||
      subqueries_[index] == nullptr || node->extra2 != 0) {
    return nullptr;
  }
  LogicalQuery& query = *subqueries_[index];
  if (query.aggregate == nullptr || !query.aggregate->keys.empty() || !query.having.empty() ||
      query.results.size() != 1 || query.items.size() > 1) {
    return nullptr;
  }
  for (const AggregateCall& call : query.aggregate->calls) {
    if (call.function == nullptr) return nullptr;
  }
  if (!query.items.empty() && !IsPure(query.items[0].expr)) return nullptr;
  Ties ties;
  if (!FindTies(index, &ties)) return nullptr;
  const std::vector<SlotId> outer_slots = [&] {
    std::vector<SlotId> slots;
    for (const Subquery::Input& input : plan_.subqueries[index]->inputs) {
      slots.push_back(input.slot);
    }
    return slots;
  }();
  const auto reads_outer = [&](const ExprNode* side) {
    std::vector<SlotId> slots;
    SlotsOf(side, &slots);
    return std::any_of(slots.begin(), slots.end(), [&](SlotId slot) {
      return std::find(outer_slots.begin(), outer_slots.end(), slot) != outer_slots.end();
    });
  };
  const auto reads_inner = [&](const ExprNode* side) {
    std::vector<SlotId> slots;
    SlotsOf(side, &slots);
    return std::any_of(slots.begin(), slots.end(), [&](SlotId slot) {
      return std::find(outer_slots.begin(), outer_slots.end(), slot) == outer_slots.end();
    });
  };
  double outer_rows = 1;
  for (const Source& source : block->sources) outer_rows = std::max(outer_rows, TableRows(source));
  std::vector<std::pair<ExprNode*, size_t>> keys;  // tied condition, its inner side
  for (ExprNode* tied : ties.tied) {
    if (!tied->IsOperator(Opcode::kEqual)) return nullptr;
    size_t inner = 0;
    if (reads_outer(tied->args[0])) inner = 1;
    if (reads_outer(tied->args[inner]) || reads_inner(tied->args[1 - inner]) ||
        !reads_inner(tied->args[inner]) || !IsPure(tied->args[inner]) ||
        !KeepsInner(*tied->args[inner], tied->extra)) {
      return nullptr;
    }
    keys.emplace_back(tied, inner);
    // An index on the inner side answers few outer rows more cheaply.
    for (const Source& source : query.block->sources) {
      if (source.table == nullptr || !tied->args[inner]->Is(NodeKind::kSlot)) continue;
      const SlotId slot = tied->args[inner]->index;
      bool indexed = source.rowid == slot;
      for (const kv::IndexDef& i : source.table->indexes) {
        indexed |= i.columns[0].column < source.columns.size() &&
                   source.columns[i.columns[0].column].slot == slot;
      }
      if (indexed && outer_rows * 8 < TableRows(source)) return nullptr;
    }
  }

  // A sum that nobody asked for may overflow.
  for (const AggregateCall& call : query.aggregate->calls) {
    if (call.function != nullptr && call.function->id == FunctionId::kSum) return nullptr;
  }

  query.where = std::move(ties.own);
  query.order.clear();
  std::vector<ProjectPlan::Item> items = std::move(query.items);
  query.items.clear();
  const SlotId result = query.results[0];
  query.results.clear();
  auto join = std::make_unique<FromNode>();
  join->join = JoinKind::kLeft;
  for (const auto& [tied, inner] : keys) {
    const SlotId slot = NewSlot();
    ExprNode* key = tied->args[inner];
    query.aggregate->keys.push_back({key, slot, CollationOfComparison(tied->extra)});
    query.results.push_back(slot);
    ExprNode* condition = NewNode(NodeKind::kOperator);
    *condition = *tied;
    condition->args[inner] = SlotNode(slot, key->traits);
    join->on.push_back(condition);
  }
  for (const AggregateCall& call : query.aggregate->calls) query.results.push_back(call.slot);
  const std::vector<AggregateCall> calls = query.aggregate->calls;
  Source* source = AdoptQuery(block, index);
  for (const SlotId slot : source->query->results) {
    SourceColumn& column = source->columns.emplace_back();
    column.slot = slot;
  }
  join->left = std::move(block->from);
  join->right = std::make_unique<FromNode>();
  join->right->source = source;
  join->right->mask = SourceMask{1} << source->number;
  join->mask = join->left->mask | join->right->mask;
  block->from = std::move(join);

  // What the aggregates of no rows are.
  const auto of_group = [&](ExprNode* n) -> ExprNode* {
    if (!n->Is(NodeKind::kSlot)) return nullptr;
    for (const AggregateCall& call : calls) {
      if (call.slot != n->index) continue;
      const bool count = call.function->id == FunctionId::kCount;
      const bool total = call.function->id == FunctionId::kTotal;
      if (!count && !total) return nullptr;
      ExprNode* coalesce = NewNode(NodeKind::kFunction);
      bool known = false;
      coalesce->function = FindFunction("coalesce", 2, &known);
      coalesce->args = {SlotNode(n->index, {}),
                        ConstantNode(count ? kv::ValueView::Integer(0) : kv::ValueView::Real(0))};
      coalesce->traits = n->traits;
      return coalesce;
    }
    return nullptr;
  };
  ExprNode* value = items.empty() ? SlotNode(result, {}) : items[0].expr;
  ExprNode* replaced = Replace(value, of_group);
  ExprNode* copy = NewNode(replaced->kind);
  *copy = *replaced;
  copy->traits = node->traits;
  grouped_.emplace(index, copy);
  return copy;
}

void QueryBuilder::Decorrelate(Block* block, std::vector<ExprNode*>* where,
                               const std::vector<ExprNode**>& others) {
  where->erase(std::remove_if(where->begin(), where->end(),
                              [&](ExprNode* condition) { return ToSemiJoin(block, condition); }),
               where->end());
  const auto grouped = [&](ExprNode* node) -> ExprNode* {
    return node->Is(NodeKind::kScalarSubquery) ? ToGroupedJoin(block, node) : nullptr;
  };
  for (ExprNode*& condition : *where) condition = Replace(condition, grouped);
  for (ExprNode** other : others) *other = Replace(*other, grouped);
}

}  // namespace kvsql::planner
