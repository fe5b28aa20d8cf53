// Ways to read one table under given conditions, with estimates.
//
// Thread safety: none; lives while one plan is made.
#ifndef KVSQL_PLANNER_QUERY_ACCESS_PATH_H_
#define KVSQL_PLANNER_QUERY_ACCESS_PATH_H_

#include <functional>
#include <vector>

#include "kv/statement_reader.h"
#include "planner/query/query_plan.h"
#include "planner/query/query_scope.h"

namespace kvsql::planner {

struct AccessCandidate {
  AccessPath path;
  std::vector<ExprNode*> used;  // conditions that the path stands for
  double rows = 1;              // that it gives, before further filters
  double cost = 1;
  std::vector<OperatorPlan::Order> order;
  SourceMask needs = 0;  // other sources whose rows the path looks at
};

// What the estimates of the planner start from.
struct TableStatistics {
  double rows = 1;
  // Rows in the range of a path, counted; negative if it is not known yet.
  std::function<double(const AccessPath&)> count;
};

class AccessPaths {
 public:
  // `mask_of` tells which sources an expression uses.
  // `indexes`: per index of the table, or empty.
  AccessPaths(const Source& source, const TableStatistics& statistics,
              const std::vector<BoundIndex>& indexes,
              std::function<SourceMask(const ExprNode*)> mask_of,
              std::function<bool(SlotId)> is_needed)
      : source_(source),
        statistics_(statistics),
        indexes_(indexes),
        mask_of_(std::move(mask_of)),
        is_needed_(std::move(is_needed)) {}

  // All ways that pay, the whole table first. Conditions are conjuncts; those that use sources outside of
  // `bound` and this one are left alone.
  std::vector<AccessCandidate> All(const std::vector<ExprNode*>& conjuncts, SourceMask bound) const;

  // Share of rows that satisfy a condition on this table alone.
  static double Selectivity(const ExprNode& condition);

 private:
  struct Match {
    ExprNode* value = nullptr;  // the other side
    ExprNode* conjunct = nullptr;
    Opcode op = Opcode::kEqual;
    bool as_is = false;  // as AccessPath::as_is
  };

  // A comparison of the column with something that `bound` gives. `expr`: it is no column, but this.
  bool MatchColumn(ExprNode* conjunct, SlotId slot, const ExprNode* expr, kv::Affinity affinity,
                   kv::Collation collation, SourceMask bound, std::vector<Match>* matches) const;
  // Whether the conjuncts say that the index has all rows that are wanted.
  bool HasAllRows(const BoundIndex& index, const std::vector<ExprNode*>& conjuncts) const;
  bool IsBound(const ExprNode* node, SourceMask bound) const;
  AccessCandidate Build(const kv::IndexDef* index, const std::vector<ExprNode*>& conjuncts,
                        SourceMask bound) const;
  SlotId SlotOf(uint32_t column) const;
  bool Covers(const kv::IndexDef& index) const;

  const Source& source_;
  const TableStatistics statistics_;
  const std::vector<BoundIndex>& indexes_;
  std::function<SourceMask(const ExprNode*)> mask_of_;
  std::function<bool(SlotId)> is_needed_;
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_ACCESS_PATH_H_
