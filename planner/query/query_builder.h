// From the AST of a SELECT to its operators: binds names, orders joins, chooses access paths.
//
// Thread safety: none; lives while one plan is made.
//
// Errors: INVALID_ARGUMENT and NOT_FOUND with SQLite's words, line and column; UNIMPLEMENTED "not supported yet".
#ifndef KVSQL_PLANNER_QUERY_QUERY_BUILDER_H_
#define KVSQL_PLANNER_QUERY_QUERY_BUILDER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "kv/reader.h"
#include "parser/parser.h"
#include "planner/query/query_plan.h"
#include "planner/query/query_scope.h"

namespace kvsql::planner {

class QueryBuilder {
 public:
  QueryBuilder(std::string_view sql, const kv::Reader& reader, QueryPlan* plan)
      : sql_(sql), reader_(reader), plan_(*plan) {}

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
  void SetResults(const std::vector<ExprNode*>& values, std::unique_ptr<OperatorPlan> root);
  // Adds the parts of a conjunction to *conjuncts.
  void SplitConjuncts(ExprNode* node, std::vector<ExprNode*>* conjuncts) const;
  // The plan of FROM with these conditions, joins ordered and access paths chosen.
  // `wanted` is the order that would save a sort.
  StatusOr<std::unique_ptr<OperatorPlan>> PlanFrom(Block* block, std::vector<ExprNode*> conjuncts,
                                                   const std::vector<SortKey>& wanted);
  // Makes every operator of the plan pass on only what is needed above it.
  void FinishPlan();
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
  Status BindQuerySource(const parser::Select& select, std::span<const parser::Name> names,
                         std::string_view what, QueryScope* parent, Subquery* subquery,
                         const CommonTableScope* common_tables, Source* source);
  Status MergeColumns(const parser::TableTerm& term, bool coalesce, FromNode* join,
                      QueryScope* scope);

  // --- bind_system.cc -------------------------------------------------------------------------------
  // False: there is no such table.
  StatusOr<bool> BindSystemTable(std::string_view name, Source* source);
  Status BindTableFunction(const parser::TableTerm& term, Source* source);
  void SetConstantRows(const std::vector<std::string_view>& columns,
                       const std::vector<std::vector<kv::Value>>& rows, Source* source);

  // --- bind_view.cc ---------------------------------------------------------------------------------
  struct ViewChain {
    const kv::ViewDef* view = nullptr;
    const ViewChain* outer = nullptr;
  };
  Status BindView(const kv::ViewDef& view, Source* source);

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
  Status BindOutputs(std::span<const parser::ResultColumn> columns, QueryScope* scope,
                     std::vector<Output>* outputs);
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

  // --- aggregation.cc -------------------------------------------------------------------------------
  // Turns an expression over the block's rows into one over its groups.
  ExprNode* OverGroups(ExprNode* node, AggregatePlan* aggregate, Block* block);
  SlotId BareColumn(SlotId slot, const ExprTraits& traits, AggregatePlan* aggregate, Block* block);

  // --- prune.cc -------------------------------------------------------------------------------------
  void Prune(OperatorPlan* root, const std::vector<SlotId>& needed);

  // The slots of the row at hand that the expression reads, with those that it hands to subqueries.
  void SlotsOf(const ExprNode* node, std::vector<SlotId>* slots) const;

  const std::string_view sql_;
  const kv::Reader reader_;
  QueryPlan& plan_;
  bool used_schema_ = false;
  std::unordered_map<SlotId, std::vector<BoundIndex>> bound_indexes_;  // by the source's first slot
  static constexpr int kMaxQueryDepth = 100;
  std::vector<const parser::CommonTable*> expanding_;  // common tables being bound, outermost first
  int depth_ = 0;                                      // of views and queries inside each other
  const ViewChain* views_ = nullptr;                   // whose text this is, and those around it
};

// The number of a result column that a term of ORDER BY or GROUP BY may be: an integer of 32 bits.
std::optional<int64_t> OrdinalOf(const parser::Expr& expr);

// "1st", "2nd", ...
std::string TermName(size_t index);

// Whether two expressions are the same, so that one's value is the other's.
bool SameExpr(const ExprNode& a, const ExprNode& b);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_QUERY_BUILDER_H_
