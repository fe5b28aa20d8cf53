// LIKE 'abc%' and GLOB 'abc*' on a text column: the ranges of keys in which all matches lie, as conditions that only
// access paths use. LIKE needs an index with NOCASE, GLOB one with BINARY. A blob matches too if its bytes do, and
// sorts behind all texts: hence two ranges.
#include <algorithm>

#include "planner/query/query_builder.h"

namespace kvsql::planner {
namespace {

using kv::ValueType;
using kv::ValueView;

// What all matches begin with.
std::string PrefixOf(std::string_view pattern, bool glob) {
  std::string prefix;
  for (const char c : pattern) {
    if (glob ? c == '*' || c == '?' || c == '[' : c == '%' || c == '_') break;
    // LIKE folds ASCII only; what it makes of other letters and of NUL is left alone.
    if (c == '\0' || (static_cast<uint8_t>(c) & 0x80) != 0) break;
    prefix.push_back(c);
  }
  return prefix;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

}  // namespace

void QueryBuilder::AddPrefixRanges(const Block& block, std::vector<ExprNode*>* where) {
  const size_t count = where->size();
  for (size_t i = 0; i < count; ++i) {
    const ExprNode* like = (*where)[i];
    if (!like->Is(NodeKind::kFunction) || like->args.size() != 2) continue;
    const bool glob = like->function->id == FunctionId::kGlob;
    if (!glob && like->function->id != FunctionId::kLike) continue;
    ExprNode* column = like->args[1];
    if (!column->Is(NodeKind::kSlot) || column->traits.affinity != kv::Affinity::kText ||
        !like->args[0]->Is(NodeKind::kConstant)) {
      continue;
    }
    const ValueView pattern = plan_.constants[like->args[0]->index].view();
    if (pattern.type != ValueType::kText) continue;
    std::string prefix = PrefixOf(pattern.bytes(), glob);
    if (prefix.empty()) continue;
    const kv::Collation collation = glob ? kv::Collation::kBinary : kv::Collation::kNocase;
    std::string high = prefix;
    if (!glob) std::transform(high.begin(), high.end(), high.begin(), Lower);
    ++high.back();  // ASCII: never the last byte
    std::string low = prefix;
    // As NOCASE orders texts, folded ones stand between; blobs are compared as they are.
    std::string blob_low = prefix;
    if (!glob) {
      std::transform(low.begin(), low.end(), low.begin(), Lower);
      std::transform(blob_low.begin(), blob_low.end(), blob_low.begin(), Upper);
    }
    const uint8_t extra = PackComparison(CompareAffinity::kText, collation);
    const auto range = [&](const ValueView& from, const ValueView& to) {
      ExprNode* above = OperatorNode(Opcode::kGreaterEqual, {column, ConstantNode(from)});
      ExprNode* below = OperatorNode(Opcode::kLess, {column, ConstantNode(to)});
      above->extra = below->extra = extra;
      return OperatorNode(Opcode::kAnd, {above, below});
    };
    bool only_texts = false;
    for (const Source& source : block.sources) {
      only_texts |= source.table != nullptr && source.table->strict &&
                    std::any_of(source.columns.begin(), source.columns.end(),
                                [&](const SourceColumn& c) { return c.slot == column->index; });
    }
    ExprNode* texts = range(ValueView::Text(low), ValueView::Text(high));
    if (only_texts) {
      for (ExprNode* side : texts->args) {
        side->flags |= kImplied;
        where->push_back(side);
      }
      continue;
    }
    ExprNode* both =
        OperatorNode(Opcode::kOr, {texts, range(ValueView::Blob(blob_low), ValueView::Blob(high))});
    both->flags |= kImplied;
    where->push_back(both);
  }
}

}  // namespace kvsql::planner
