// WHERE to a lookup by key: conjuncts `column = value` that cover the rowid, the primary key or a UNIQUE index.
#include <algorithm>

#include "planner/planner.h"

namespace kvsql::planner {
namespace {

using kv::Affinity;
using parser::As;
using parser::BinaryOp;
using parser::Expr;
using parser::ExprKind;

struct Equality {
  uint32_t column = 0;  // or kv::kRowidColumn
  const Expr* value = nullptr;
  size_t conjunct = 0;
  kv::Collation collation = kv::Collation::kBinary;
};

void SplitConjuncts(const Expr& expr, std::vector<const Expr*>* conjuncts) {
  if (expr.kind == ExprKind::kBinary && As<parser::BinaryExpr>(expr).op == BinaryOp::kAnd) {
    SplitConjuncts(*As<parser::BinaryExpr>(expr).left, conjuncts);
    SplitConjuncts(*As<parser::BinaryExpr>(expr).right, conjuncts);
  } else {
    conjuncts->push_back(&expr);
  }
}

class LookupBinder {
 public:
  LookupBinder(const Scope& scope, ExprCompiler* compiler) : scope_(scope), compiler_(*compiler) {}

  void Collect(const Expr& where) {
    SplitConjuncts(where, &conjuncts_);
    for (size_t i = 0; i < conjuncts_.size(); ++i) {
      if (conjuncts_[i]->kind != ExprKind::kBinary) continue;
      const auto& binary = As<parser::BinaryExpr>(*conjuncts_[i]);
      if (binary.op != BinaryOp::kEqual) continue;
      if (!AddEquality(*binary.left, *binary.right, binary, i)) {
        AddEquality(*binary.right, *binary.left, binary, i);
      }
    }
  }

  const Equality* For(uint32_t column, kv::Collation collation) const {
    for (const Equality& equality : equalities_) {
      if (equality.column == column && equality.collation == collation) return &equality;
    }
    return nullptr;
  }

  // The equalities for all columns of a key, or nothing.
  bool Covers(std::span<const kv::IndexColumn> columns, std::vector<const Equality*>* out) const {
    out->clear();
    for (const kv::IndexColumn& column : columns) {
      const Equality* equality = For(column.column, column.collation);
      if (equality == nullptr) return false;
      out->push_back(equality);
    }
    return !columns.empty();
  }

  // What is not part of the key.
  std::vector<const Expr*> Rest(std::span<const Equality* const> used) const {
    std::vector<const Expr*> rest;
    for (size_t i = 0; i < conjuncts_.size(); ++i) {
      const bool in_key = std::any_of(used.begin(), used.end(),
                                      [&](const Equality* e) { return e->conjunct == i; });
      if (!in_key) rest.push_back(conjuncts_[i]);
    }
    return rest;
  }

 private:
  bool AddEquality(const Expr& column, const Expr& value, const parser::BinaryExpr& binary,
                   size_t conjunct) {
    if (column.kind != ExprKind::kColumn || compiler_.UsesColumns(value)) return false;
    const std::optional<uint32_t> number = scope_.Resolve(As<parser::ColumnExpr>(column));
    if (!number.has_value()) return false;
    if (!LeavesColumnAsIs(compiler_.TraitsOf(column).affinity,
                          compiler_.TraitsOf(value).affinity)) {
      return false;
    }
    const uint8_t comparison = compiler_.ComparisonOf(*binary.left, *binary.right);
    equalities_.push_back({*number, &value, conjunct, CollationOfComparison(comparison)});
    return true;
  }

  const Scope& scope_;
  ExprCompiler& compiler_;
  std::vector<const Expr*> conjuncts_;
  std::vector<Equality> equalities_;
};

}  // namespace

StatusOr<KeyLookup> Planner::BindLookup(const Expr& where, const Scope& scope, Plan* plan) {
  ExprCompiler compiler(plan, scope);
  LookupBinder binder(scope, &compiler);
  binder.Collect(where);

  const kv::TableDef& table = *scope.table;
  KeyLookup lookup;
  lookup.table = &table;
  std::vector<const Equality*> used;
  bool found = false;
  if (table.has_rowid()) {
    const uint32_t column = table.rowid_alias.value_or(kv::kRowidColumn);
    for (const kv::Collation collation :
         {kv::Collation::kBinary, kv::Collation::kNocase, kv::Collation::kRtrim}) {
      if (found) break;  // integers compare alike under every collation
      if (const Equality* equality = binder.For(column, collation); equality != nullptr) {
        used = {equality};
        lookup.by = KeyLookup::By::kRowid;
        found = true;
      }
    }
  } else if (binder.Covers(table.primary_key, &used)) {
    lookup.by = KeyLookup::By::kPrimaryKey;
    found = true;
  }
  for (const kv::IndexDef& index : table.indexes) {
    if (found) break;
    if (index.unique && !index.partial() && !index.has_expressions &&
        binder.Covers(index.columns, &used)) {
      lookup.by = KeyLookup::By::kUniqueIndex;
      lookup.index = &index;
      found = true;
    }
  }
  const std::vector<const Expr*> rest = binder.Rest(found ? used : std::vector<const Equality*>());
  // Compiled even if the lookup fails: a wrong name is an error all the same.
  for (const Expr* conjunct : rest) {
    KV_ASSIGN_OR_RETURN(const Operand operand, compiler.Compile(*conjunct));
    if (!found) continue;
    if (rest.size() == 1) lookup.filter = operand;
  }
  if (!found) {
    return Unsupported(where.range.begin, "WHERE without = on all of a primary or unique key");
  }
  if (rest.size() > 1) {
    // The whole condition again: true for the row if and only if its other parts are.
    KV_ASSIGN_OR_RETURN(lookup.filter, compiler.Compile(where));
  }
  for (const Equality* equality : used) {
    KV_ASSIGN_OR_RETURN(const Operand operand, compiler.Compile(*equality->value));
    lookup.key.push_back(operand);
  }
  return lookup;
}

}  // namespace kvsql::planner
