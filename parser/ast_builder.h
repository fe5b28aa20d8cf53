// ANTLR's parse tree to AST. Included by parser/*.cc only.
//
// What is wrong with the statement beyond its grammar (an expression too high, a hexadecimal literal too big, a join
// that does not exist) leaves the walk as a BuildError, caught in Build.
#ifndef KVSQL_PARSER_AST_BUILDER_H_
#define KVSQL_PARSER_AST_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "KvSql.h"
#include "base/arena.h"
#include "base/status.h"
#include "parser/antlr_input.h"
#include "parser/ast_statement.h"
#include "parser/parser.h"

namespace kvsql::parser {

class AstBuilder {
 public:
  using Grammar = kvsql_antlr::KvSql;

  struct Root {
    const Statement* statement = nullptr;
    bool explain = false;
    bool explain_query_plan = false;
  };

  // Nodes and strings go to the arena; `sql` must stay until Build returns.
  AstBuilder(std::string_view sql, const Limits& limits, bool lifted_matrix, Arena* arena)
      : sql_(sql), limits_(limits), lifted_matrix_(lifted_matrix), arena_(*arena) {}

  StatusOr<Root> Build(Grammar::StatementContext* tree);

 private:
  friend class ExprVisitor;
  friend class ColumnConstraintVisitor;
  friend class TableConstraintVisitor;

  struct BuildError {
    Status status;
  };
  [[noreturn]] void Fail(size_t offset, std::string_view message);
  [[noreturn]] void FailNear(const antlr4::Token* token);

  // --- ast_builder.cc: names and pieces ---------------------------------------------------------
  static const SqlToken& Sql(const antlr4::Token* token) {
    return static_cast<const SqlToken&>(*token);
  }
  static TextRange RangeOf(antlr4::ParserRuleContext* ctx);
  static TokenKind KindOf(antlr4::tree::ParseTree* terminal);
  Name MakeName(antlr4::ParserRuleContext* ctx);  // a rule of one token
  QualifiedName MakeQualifiedName(Grammar::QualifiedNameContext* ctx);
  std::span<Name> MakeNames(Grammar::NameListContext* ctx);
  std::span<Name> MakeNames(Grammar::ParenthesisedNamesContext* ctx);
  TypeName MakeType(Grammar::TypeNameContext* ctx);
  std::string_view MakeText(const SqlToken& token);  // of a STRING or a name
  ConflictAction MakeConflict(Grammar::ConflictActionContext* ctx);
  ConflictAction MakeConflict(Grammar::ConflictClauseContext* ctx);
  template <typename Node>
  Node* NewStatement(antlr4::ParserRuleContext* ctx) {
    Node* node = arena_.New<Node>();
    node->kind = Node::kKind;
    node->range = RangeOf(ctx);
    return node;
  }

  Statement* BuildCommand(Grammar::CommandContext* ctx);
  Statement* BuildRollback(Grammar::RollbackStatementContext* ctx);
  Statement* BuildPragma(Grammar::PragmaStatementContext* ctx);

  // --- ast_builder_expr.cc ----------------------------------------------------------------------
  template <typename Node>
  Node* NewExpr(antlr4::ParserRuleContext* ctx) {
    Node* node = arena_.New<Node>();
    node->kind = Node::kKind;
    node->range = RangeOf(ctx);
    return node;
  }
  Expr* BuildExpr(Grammar::ExprContext* ctx);
  Expr* BuildOptional(Grammar::ExprContext* ctx) {
    return ctx == nullptr ? nullptr : BuildExpr(ctx);
  }
  Expr* BuildLiteral(Grammar::LiteralValueContext* ctx);
  Expr* BuildUnary(antlr4::ParserRuleContext* ctx, UnaryOp op, Expr* operand);
  Expr* BuildBinary(antlr4::ParserRuleContext* ctx, BinaryOp op, Expr* left, Expr* right);
  Expr* BuildComparison(Grammar::ComparisonExprContext* ctx);
  Expr* BuildIn(Grammar::ComparisonExprContext* ctx, Expr* operand, bool negated);
  Expr* BuildFunction(Grammar::FunctionCallContext* ctx);
  Expr* BuildSignedLiteral(Grammar::SignedLiteralContext* ctx);
  std::span<Expr*> BuildExprs(Grammar::ExpressionsContext* ctx);  // null: empty
  WindowDefinition* BuildWindow(Grammar::WindowDefinitionContext* ctx);
  FrameBound BuildBound(Grammar::FrameBoundContext* ctx);
  void Grow(Expr* node, const Expr* child) {
    if (child != nullptr && child->height >= node->height) {
      node->height = static_cast<uint16_t>(child->height + 1);
    }
  }
  void Grow(Expr* node, std::span<Expr*> children) {
    for (const Expr* child : children) Grow(node, child);
  }
  Expr* CheckHeight(Expr* node);

  // --- ast_builder_query.cc ---------------------------------------------------------------------
  Select* BuildSelect(Grammar::SelectContext* ctx);
  WithClause* BuildWith(Grammar::WithClauseContext* ctx);  // null: none
  SelectCore BuildCore(Grammar::SelectCoreContext* ctx, CompoundOp op);
  std::span<ResultColumn> BuildResultColumns(Grammar::ResultColumnsContext* ctx);
  std::span<TableTerm> BuildTables(Grammar::TableListContext* ctx);
  TableTerm BuildTable(Grammar::TableTermContext* ctx);
  uint8_t BuildJoin(Grammar::JoinOperatorContext* ctx);
  void BuildIndexedBy(Grammar::IndexedByContext* ctx, bool* not_indexed, Name* index);
  std::span<OrderingTerm> BuildOrdering(Grammar::OrderingTermsContext* ctx);
  std::span<OrderingTerm> BuildOrdering(Grammar::OrderByContext* ctx);  // null: empty
  void BuildLimit(Grammar::LimitContext* ctx, Expr** limit, Expr** offset);
  Expr* BuildWhere(Grammar::WhereClauseContext* ctx) {
    return ctx == nullptr ? nullptr : BuildExpr(ctx->expr());
  }
  TargetTable BuildTarget(Grammar::TargetTableContext* ctx, Grammar::IndexedByContext* indexed);
  std::span<Assignment> BuildAssignments(Grammar::AssignmentsContext* ctx);
  Statement* BuildInsert(Grammar::InsertStatementContext* ctx);
  Statement* BuildUpdate(Grammar::UpdateStatementContext* ctx);
  Statement* BuildDelete(Grammar::DeleteStatementContext* ctx);

  // --- ast_builder_schema.cc --------------------------------------------------------------------
  Statement* BuildCreateTable(Grammar::CreateTableContext* ctx);
  Statement* BuildCreateIndex(Grammar::CreateIndexContext* ctx);
  Statement* BuildCreateView(Grammar::CreateViewContext* ctx);
  Statement* BuildCreateTrigger(Grammar::CreateTriggerContext* ctx);
  Statement* BuildCreateVirtualTable(Grammar::CreateVirtualTableContext* ctx);
  Statement* BuildDrop(Grammar::DropStatementContext* ctx);
  Statement* BuildAlter(Grammar::AlterTableContext* ctx);
  ColumnDefinition BuildColumn(Grammar::ColumnDefinitionContext* ctx);
  References* BuildReferences(Grammar::ReferencesContext* ctx);
  static void BuildDeferrable(Grammar::DeferrableContext* ctx, References* references);

  const std::string_view sql_;
  const Limits& limits_;
  const bool lifted_matrix_;
  Arena& arena_;
  size_t depth_ = 0;  // of BuildExpr
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AST_BUILDER_H_
