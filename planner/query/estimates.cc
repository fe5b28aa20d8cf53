// How many entries a range of keys has, where the statement's text tells the range: counted in the tree, in O(log n).
#include <charconv>

#include "kv/range_scan.h"
#include "planner/query/join_planner.h"

namespace kvsql::planner {
namespace {

using kv::ValueType;
using kv::ValueView;

// The literal that begins `text`, as far as it is needed here: a number, or a text without quotes in it.
std::optional<ValueView> LiteralAt(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text[0] == '\'') {
    const size_t end = text.find('\'', 1);
    if (end == std::string_view::npos || (end + 1 < text.size() && text[end + 1] == '\'')) {
      return std::nullopt;
    }
    return ValueView::Text(text.substr(1, end - 1));
  }
  const size_t end = std::min(text.find_first_not_of("+-.0123456789eE"), text.size());
  const std::string_view number = text.substr(0, end);
  int64_t integer = 0;
  const char* last = number.data() + number.size();
  if (const auto [at, error] = std::from_chars(number.data(), last, integer);
      error == std::errc() && at == last) {
    return ValueView::Integer(integer);
  }
  double real = 0;
  if (const auto [at, error] = std::from_chars(number.data(), last, real);
      error == std::errc() && at == last) {
    return ValueView::Real(real);
  }
  return std::nullopt;
}

}  // namespace

double JoinPlanner::CountPath(const Source& source, const AccessPath& path) const {
  constexpr double kUnknown = -1;
  const kv::TableDef& table = *source.table;
  const bool by_index = path.kind == AccessPath::Kind::kIndex;
  const bool ints = !by_index && table.has_rowid();
  if (path.in_list != nullptr) return kUnknown;
  if (path.equal.empty() && path.low == nullptr && path.high == nullptr) return kUnknown;
  const auto value_of = [&](const ExprNode* node, size_t column) -> std::optional<ValueView> {
    std::optional<ValueView> value;
    if (node->Is(NodeKind::kConstant)) {
      value = builder_.plan_.constants[node->index].view();
    } else if (node->Is(NodeKind::kLifted) && node->offset < builder_.sql_.size()) {
      value = LiteralAt(builder_.sql_.substr(node->offset));
    }
    if (!value.has_value() || value->is_null()) return std::nullopt;
    if (ints) return value->is_number() ? value : std::nullopt;
    // Where the column's affinity would convert the value, the range is another one.
    const std::vector<kv::IndexColumn>& key = by_index ? path.index->columns : table.primary_key;
    if (column >= key.size() || key[column].column >= table.columns.size()) return std::nullopt;
    const kv::Affinity affinity = table.columns[key[column].column].affinity;
    if (affinity == kv::Affinity::kBlob) return value;
    const bool text = value->type == ValueType::kText;
    if (affinity == kv::Affinity::kText ? value->is_number() : text) return std::nullopt;
    return value;
  };
  std::vector<ValueView> equal;
  for (const ExprNode* node : path.equal) {
    const std::optional<ValueView> value = value_of(node, equal.size());
    if (!value.has_value()) return kUnknown;
    equal.push_back(*value);
  }
  std::optional<kv::KeyBound> low;
  std::optional<kv::KeyBound> high;
  if (path.low != nullptr) {
    const std::optional<ValueView> value = value_of(path.low, equal.size());
    if (!value.has_value()) return kUnknown;
    low = {*value, path.low_inclusive};
  }
  if (path.high != nullptr) {
    const std::optional<ValueView> value = value_of(path.high, equal.size());
    if (!value.has_value()) return kUnknown;
    high = {*value, path.high_inclusive};
  }
  kv::RangeScan scan;
  const kv::Reader& reader = builder_.reader_.Of(table);
  Status status;
  if (ints) {
    if (!equal.empty()) low = high = kv::KeyBound{equal[0], true};
    status = scan.StartInts(reader, table.tree, kv::MakeIntRange(low, high), false);
  } else {
    const kv::KeyRange range = kv::MakeKeyRange(by_index ? path.index->parts : table.key_parts,
                                                table.max_tuple_bytes(), equal, low, high);
    status = scan.StartKeys(reader, by_index ? path.index->tree : table.tree, range, false);
  }
  if (!status.ok()) return kUnknown;
  const StatusOr<uint64_t> count = scan.Left();
  return count.ok() ? static_cast<double>(*count) : kUnknown;
}

}  // namespace kvsql::planner
