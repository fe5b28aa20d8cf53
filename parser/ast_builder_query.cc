// SELECT, INSERT, UPDATE, DELETE.
#include "parser/ast_builder.h"

namespace kvsql::parser {

using G = kvsql_antlr::KvSql;

WithClause* AstBuilder::BuildWith(G::WithClauseContext* ctx) {
  if (ctx == nullptr) return nullptr;
  auto* with = arena_.New<WithClause>();
  with->recursive = ctx->K_RECURSIVE() != nullptr;
  std::vector<CommonTable> tables;
  for (G::CommonTableContext* item : ctx->commonTable()) {
    CommonTable table;
    table.name = MakeName(item->name());
    table.columns = MakeNames(item->parenthesisedNames());
    if (item->K_MATERIALIZED() != nullptr) {
      table.hint = item->K_NOT() != nullptr ? CommonTable::Hint::kNotMaterialized
                                            : CommonTable::Hint::kMaterialized;
    }
    table.query = BuildSelect(item->select());
    tables.push_back(table);
  }
  with->tables = arena_.Copy(tables);
  return with;
}

Select* AstBuilder::BuildSelect(G::SelectContext* ctx) {
  auto* select = arena_.New<Select>();
  select->with = BuildWith(ctx->withClause());
  std::vector<SelectCore> cores;
  const auto operators = ctx->compoundOperator();
  const auto parts = ctx->selectCore();
  for (size_t i = 0; i < parts.size(); ++i) {
    CompoundOp op = CompoundOp::kNone;
    if (i > 0) {
      G::CompoundOperatorContext* written = operators[i - 1];
      op = written->K_EXCEPT() != nullptr      ? CompoundOp::kExcept
           : written->K_INTERSECT() != nullptr ? CompoundOp::kIntersect
           : written->K_ALL() != nullptr       ? CompoundOp::kUnionAll
                                               : CompoundOp::kUnion;
    }
    cores.push_back(BuildCore(parts[i], op));
  }
  select->cores = arena_.Copy(cores);
  // ORDER BY and LIMIT belong to the last SELECT; VALUES has none.
  if (cores.back().is_values) {
    if (ctx->orderBy() != nullptr) FailNear(ctx->orderBy()->start);
    if (ctx->limit() != nullptr) FailNear(ctx->limit()->start);
  }
  select->order_by = BuildOrdering(ctx->orderBy());
  BuildLimit(ctx->limit(), &select->limit, &select->offset);
  return select;
}

SelectCore AstBuilder::BuildCore(G::SelectCoreContext* ctx, CompoundOp op) {
  SelectCore core;
  core.op = op;
  core.offset = RangeOf(ctx).begin;
  if (G::ValuesClauseContext* values = ctx->valuesClause(); values != nullptr) {
    core.is_values = true;
    std::vector<std::span<Expr*>> rows;
    for (G::ValuesRowContext* row : values->valuesRow()) {
      rows.push_back(BuildExprs(row->expressions()));
      if (rows.back().size() != rows.front().size()) {
        Fail(RangeOf(row).begin, "all VALUES must have the same number of terms");
      }
    }
    core.rows = arena_.Copy(rows);
    core.lifted_matrix = lifted_matrix_;
    return core;
  }
  core.distinct = ctx->K_DISTINCT() != nullptr;
  core.columns = BuildResultColumns(ctx->resultColumns());
  if (ctx->fromClause() != nullptr) core.from = BuildTables(ctx->fromClause()->tableList());
  core.where = BuildWhere(ctx->whereClause());
  if (ctx->groupBy() != nullptr) core.group_by = BuildExprs(ctx->groupBy()->expressions());
  if (ctx->having() != nullptr) core.having = BuildExpr(ctx->having()->expr());
  if (G::WindowClauseContext* clause = ctx->windowClause(); clause != nullptr) {
    std::vector<NamedWindow> windows;
    for (G::NamedWindowContext* window : clause->namedWindow()) {
      windows.push_back({MakeName(window->name()), BuildWindow(window->windowDefinition())});
    }
    core.windows = arena_.Copy(windows);
  }
  return core;
}

std::span<ResultColumn> AstBuilder::BuildResultColumns(G::ResultColumnsContext* ctx) {
  std::vector<ResultColumn> columns;
  for (G::ResultColumnContext* item : ctx->resultColumn()) {
    ResultColumn column;
    column.range = RangeOf(item);
    if (item->expr() != nullptr) {
      column.expr = BuildExpr(item->expr());
      column.range = RangeOf(item->expr());
      if (item->name() != nullptr) column.alias = MakeName(item->name());
      if (item->bareAlias() != nullptr) column.alias = MakeName(item->bareAlias());
    } else if (item->name() != nullptr) {
      column.kind = ResultColumnKind::kTableStar;
      column.table = MakeName(item->name());
    } else {
      column.kind = ResultColumnKind::kStar;
    }
    columns.push_back(column);
  }
  return arena_.Copy(columns);
}

uint8_t AstBuilder::BuildJoin(G::JoinOperatorContext* ctx) {
  if (ctx->COMMA() != nullptr) return kJoinComma;
  unsigned flags = kJoinInner;
  for (G::JoinKeywordContext* word : ctx->joinKeyword()) {
    unsigned flag = 0;
    switch (Sql(word->start).scanned().token.kind) {
      case TokenKind::k_CROSS:
        flag = kJoinCross;
        break;
      case TokenKind::k_NATURAL:
        flag = kJoinNatural;
        break;
      case TokenKind::k_LEFT:
        flag = kJoinLeft | kJoinOuter;
        break;
      case TokenKind::k_RIGHT:
        flag = kJoinRight | kJoinOuter;
        break;
      case TokenKind::k_FULL:
        flag = kJoinLeft | kJoinRight | kJoinOuter;
        break;
      case TokenKind::k_OUTER:
        flag = kJoinOuter;
        break;
      default:
        flag = kJoinInner | 128;  // INNER written out
        break;
    }
    flags |= flag;
  }
  const unsigned outer = flags & (kJoinLeft | kJoinRight);
  const bool written_inner = (flags & (128 | kJoinCross)) != 0;
  if ((written_inner && (flags & kJoinOuter) != 0) || ((flags & kJoinOuter) != 0 && outer == 0) ||
      ctx->joinKeyword().size() > 3) {
    std::string words;
    for (G::JoinKeywordContext* word : ctx->joinKeyword()) {
      if (!words.empty()) words.push_back(' ');
      words += Sql(word->start).text();
    }
    Fail(RangeOf(ctx).begin, "unknown join type: " + words);
  }
  if (outer != 0) flags &= ~static_cast<unsigned>(kJoinInner);
  return static_cast<uint8_t>(flags & 127);
}

void AstBuilder::BuildIndexedBy(G::IndexedByContext* ctx, bool* not_indexed, Name* index) {
  if (ctx == nullptr) return;
  if (ctx->name() != nullptr) {
    *index = MakeName(ctx->name());
  } else {
    *not_indexed = true;
  }
}

TableTerm AstBuilder::BuildTable(G::TableTermContext* ctx) {
  TableTerm term;
  term.range = RangeOf(ctx);
  G::TableSourceContext* source = ctx->tableSource();
  if (source->qualifiedName() != nullptr) {
    term.table = MakeQualifiedName(source->qualifiedName());
    if (source->LP() != nullptr) {
      term.kind = TableTermKind::kFunction;
      term.arguments = BuildExprs(source->expressions());
    }
    BuildIndexedBy(source->indexedBy(), &term.not_indexed, &term.index);
  } else if (source->select() != nullptr) {
    term.kind = TableTermKind::kSubquery;
    term.query = BuildSelect(source->select());
  } else {
    term.kind = TableTermKind::kGroup;
    term.group = BuildTables(source->tableList());
  }
  if (G::TableAliasContext* alias = source->tableAlias(); alias != nullptr) {
    term.alias = alias->name() != nullptr ? MakeName(alias->name()) : MakeName(alias->bareAlias());
  }
  if (ctx->expr() != nullptr) term.on = BuildExpr(ctx->expr());
  term.using_columns = MakeNames(ctx->parenthesisedNames());
  return term;
}

std::span<TableTerm> AstBuilder::BuildTables(G::TableListContext* ctx) {
  std::vector<TableTerm> terms;
  const auto operators = ctx->joinOperator();
  const auto parts = ctx->tableTerm();
  for (size_t i = 0; i < parts.size(); ++i) {
    TableTerm term = BuildTable(parts[i]);
    if (i > 0) {
      term.join = BuildJoin(operators[i - 1]);
    } else if (term.on != nullptr || !term.using_columns.empty()) {
      Fail(term.range.begin, "a JOIN clause is required before ON or USING");
    }
    if (term.on != nullptr && !term.using_columns.empty()) {
      Fail(term.range.begin, "cannot have both ON and USING clauses in the same join");
    }
    if ((term.join & kJoinNatural) != 0 && (term.on != nullptr || !term.using_columns.empty())) {
      Fail(term.range.begin, "a NATURAL join may not have an ON or USING clause");
    }
    terms.push_back(term);
  }
  return arena_.Copy(terms);
}

std::span<OrderingTerm> AstBuilder::BuildOrdering(G::OrderingTermsContext* ctx) {
  std::vector<OrderingTerm> terms;
  for (G::OrderingTermContext* item : ctx->orderingTerm()) {
    OrderingTerm term;
    term.expr = BuildExpr(item->expr());
    if (item->K_ASC() != nullptr) term.order = SortOrder::kAscending;
    if (item->K_DESC() != nullptr) term.order = SortOrder::kDescending;
    if (item->K_FIRST() != nullptr) term.nulls = NullsOrder::kFirst;
    if (item->K_LAST() != nullptr) term.nulls = NullsOrder::kLast;
    terms.push_back(term);
  }
  return arena_.Copy(terms);
}

std::span<OrderingTerm> AstBuilder::BuildOrdering(G::OrderByContext* ctx) {
  return ctx == nullptr ? std::span<OrderingTerm>() : BuildOrdering(ctx->orderingTerms());
}

void AstBuilder::BuildLimit(G::LimitContext* ctx, Expr** limit, Expr** offset) {
  if (ctx == nullptr) return;
  *limit = BuildExpr(ctx->expr(0));
  *offset = BuildOptional(ctx->expr(1));
  if (ctx->COMMA() != nullptr) std::swap(*limit, *offset);  // LIMIT offset, limit
}

TargetTable AstBuilder::BuildTarget(G::TargetTableContext* ctx, G::IndexedByContext* indexed) {
  TargetTable target;
  target.name = MakeQualifiedName(ctx->qualifiedName());
  if (ctx->name() != nullptr) target.alias = MakeName(ctx->name());
  BuildIndexedBy(indexed, &target.not_indexed, &target.index);
  return target;
}

std::span<Assignment> AstBuilder::BuildAssignments(G::AssignmentsContext* ctx) {
  std::vector<Assignment> assignments;
  for (G::AssignmentContext* item : ctx->assignment()) {
    Assignment assignment;
    if (item->parenthesisedNames() != nullptr) {
      assignment.columns = MakeNames(item->parenthesisedNames());
      assignment.is_row = true;
    } else {
      assignment.columns = arena_.Copy(std::vector<Name>{MakeName(item->name())});
    }
    assignment.value = BuildExpr(item->expr());
    assignments.push_back(assignment);
  }
  return arena_.Copy(assignments);
}

Statement* AstBuilder::BuildInsert(G::InsertStatementContext* ctx) {
  auto* node = NewStatement<InsertStatement>(ctx);
  node->with = BuildWith(ctx->withClause());
  node->conflict = MakeConflict(ctx->conflictAction());
  if (ctx->K_REPLACE() != nullptr) node->conflict = ConflictAction::kReplace;
  node->target = BuildTarget(ctx->targetTable(), nullptr);
  node->columns = MakeNames(ctx->parenthesisedNames());
  if (ctx->select() != nullptr) node->source = BuildSelect(ctx->select());
  std::vector<Upsert> upserts;
  for (G::UpsertContext* item : ctx->upsert()) {
    Upsert upsert;
    // WHERE may stand behind the target and behind SET.
    const auto wheres = item->whereClause();
    size_t next_where = 0;
    if (item->orderingTerms() != nullptr) {
      upsert.target = BuildOrdering(item->orderingTerms());
      const antlr4::Token* action = item->K_DO()->getSymbol();
      if (!wheres.empty() && wheres[0]->start->getTokenIndex() < action->getTokenIndex()) {
        upsert.target_where = BuildWhere(wheres[next_where++]);
      }
    }
    upsert.do_nothing = item->K_NOTHING() != nullptr;
    if (item->assignments() != nullptr) upsert.assignments = BuildAssignments(item->assignments());
    if (next_where < wheres.size()) upsert.where = BuildWhere(wheres[next_where]);
    upserts.push_back(upsert);
  }
  node->upserts = arena_.Copy(upserts);
  if (ctx->returning() != nullptr) {
    node->returning = BuildResultColumns(ctx->returning()->resultColumns());
  }
  return node;
}

Statement* AstBuilder::BuildUpdate(G::UpdateStatementContext* ctx) {
  auto* node = NewStatement<UpdateStatement>(ctx);
  node->with = BuildWith(ctx->withClause());
  node->conflict = MakeConflict(ctx->conflictAction());
  node->target = BuildTarget(ctx->targetTable(), ctx->indexedBy());
  node->assignments = BuildAssignments(ctx->assignments());
  if (ctx->fromClause() != nullptr) node->from = BuildTables(ctx->fromClause()->tableList());
  node->where = BuildWhere(ctx->whereClause());
  if (ctx->returning() != nullptr) {
    node->returning = BuildResultColumns(ctx->returning()->resultColumns());
  }
  node->order_by = BuildOrdering(ctx->orderBy());
  BuildLimit(ctx->limit(), &node->limit, &node->offset);
  return node;
}

Statement* AstBuilder::BuildDelete(G::DeleteStatementContext* ctx) {
  auto* node = NewStatement<DeleteStatement>(ctx);
  node->with = BuildWith(ctx->withClause());
  node->target = BuildTarget(ctx->targetTable(), ctx->indexedBy());
  node->where = BuildWhere(ctx->whereClause());
  if (ctx->returning() != nullptr) {
    node->returning = BuildResultColumns(ctx->returning()->resultColumns());
  }
  node->order_by = BuildOrdering(ctx->orderBy());
  BuildLimit(ctx->limit(), &node->limit, &node->offset);
  return node;
}

}  // namespace kvsql::parser
