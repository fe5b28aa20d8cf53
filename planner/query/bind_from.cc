// FROM: tables, subqueries, common tables and joins.
#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "kv/value.h"
#include "planner/names.h"
#include "planner/query/query_builder.h"
#include "planner/scope.h"

namespace kvsql::planner {

using parser::TableTerm;
using parser::TableTermKind;

namespace {

// The source columns below a node of FROM, from the left.
void ForEachSource(const FromNode& node, const std::function<void(Source*)>& visit) {
  if (node.source != nullptr) {
    visit(node.source);
    return;
  }
  ForEachSource(*node.left, visit);
  ForEachSource(*node.right, visit);
}

// In how many tables there is a column of the name.
size_t CountColumns(const FromNode& node, std::string_view name) {
  size_t count = 0;
  ForEachSource(node, [&](Source* source) {
    count += std::any_of(source->columns.begin(), source->columns.end(),
                         [&](const SourceColumn& column) {
                           return !column.hidden && kv::EqualsIgnoreCase(column.name, name);
                         })
                 ? 1
                 : 0;
  });
  return count;
}

SourceColumn* FindColumn(const FromNode& node, std::string_view name) {
  SourceColumn* found = nullptr;
  ForEachSource(node, [&](Source* source) {
    for (SourceColumn& column : source->columns) {
      if (found == nullptr && !column.hidden && kv::EqualsIgnoreCase(column.name, name)) {
        found = &column;
      }
    }
  });
  return found;
}

}  // namespace

StatusOr<Source*> QueryBuilder::AddSource(Block* block, uint32_t offset) {
  if (block->sources.size() >= kMaxSources) {
    return Error(offset, "at most " + std::to_string(kMaxSources) + " tables in a join");
  }
  Source& source = block->sources.emplace_back();
  source.number = static_cast<uint32_t>(block->sources.size()) - 1;
  source.offset = offset;
  return &source;
}

void QueryBuilder::FillTableSource(const kv::TableDef& table, Source* source) {
  source->table = &table;
  for (const kv::ColumnDef& def : table.columns) {
    SourceColumn& column = source->columns.emplace_back();
    column.name = def.name;
    column.declared_type = def.declared_type;
    column.traits = {def.affinity, def.collation, false};
    column.slot = NewSlot();
    column.hidden = def.hidden;
  }
  if (!table.has_rowid()) return;
  source->rowid =
      table.rowid_alias.has_value() ? source->columns[*table.rowid_alias].slot : NewSlot();
}

StatusOr<Source*> QueryBuilder::AddTarget(const kv::TableDef& table,
                                          const parser::TargetTable& target, Block* block) {
  if (!target.index.empty() && table.FindIndex(target.index.text) == nullptr) {
    return Error(target.index.range.begin, "no such index: " + std::string(target.index.text));
  }
  KV_ASSIGN_OR_RETURN(Source * source, AddSource(block, target.name.object.range.begin));
  source->name = std::string(target.alias.empty() ? table.name : target.alias.text);
  source->in_main = target.alias.empty() && !table.temporary;
  source->in_temp = target.alias.empty() && table.temporary;
  source->not_indexed = target.not_indexed;
  FillTableSource(table, source);
  if (!table.has_rowid()) source->key = NewSlot();
  block->from = std::make_unique<FromNode>();
  block->from->source = source;
  block->from->mask = 1;
  return source;
}

ExprNode* QueryBuilder::KeyOf(const Source& target) {
  return SlotNode(target.key != kNoSlot ? target.key : target.rowid, {});
}

// A query as a source: its results under their names, or under `names`.
Status QueryBuilder::BindQuerySource(const parser::Select& select,
                                     std::span<const parser::Name> names, std::string_view what,
                                     QueryScope* parent, Subquery* subquery,
                                     const CommonTableScope* common_tables, Source* source) {
  if (depth_ >= kMaxQueryDepth) {
    return Error(source->offset, "circular reference: " + std::string(what));
  }
  ++depth_;
  StatusOr<BoundQuery> query = BindSelect(select, parent, subquery, common_tables);
  --depth_;
  KV_RETURN_IF_ERROR(query.status());
  if (!names.empty() && names.size() != query->columns.size()) {
    return Error(source->offset, "table " + std::string(what) + " has " +
                                     std::to_string(query->columns.size()) + " values for " +
                                     std::to_string(names.size()) + " columns");
  }
  for (size_t i = 0; i < names.size(); ++i) query->columns[i].name = std::string(names[i].text);
  SetQuerySource(*std::move(query), source);
  return absl::OkStatus();
}

StatusOr<Source*> QueryBuilder::BindTable(const TableTerm& term, QueryScope* scope) {
  KV_ASSIGN_OR_RETURN(Source * source, AddSource(scope->block, term.range.begin));
  const std::string_view name = term.table.object.text;
  source->name = std::string(term.alias.empty() ? name : term.alias.text);
  source->in_main = term.alias.empty();
  source->not_indexed = term.not_indexed;
  source->indexed_by = std::string(term.index.text);
  if (term.table.schema.empty()) {
    for (const CommonTableScope* c = scope->common_tables; c != nullptr; c = c->parent) {
      for (size_t i = 0; c->with != nullptr && i < c->with->tables.size(); ++i) {
        const parser::CommonTable& common = c->with->tables[i];
        if (!kv::EqualsIgnoreCase(common.name.text, name)) continue;
        if (std::find(expanding_.begin(), expanding_.end(), &common) != expanding_.end()) {
          if (common.query->cores.size() == 1) {
            return Error(term.range.begin, "circular reference: " + std::string(common.name.text));
          }
          return Unsupported(term.range.begin, "recursive common tables");
        }
        if (ShareRows(common, *c, source)) {
          source->in_main = false;
          return source;
        }
        expanding_.push_back(&common);
        const Status status =
            BindQuerySource(*common.query, common.columns, name, c->around, c->subquery, c, source);
        expanding_.pop_back();
        KV_RETURN_IF_ERROR(status);
        bound_tables_.emplace(&common, source);
        source->in_main = false;
        // What the table depends on, the queries that read it depend on.
        if (c->subquery != nullptr) {
          for (QueryScope* s = scope; s != c->around && s != nullptr; s = s->parent) {
            if (s->subquery == nullptr || s->subquery == c->subquery) continue;
            s->subquery->depends.insert(s->subquery->depends.end(), c->subquery->depends.begin(),
                                        c->subquery->depends.end());
          }
        }
        return source;
      }
    }
  }
  KV_ASSIGN_OR_RETURN(const bool known, BindStoredTable(term.table, source));
  if (!known) return NoSuchTable(sql_, term.table);
  return source;
}

// A table, a view or a table of the catalog. False: there is none of the name.
StatusOr<bool> QueryBuilder::BindStoredTable(const parser::QualifiedName& name, Source* source) {
  const SchemaKind schema = SchemaOf(name.schema);
  for (const bool temporary : {true, false}) {
    // A view of the database does not see the connection's tables.
    if (!Includes(schema, temporary) || (temporary && main_only_)) continue;
    used_schema_ = true;
    NamedObject object;
    if (ReaderOf(reader_, temporary) != nullptr) {
      const SchemaKind only = temporary ? SchemaKind::kTemp : SchemaKind::kMain;
      KV_ASSIGN_OR_RETURN(object, FindObject(reader_, only, name.object.text));
    }
    bool found = true;
    if (object.table != nullptr) {
      FillTableSource(*object.table, source);
    } else if (object.view != nullptr) {
      KV_RETURN_IF_ERROR(BindView(*object.view, temporary, source));
    } else {
      KV_ASSIGN_OR_RETURN(found, BindSystemTable(name, temporary, source));
    }
    if (!found) continue;
    source->in_temp = source->in_main && temporary;
    source->in_main &= !temporary;
    return true;
  }
  return false;
}

StatusOr<std::unique_ptr<FromNode>> QueryBuilder::BindTerm(const TableTerm& term,
                                                           QueryScope* scope) {
  if (term.kind == TableTermKind::kGroup) {
    const size_t before = scope->block->merged.size();
    KV_ASSIGN_OR_RETURN(std::unique_ptr<FromNode> group, BindTerms(term.group, scope));
    // What a join in parentheses has merged is one column from now on.
    for (size_t i = before; i < scope->block->merged.size(); ++i) {
      MergedColumn& merged = scope->block->merged[i];
      merged.operands = {FirstOf(merged.values)};
    }
    return group;
  }
  auto node = std::make_unique<FromNode>();
  switch (term.kind) {
    case TableTermKind::kFunction: {
      KV_ASSIGN_OR_RETURN(node->source, AddSource(scope->block, term.range.begin));
      KV_RETURN_IF_ERROR(BindTableFunction(term, node->source));
      break;
    }
    case TableTermKind::kSubquery: {
      KV_ASSIGN_OR_RETURN(node->source, AddSource(scope->block, term.range.begin));
      node->source->name = std::string(term.alias.text);
      node->source->in_main = false;
      KV_RETURN_IF_ERROR(BindQuerySource(*term.query, {}, term.alias.text, scope->parent,
                                         scope->subquery, scope->common_tables, node->source));
      break;
    }
    default:
      KV_ASSIGN_OR_RETURN(node->source, BindTable(term, scope));
      break;
  }
  node->mask = SourceMask{1} << node->source->number;
  return node;
}

Status QueryBuilder::MergeColumns(const TableTerm& term, bool has_right, FromNode* join,
                                  QueryScope* scope) {
  std::vector<std::string> names;
  if ((term.join & parser::kJoinNatural) != 0) {
    ForEachSource(*join->right, [&](Source* source) {
      for (const SourceColumn& column : source->columns) {
        if (!column.hidden && !column.merged_away &&
            FindColumn(*join->left, column.name) != nullptr) {
          names.push_back(column.name);
        }
      }
    });
  } else {
    for (const parser::Name& name : term.using_columns) names.emplace_back(name.text);
  }
  for (const std::string& name : names) {
    SourceColumn* left = FindColumn(*join->left, name);
    SourceColumn* right = FindColumn(*join->right, name);
    if (left == nullptr || right == nullptr) {
      return Error(term.range.begin,
                   "cannot join using column " + name + " - column not present in both tables");
    }
    right->merged_away = true;
    MergedColumn merged = TakeMerged(name, left, join->left->mask, scope->block);
    MergedColumn other = TakeMerged(name, right, join->right->mask, scope->block);
    if (has_right && CountColumns(*join->left, name) > merged.parts.size()) {
      return Error(term.range.begin, "ambiguous reference to " + name + " in USING()");
    }
    // With RIGHT or FULL any of the tables on the left may have been filled up with NULLs.
    ExprNode* left_value = has_right ? FirstOf(merged.operands) : merged.operands[0];
    ExprNode* right_value = FirstOf(other.values);
    join->on.push_back(Compare(Opcode::kEqual, left_value, right_value));
    merged.operands.push_back(right_value);
    merged.parts.insert(merged.parts.end(), other.parts.begin(), other.parts.end());
    if ((term.join & parser::kJoinRight) != 0) {
      if ((term.join & parser::kJoinLeft) == 0) merged.values.clear();
      merged.values.insert(merged.values.end(), other.values.begin(), other.values.end());
    }
    scope->block->merged.push_back(std::move(merged));
  }
  return absl::OkStatus();
}

// What the column is on one side of a join, `column` being the first there of that name: what was merged before, or
// the column alone.
MergedColumn QueryBuilder::TakeMerged(const std::string& name, const SourceColumn* column,
                                      SourceMask side, Block* block) {
  const auto in_side = [&](const MergedColumn& merged) {
    if (!kv::EqualsIgnoreCase(merged.name, name)) return false;
    return std::any_of(block->sources.begin(), block->sources.end(), [&](const Source& source) {
      if ((side & SourceMask{1} << source.number) == 0) return false;
      return std::any_of(source.columns.begin(), source.columns.end(),
                         [&](const auto& c) { return c.slot == merged.parts[0]->index; });
    });
  };
  const auto found = std::find_if(block->merged.begin(), block->merged.end(), in_side);
  if (found == block->merged.end()) {
    ExprNode* value = SlotNode(column->slot, column->traits);
    return {name, {value}, {value}, {value}};
  }
  MergedColumn merged = std::move(*found);
  block->merged.erase(found);
  return merged;
}

ExprNode* QueryBuilder::FirstOf(const std::vector<ExprNode*>& values) {
  if (values.size() == 1) return values[0];
  ExprNode* node = NewNode(NodeKind::kFunction);
  bool known = false;
  node->function = FindFunction("coalesce", 2, &known);
  node->args = values;
  return node;
}

StatusOr<std::unique_ptr<FromNode>> QueryBuilder::BindTerms(std::span<const TableTerm> terms,
                                                            QueryScope* scope) {
  KV_ASSIGN_OR_RETURN(std::unique_ptr<FromNode> tree, BindTerm(terms[0], scope));
  if (terms[0].on != nullptr || !terms[0].using_columns.empty()) {
    return Error(terms[0].range.begin, "a JOIN clause is required before ON");
  }
  const bool has_right = std::any_of(terms.begin(), terms.end(), [](const TableTerm& term) {
    return (term.join & parser::kJoinRight) != 0;
  });
  for (const TableTerm& term : terms.subspan(1)) {
    auto join = std::make_unique<FromNode>();
    join->left = std::move(tree);
    KV_ASSIGN_OR_RETURN(join->right, BindTerm(term, scope));
    join->mask = join->left->mask | join->right->mask;
    const bool left = (term.join & parser::kJoinLeft) != 0;
    const bool right = (term.join & parser::kJoinRight) != 0;
    if (left && right) {
      join->join = JoinKind::kFull;
    } else if (left) {
      join->join = JoinKind::kLeft;
    } else if (right) {
      join->join = JoinKind::kRight;
    } else if ((term.join & parser::kJoinOuter) != 0) {
      return Error(term.range.begin, "unknown join type: OUTER");
    }
    join->fixed_order = (term.join & parser::kJoinCross) != 0;
    if ((term.join & parser::kJoinNatural) != 0 &&
        (term.on != nullptr || !term.using_columns.empty())) {
      return Error(term.range.begin, "a NATURAL join may not have an ON or USING clause");
    }
    if (right)
      scope->block->left_of_right = static_cast<uint32_t>(std::countr_zero(join->right->mask));
    KV_RETURN_IF_ERROR(MergeColumns(term, has_right, join.get(), scope));
    if (term.on != nullptr) {
      KV_ASSIGN_OR_RETURN(ExprNode * on, BindScalar(*term.on, scope));
      SplitConjuncts(on, &join->on);
    }
    tree = std::move(join);
  }
  return tree;
}

Status QueryBuilder::BindFrom(std::span<const TableTerm> terms, QueryScope* scope) {
  if (terms.empty()) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(scope->block->from, BindTerms(terms, scope));
  return absl::OkStatus();
}

}  // namespace kvsql::planner
