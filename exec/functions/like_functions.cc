// like() and glob(): the operators as functions, pattern first. A blob matches nothing.
#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"
#include "exec/functions/like.h"

namespace kvsql::exec::builtin {
namespace {

using kv::ValueType;
using kv::ValueView;

ValueView Match(FunctionContext& context, const ValueView* args, int count, bool glob) {
  if (args[0].type == ValueType::kBlob || args[1].type == ValueType::kBlob) {
    return ValueView::Integer(0);
  }
  std::string_view pattern;
  if (!args[0].is_null()) pattern = TextOf(context, args[0]);
  if (pattern.size() > kMaxLikePattern) {
    return Fail(context, "LIKE or GLOB pattern too complex");
  }
  uint32_t escape = 0;
  if (count == 3) {
    if (args[2].is_null()) return {};
    if (!ParseEscape(TextOf(context, args[2]), &escape)) {
      return Fail(context, "ESCAPE expression must be a single character");
    }
  }
  if (args[0].is_null() || args[1].is_null()) return {};
  const std::string_view text = TextOf(context, args[1]);
  const bool matches = glob ? GlobMatch(pattern, text) : LikeMatch(pattern, text, escape);
  return ValueView::Integer(matches ? 1 : 0);
}

}  // namespace

ValueView Like(FunctionContext& context, const ValueView* args, int count) {
  return Match(context, args, count, false);
}

ValueView Glob(FunctionContext& context, const ValueView* args, int count) {
  return Match(context, args, count, true);
}

}  // namespace kvsql::exec::builtin
