// From the AST of a SELECT to its operators: binds names, orders joins, chooses access paths.
//
// Thread safety: none; lives while one plan is made.
//
// Errors: INVALID_ARGUMENT and NOT_FOUND with SQLite's words, line and column; UNIMPLEMENTED "not supported yet".
#ifndef KVSQL_PLANNER_QUERY_QUERY_BUILDER_H_
#define KVSQL_PLANNER_QUERY_QUERY_BUILDER_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "kv/statement_reader.h"
#include "parser/parser.h"
#include "planner/plan_options.h"
#include "planner/query/query_plan.h"
#include "planner/query/query_scope.h"

namespace kvsql::planner {

class QueryBuilder {
 public:
  QueryBuilder(std::string_view sql, const kv::StatementReader& reader, const PlanOptions& options,
               QueryPlan* plan)
      : sql_(sql), reader_(reader), options_(options), plan_(*plan) {}
  QueryBuilder(std::string_view sql, const kv::StatementReader& reader, QueryPlan* plan)
      : QueryBuilder(sql, reader, PlanOptions(), plan) {}
  // For another text of the same statement: a view's.
  QueryBuilder(std::string_view sql, const QueryBuilder& outer)
      : sql_(sql),
        reader_(outer.reader_),
        options_(outer.options_),
        plan_(outer.plan_),
        logical_(outer.logical_) {}

  // The whole statement: fills in root, results and columns of the plan.
  Status BuildStatement(const parser::Select& select);

  // For other statements that have expressions and queries in them. ----------------------------------
  StatusOr<BoundQuery> BindSelect(const parser::Select& select, QueryScope* parent,
                                  Subquery* subquery, const CommonTableScope* common_tables);
  StatusOr<ExprNode*> BindExpr(const parser::Expr& expr, QueryScope* scope);
  // A text of the catalog that is an expression.
  StatusOr<ExprNode*> BindStored(std::string_view text, QueryScope* scope);
  // Per index of the source's table; empty if none is partial or on expressions.
  const std::vector<BoundIndex>& BoundIndexesOf(const Source& source);
  // Makes the source the query's results, under names that differ.
  static void SetQuerySource(BoundQuery query, Source* source);
  // Makes the source a stored table's, with a slot for each column.
  void FillTableSource(const kv::TableDef& table, Source* source);
  StatusOr<Source*> AddSource(Block* block, uint32_t offset);
  // Makes the table that a statement changes the block's first source, and its FROM.
  StatusOr<Source*> AddTarget(const kv::TableDef& table, const parser::TargetTable& target,
                              Block* block);
  // The same for a table of the catalog.
  StatusOr<Source*> AddSystemTarget(const parser::TargetTable& target, Block* block);
  // The key of the target's row: its rowid, or the key's bytes.
  ExprNode* KeyOf(const Source& target);
  // A single value: a row value is an error.
  StatusOr<ExprNode*> BindScalar(const parser::Expr& expr, QueryScope* scope);
  // The items of a row value, or the columns of a subquery that is used as one; empty if it is neither.
  StatusOr<std::vector<ExprNode*>> BindRow(const parser::Expr& expr, QueryScope* scope);
  // FROM as a tree; adds the sources to the scope's block.
  StatusOr<std::unique_ptr<FromNode>> BindTerms(std::span<const parser::TableTerm> terms,
                                                QueryScope* scope);
  // Makes `values` the statement's results, computed above *root.
  Status SetResults(const std::vector<ExprNode*>& values, std::unique_ptr<OperatorPlan> root);
  // Adds the parts of a conjunction to *conjuncts.
  void SplitConjuncts(ExprNode* node, std::vector<ExprNode*>* conjuncts) const;
  // The plan of FROM with these conditions, joins ordered and access paths chosen.
  // `wanted` is the order that would save a sort.
  StatusOr<std::unique_ptr<OperatorPlan>> PlanFrom(Block* block, std::vector<ExprNode*> conjuncts,
                                                   const std::vector<SortKey>& wanted);
  // The same, with the rules applied first.
  StatusOr<std::unique_ptr<OperatorPlan>> PlanFromByRules(Block* block,
                                                          std::vector<ExprNode*> conjuncts);
  // The operators of a query that stands alone, rules applied.
  StatusOr<std::unique_ptr<OperatorPlan>> PlanWhole(LogicalQuery* query);
  // Plans the subqueries that are left, and makes every operator pass on only what is needed above it.
  Status FinishPlan();
  // Whether the statement read the schema.
  bool used_schema() const { return used_schema_; }

  QueryPlan& plan() { return plan_; }
  SlotId NewSlot() { return plan_.slots++; }
  ExprNode* NewNode(NodeKind kind) {
    ExprNode& node = plan_.nodes.emplace_back();
    node.kind = kind;
    return &node;
  }
  ExprNode* SlotNode(SlotId slot, const ExprTraits& traits) {
    ExprNode* node = NewNode(NodeKind::kSlot);
    node->index = slot;
    node->traits = traits;
    return node;
  }
  ExprNode* OperatorNode(Opcode op, std::vector<ExprNode*> args);
  ExprNode* ConstantNode(const kv::ValueView& value);

 private:
  friend class JoinPlanner;

  Status Unsupported(size_t offset, std::string_view what) const {
    return parser::NotSupportedAt(sql_, offset, what);
  }
  Status Error(size_t offset, std::string_view message) const {
    return parser::ErrorAt(sql_, offset, message);
  }

  // --- bind_names.cc --------------------------------------------------------------------------------
  StatusOr<ExprNode*> BindColumn(const parser::ColumnExpr& name, QueryScope* scope);
  // Null: no such column in this scope.
  StatusOr<ExprNode*> FindInScope(const parser::ColumnExpr& name, QueryScope* scope);
  // What `node`, found in `owner`, is to an expression in `scope`.
  ExprNode* FromOuter(ExprNode* node, QueryScope* owner, QueryScope* scope);
  std::optional<bool> AsBoolean(const parser::Expr& expr, QueryScope* scope);

  // --- bind_expr.cc ---------------------------------------------------------------------------------
  StatusOr<ExprNode*> BindUnary(const parser::UnaryExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindBinary(const parser::BinaryExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindIn(const parser::InExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindInRows(const parser::InExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindCase(const parser::CaseExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindLike(const parser::LikeExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindFunction(const parser::FunctionExpr& expr, QueryScope* scope);
  StatusOr<ExprNode*> BindAggregate(const parser::FunctionExpr& expr, const FunctionInfo& info,
                                    QueryScope* scope);
  StatusOr<ExprNode*> BindSubquery(const parser::Select& select, NodeKind kind, uint32_t offset,
                                   QueryScope* scope);
  StatusOr<ExprNode*> CompareRows(const parser::BinaryExpr& expr, QueryScope* scope);
  ExprNode* CurrentTime(parser::LiteralKind literal);
  ExprNode* Compare(Opcode op, ExprNode* left, ExprNode* right);
  ExprNode* Negate(ExprNode* node);

  // --- bind_from.cc ---------------------------------------------------------------------------------
  Status BindFrom(std::span<const parser::TableTerm> terms, QueryScope* scope);
  StatusOr<std::unique_ptr<FromNode>> BindTerm(const parser::TableTerm& term, QueryScope* scope);
  StatusOr<Source*> BindTable(const parser::TableTerm& term, QueryScope* scope);
  StatusOr<bool> BindStoredTable(const parser::QualifiedName& name, Source* source);
  Status BindQuerySource(const parser::Select& select, std::span<const parser::Name> names,
                         std::string_view what, QueryScope* parent, Subquery* subquery,
                         const CommonTableScope* common_tables, Source* source);
  // USING and NATURAL. `has_right`: the FROM has a RIGHT or FULL JOIN somewhere.
  Status MergeColumns(const parser::TableTerm& term, bool has_right, FromNode* join,
                      QueryScope* scope);
  MergedColumn TakeMerged(const std::string& name, const SourceColumn* column, SourceMask side,
                          Block* block);
  // coalesce() of them, if they are several.
  ExprNode* FirstOf(const std::vector<ExprNode*>& values);

  // --- bind_system.cc -------------------------------------------------------------------------------
  // False: there is no such table.
  StatusOr<bool> BindSystemTable(const parser::QualifiedName& name, bool temporary, Source* source);
  void SetSchemaTable(bool sequences, bool temporary, Source* source);
  Status BindTableFunction(const parser::TableTerm& term, Source* source);
  void SetConstantRows(const std::vector<std::string_view>& columns,
                       const std::vector<std::vector<kv::Value>>& rows, Source* source);

  // --- bind_view.cc ---------------------------------------------------------------------------------
  struct ViewChain {
    const kv::ViewDef* view = nullptr;
    const ViewChain* outer = nullptr;
  };
  Status BindView(const kv::ViewDef& view, bool temporary, Source* source);

  // --- bind_select.cc -------------------------------------------------------------------------------
  struct Output {
    ExprNode* expr = nullptr;
    std::string name;
    std::string declared_type;
    const parser::Expr* ast = nullptr;  // null: of *
    std::string_view alias;
  };
  StatusOr<BoundQuery> BindCore(const parser::Select& select, const parser::SelectCore& core,
                                bool whole, QueryScope* scope);
  StatusOr<BoundQuery> BindValues(const parser::SelectCore& core, QueryScope* scope);
  StatusOr<BoundQuery> BindCompound(const parser::Select& select, QueryScope* scope);
  std::optional<uint32_t> ResultOf(const parser::ColumnExpr& name, const BoundQuery& core,
                                   QueryScope* scope);
  Status BindOutputs(std::span<const parser::ResultColumn> columns, QueryScope* scope,
                     std::vector<Output>* outputs);
  Status CheckStar(const Source& source, const SourceColumn& column, uint32_t offset,
                   const Block& block) const;
  Status ExpandStar(const parser::ResultColumn& column, QueryScope* scope,
                    std::vector<Output>* outputs);
  StatusOr<std::vector<SortKey>> BindOrderBy(std::span<const parser::OrderingTerm> terms,
                                             const std::vector<Output>& outputs, QueryScope* scope);
  StatusOr<std::vector<ExprNode*>> BindGroupBy(const parser::SelectCore& core,
                                               const std::vector<Output>& outputs,
                                               QueryScope* scope);
  Status BindLimit(const parser::Select& select, ExprNode** limit, ExprNode** offset);
  StatusOr<uint32_t> Ordinal(int64_t number, size_t columns, size_t term, uint32_t offset,
                             std::string_view clause) const;
  // Adds what computes `items` (slots that are not there yet) above *root.
  void AddProject(std::vector<ProjectPlan::Item> items, std::unique_ptr<OperatorPlan>* root);
  std::unique_ptr<OperatorPlan> AddSortAndLimit(std::unique_ptr<OperatorPlan> root,
                                                std::vector<SortKey> keys, ExprNode* limit,
                                                ExprNode* offset);

  // --- plan_query.cc --------------------------------------------------------------------------------
  StatusOr<std::unique_ptr<OperatorPlan>> PlanQuery(LogicalQuery* query);
  StatusOr<std::unique_ptr<OperatorPlan>> PlanCore(LogicalQuery* query);
  StatusOr<std::unique_ptr<OperatorPlan>> PlanSet(LogicalQuery* query);
  // Notes which slots are read, from the results down.
  void MarkNeeded(const LogicalQuery& query);
  void MarkExpr(const ExprNode* node);
  void MarkFrom(const FromNode* node);
  bool IsNeeded(SlotId slot) const {
    return all_needed_ || (slot < needed_.size() && needed_[slot]);
  }

  // --- rewrite.cc: the rules, one after the other ----------------------------------------------------
  Status Rewrite(LogicalQuery* query);
  Status RewriteCore(LogicalQuery* query);
  // FROM and WHERE; `others` are the other expressions over the same rows.
  Status RewriteFrom(Block* block, std::vector<ExprNode*>* where,
                     const std::vector<ExprNode**>& others);
  // Conditions of inner joins become conditions of WHERE.
  void HoistConditions(FromNode* node, std::vector<ExprNode*>* where) const;
  bool HasSubquery(const ExprNode* node) const;
  // No function whose answer may change, and no subquery.
  bool IsPure(const ExprNode* node) const;
  // The tree with nodes replaced; null leaves a node as it is. Unchanged nodes are shared.
  ExprNode* Replace(ExprNode* node, const std::function<ExprNode*(ExprNode*)>& replacement);
  // Every expression of the query, those of queries in its FROM included.
  void VisitExprs(const LogicalQuery& query,
                  const std::function<void(const ExprNode*)>& visit) const;
  double TableRows(const Source& source) const;

  // --- rule_*.cc ------------------------------------------------------------------------------------
  void FoldConditions(std::vector<ExprNode*>* conditions);
  ExprNode* Fold(ExprNode* node);
  void CloseEqualities(const Block& block, std::vector<ExprNode*>* where);
  void FlattenSources(LogicalQuery* query);
  bool Flatten(LogicalQuery* query, FromNode* leaf);
  void PushDown(Block* block, std::vector<ExprNode*>* where);
  bool PushInto(ExprNode* condition, const std::vector<SlotId>& slots, LogicalQuery* query);
  void Decorrelate(Block* block, std::vector<ExprNode*>* where,
                   const std::vector<ExprNode**>& others);
  struct Ties;
  bool FindTies(uint32_t index, Ties* ties);
  Source* AdoptQuery(Block* block, uint32_t index);
  bool ToSemiJoin(Block* block, ExprNode* condition);
  ExprNode* ToGroupedJoin(Block* block, ExprNode* node);
  void OrToIn(std::vector<ExprNode*>* where);
  bool ShareRows(const parser::CommonTable& table, const CommonTableScope& scope, Source* source);
  std::unique_ptr<OperatorPlan> ReadShared(uint32_t index,
                                           const std::vector<SourceColumn>& columns);
  Status PlanShared();
  Status RewriteParts();
  std::vector<SortKey> WantedForMinMax(const LogicalQuery& query) const;
  void TakeFirst(const std::vector<SortKey>& wanted, std::unique_ptr<OperatorPlan>* root);
  void AddPrefixRanges(const Block& block, std::vector<ExprNode*>* where);

  // --- aggregation.cc -------------------------------------------------------------------------------
  // Turns an expression over the block's rows into one over its groups.
  ExprNode* OverGroups(ExprNode* node, AggregatePlan* aggregate, Block* block);
  SlotId BareColumn(SlotId slot, const ExprTraits& traits, AggregatePlan* aggregate, Block* block);

  // --- prune.cc -------------------------------------------------------------------------------------
  void Prune(OperatorPlan* root, const std::vector<SlotId>& needed);

  // Whether it has a subquery that reads the row at hand.
  bool HasCorrelatedSubquery(const ExprNode* node) const;
  // The slots of the row at hand that the expression reads, with those that it hands to subqueries.
  void SlotsOf(const ExprNode* node, std::vector<SlotId>* slots) const;

  const std::string_view sql_;
  const kv::StatementReader reader_;
  const PlanOptions options_;
  QueryPlan& plan_;
  // Beside plan_.subqueries; shared with the builders of views.
  struct LogicalQueries {
    std::vector<std::unique_ptr<LogicalQuery>> subqueries;
    std::vector<std::unique_ptr<LogicalQuery>> shared;  // beside plan_.shared
    std::vector<SharedPlan*> readers;
  };
  std::shared_ptr<LogicalQueries> logical_ = std::make_shared<LogicalQueries>();
  std::vector<std::unique_ptr<LogicalQuery>>& subqueries_ = logical_->subqueries;
  bool rewritten_ = false;  // the subqueries have been
  std::unordered_map<const parser::CommonTable*, Source*> bound_tables_;
  std::unordered_map<uint32_t, ExprNode*> grouped_;  // what ToGroupedJoin made of subqueries
  std::vector<bool> needed_;                         // by slot
  bool all_needed_ = true;                           // `needed_` is not known
  bool used_schema_ = false;
  bool main_only_ = false;  // temporary tables are out of sight
  std::unordered_map<SlotId, std::vector<BoundIndex>> bound_indexes_;  // by the source's first slot
  static constexpr int kMaxQueryDepth = 100;
  std::vector<const parser::CommonTable*> expanding_;  // common tables being bound, outermost first
  int depth_ = 0;                                      // of views and queries inside each other
  const ViewChain* views_ = nullptr;                   // whose text this is, and those around it
};

// The number of a result column that a term of ORDER BY or GROUP BY may be: an integer of 32 bits.
std::optional<int64_t> OrdinalOf(const parser::Expr& expr);

// The expression without the COLLATE operators around it.
const parser::Expr* WithoutCollate(const parser::Expr* expr);

// "1st", "2nd", ...
std::string TermName(size_t index);

// Whether two expressions are the same, so that one's value is the other's.
bool SameExpr(const ExprNode& a, const ExprNode& b);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_QUERY_BUILDER_H_
