// Views: a name in FROM that stands for a query of its own text.
#include <algorithm>
#include <string>

#include "parser/parser.h"
#include "planner/query/query_builder.h"

namespace kvsql::planner {

// The view's query is bound by a builder of its own: positions of its errors are those in the view's text,
// and it sees nothing of the query around it.
Status QueryBuilder::BindView(const kv::ViewDef& view, bool temporary, Source* source) {
  for (const ViewChain* outer = views_; outer != nullptr; outer = outer->outer) {
    if (outer->view == &view) {
      return Error(source->offset, "view " + view.name + " is circularly defined");
    }
  }
  KV_ASSIGN_OR_RETURN(const parser::ParsedStatement parsed, parser::Parse(view.sql));
  if (parsed.statement() == nullptr ||
      parsed.statement()->kind != parser::StatementKind::kCreateView) {
    return DataLoss("catalog: the text of view '", view.name, "' is none of a view");
  }
  const ViewChain chain{&view, views_};
  QueryBuilder builder(parsed.sql(), *this);
  builder.views_ = &chain;
  builder.main_only_ = !temporary;
  builder.depth_ = depth_ + 1;
  if (builder.depth_ >= kMaxQueryDepth) {
    return Error(source->offset, "views are nested too deeply");
  }
  const parser::Select& select =
      *parser::As<parser::CreateViewStatement>(*parsed.statement()).select;
  KV_ASSIGN_OR_RETURN(BoundQuery query, builder.BindSelect(select, nullptr, nullptr, nullptr));
  if (!view.columns.empty() && view.columns.size() != query.columns.size()) {
    return Error(source->offset, "expected " + std::to_string(view.columns.size()) +
                                     " columns for '" + view.name + "' but got " +
                                     std::to_string(query.columns.size()));
  }
  SetQuerySource(std::move(query), source);
  for (size_t i = 0; i < view.columns.size(); ++i) source->columns[i].name = view.columns[i];
  return absl::OkStatus();
}

// Makes the source the query's results. Names that stand twice are told apart.
void QueryBuilder::SetQuerySource(BoundQuery query, Source* source) {
  source->query = std::move(query.query);
  source->columns = std::move(query.columns);
  for (size_t i = 0; i < source->columns.size(); ++i) {
    SourceColumn& column = source->columns[i];
    // A column always has a collation, even where the expression behind it has none.
    column.traits.explicit_collation = false;
    if (!column.traits.collation.has_value()) column.traits.collation = kv::Collation::kBinary;
    const std::string base = column.name;
    for (int n = 1;; ++n) {
      const auto end = source->columns.begin() + static_cast<ptrdiff_t>(i);
      const bool taken = std::any_of(source->columns.begin(), end, [&](const SourceColumn& c) {
        return kv::EqualsIgnoreCase(c.name, column.name);
      });
      if (!taken) break;
      column.name = base + ":" + std::to_string(n);
    }
  }
}

}  // namespace kvsql::planner
