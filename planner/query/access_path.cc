#include "planner/query/access_path.h"

#include <algorithm>
#include <cmath>

#include "planner/expr_compiler.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

using kv::Affinity;

// Costs in reads of one row of a scan.
constexpr double kSeek = 4;      // a descent from the root
constexpr double kRowFetch = 3;  // from an index entry to its row
constexpr double kEqualShare =
    10;  // rows per value of an index's first columns are 1/10 of those before

Opcode Mirror(Opcode op) {
  switch (op) {
    case Opcode::kLess:
      return Opcode::kGreater;
    case Opcode::kLessEqual:
      return Opcode::kGreaterEqual;
    case Opcode::kGreater:
      return Opcode::kLess;
    case Opcode::kGreaterEqual:
      return Opcode::kLessEqual;
    default:
      return op;
  }
}

bool IsRange(Opcode op) { return op >= Opcode::kLess && op <= Opcode::kGreaterEqual; }

}  // namespace

SlotId AccessPaths::SlotOf(uint32_t column) const {
  return column == kv::kRowidColumn ? source_.rowid : source_.columns[column].slot;
}

bool AccessPaths::IsBound(const ExprNode* node, SourceMask bound) const {
  return (mask_of_(node) & ~bound) == 0;
}

bool AccessPaths::MatchColumn(ExprNode* conjunct, SlotId slot, const ExprNode* expr,
                              Affinity affinity, kv::Collation collation, SourceMask bound,
                              std::vector<Match>* matches) const {
  const bool numeric = expr == nullptr && affinity == Affinity::kInteger && slot == source_.rowid;
  const auto is_column = [&](const ExprNode* node) {
    if (expr != nullptr) return SameExpr(*node, *expr);
    return node->Is(NodeKind::kSlot) && node->index == slot && node->traits.affinity == affinity;
  };
  const auto collates = [&](uint8_t extra) {
    // The values of an expression stand in the index as they are.
    if (expr != nullptr && AffinityOfComparison(extra) != CompareAffinity::kNone) return false;
    return numeric || CollationOfComparison(extra) == collation;
  };
  // A column without a type on the other side: numbers in it are no texts.
  const auto as_is = [&](uint8_t extra) {
    return expr == nullptr && affinity == Affinity::kText &&
           AffinityOfComparison(extra) == CompareAffinity::kNone;
  };
  if (conjunct->Is(NodeKind::kOperator) &&
      (conjunct->op == Opcode::kEqual || IsRange(conjunct->op))) {
    for (int side = 0; side < 2; ++side) {
      ExprNode* column = conjunct->args[static_cast<size_t>(side)];
      ExprNode* value = conjunct->args[static_cast<size_t>(1 - side)];
      if (!is_column(column) || !IsBound(value, bound) || !collates(conjunct->extra)) continue;
      if (expr == nullptr && !LeavesColumnAsIs(affinity, value->traits.affinity)) continue;
      matches->push_back({value, conjunct, side == 0 ? conjunct->op : Mirror(conjunct->op),
                          as_is(conjunct->extra)});
      return true;
    }
    return false;
  }
  if (conjunct->Is(NodeKind::kBetween) && is_column(conjunct->args[0])) {
    bool any = false;
    for (size_t i = 1; i <= 2; ++i) {
      ExprNode* value = conjunct->args[i];
      if (!IsBound(value, bound) || !collates(i == 1 ? conjunct->extra : conjunct->extra2) ||
          (expr == nullptr && !LeavesColumnAsIs(affinity, value->traits.affinity))) {
        return any;
      }
      any = true;
    }
    matches->push_back(
        {conjunct->args[1], conjunct, Opcode::kGreaterEqual, as_is(conjunct->extra)});
    matches->push_back({conjunct->args[2], conjunct, Opcode::kLessEqual, as_is(conjunct->extra2)});
    return true;
  }
  if (conjunct->Is(NodeKind::kIn) || conjunct->Is(NodeKind::kInLifted) ||
      conjunct->Is(NodeKind::kInSubquery)) {
    if (conjunct->args.empty() || !is_column(conjunct->args[0])) return false;
    if (conjunct->Is(NodeKind::kInSubquery)) {
      if (conjunct->args.size() != 1 || !collates(conjunct->compare_extras[0])) return false;
      // What the subquery's column converts would have to be looked at row by row.
      if (AffinityOfComparison(conjunct->compare_extras[0]) == CompareAffinity::kNumeric &&
          affinity != Affinity::kInteger && affinity != Affinity::kNumeric &&
          affinity != Affinity::kReal) {
        return false;
      }
      // The list must be the same for all rows.
      ExprNode query = *conjunct;
      query.args.clear();
      if (mask_of_(&query) != 0) return false;
    } else {
      if (!collates(conjunct->extra)) return false;
      for (size_t i = 1; i < conjunct->args.size(); ++i) {
        if (!IsBound(conjunct->args[i], bound)) return false;
      }
    }
    const bool query = conjunct->Is(NodeKind::kInSubquery);
    // kIs stands for IN.
    matches->push_back(
        {conjunct, conjunct, Opcode::kIs, query && as_is(conjunct->compare_extras[0])});
    return true;
  }
  return false;
}

bool AccessPaths::Covers(const kv::IndexDef& index) const {
  if (source_.key != kNoSlot) return false;
  const auto in_index = [&](uint32_t column) {
    for (const kv::IndexColumn& c : index.columns) {
      if (c.column == column) return true;
    }
    for (const kv::IndexColumn& c : source_.table->primary_key) {
      if (c.column == column) return true;
    }
    return false;
  };
  for (uint32_t i = 0; i < source_.columns.size(); ++i) {
    if (is_needed_(source_.columns[i].slot) && !in_index(i)) return false;
  }
  return true;
}

// The table itself (index == nullptr) or one of its indexes.
AccessCandidate AccessPaths::Build(const kv::IndexDef* index,
                                   const std::vector<ExprNode*>& conjuncts,
                                   SourceMask bound) const {
  const kv::TableDef& table = *source_.table;
  AccessCandidate candidate;
  candidate.path.kind = index == nullptr ? AccessPath::Kind::kTable : AccessPath::Kind::kIndex;
  candidate.path.index = index;
  candidate.rows = statistics_.rows;
  const BoundIndex* bound_index = nullptr;
  if (index != nullptr && !indexes_.empty()) {
    bound_index = &indexes_[static_cast<size_t>(index - table.indexes.data())];
    candidate.rows = std::max(1.0, std::min(candidate.rows, bound_index->rows));
  }
  const double all_rows = candidate.rows;
  std::vector<kv::IndexColumn> key;
  if (index != nullptr) {
    key = index->columns;
  } else if (table.has_rowid()) {
    key.push_back({table.rowid_alias.value_or(kv::kRowidColumn), kv::Collation::kBinary, false});
  } else {
    key = table.primary_key;
  }
  const bool unique = index == nullptr || index->unique;
  double probes = 1;
  bool ranged = false;
  size_t fixed = 0;
  for (size_t i = 0; i < key.size(); ++i) {
    const kv::IndexColumn& column = key[i];
    const ExprNode* expr =
        column.column == kv::kExpressionColumn ? bound_index->values[i] : nullptr;
    const bool is_rowid = column.column == kv::kRowidColumn ||
                          (table.has_rowid() && table.rowid_alias == column.column);
    const Affinity affinity = expr != nullptr ? Affinity::kBlob
                              : is_rowid      ? Affinity::kInteger
                                              : table.columns[column.column].affinity;
    std::vector<Match> matches;
    for (ExprNode* conjunct : conjuncts) {
      MatchColumn(conjunct, expr != nullptr ? kNoSlot : SlotOf(column.column), expr, affinity,
                  column.collation, bound, &matches);
    }
    const auto find = [&](auto&& wanted) {
      return std::find_if(matches.begin(), matches.end(), wanted);
    };
    const auto use = [&](const Match& match) {
      candidate.needs |= mask_of_(match.value) & ~(SourceMask{1} << source_.number);
      if (std::find(candidate.used.begin(), candidate.used.end(), match.conjunct) ==
          candidate.used.end()) {
        candidate.used.push_back(match.conjunct);
      }
    };
    const auto equal = find([](const Match& m) { return m.op == Opcode::kEqual; });
    if (equal != matches.end()) {
      candidate.path.equal.push_back(equal->value);
      candidate.path.as_is.push_back(equal->as_is ? 1 : 0);
      use(*equal);
      candidate.rows = std::max(1.0, candidate.rows / kEqualShare);
      if (index != nullptr && index->statistics.size() > i + 1) {
        // ANALYZE counted how many entries share their first columns.
        candidate.rows = std::max(1.0, all_rows * static_cast<double>(index->statistics[i + 1]) /
                                           static_cast<double>(index->statistics[0]));
      }
      fixed = i + 1;
      continue;
    }
    const auto in = find([](const Match& m) { return m.op == Opcode::kIs; });
    if (in != matches.end()) {
      candidate.path.in_list = in->conjunct;
      candidate.path.as_is.push_back(in->as_is ? 1 : 0);
      use(*in);
      probes = in->conjunct->Is(NodeKind::kIn)
                   ? std::max(1.0, static_cast<double>(in->conjunct->args.size()) - 1)
                   : 10;
      candidate.rows = std::max(1.0, candidate.rows / kEqualShare);
      fixed = i + 1;
      break;
    }
    for (const bool low : {true, false}) {
      const auto bound_match = find([&](const Match& m) {
        return low ? m.op == Opcode::kGreater || m.op == Opcode::kGreaterEqual
                   : m.op == Opcode::kLess || m.op == Opcode::kLessEqual;
      });
      if (bound_match == matches.end()) continue;
      // Both bounds of a column are treated alike.
      const bool other = candidate.path.as_is.size() > i;
      if (other && (candidate.path.as_is[i] != 0) != bound_match->as_is) continue;
      if (!other) candidate.path.as_is.push_back(bound_match->as_is ? 1 : 0);
      (low ? candidate.path.low : candidate.path.high) = bound_match->value;
      (low ? candidate.path.low_inclusive : candidate.path.high_inclusive) =
          bound_match->op == Opcode::kGreaterEqual || bound_match->op == Opcode::kLessEqual;
      use(*bound_match);
      candidate.rows = std::max(1.0, candidate.rows / 3);
      ranged = true;
    }
    break;
  }
  // A BETWEEN of which only one end could be used has not been decided by the path.
  candidate.used.erase(std::remove_if(candidate.used.begin(), candidate.used.end(),
                                      [&](const ExprNode* c) {
                                        return c->Is(NodeKind::kBetween) &&
                                               !(candidate.path.low == c->args[1] &&
                                                 candidate.path.high == c->args[2]);
                                      }),
                       candidate.used.end());
  candidate.path.recheck = candidate.used;
  if (unique && fixed == key.size()) candidate.rows = 1;
  if (const double counted = statistics_.count(candidate.path); counted >= 0) {
    candidate.rows = std::max(1.0, counted);
  }
  candidate.rows *= probes;
  candidate.rows = std::min(candidate.rows, statistics_.rows);
  const bool covering = index != nullptr && Covers(*index);
  candidate.path.covering = covering;
  candidate.cost = probes * kSeek + candidate.rows;
  if (index != nullptr && !covering) candidate.cost += candidate.rows * kRowFetch;
  if (covering) candidate.cost *= 0.9;  // entries are smaller than rows
  static_cast<void>(ranged);
  // Several probes come in the order of the key too.
  for (size_t i = candidate.path.equal.size(); i < key.size(); ++i) {
    if (key[i].column == kv::kExpressionColumn) return candidate;
    candidate.order.push_back({SlotOf(key[i].column), key[i].descending, key[i].collation});
  }
  if (index != nullptr && table.has_rowid()) {
    candidate.order.push_back({source_.rowid, false, kv::Collation::kBinary});
  }
  return candidate;
}

bool AccessPaths::HasAllRows(const BoundIndex& index,
                             const std::vector<ExprNode*>& conjuncts) const {
  if (!index.usable) return false;
  return std::all_of(index.where.begin(), index.where.end(), [&](const ExprNode* wanted) {
    return std::any_of(conjuncts.begin(), conjuncts.end(), [&](const ExprNode* given) {
      if (SameExpr(*wanted, *given)) return true;
      if (!wanted->IsOperator(Opcode::kNotNull)) return false;
      // What compares a value is not true of NULL.
      const ExprNode& value = *wanted->args[0];
      if (given->Is(NodeKind::kOperator) && given->op >= Opcode::kEqual &&
          given->op <= Opcode::kGreaterEqual) {
        return SameExpr(*given->args[0], value) || SameExpr(*given->args[1], value);
      }
      return (given->Is(NodeKind::kBetween) || given->Is(NodeKind::kIn) ||
              given->Is(NodeKind::kInLifted)) &&
             (given->flags & kNegated) == 0 && SameExpr(*given->args[0], value);
    });
  });
}

std::vector<AccessCandidate> AccessPaths::All(const std::vector<ExprNode*>& conjuncts,
                                              SourceMask bound) const {
  std::vector<AccessCandidate> all;
  all.push_back(Build(nullptr, conjuncts, bound));
  if (source_.not_indexed) return all;
  for (const kv::IndexDef& index : source_.table->indexes) {
    if (!indexes_.empty() &&
        !HasAllRows(indexes_[static_cast<size_t>(&index - source_.table->indexes.data())],
                    conjuncts)) {
      continue;
    }
    AccessCandidate candidate = Build(&index, conjuncts, bound);
    all.push_back(std::move(candidate));
  }
  return all;
}

double AccessPaths::Selectivity(const ExprNode& condition) {
  switch (condition.kind) {
    case NodeKind::kOperator:
      if (condition.op == Opcode::kEqual || condition.op == Opcode::kIs) return 0.1;
      if (IsRange(condition.op)) return 0.33;
      if (condition.op == Opcode::kIsNull) return 0.1;
      if (condition.op == Opcode::kOr) {
        return std::min(1.0, Selectivity(*condition.args[0]) + Selectivity(*condition.args[1]));
      }
      if (condition.op == Opcode::kAnd) {
        return Selectivity(*condition.args[0]) * Selectivity(*condition.args[1]);
      }
      return 0.9;
    case NodeKind::kBetween:
      return 0.2;
    case NodeKind::kIn:
      return std::min(0.9, 0.1 * static_cast<double>(condition.args.size()));
    case NodeKind::kFunction:
      return 0.25;
    default:
      return 0.5;
  }
}

}  // namespace kvsql::planner
