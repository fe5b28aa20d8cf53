// CREATE, DROP, ALTER.
#include "KvSqlBaseVisitor.h"
#include "absl/strings/str_cat.h"
#include "parser/ast_builder.h"
#include "parser/lexer.h"

namespace kvsql::parser {

using G = kvsql_antlr::KvSql;
using antlrcpp::Any;

namespace {

bool SameWord(std::string_view a, std::string_view upper) {
  if (a.size() != upper.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const char c = a[i] >= 'a' && a[i] <= 'z' ? static_cast<char>(a[i] - 32) : a[i];
    if (c != upper[i]) return false;
  }
  return true;
}

}  // namespace

// Collects the constraints of a column. CONSTRAINT name belongs to the constraint behind it, [NOT] DEFERRABLE
// to the REFERENCES before it.
class ColumnConstraintVisitor : public kvsql_antlr::KvSqlBaseVisitor {
 public:
  explicit ColumnConstraintVisitor(AstBuilder* builder) : b_(*builder) {}

  std::vector<Constraint> constraints;

  Any visitColumnConstraintName(G::ColumnConstraintNameContext* ctx) override {
    name_ = b_.MakeName(ctx->name());
    return Any();
  }
  Any visitColumnDefault(G::ColumnDefaultContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kDefault);
    if (ctx->expr() != nullptr) {
      added.expr = b_.BuildExpr(ctx->expr());
    } else if (ctx->signedLiteral() != nullptr) {
      added.expr = b_.BuildSignedLiteral(ctx->signedLiteral());
    } else {
      auto* column = b_.NewExpr<ColumnExpr>(ctx->identifier());
      column->column = b_.MakeName(ctx->identifier());
      added.expr = column;
    }
    return Any();
  }
  Any visitColumnNull(G::ColumnNullContext* ctx) override {
    Add(ctx, ConstraintKind::kNull).conflict = b_.MakeConflict(ctx->conflictClause());
    return Any();
  }
  Any visitColumnNotNull(G::ColumnNotNullContext* ctx) override {
    Add(ctx, ConstraintKind::kNotNull).conflict = b_.MakeConflict(ctx->conflictClause());
    return Any();
  }
  Any visitColumnPrimaryKey(G::ColumnPrimaryKeyContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kPrimaryKey);
    if (ctx->K_ASC() != nullptr) added.order = SortOrder::kAscending;
    if (ctx->K_DESC() != nullptr) added.order = SortOrder::kDescending;
    added.conflict = b_.MakeConflict(ctx->conflictClause());
    added.autoincrement = ctx->K_AUTOINCREMENT() != nullptr;
    return Any();
  }
  Any visitColumnUnique(G::ColumnUniqueContext* ctx) override {
    Add(ctx, ConstraintKind::kUnique).conflict = b_.MakeConflict(ctx->conflictClause());
    return Any();
  }
  Any visitColumnCheck(G::ColumnCheckContext* ctx) override {
    Add(ctx, ConstraintKind::kCheck).expr = b_.BuildExpr(ctx->expr());
    return Any();
  }
  Any visitColumnReferences(G::ColumnReferencesContext* ctx) override {
    Add(ctx, ConstraintKind::kReferences).references = b_.BuildReferences(ctx->references());
    return Any();
  }
  Any visitColumnDeferrable(G::ColumnDeferrableContext* ctx) override {
    if (!constraints.empty() && constraints.back().references != nullptr) {
      AstBuilder::BuildDeferrable(ctx->deferrable(), constraints.back().references);
    }
    return Any();
  }
  Any visitColumnCollate(G::ColumnCollateContext* ctx) override {
    Add(ctx, ConstraintKind::kCollate).collation = b_.MakeName(ctx->bareAlias());
    return Any();
  }
  Any visitColumnGenerated(G::ColumnGeneratedContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kGenerated);
    added.expr = b_.BuildExpr(ctx->expr());
    if (ctx->identifier() != nullptr) {
      const std::string_view kind = b_.MakeName(ctx->identifier()).text;
      added.stored = SameWord(kind, "STORED");
      if (!added.stored && !SameWord(kind, "VIRTUAL")) {
        b_.FailNear(ctx->identifier()->start);
      }
    }
    return Any();
  }

 private:
  Constraint& Add(antlr4::ParserRuleContext* ctx, ConstraintKind kind) {
    Constraint& added = constraints.emplace_back();
    added.kind = kind;
    added.range = AstBuilder::RangeOf(ctx);
    added.name = std::exchange(name_, Name());
    return added;
  }

  AstBuilder& b_;
  Name name_;
};

class TableConstraintVisitor : public kvsql_antlr::KvSqlBaseVisitor {
 public:
  explicit TableConstraintVisitor(AstBuilder* builder) : b_(*builder) {}

  std::vector<Constraint> constraints;

  Any visitTableConstraintName(G::TableConstraintNameContext* ctx) override {
    name_ = b_.MakeName(ctx->name());
    return Any();
  }
  Any visitTablePrimaryKey(G::TablePrimaryKeyContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kPrimaryKey);
    added.columns = b_.BuildOrdering(ctx->orderingTerms());
    added.autoincrement = ctx->K_AUTOINCREMENT() != nullptr;
    added.conflict = b_.MakeConflict(ctx->conflictClause());
    return Any();
  }
  Any visitTableUnique(G::TableUniqueContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kUnique);
    added.columns = b_.BuildOrdering(ctx->orderingTerms());
    added.conflict = b_.MakeConflict(ctx->conflictClause());
    return Any();
  }
  Any visitTableCheck(G::TableCheckContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kCheck);
    added.expr = b_.BuildExpr(ctx->expr());
    added.conflict = b_.MakeConflict(ctx->conflictClause());
    return Any();
  }
  Any visitTableForeignKey(G::TableForeignKeyContext* ctx) override {
    Constraint& added = Add(ctx, ConstraintKind::kForeignKey);
    added.child_columns = b_.MakeNames(ctx->parenthesisedNames());
    added.references = b_.BuildReferences(ctx->references());
    AstBuilder::BuildDeferrable(ctx->deferrable(), added.references);
    return Any();
  }

 private:
  Constraint& Add(antlr4::ParserRuleContext* ctx, ConstraintKind kind) {
    Constraint& added = constraints.emplace_back();
    added.kind = kind;
    added.range = AstBuilder::RangeOf(ctx);
    added.name = std::exchange(name_, Name());
    return added;
  }

  AstBuilder& b_;
  Name name_;
};

References* AstBuilder::BuildReferences(G::ReferencesContext* ctx) {
  auto* references = arena_.New<References>();
  references->table = MakeName(ctx->name());
  references->columns = MakeNames(ctx->parenthesisedNames());
  for (G::ReferenceArgumentContext* argument : ctx->referenceArgument()) {
    G::ReferenceActionContext* written = argument->referenceAction();
    if (written == nullptr) continue;  // MATCH changes nothing, as in SQLite
    const ReferenceAction action = written->K_NULL() != nullptr       ? ReferenceAction::kSetNull
                                   : written->K_DEFAULT() != nullptr  ? ReferenceAction::kSetDefault
                                   : written->K_CASCADE() != nullptr  ? ReferenceAction::kCascade
                                   : written->K_RESTRICT() != nullptr ? ReferenceAction::kRestrict
                                                                      : ReferenceAction::kNoAction;
    if (argument->K_DELETE() != nullptr) references->on_delete = action;
    if (argument->K_UPDATE() != nullptr) references->on_update = action;
  }
  return references;
}

void AstBuilder::BuildDeferrable(G::DeferrableContext* ctx, References* references) {
  if (ctx == nullptr) return;
  references->deferrable = ctx->K_NOT() == nullptr;
  references->initially_deferred = references->deferrable && ctx->K_DEFERRED() != nullptr;
}

ColumnDefinition AstBuilder::BuildColumn(G::ColumnDefinitionContext* ctx) {
  ColumnDefinition column;
  column.name = MakeName(ctx->name());
  column.type = MakeType(ctx->typeName());
  // INT GENERATED ALWAYS AS (...): the words could be a type's, but are not.
  constexpr std::string_view kGenerated = "GENERATED ALWAYS";
  std::string_view& type = column.type.text;
  if (type.size() >= kGenerated.size() &&
      SameWord(type.substr(type.size() - kGenerated.size()), kGenerated)) {
    type.remove_suffix(kGenerated.size());
    while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  }
  ColumnConstraintVisitor visitor(this);
  for (G::ColumnConstraintContext* constraint : ctx->columnConstraint()) {
    constraint->accept(&visitor);
  }
  column.constraints = arena_.Copy(visitor.constraints);
  return column;
}

Statement* AstBuilder::BuildCreateTable(G::CreateTableContext* ctx) {
  auto* node = NewStatement<CreateTableStatement>(ctx);
  node->temporary = ctx->temporary() != nullptr;
  node->if_not_exists = ctx->ifNotExists() != nullptr;
  node->name = MakeQualifiedName(ctx->qualifiedName());
  if (ctx->select() != nullptr) {
    node->as_select = BuildSelect(ctx->select());
    return node;
  }
  std::vector<ColumnDefinition> columns;
  for (G::ColumnDefinitionContext* column : ctx->columnDefinition()) {
    columns.push_back(BuildColumn(column));
  }
  node->columns = arena_.Copy(columns);
  TableConstraintVisitor visitor(this);
  for (G::TableConstraintContext* constraint : ctx->tableConstraint()) {
    constraint->accept(&visitor);
  }
  node->constraints = arena_.Copy(visitor.constraints);
  for (G::TableOptionContext* option : ctx->tableOption()) {
    const Name name = MakeName(option->name());
    const bool without = option->K_WITHOUT() != nullptr;
    if (without && SameWord(name.text, "ROWID")) {
      node->without_rowid = true;
    } else if (!without && SameWord(name.text, "STRICT")) {
      node->strict = true;
    } else {
      Fail(name.range.begin, absl::StrCat("unknown table option: ", std::string(name.text)));
    }
  }
  if (ctx->storageOptions() != nullptr) {
    for (G::StorageOptionContext* option : ctx->storageOptions()->storageOption()) {
      const Name name = MakeName(option->name(0));
      if (!SameWord(name.text, "COMPRESSION")) {
        Fail(name.range.begin, absl::StrCat("unknown storage option: ", std::string(name.text)));
      } else if (!node->compression.text.empty()) {
        Fail(name.range.begin, "compression is given twice");
      } else if (option->name(1) == nullptr) {
        Fail(RangeOf(option->signedLiteral()).begin, "compression must be zstd");
      } else {
        node->compression = MakeName(option->name(1));
      }
    }
  }
  return node;
}

Statement* AstBuilder::BuildCreateIndex(G::CreateIndexContext* ctx) {
  auto* node = NewStatement<CreateIndexStatement>(ctx);
  node->unique = ctx->K_UNIQUE() != nullptr;
  node->if_not_exists = ctx->ifNotExists() != nullptr;
  node->name = MakeQualifiedName(ctx->qualifiedName());
  node->table = MakeName(ctx->name());
  node->columns = BuildOrdering(ctx->orderingTerms());
  node->where = BuildWhere(ctx->whereClause());
  return node;
}

Statement* AstBuilder::BuildCreateView(G::CreateViewContext* ctx) {
  auto* node = NewStatement<CreateViewStatement>(ctx);
  node->temporary = ctx->temporary() != nullptr;
  node->if_not_exists = ctx->ifNotExists() != nullptr;
  node->name = MakeQualifiedName(ctx->qualifiedName());
  node->columns = MakeNames(ctx->parenthesisedNames());
  node->select = BuildSelect(ctx->select());
  return node;
}

Statement* AstBuilder::BuildCreateTrigger(G::CreateTriggerContext* ctx) {
  auto* node = NewStatement<CreateTriggerStatement>(ctx);
  node->temporary = ctx->temporary() != nullptr;
  node->if_not_exists = ctx->ifNotExists() != nullptr;
  node->name = MakeQualifiedName(ctx->qualifiedName(0));
  node->table = MakeQualifiedName(ctx->qualifiedName(1));
  if (ctx->K_AFTER() != nullptr) node->timing = TriggerTiming::kAfter;
  if (ctx->K_INSTEAD() != nullptr) node->timing = TriggerTiming::kInsteadOf;
  G::TriggerEventContext* event = ctx->triggerEvent();
  node->event = event->K_DELETE() != nullptr   ? TriggerEvent::kDelete
                : event->K_INSERT() != nullptr ? TriggerEvent::kInsert
                                               : TriggerEvent::kUpdate;
  if (event->nameList() != nullptr) node->update_of = MakeNames(event->nameList());
  node->when = BuildOptional(ctx->expr());
  std::vector<Statement*> body;
  for (G::TriggerCommandContext* command : ctx->triggerCommand()) {
    if (command->insertStatement() != nullptr) {
      body.push_back(BuildInsert(command->insertStatement()));
    } else if (command->updateStatement() != nullptr) {
      body.push_back(BuildUpdate(command->updateStatement()));
    } else if (command->deleteStatement() != nullptr) {
      body.push_back(BuildDelete(command->deleteStatement()));
    } else {
      auto* select = NewStatement<SelectStatement>(command);
      select->select = BuildSelect(command->selectStatement()->select());
      body.push_back(select);
    }
  }
  node->body = arena_.Copy(body);
  return node;
}

Statement* AstBuilder::BuildCreateVirtualTable(G::CreateVirtualTableContext* ctx) {
  auto* node = NewStatement<CreateVirtualTableStatement>(ctx);
  node->if_not_exists = ctx->ifNotExists() != nullptr;
  node->name = MakeQualifiedName(ctx->qualifiedName());
  node->module = MakeName(ctx->name());
  std::vector<std::string_view> arguments;
  for (G::ModuleArgumentContext* argument : ctx->moduleArgument()) {
    arguments.push_back(argument->children.empty() ? std::string_view()
                                                   : arena_.Copy(RangeOf(argument).In(sql_)));
  }
  node->arguments = arena_.Copy(arguments);
  return node;
}

Statement* AstBuilder::BuildDrop(G::DropStatementContext* ctx) {
  auto* node = NewStatement<DropStatement>(ctx);
  node->object = ctx->K_TABLE() != nullptr   ? ObjectKind::kTable
                 : ctx->K_INDEX() != nullptr ? ObjectKind::kIndex
                 : ctx->K_VIEW() != nullptr  ? ObjectKind::kView
                                             : ObjectKind::kTrigger;
  node->if_exists = ctx->K_IF() != nullptr;
  node->name = MakeQualifiedName(ctx->qualifiedName());
  return node;
}

Statement* AstBuilder::BuildAlter(G::AlterTableContext* ctx) {
  auto* node = NewStatement<AlterTableStatement>(ctx);
  node->table = MakeQualifiedName(ctx->qualifiedName());
  if (ctx->K_ADD() != nullptr) {
    node->action = AlterAction::kAddColumn;
    node->added = arena_.New<ColumnDefinition>();
    *node->added = BuildColumn(ctx->columnDefinition());
  } else if (ctx->K_DROP() != nullptr) {
    node->action = AlterAction::kDropColumn;
    node->column = MakeName(ctx->name(0));
  } else if (ctx->name(1) != nullptr) {
    node->action = AlterAction::kRenameColumn;
    node->column = MakeName(ctx->name(0));
    node->new_name = MakeName(ctx->name(1));
  } else {
    node->new_name = MakeName(ctx->name(0));
  }
  return node;
}

}  // namespace kvsql::parser
