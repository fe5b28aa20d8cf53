// Expressions.
#include "KvSqlBaseVisitor.h"
#include "absl/strings/str_cat.h"
#include "parser/ast_builder.h"
#include "parser/literal.h"

namespace kvsql::parser {

using G = kvsql_antlr::KvSql;
using antlrcpp::Any;

// Dispatches on the alternative of `expr`; the result is handed over in a member, since ANTLR's Any would
// allocate one.
class ExprVisitor : public kvsql_antlr::KvSqlBaseVisitor {
 public:
  explicit ExprVisitor(AstBuilder* builder) : b_(*builder) {}

  Expr* result = nullptr;

  Any visitLiteralExpr(G::LiteralExprContext* ctx) override {
    return Return(b_.BuildLiteral(ctx->literalValue()));
  }
  Any visitLiftedExpr(G::LiftedExprContext* ctx) override {
    auto* node = b_.NewExpr<LiftedExpr>(ctx);
    const ScannedToken& scanned = AstBuilder::Sql(ctx->start).scanned();
    node->slot = scanned.number;
    node->is_list = scanned.is_list;
    return Return(node);
  }
  Any visitParameterExpr(G::ParameterExprContext* ctx) override {
    auto* node = b_.NewExpr<ParameterExpr>(ctx);
    node->number = AstBuilder::Sql(ctx->start).scanned().number;
    return Return(node);
  }
  Any visitCastExpr(G::CastExprContext* ctx) override {
    auto* node = b_.NewExpr<CastExpr>(ctx);
    node->operand = b_.BuildExpr(ctx->expr());
    node->type = b_.MakeType(ctx->typeName());
    b_.Grow(node, node->operand);
    return Return(node);
  }
  Any visitRaiseExpr(G::RaiseExprContext* ctx) override {
    auto* node = b_.NewExpr<RaiseExpr>(ctx);
    if (ctx->K_ROLLBACK() != nullptr) node->action = ConflictAction::kRollback;
    if (ctx->K_ABORT() != nullptr) node->action = ConflictAction::kAbort;
    if (ctx->K_FAIL() != nullptr) node->action = ConflictAction::kFail;
    if (ctx->name() != nullptr) node->message = b_.MakeName(ctx->name()).text;
    return Return(node);
  }
  Any visitFunctionExpr(G::FunctionExprContext* ctx) override {
    return Return(b_.BuildFunction(ctx->functionCall()));
  }
  Any visitColumnExpr(G::ColumnExprContext* ctx) override {
    auto* node = b_.NewExpr<ColumnExpr>(ctx);
    node->column = b_.MakeName(ctx->columnIdentifier());
    return Return(node);
  }
  Any visitQualifiedColumnExpr(G::QualifiedColumnExprContext* ctx) override {
    auto* node = b_.NewExpr<ColumnExpr>(ctx);
    const Name first = b_.MakeName(ctx->columnName());
    if (ctx->name(1) != nullptr) {
      node->schema = first;
      node->table = b_.MakeName(ctx->name(0));
      node->column = b_.MakeName(ctx->name(1));
    } else {
      node->table = first;
      node->column = b_.MakeName(ctx->name(0));
    }
    return Return(node);
  }
  Any visitSubqueryExpr(G::SubqueryExprContext* ctx) override {
    auto* node = b_.NewExpr<SubqueryExpr>(ctx);
    node->query = b_.BuildSelect(ctx->select());
    return Return(node);
  }
  Any visitParenthesisedExpr(G::ParenthesisedExprContext* ctx) override {
    const std::span<Expr*> items = b_.BuildExprs(ctx->expressions());
    if (items.size() == 1) return Return(items[0]);
    auto* node = b_.NewExpr<RowExpr>(ctx);
    node->items = items;
    b_.Grow(node, items);
    return Return(node);
  }
  Any visitExistsExpr(G::ExistsExprContext* ctx) override {
    auto* node = b_.NewExpr<ExistsExpr>(ctx);
    node->query = b_.BuildSelect(ctx->select());
    return Return(node);
  }
  Any visitCaseExpr(G::CaseExprContext* ctx) override {
    auto* node = b_.NewExpr<CaseExpr>(ctx);
    if (ctx->caseOperand() != nullptr) node->operand = b_.BuildExpr(ctx->caseOperand()->expr());
    std::vector<CaseBranch> branches;
    for (G::CaseWhenContext* when : ctx->caseWhen()) {
      branches.push_back({b_.BuildExpr(when->expr(0)), b_.BuildExpr(when->expr(1))});
      b_.Grow(node, branches.back().when);
      b_.Grow(node, branches.back().then);
    }
    node->branches = b_.arena_.Copy(branches);
    node->otherwise = b_.BuildOptional(ctx->expr());
    b_.Grow(node, node->operand);
    b_.Grow(node, node->otherwise);
    return Return(node);
  }
  Any visitSignExpr(G::SignExprContext* ctx) override {
    const TokenKind kind = AstBuilder::KindOf(ctx->children[0]);
    const UnaryOp op = kind == TokenKind::k_MINUS  ? UnaryOp::kNegate
                       : kind == TokenKind::k_PLUS ? UnaryOp::kPlus
                                                   : UnaryOp::kBitNot;
    return Return(b_.BuildUnary(ctx, op, b_.BuildExpr(ctx->expr())));
  }
  Any visitNotExpr(G::NotExprContext* ctx) override {
    return Return(b_.BuildUnary(ctx, UnaryOp::kNot, b_.BuildExpr(ctx->expr())));
  }
  Any visitCollateExpr(G::CollateExprContext* ctx) override {
    auto* node = b_.NewExpr<CollateExpr>(ctx);
    node->operand = b_.BuildExpr(ctx->expr());
    node->collation = b_.MakeName(ctx->bareAlias());
    b_.Grow(node, node->operand);
    return Return(node);
  }
  Any visitConcatExpr(G::ConcatExprContext* ctx) override { return Binary(ctx); }
  Any visitMultiplyExpr(G::MultiplyExprContext* ctx) override { return Binary(ctx); }
  Any visitAddExpr(G::AddExprContext* ctx) override { return Binary(ctx); }
  Any visitBitExpr(G::BitExprContext* ctx) override { return Binary(ctx); }
  Any visitOrderExpr(G::OrderExprContext* ctx) override { return Binary(ctx); }
  Any visitAndExpr(G::AndExprContext* ctx) override { return Binary(ctx); }
  Any visitOrExpr(G::OrExprContext* ctx) override { return Binary(ctx); }
  Any visitComparisonExpr(G::ComparisonExprContext* ctx) override {
    return Return(b_.BuildComparison(ctx));
  }

 private:
  Any Return(Expr* node) {
    result = b_.CheckHeight(node);
    return Any();
  }

  template <typename Context>
  Any Binary(Context* ctx) {
    Expr* left = b_.BuildExpr(ctx->expr(0));
    return Return(b_.BuildBinary(ctx, OpOf(AstBuilder::KindOf(ctx->children[1])), left,
                                 b_.BuildExpr(ctx->expr(1))));
  }

  static BinaryOp OpOf(TokenKind kind) {
    switch (kind) {
      case TokenKind::k_CONCAT:
        return BinaryOp::kConcat;
      case TokenKind::k_ARROW:
        return BinaryOp::kArrow;
      case TokenKind::k_LONG_ARROW:
        return BinaryOp::kLongArrow;
      case TokenKind::k_STAR:
        return BinaryOp::kMultiply;
      case TokenKind::k_SLASH:
        return BinaryOp::kDivide;
      case TokenKind::k_PERCENT:
        return BinaryOp::kRemainder;
      case TokenKind::k_PLUS:
        return BinaryOp::kAdd;
      case TokenKind::k_MINUS:
        return BinaryOp::kSubtract;
      case TokenKind::k_LSHIFT:
        return BinaryOp::kShiftLeft;
      case TokenKind::k_RSHIFT:
        return BinaryOp::kShiftRight;
      case TokenKind::k_BITAND:
        return BinaryOp::kBitAnd;
      case TokenKind::k_BITOR:
        return BinaryOp::kBitOr;
      case TokenKind::k_LT:
        return BinaryOp::kLess;
      case TokenKind::k_LE:
        return BinaryOp::kLessEqual;
      case TokenKind::k_GT:
        return BinaryOp::kGreater;
      case TokenKind::k_GE:
        return BinaryOp::kGreaterEqual;
      case TokenKind::k_AND:
        return BinaryOp::kAnd;
      default:
        return BinaryOp::kOr;
    }
  }

  AstBuilder& b_;
};

Expr* AstBuilder::CheckHeight(Expr* node) {
  if (node->height > limits_.expression_depth) {
    Fail(node->range.begin, absl::StrCat("Expression tree is too large (maximum depth ",
                                         limits_.expression_depth, ")"));
  }
  return node;
}

Expr* AstBuilder::BuildExpr(G::ExprContext* ctx) {
  // Parentheses make the parse tree higher than the AST, hence the margin.
  if (depth_ >= limits_.expression_depth + limits_.nesting) {
    Fail(RangeOf(ctx).begin, absl::StrCat("Expression tree is too large (maximum depth ",
                                          limits_.expression_depth, ")"));
  }
  ++depth_;
  ExprVisitor visitor(this);
  ctx->accept(&visitor);
  --depth_;
  return visitor.result;
}

std::span<Expr*> AstBuilder::BuildExprs(G::ExpressionsContext* ctx) {
  if (ctx == nullptr) return {};
  std::vector<Expr*> items;
  for (G::ExprContext* item : ctx->expr()) items.push_back(BuildExpr(item));
  return arena_.Copy(items);
}

Expr* AstBuilder::BuildLiteral(G::LiteralValueContext* ctx) {
  auto* node = NewExpr<LiteralExpr>(ctx);
  const SqlToken& token = Sql(ctx->start);
  switch (token.scanned().token.kind) {
    case TokenKind::k_INTEGER_LITERAL:
      switch (ParseInteger(token.text(), &node->integer, &node->real)) {
        case IntegerParse::kInteger:
          node->literal = LiteralKind::kInteger;
          break;
        case IntegerParse::kMinMagnitude:
          node->literal = LiteralKind::kReal;
          node->is_min_magnitude = true;
          break;
        case IntegerParse::kReal:
          node->literal = LiteralKind::kReal;
          break;
        case IntegerParse::kHexTooBig:
          Fail(token.getStartIndex(),
               absl::StrCat("hex literal too big: ", std::string(token.text())));
      }
      break;
    case TokenKind::k_FLOAT_LITERAL:
      node->literal = LiteralKind::kReal;
      node->real = ParseReal(token.text());
      break;
    case TokenKind::k_STRING: {
      node->literal = LiteralKind::kText;
      node->bytes = MakeText(token);
      break;
    }
    case TokenKind::k_BLOB: {
      node->literal = LiteralKind::kBlob;
      std::string bytes;
      AppendBlob(token.text(), &bytes);
      node->bytes = arena_.Copy(std::string_view(bytes));
      break;
    }
    case TokenKind::k_CURRENT_DATE:
      node->literal = LiteralKind::kCurrentDate;
      break;
    case TokenKind::k_CURRENT_TIME:
      node->literal = LiteralKind::kCurrentTime;
      break;
    case TokenKind::k_CURRENT_TIMESTAMP:
      node->literal = LiteralKind::kCurrentTimestamp;
      break;
    default:
      node->literal = LiteralKind::kNull;
      break;
  }
  return node;
}

// DEFAULT -1: a literal with its sign.
Expr* AstBuilder::BuildSignedLiteral(G::SignedLiteralContext* ctx) {
  Expr* literal = BuildLiteral(ctx->literalValue());
  if (ctx->MINUS() != nullptr) return BuildUnary(ctx, UnaryOp::kNegate, literal);
  if (ctx->PLUS() != nullptr) return BuildUnary(ctx, UnaryOp::kPlus, literal);
  return literal;
}

Expr* AstBuilder::BuildUnary(antlr4::ParserRuleContext* ctx, UnaryOp op, Expr* operand) {
  auto* node = NewExpr<UnaryExpr>(ctx);
  node->op = op;
  node->operand = operand;
  Grow(node, operand);
  return node;
}

Expr* AstBuilder::BuildBinary(antlr4::ParserRuleContext* ctx, BinaryOp op, Expr* left,
                              Expr* right) {
  auto* node = NewExpr<BinaryExpr>(ctx);
  node->op = op;
  node->left = left;
  node->right = right;
  Grow(node, left);
  Grow(node, right);
  return node;
}

Expr* AstBuilder::BuildComparison(G::ComparisonExprContext* ctx) {
  G::ComparisonContext* tail = ctx->comparison();
  Expr* left = BuildExpr(ctx->expr());
  const bool negated = tail->K_NOT() != nullptr;
  if (tail->EQ() != nullptr)
    return BuildBinary(ctx, BinaryOp::kEqual, left, BuildExpr(tail->expr(0)));
  if (tail->NE() != nullptr) {
    return BuildBinary(ctx, BinaryOp::kNotEqual, left, BuildExpr(tail->expr(0)));
  }
  if (tail->K_IS() != nullptr) {
    const bool distinct = tail->K_DISTINCT() != nullptr;
    return BuildBinary(ctx, negated == distinct ? BinaryOp::kIs : BinaryOp::kIsNot, left,
                       BuildExpr(tail->expr(0)));
  }
  if (tail->K_BETWEEN() != nullptr) {
    auto* node = NewExpr<BetweenExpr>(ctx);
    node->negated = negated;
    node->operand = left;
    node->low = BuildExpr(tail->expr(0));
    node->high = BuildExpr(tail->expr(1));
    Grow(node, left);
    Grow(node, node->low);
    Grow(node, node->high);
    return node;
  }
  if (tail->K_IN() != nullptr) return BuildIn(ctx, left, negated);
  if (tail->K_ISNULL() != nullptr) return BuildUnary(ctx, UnaryOp::kIsNull, left);
  if (tail->K_NOTNULL() != nullptr || tail->K_NULL() != nullptr) {
    return BuildUnary(ctx, UnaryOp::kNotNull, left);
  }
  auto* node = NewExpr<LikeExpr>(ctx);
  node->negated = negated;
  node->op = tail->K_LIKE() != nullptr     ? LikeOp::kLike
             : tail->K_GLOB() != nullptr   ? LikeOp::kGlob
             : tail->K_REGEXP() != nullptr ? LikeOp::kRegexp
                                           : LikeOp::kMatch;
  node->operand = left;
  node->pattern = BuildExpr(tail->expr(0));
  node->escape = BuildOptional(tail->expr(1));
  Grow(node, left);
  Grow(node, node->pattern);
  Grow(node, node->escape);
  return node;
}

Expr* AstBuilder::BuildIn(G::ComparisonExprContext* ctx, Expr* operand, bool negated) {
  G::InOperandContext* in = ctx->comparison()->inOperand();
  auto* node = NewExpr<InExpr>(ctx);
  node->negated = negated;
  node->operand = operand;
  if (in->select() != nullptr) {
    node->query = BuildSelect(in->select());
  } else if (in->qualifiedName() != nullptr) {
    node->table = MakeQualifiedName(in->qualifiedName());
    node->is_function = in->LP() != nullptr;
    node->arguments = BuildExprs(in->expressions());
  } else {
    node->list = BuildExprs(in->expressions());
  }
  Grow(node, operand);
  Grow(node, node->list);
  Grow(node, node->arguments);
  return node;
}

Expr* AstBuilder::BuildFunction(G::FunctionCallContext* ctx) {
  auto* node = NewExpr<FunctionExpr>(ctx);
  node->name = MakeName(ctx->columnIdentifier());
  node->distinct = ctx->K_DISTINCT() != nullptr;
  node->star = ctx->STAR() != nullptr;
  node->arguments = BuildExprs(ctx->expressions());
  if (ctx->filterClause() != nullptr) node->filter = BuildExpr(ctx->filterClause()->expr());
  if (G::OverClauseContext* over = ctx->overClause(); over != nullptr) {
    node->windowed = true;
    if (over->name() != nullptr) {
      node->window_name = MakeName(over->name());
    } else {
      node->window = BuildWindow(over->windowDefinition());
    }
  }
  Grow(node, node->arguments);
  Grow(node, node->filter);
  return node;
}

FrameBound AstBuilder::BuildBound(G::FrameBoundContext* ctx) {
  const bool preceding = ctx->K_PRECEDING() != nullptr;
  if (ctx->K_UNBOUNDED() != nullptr) {
    return {preceding ? FrameBoundKind::kUnboundedPreceding : FrameBoundKind::kUnboundedFollowing,
            nullptr};
  }
  if (ctx->K_CURRENT() != nullptr) return {FrameBoundKind::kCurrentRow, nullptr};
  return {preceding ? FrameBoundKind::kPreceding : FrameBoundKind::kFollowing,
          BuildExpr(ctx->expr())};
}

WindowDefinition* AstBuilder::BuildWindow(G::WindowDefinitionContext* ctx) {
  auto* window = arena_.New<WindowDefinition>();
  if (ctx->windowBase() != nullptr) window->base = MakeName(ctx->windowBase());
  window->partition_by = BuildExprs(ctx->expressions());
  window->order_by = BuildOrdering(ctx->orderBy());
  if (G::FrameContext* frame = ctx->frame(); frame != nullptr) {
    window->has_frame = true;
    window->unit = frame->K_ROWS() != nullptr     ? FrameUnit::kRows
                   : frame->K_GROUPS() != nullptr ? FrameUnit::kGroups
                                                  : FrameUnit::kRange;
    window->start = BuildBound(frame->frameBound(0));
    if (frame->frameBound(1) != nullptr) window->end = BuildBound(frame->frameBound(1));
    if (G::FrameExcludeContext* exclude = frame->frameExclude(); exclude != nullptr) {
      window->exclude = exclude->K_CURRENT() != nullptr ? FrameExclude::kCurrentRow
                        : exclude->K_GROUP() != nullptr ? FrameExclude::kGroup
                        : exclude->K_TIES() != nullptr  ? FrameExclude::kTies
                                                        : FrameExclude::kNoOthers;
    }
  }
  return window;
}

}  // namespace kvsql::parser
