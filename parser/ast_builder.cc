#include "parser/ast_builder.h"

#include "absl/strings/str_cat.h"
#include "parser/lexer.h"
#include "parser/literal.h"

namespace kvsql::parser {

using G = kvsql_antlr::KvSql;

void AstBuilder::Fail(size_t offset, std::string_view message) {
  throw BuildError{ErrorAt(sql_, offset, message)};
}

void AstBuilder::FailNear(const antlr4::Token* token) {
  Fail(token->getStartIndex(),
       absl::StrCat("near \"", std::string(Sql(token).text()), "\": syntax error"));
}

TextRange AstBuilder::RangeOf(antlr4::ParserRuleContext* ctx) {
  return {Sql(ctx->start).scanned().token.offset, Sql(ctx->stop).scanned().token.end()};
}

TokenKind AstBuilder::KindOf(antlr4::tree::ParseTree* terminal) {
  return static_cast<TokenKind>(
      static_cast<antlr4::tree::TerminalNode*>(terminal)->getSymbol()->getType());
}

Name AstBuilder::MakeName(antlr4::ParserRuleContext* ctx) {
  const SqlToken& token = Sql(ctx->start);
  Name name;
  name.range = RangeOf(ctx);
  if (IsQuoted(token.text())) {
    name.quote = token.text()[0];
    name.text = arena_.Copy(std::string_view(Unquote(token.text())));
  } else {
    name.text = arena_.Copy(token.text());
  }
  return name;
}

QualifiedName AstBuilder::MakeQualifiedName(G::QualifiedNameContext* ctx) {
  if (G::NameContext* second = ctx->name(1); second != nullptr) {
    return {MakeName(ctx->name(0)), MakeName(second)};
  }
  return {{}, MakeName(ctx->name(0))};
}

std::span<Name> AstBuilder::MakeNames(G::NameListContext* ctx) {
  std::vector<Name> names;
  for (G::NameContext* name : ctx->name()) names.push_back(MakeName(name));
  return arena_.Copy(names);
}

std::span<Name> AstBuilder::MakeNames(G::ParenthesisedNamesContext* ctx) {
  return ctx == nullptr ? std::span<Name>() : MakeNames(ctx->nameList());
}

TypeName AstBuilder::MakeType(G::TypeNameContext* ctx) {
  if (ctx == nullptr) return {};
  std::string text;
  for (antlr4::tree::ParseTree* child : ctx->children) {
    auto* rule = dynamic_cast<antlr4::ParserRuleContext*>(child);
    if (rule != nullptr && rule->getRuleIndex() == G::RuleTypeWord) {
      if (!text.empty()) text.push_back(' ');
      text += Unquote(Sql(rule->start).text());
    } else if (rule != nullptr) {  // a number with its sign
      text += RangeOf(rule).In(sql_);
    } else {
      text += Sql(static_cast<antlr4::tree::TerminalNode*>(child)->getSymbol()).text();
    }
  }
  return {arena_.Copy(std::string_view(text))};
}

std::string_view AstBuilder::MakeText(const SqlToken& token) {
  return arena_.Copy(std::string_view(Unquote(token.text())));
}

ConflictAction AstBuilder::MakeConflict(G::ConflictActionContext* ctx) {
  if (ctx == nullptr) return ConflictAction::kUnspecified;
  switch (Sql(ctx->start).scanned().token.kind) {
    case TokenKind::k_ROLLBACK:
      return ConflictAction::kRollback;
    case TokenKind::k_ABORT:
      return ConflictAction::kAbort;
    case TokenKind::k_FAIL:
      return ConflictAction::kFail;
    case TokenKind::k_IGNORE:
      return ConflictAction::kIgnore;
    default:
      return ConflictAction::kReplace;
  }
}

ConflictAction AstBuilder::MakeConflict(G::ConflictClauseContext* ctx) {
  return ctx == nullptr ? ConflictAction::kUnspecified : MakeConflict(ctx->conflictAction());
}

Statement* AstBuilder::BuildRollback(G::RollbackStatementContext* ctx) {
  auto* node = NewStatement<RollbackStatement>(ctx);
  if (ctx->K_TO() != nullptr) node->savepoint = MakeName(ctx->name().back());
  return node;
}

Statement* AstBuilder::BuildPragma(G::PragmaStatementContext* ctx) {
  auto* node = NewStatement<PragmaStatement>(ctx);
  node->name = MakeQualifiedName(ctx->qualifiedName());
  if (G::PragmaValueContext* value = ctx->pragmaValue(); value != nullptr) {
    node->has_value = true;
    if (value->signedNumber() != nullptr) {
      node->value = arena_.Copy(RangeOf(value).In(sql_));
    } else {
      node->value = MakeText(Sql(value->start));
    }
  }
  return node;
}

Statement* AstBuilder::BuildCommand(G::CommandContext* ctx) {
  auto* rule = static_cast<antlr4::ParserRuleContext*>(ctx->children[0]);
  switch (rule->getRuleIndex()) {
    case G::RuleSelectStatement: {
      auto* node = NewStatement<SelectStatement>(rule);
      node->select = BuildSelect(ctx->selectStatement()->select());
      return node;
    }
    case G::RuleInsertStatement:
      return BuildInsert(ctx->insertStatement());
    case G::RuleUpdateStatement:
      return BuildUpdate(ctx->updateStatement());
    case G::RuleDeleteStatement:
      return BuildDelete(ctx->deleteStatement());
    case G::RuleCreateTable:
      return BuildCreateTable(ctx->createTable());
    case G::RuleCreateIndex:
      return BuildCreateIndex(ctx->createIndex());
    case G::RuleCreateView:
      return BuildCreateView(ctx->createView());
    case G::RuleCreateTrigger:
      return BuildCreateTrigger(ctx->createTrigger());
    case G::RuleCreateVirtualTable:
      return BuildCreateVirtualTable(ctx->createVirtualTable());
    case G::RuleDropStatement:
      return BuildDrop(ctx->dropStatement());
    case G::RuleAlterTable:
      return BuildAlter(ctx->alterTable());
    case G::RuleBeginStatement: {
      auto* node = NewStatement<BeginStatement>(rule);
      if (ctx->beginStatement()->K_IMMEDIATE() != nullptr) node->mode = TransactionMode::kImmediate;
      if (ctx->beginStatement()->K_EXCLUSIVE() != nullptr) node->mode = TransactionMode::kExclusive;
      return node;
    }
    case G::RuleCommitStatement:
      return NewStatement<CommitStatement>(rule);
    case G::RuleRollbackStatement:
      return BuildRollback(ctx->rollbackStatement());
    case G::RuleSavepointStatement: {
      auto* node = NewStatement<SavepointStatement>(rule);
      node->name = MakeName(ctx->savepointStatement()->name());
      return node;
    }
    case G::RuleReleaseStatement: {
      auto* node = NewStatement<ReleaseStatement>(rule);
      node->name = MakeName(ctx->releaseStatement()->name());
      return node;
    }
    case G::RulePragmaStatement:
      return BuildPragma(ctx->pragmaStatement());
    case G::RuleAttachStatement: {
      auto* node = NewStatement<AttachStatement>(rule);
      G::AttachStatementContext* attach = ctx->attachStatement();
      node->file = BuildExpr(attach->expr(0));
      node->schema = BuildExpr(attach->expr(1));
      node->key = BuildOptional(attach->expr(2));
      return node;
    }
    case G::RuleDetachStatement: {
      auto* node = NewStatement<DetachStatement>(rule);
      node->schema = BuildExpr(ctx->detachStatement()->expr());
      return node;
    }
    case G::RuleAnalyzeStatement: {
      auto* node = NewStatement<AnalyzeStatement>(rule);
      if (auto* name = ctx->analyzeStatement()->qualifiedName(); name != nullptr) {
        node->name = MakeQualifiedName(name);
      }
      return node;
    }
    case G::RuleReindexStatement: {
      auto* node = NewStatement<ReindexStatement>(rule);
      if (auto* name = ctx->reindexStatement()->qualifiedName(); name != nullptr) {
        node->name = MakeQualifiedName(name);
      }
      return node;
    }
    case G::RuleVacuumStatement: {
      auto* node = NewStatement<VacuumStatement>(rule);
      G::VacuumStatementContext* vacuum = ctx->vacuumStatement();
      if (vacuum->name() != nullptr) node->schema = MakeName(vacuum->name());
      node->into = BuildOptional(vacuum->expr());
      return node;
    }
    default:
      FailNear(rule->start);
  }
}

StatusOr<AstBuilder::Root> AstBuilder::Build(G::StatementContext* tree) {
  Root root;
  if (G::ExplainContext* explain = tree->explain(); explain != nullptr) {
    root.explain_query_plan = explain->K_PLAN() != nullptr;
    root.explain = !root.explain_query_plan;
  }
  try {
    root.statement = BuildCommand(tree->command());
  } catch (BuildError& error) {
    return std::move(error.status);
  }
  return root;
}

}  // namespace kvsql::parser
