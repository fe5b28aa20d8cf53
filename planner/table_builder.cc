#include "planner/table_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "parser/parser.h"
#include "planner/expr_compiler.h"
#include "planner/query/table_expressions.h"
#include "planner/scope.h"

namespace kvsql::planner {
namespace {

using kv::ColumnDef;
using kv::IndexColumn;
using parser::As;
using parser::Constraint;
using parser::ConstraintKind;
using parser::ErrorAt;
using parser::Expr;
using parser::ExprKind;
using parser::NotSupportedAt;

}  // namespace

StatusOr<std::vector<IndexColumn>> BindKeyColumns(std::string_view sql, const kv::TableDef& table,
                                                  std::span<const parser::OrderingTerm> terms,
                                                  const kv::StatementReader& reader,
                                                  std::vector<std::string>* expressions) {
  const bool is_index = expressions != nullptr;
  std::vector<IndexColumn> columns;
  for (const parser::OrderingTerm& term : terms) {
    const Expr* expr = term.expr;
    std::optional<kv::Collation> collation;
    if (expr->kind == ExprKind::kCollate) {
      const auto& collate = As<parser::CollateExpr>(*expr);
      kv::Collation named;
      if (!kv::ParseCollation(collate.collation.text, &named)) {
        return ErrorAt(
            sql, collate.collation.range.begin,
            absl::StrCat("no such collation sequence: ", std::string(collate.collation.text)));
      }
      collation = named;
      expr = collate.operand;
    }
    // A text in quotes of either kind names a column here.
    std::string_view name;
    if (expr->kind == ExprKind::kColumn && As<parser::ColumnExpr>(*expr).table.empty()) {
      name = As<parser::ColumnExpr>(*expr).column.text;
    } else if (expr->kind == ExprKind::kLiteral &&
               As<parser::LiteralExpr>(*expr).literal == parser::LiteralKind::kText) {
      name = As<parser::LiteralExpr>(*expr).bytes;
    } else if (is_index) {
      KV_RETURN_IF_ERROR(CheckStorable(sql, *expr, "index expressions"));
      KV_RETURN_IF_ERROR(CheckNames(sql, &table, *expr, reader));
      expressions->resize(terms.size());
      (*expressions)[columns.size()] = std::string(expr->range.In(sql));
      columns.push_back({kv::kExpressionColumn, collation.value_or(kv::Collation::kBinary),
                         term.order == parser::SortOrder::kDescending});
      continue;
    } else {
      return ErrorAt(sql, expr->range.begin,
                     "expressions prohibited in PRIMARY KEY and UNIQUE constraints");
    }
    if (term.nulls != parser::NullsOrder::kUnspecified) {
      return ErrorAt(sql, expr->range.begin,
                     absl::StrCat("unsupported use of NULLS ",
                                  term.nulls == parser::NullsOrder::kFirst ? "FIRST" : "LAST"));
    }
    const std::optional<uint32_t> column = table.FindColumn(name);
    if (!column.has_value()) {
      return ErrorAt(sql, expr->range.begin, absl::StrCat("no such column: ", std::string(name)));
    }
    columns.push_back({*column, collation.value_or(table.columns[*column].collation),
                       term.order == parser::SortOrder::kDescending});
  }
  return columns;
}

kv::OnConflict OnConflictOf(parser::ConflictAction action) {
  switch (action) {
    case parser::ConflictAction::kUnspecified:
      return kv::OnConflict::kDefault;
    case parser::ConflictAction::kAbort:
      return kv::OnConflict::kAbort;
    case parser::ConflictAction::kRollback:
      return kv::OnConflict::kRollback;
    case parser::ConflictAction::kFail:
      return kv::OnConflict::kFail;
    case parser::ConflictAction::kIgnore:
      return kv::OnConflict::kIgnore;
    case parser::ConflictAction::kReplace:
      return kv::OnConflict::kReplace;
  }
  return kv::OnConflict::kDefault;
}

std::string_view InParentheses(std::string_view text) {
  const size_t begin = text.find('(');
  const size_t end = text.rfind(')');
  if (begin == std::string_view::npos || end <= begin) return text;
  text = text.substr(begin + 1, end - begin - 1);
  constexpr std::string_view kBlanks = " \t\n\r\f";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The names are looked at once the table has all its columns.
Status TableBuilder::AddCheck(const Constraint& constraint) {
  KV_RETURN_IF_ERROR(CheckStorable(sql_, *constraint.expr, "CHECK constraints"));
  table_.checks.push_back(
      {std::string(constraint.name.text), std::string(InParentheses(constraint.range.In(sql_)))});
  checks_.push_back(constraint.expr);
  return absl::OkStatus();
}

Status TableBuilder::SetType(const parser::ColumnDefinition& definition, ColumnDef* column) {
  column->declared_type = std::string(definition.type.text);
  column->affinity = kv::AffinityOfType(column->declared_type);
  if (!statement_.strict) return absl::OkStatus();
  const std::string& type = column->declared_type;
  const std::string full = absl::StrCat(table_.name, ".", column->name);
  if (type.empty()) {
    return ErrorAt(sql_, definition.name.range.begin, "missing datatype for " + full);
  }
  if (kv::EqualsIgnoreCase(type, "ANY")) {
    column->any = true;
    column->affinity = kv::Affinity::kBlob;
    return absl::OkStatus();
  }
  for (const std::string_view known : {"INT", "INTEGER", "REAL", "TEXT", "BLOB"}) {
    if (kv::EqualsIgnoreCase(type, known)) return absl::OkStatus();
  }
  return ErrorAt(sql_, definition.name.range.begin,
                 absl::StrCat("unknown datatype for ", full, ": \"", type, "\""));
}

Status TableBuilder::SetDefault(const Constraint& constraint, ColumnDef* column) {
  // The text after DEFAULT, as written.
  std::string_view text = constraint.range.In(sql_).substr(std::string_view("DEFAULT").size());
  while (!text.empty() &&
         (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r')) {
    text.remove_prefix(1);
  }
  const bool parenthesized = text.size() >= 2 && text.front() == '(' && text.back() == ')';
  if (parenthesized) text = InParentheses(text);
  column->default_sql = std::string(text);

  const Expr& expr = *constraint.expr;
  if (const std::optional<kv::ValueView> literal = LiteralOf(expr); literal.has_value()) {
    column->default_value = *literal;
    return absl::OkStatus();
  }
  if (!parenthesized && expr.kind == ExprKind::kColumn &&
      As<parser::ColumnExpr>(expr).table.empty()) {
    const parser::Name& name = As<parser::ColumnExpr>(expr).column;
    if (name.quote == 0 && kv::EqualsIgnoreCase(name.text, "true")) {
      column->default_value = kv::ValueView::Integer(1);
    } else if (name.quote == 0 && kv::EqualsIgnoreCase(name.text, "false")) {
      column->default_value = kv::ValueView::Integer(0);
    } else {
      column->default_value = kv::ValueView::Text(name.text);
    }
    return absl::OkStatus();
  }
  KV_RETURN_IF_ERROR(CheckConstant(sql_, expr, column->name));
  column->default_expression = true;
  return absl::OkStatus();
}

Status TableBuilder::AddColumnConstraint(const Constraint& constraint, uint32_t number) {
  ColumnDef& column = table_.columns[number];
  switch (constraint.kind) {
    case ConstraintKind::kNull:
      return absl::OkStatus();
    case ConstraintKind::kNotNull:
      column.not_null = true;
      column.not_null_conflict = OnConflictOf(constraint.conflict);
      return absl::OkStatus();
    case ConstraintKind::kDefault:
      return SetDefault(constraint, &column);
    case ConstraintKind::kCollate: {
      if (!kv::ParseCollation(constraint.collation.text, &column.collation)) {
        return ErrorAt(
            sql_, constraint.collation.range.begin,
            absl::StrCat("no such collation sequence: ", std::string(constraint.collation.text)));
      }
      // COLLATE may stand behind PRIMARY KEY or UNIQUE.
      for (KeyColumns& key : keys_) {
        for (IndexColumn& part : key.columns) {
          if (part.column == number) part.collation = column.collation;
        }
      }
      return absl::OkStatus();
    }
    case ConstraintKind::kUnique:
      keys_.push_back({{{number, column.collation, false}}, &constraint, false});
      return absl::OkStatus();
    case ConstraintKind::kPrimaryKey:
      return SetPrimaryKey(
          {{{number, column.collation, constraint.order == parser::SortOrder::kDescending}},
           &constraint,
           true});
    case ConstraintKind::kCheck:
      return AddCheck(constraint);
    case ConstraintKind::kReferences:
    case ConstraintKind::kForeignKey:
      return CheckForeignKey(constraint);
    case ConstraintKind::kGenerated:
      return NotSupportedAt(sql_, constraint.range.begin, "generated columns");
  }
  return absl::OkStatus();
}

// Foreign keys are part of the table's text and are not enforced, as in SQLite unless it is told to.
Status TableBuilder::CheckForeignKey(const Constraint& constraint) const {
  for (const parser::Name& name : constraint.child_columns) {
    if (table_.FindColumn(name.text).has_value()) continue;
    return ErrorAt(
        sql_, name.range.begin,
        absl::StrCat("unknown column \"", std::string(name.text), "\" in foreign key definition"));
  }
  const size_t child =
      constraint.kind == ConstraintKind::kForeignKey ? constraint.child_columns.size() : 1;
  const size_t parent = constraint.references->columns.size();
  if (parent == 0 || parent == child) return absl::OkStatus();
  return ErrorAt(
      sql_, constraint.range.begin,
      constraint.kind == ConstraintKind::kForeignKey
          ? "number of columns in foreign key does not match the number of columns in the "
            "referenced table"
          : "foreign key on one column should reference only one column of table " +
                std::string(constraint.references->table.text));
}

Status TableBuilder::AddColumn(const parser::ColumnDefinition& definition) {
  if (table_.FindColumn(definition.name.text).has_value()) {
    return ErrorAt(sql_, definition.name.range.begin,
                   absl::StrCat("duplicate column name: ", std::string(definition.name.text)));
  }
  const auto number = static_cast<uint32_t>(table_.columns.size());
  ColumnDef& column = table_.columns.emplace_back();
  column.name = std::string(definition.name.text);
  KV_RETURN_IF_ERROR(SetType(definition, &column));
  for (const Constraint& constraint : definition.constraints) {
    KV_RETURN_IF_ERROR(AddColumnConstraint(constraint, number));
  }
  return absl::OkStatus();
}

Status TableBuilder::AddTableConstraint(const Constraint& constraint) {
  switch (constraint.kind) {
    case ConstraintKind::kCheck:
      return AddCheck(constraint);
    case ConstraintKind::kForeignKey:
      return CheckForeignKey(constraint);
    default:
      break;
  }
  KV_ASSIGN_OR_RETURN(std::vector<IndexColumn> columns,
                      BindKeyColumns(sql_, table_, constraint.columns, reader_, nullptr));
  KeyColumns key{std::move(columns), &constraint, constraint.kind == ConstraintKind::kPrimaryKey};
  if (key.is_primary) return SetPrimaryKey(std::move(key));
  keys_.push_back(std::move(key));
  return absl::OkStatus();
}

Status TableBuilder::SetPrimaryKey(KeyColumns key) {
  if (has_primary_key_) {
    return ErrorAt(sql_, key.constraint->range.begin,
                   absl::StrCat("table \"", table_.name, "\" has more than one primary key"));
  }
  has_primary_key_ = true;
  keys_.push_back(std::move(key));
  return absl::OkStatus();
}

void TableBuilder::AddKeyIndex(const KeyColumns& key, size_t number) {
  kv::IndexDef index;
  index.name = absl::StrCat("sqlite_autoindex_", table_.name, "_", number);
  index.table = table_.name;
  index.columns = key.columns;
  index.unique = true;
  index.conflict = key.conflict;
  index.origin = key.is_primary ? kv::IndexOrigin::kPrimaryKey : kv::IndexOrigin::kUnique;
  table_.indexes.push_back(std::move(index));
}

Status TableBuilder::CheckAutoincrement(const KeyColumns& key) const {
  if (!key.constraint->autoincrement) return absl::OkStatus();
  return ErrorAt(sql_, key.constraint->range.begin,
                 statement_.without_rowid
                     ? "AUTOINCREMENT not allowed on WITHOUT ROWID tables"
                     : "AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY");
}

// INTEGER PRIMARY KEY; but not when DESC stands behind the column itself.
bool TableBuilder::IsIntegerKey(const KeyColumns& key) const {
  const bool column_desc = key.columns[0].descending && key.constraint->columns.empty();
  return key.is_primary && key.columns.size() == 1 && !column_desc &&
         kv::EqualsIgnoreCase(table_.columns[key.columns[0].column].declared_type, "INTEGER");
}

// The keys that become indexes, in the order of their numbers. Keys alike are one, with the conflict clause of the one
// that has any.
StatusOr<std::vector<TableBuilder::KeyColumns>> TableBuilder::MergeKeys() {
  std::vector<KeyColumns> made;
  for (const KeyColumns& key : keys_) {
    const auto same = std::find_if(made.begin(), made.end(), [&](const KeyColumns& other) {
      return std::equal(other.columns.begin(), other.columns.end(), key.columns.begin(),
                        key.columns.end(), [](const IndexColumn& a, const IndexColumn& b) {
                          return a.column == b.column && a.collation == b.collation;
                        });
    });
    if (same == made.end()) {
      made.push_back(key);
      continue;
    }
    if (same->conflict != key.conflict) {
      if (same->conflict != kv::OnConflict::kDefault && key.conflict != kv::OnConflict::kDefault) {
        return ErrorAt(sql_, key.constraint->range.begin,
                       "conflicting ON CONFLICT clauses specified");
      }
      if (same->conflict == kv::OnConflict::kDefault) same->conflict = key.conflict;
    }
    same->is_primary |= key.is_primary;
  }
  return made;
}

// Decides what the primary key is, and makes the indexes of the other keys.
Status TableBuilder::FinishKeys() {
  for (KeyColumns& key : keys_) {
    key.conflict = OnConflictOf(key.constraint->conflict);
    // A column that is in a key twice counts once.
    std::vector<IndexColumn> columns;
    for (const IndexColumn& part : key.columns) {
      const bool repeated = std::any_of(columns.begin(), columns.end(), [&](const IndexColumn& c) {
        return c.column == part.column && c.collation == part.collation;
      });
      if (!repeated) columns.push_back(part);
    }
    key.columns = std::move(columns);
  }
  const auto primary = std::find_if(keys_.begin(), keys_.end(),
                                    [](const KeyColumns& key) { return key.is_primary; });
  if (primary != keys_.end()) {
    table_.primary_key = primary->columns;
    if (IsIntegerKey(*primary)) {
      if (!statement_.without_rowid) {
        table_.rowid_alias = primary->columns[0].column;
        table_.key_conflict = primary->conflict;
        table_.autoincrement = primary->constraint->autoincrement;
        table_.primary_key = {{primary->columns[0].column, kv::Collation::kBinary, false}};
        keys_.erase(primary);
      } else {
        // SQLite makes its index when it has found that it cannot be the rowid: last of all.
        std::rotate(primary, primary + 1, keys_.end());
      }
    }
  }
  for (const KeyColumns& key : keys_) {
    KV_RETURN_IF_ERROR(CheckAutoincrement(key));
    if (!key.is_primary || (!statement_.without_rowid && !statement_.strict)) continue;
    for (const IndexColumn& part : key.columns) table_.columns[part.column].not_null = true;
  }
  if (statement_.without_rowid) {
    if (!has_primary_key_) {
      return ErrorAt(sql_, statement_.range.begin,
                     absl::StrCat("PRIMARY KEY missing on table ", table_.name));
    }
    table_.shape = kv::TableShape::kWithoutRowid;
  }
  KV_ASSIGN_OR_RETURN(const std::vector<KeyColumns> made, MergeKeys());
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].is_primary) table_.primary_key = made[i].columns;
    if (made[i].is_primary && statement_.without_rowid) {
      table_.key_conflict = made[i].conflict;
    } else {
      AddKeyIndex(made[i], i + 1);
    }
  }
  return absl::OkStatus();
}

StatusOr<kv::TableDef> TableBuilder::Build() {
  const parser::Name& name = statement_.name.object;
  table_.name = std::string(name.text);
  table_.strict = statement_.strict;
  if (const parser::Name& compression = statement_.compression;
      !compression.text.empty() &&
      !kv::ParseCompression(compression.text, &table_.compression.kind)) {
    return ErrorAt(sql_, compression.range.begin,
                   absl::StrCat("compression must be zstd, not ", std::string(compression.text)));
  }
  for (const parser::ColumnDefinition& column : statement_.columns) {
    KV_RETURN_IF_ERROR(AddColumn(column));
  }
  for (const Constraint& constraint : statement_.constraints) {
    KV_RETURN_IF_ERROR(AddTableConstraint(constraint));
  }
  KV_RETURN_IF_ERROR(FinishKeys());
  if (!checks_.empty()) table_.Derive();
  for (const Expr* check : checks_) {
    KV_RETURN_IF_ERROR(CheckNames(sql_, &table_, *check, reader_));
  }
  // As sqlite_schema shows it.
  table_.sql = absl::StrCat(
      "CREATE TABLE ",
      std::string(sql_.substr(name.range.begin, statement_.range.end - name.range.begin)));
  return std::move(table_);
}

}  // namespace kvsql::planner
