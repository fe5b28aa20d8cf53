// trim(), ltrim() and rtrim().

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"
#include "exec/functions/utf8.h"

namespace kvsql::exec::builtin {
namespace {

using kv::ValueView;

enum Sides { kLeft = 1, kRight = 2 };

// The characters to take off, compared as bytes; malformed text has them run into each other, so no order
// of bytes says where a character of the text begins.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view characters) : characters_(UpToNul(characters)) {}

  // The length of the first character of the set that the text begins with; 0: none.
  template <typename StandsAtEdge>
  size_t Find(StandsAtEdge stands_at_edge) const {
    const char* at = characters_.data();
    const char* const end = at + characters_.size();
    while (at != end) {
      const char* const next = SkipChar(at, end);
      const std::string_view character(at, static_cast<size_t>(next - at));
      if (stands_at_edge(character)) return character.size();
      at = next;
    }
    return 0;
  }

 private:
  std::string_view characters_;
};

ValueView TrimSides(FunctionContext& context, const ValueView* args, int count, int sides) {
  if (args[0].is_null() || (count == 2 && args[1].is_null())) return {};
  std::string_view text = TextOf(context, args[0]);
  if (count == 1) {
    if ((sides & kLeft) != 0) {
      while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    }
    if ((sides & kRight) != 0) {
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    }
    return ValueView::Text(text);
  }
  const CharacterSet set(TextOf(context, args[1]));
  if ((sides & kLeft) != 0) {
    while (const size_t length =
               set.Find([&](std::string_view c) { return text.starts_with(c); })) {
      text.remove_prefix(length);
    }
  }
  if ((sides & kRight) != 0) {
    while (const size_t length = set.Find([&](std::string_view c) { return text.ends_with(c); })) {
      text.remove_suffix(length);
    }
  }
  return ValueView::Text(text);
}

}  // namespace

ValueView Trim(FunctionContext& context, const ValueView* args, int count) {
  return TrimSides(context, args, count, kLeft | kRight);
}

ValueView Ltrim(FunctionContext& context, const ValueView* args, int count) {
  return TrimSides(context, args, count, kLeft);
}

ValueView Rtrim(FunctionContext& context, const ValueView* args, int count) {
  return TrimSides(context, args, count, kRight);
}

}  // namespace kvsql::exec::builtin
