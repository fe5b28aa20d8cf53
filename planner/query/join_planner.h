// Orders the joins of one FROM, pushes conditions to where they can be decided first, and chooses how each table is
// read and each join is made.
//
// Inner joins are ordered freely: by dynamic programming over left-deep trees up to kExhaustive tables, greedily
// beyond. Outer joins stay where they are written; their sides are planned on their own.
//
// Thread safety: none; lives while one plan is made.
#ifndef KVSQL_PLANNER_QUERY_JOIN_PLANNER_H_
#define KVSQL_PLANNER_QUERY_JOIN_PLANNER_H_

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "planner/query/access_path.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

class JoinPlanner {
 public:
  JoinPlanner(QueryBuilder* builder, Block* block);

  // The rows of the block's FROM that satisfy `conjuncts`. `wanted` is the order that saves a sort.
  StatusOr<std::unique_ptr<OperatorPlan>> Plan(std::vector<ExprNode*> conjuncts,
                                               const std::vector<SortKey>& wanted);

 private:
  static constexpr size_t kExhaustive = 8;

  // What inner joins put together: a table, a subquery or an outer join.
  struct Unit {
    FromNode* node = nullptr;
    SourceMask mask = 0;
    std::vector<ExprNode*> conjuncts;    // on it alone
    std::unique_ptr<OperatorPlan> plan;  // on its own
    double base_rows = 1;                // of the table, for join selectivities
    int after = -1;                      // a unit that must come before (CROSS JOIN)
  };

  // How one more unit joins those before it.
  struct Step {
    JoinMethod method = JoinMethod::kNestedLoop;
    double rows = 1;
    double cost = 0;
    AccessCandidate access;  // kIndex
  };

  StatusOr<std::unique_ptr<OperatorPlan>> PlanNode(FromNode* node, std::vector<ExprNode*> conjuncts,
                                                   const std::vector<SortKey>& wanted);
  std::unique_ptr<OperatorPlan> PlanLeaf(Source* source, std::vector<ExprNode*> conjuncts,
                                         const std::vector<SortKey>& wanted);
  StatusOr<std::unique_ptr<OperatorPlan>> PlanOuter(FromNode* node,
                                                    std::vector<ExprNode*> conjuncts);
  StatusOr<std::unique_ptr<OperatorPlan>> PlanInner(FromNode* node,
                                                    std::vector<ExprNode*> conjuncts,
                                                    const std::vector<SortKey>& wanted);
  Status CollectUnits(FromNode* node, std::vector<ExprNode*>* conjuncts, std::vector<Unit>* units);
  std::vector<size_t> Order(const std::vector<Unit>& units,
                            const std::vector<ExprNode*>& joining) const;
  Step StepTo(const Unit& unit, double rows, SourceMask mask,
              const std::vector<ExprNode*>& joining) const;
  std::unique_ptr<OperatorPlan> Join(std::unique_ptr<OperatorPlan> left, SourceMask left_mask,
                                     std::unique_ptr<OperatorPlan> right, SourceMask right_mask,
                                     JoinKind kind, std::vector<ExprNode*> conditions);
  std::unique_ptr<OperatorPlan> JoinByIndex(std::unique_ptr<OperatorPlan> left, Unit* unit,
                                            SourceMask left_mask, JoinKind kind, Step step,
                                            std::vector<ExprNode*> conditions);
  std::unique_ptr<ScanPlan> NewScan(Source* source, AccessCandidate candidate,
                                    std::vector<ExprNode*> conjuncts) const;
  std::unique_ptr<OperatorPlan> Filter(std::unique_ptr<OperatorPlan> input,
                                       std::vector<ExprNode*> conjuncts) const;
  // OR of conditions that indexes find: the rows of all probes, each once. Null if that costs more than `cost`.
  std::unique_ptr<OperatorPlan> PlanProbes(const Source& source,
                                           const std::vector<ExprNode*>& conjuncts, double cost);
  StatusOr<std::unique_ptr<OperatorPlan>> JoinPartners(std::unique_ptr<OperatorPlan> plan);
  // The expression with the slots of `mask` read from outer cells.
  ExprNode* Hand(ExprNode* node, SourceMask mask, std::vector<JoinPlan::Handover>* handovers);
  AccessPaths PathsOf(const Source& source) const;
  double TableRows(const Source& source) const;
  // estimates.cc
  double CountPath(const Source& source, const AccessPath& path) const;
  double JoinSelectivity(const Unit& unit, const ExprNode& condition) const;

  SourceMask MaskOf(const ExprNode* node) const;
  bool RejectsNull(const ExprNode* conjunct, SourceMask mask) const;

  QueryBuilder& builder_;
  Block& block_;
  std::unordered_map<SlotId, uint32_t> source_of_;
  std::vector<bool> needed_;       // by slot
  std::deque<FromNode> partners_;  // of semi joins
};

// Whether rows that come in `order` (or, with *reverse, backwards) are sorted by `wanted`.
bool OrderSatisfies(const std::vector<OperatorPlan::Order>& order,
                    const std::vector<SortKey>& wanted, bool* reverse);

// What is above relies on the rows' order: operators must not put rows aside, which would change it.
void UseOrder(OperatorPlan* plan);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_JOIN_PLANNER_H_
