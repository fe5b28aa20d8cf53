// What a name in an expression means.
#include <algorithm>
#include <utility>

#include "kv/value.h"
#include "planner/names.h"
#include "planner/query/query_builder.h"
#include "planner/scope.h"

namespace kvsql::planner {
namespace {

constexpr uint32_t kMaxAliasDepth = 32;

bool Qualifies(const parser::ColumnExpr& name, const Source& source) {
  if (name.table.empty()) return true;
  if (!name.schema.empty()) {
    const SchemaKind schema = SchemaOf(name.schema);
    if (!(schema == SchemaKind::kMain && source.in_main) &&
        !(schema == SchemaKind::kTemp && source.in_temp)) {
      return false;
    }
  }
  return kv::EqualsIgnoreCase(name.table.text, source.name);
}

// Whether a table outside of the join that merged the column has one of its name.
bool StandsElsewhere(const MergedColumn& merged, const Block& block) {
  for (const Source& source : block.sources) {
    for (const SourceColumn& column : source.columns) {
      if (column.hidden || !kv::EqualsIgnoreCase(column.name, merged.name)) continue;
      bool is_part = false;
      for (const ExprNode* part : merged.parts) is_part |= part->index == column.slot;
      if (!is_part) return true;
      break;
    }
  }
  return false;
}

}  // namespace

StatusOr<ExprNode*> QueryBuilder::FindInScope(const parser::ColumnExpr& name, QueryScope* scope) {
  ExprNode* found = nullptr;
  const std::string_view column = name.column.text;
  if (scope->block != nullptr) {
    if (name.table.empty()) {
      for (const MergedColumn& merged : scope->block->merged) {
        if (!kv::EqualsIgnoreCase(merged.name, column)) continue;
        if (StandsElsewhere(merged, *scope->block)) {
          return Error(name.range.begin, "ambiguous column name: " + std::string(column));
        }
        return FirstOf(merged.values);
      }
    }
    for (Source& source : scope->block->sources) {
      if (!Qualifies(name, source)) continue;
      for (const SourceColumn& candidate : source.columns) {
        if (!kv::EqualsIgnoreCase(candidate.name, column)) continue;
        if (found != nullptr) {
          std::string full;
          if (!name.table.empty()) full.append(name.table.text).push_back('.');
          full.append(column);
          return Error(name.range.begin, "ambiguous column name: " + full);
        }
        found = SlotNode(candidate.slot, candidate.traits);
        break;
      }
    }
    if (found == nullptr && IsRowidName(column)) {
      for (Source& source : scope->block->sources) {
        if (source.rowid == kNoSlot || !Qualifies(name, source)) continue;
        if (found != nullptr) {
          return Error(name.range.begin, "ambiguous column name: " + std::string(column));
        }
        found = SlotNode(source.rowid, {kv::Affinity::kInteger, kv::Collation::kBinary, false});
      }
    }
    if (found != nullptr) {
      found->offset = name.range.begin;
      return found;
    }
  }
  if (scope->aliases_visible && name.table.empty()) {
    for (const ResultAlias& alias : scope->aliases) {
      if (!kv::EqualsIgnoreCase(alias.name, column)) continue;
      if (scope->expanding >= kMaxAliasDepth) break;
      ++scope->expanding;
      const bool hidden = std::exchange(scope->outer_hidden, false);
      StatusOr<ExprNode*> node = BindScalar(*alias.expr, scope);
      scope->outer_hidden = hidden;
      --scope->expanding;
      return node;
    }
  }
  return nullptr;
}

ExprNode* QueryBuilder::FromOuter(ExprNode* node, QueryScope* owner, QueryScope* scope) {
  if (node->kind == NodeKind::kConstant || node->kind == NodeKind::kParameter ||
      node->kind == NodeKind::kLifted || node->kind == NodeKind::kOuter) {
    return node;
  }
  if (node->kind != NodeKind::kSlot) {
    // A merged column or an alias: its parts come from outside one by one.
    ExprNode* copy = NewNode(node->kind);
    *copy = *node;
    for (ExprNode*& arg : copy->args) arg = FromOuter(arg, owner, scope);
    return copy;
  }
  // The subquery that the owner runs has the slot as an input; what lies between depends on it.
  QueryScope* child = scope;
  while (child->parent != owner) child = child->parent;
  Subquery* run = child->subquery;
  uint32_t cell = UINT32_MAX;
  for (const Subquery::Input& input : run->inputs) {
    if (input.slot == node->index) cell = input.cell;
  }
  if (cell == UINT32_MAX) {
    cell = plan_.outer_cells++;
    run->inputs.push_back({node->index, cell});
  }
  for (QueryScope* s = scope; s != owner; s = s->parent) {
    std::vector<uint32_t>& depends = s->subquery->depends;
    bool known = false;
    for (const uint32_t c : depends) known |= c == cell;
    if (!known) depends.push_back(cell);
  }
  ExprNode* outer = NewNode(NodeKind::kOuter);
  outer->index = cell;
  outer->offset = node->offset;
  outer->traits = node->traits;
  return outer;
}

std::optional<bool> QueryBuilder::AsBoolean(const parser::Expr& expr, QueryScope* scope) {
  if (expr.kind != parser::ExprKind::kColumn) return std::nullopt;
  const auto& column = parser::As<parser::ColumnExpr>(expr);
  if (!column.table.empty() || column.column.quote != 0) return std::nullopt;
  const bool is_true = kv::EqualsIgnoreCase(column.column.text, "true");
  if (!is_true && !kv::EqualsIgnoreCase(column.column.text, "false")) return std::nullopt;
  for (QueryScope* s = scope; s != nullptr; s = s->outer_hidden ? nullptr : s->parent) {
    const StatusOr<ExprNode*> found = FindInScope(column, s);
    if (!found.ok() || *found != nullptr) return std::nullopt;
  }
  return is_true;
}

StatusOr<ExprNode*> QueryBuilder::BindColumn(const parser::ColumnExpr& name, QueryScope* scope) {
  for (QueryScope* s = scope; s != nullptr; s = s->outer_hidden ? nullptr : s->parent) {
    KV_ASSIGN_OR_RETURN(ExprNode * found, FindInScope(name, s));
    if (found == nullptr) continue;
    return s == scope ? found : FromOuter(found, s, scope);
  }
  if (const std::optional<bool> boolean = AsBoolean(name, scope); boolean.has_value()) {
    return ConstantNode(kv::ValueView::Integer(*boolean ? 1 : 0));
  }
  if (name.table.empty() && name.column.quote == '"') {
    return ConstantNode(kv::ValueView::Text(name.column.text));
  }
  return NoSuchColumn(sql_, name);
}

}  // namespace kvsql::planner
