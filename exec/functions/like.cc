#include "exec/functions/like.h"

#include <cstring>

#include "exec/functions/arguments.h"
#include "exec/functions/utf8.h"
#include "kv/value.h"

namespace kvsql::exec {
namespace {

struct Token {
  enum class Kind : uint8_t {
    kChar,   // `c`
    kOne,    // any character
    kAny,    // any number of characters
    kSet,    // one character of the set that `set` begins with
    kNever,  // matches nothing: an escape or a set that does not end
  };
  Kind kind = Kind::kNever;
  uint32_t c = 0;
  const char* set = nullptr;
};

// Pattern characters of LIKE and GLOB, read one token at a time.
class Dialect {
 public:
  Dialect(bool glob, uint32_t escape)
      : glob_(glob),
        escape_(escape),
        any_(glob ? '*' : (escape == '%' ? 0 : '%')),
        one_(glob ? '?' : (escape == '_' ? 0 : '_')) {}

  // The token at *at < end; moves behind it.
  Token Read(const char** at, const char* end) const {
    Token token;
    const uint32_t c = ReadChar(at, end);
    if (c == any_) {
      token.kind = Token::Kind::kAny;
    } else if (glob_ && c == '[') {
      token.set = *at;
      *at = EndOfSet(*at, end);
      if (*at != nullptr) token.kind = Token::Kind::kSet;
    } else if (!glob_ && c == escape_) {
      if (*at == end) return token;
      token.kind = Token::Kind::kChar;
      token.c = ReadChar(at, end);
    } else if (c == one_) {
      token.kind = Token::Kind::kOne;
    } else {
      token.kind = Token::Kind::kChar;
      token.c = c;
    }
    return token;
  }

  bool EqualChars(uint32_t a, uint32_t b) const {
    if (a == b) return true;
    return !glob_ && a < 0x80 && b < 0x80 &&
           kv::FoldAscii(static_cast<char>(a)) == kv::FoldAscii(static_cast<char>(b));
  }

 private:
  // Behind the "]" of the set whose inside begins at `at`; null if there is none. A "]" that comes
  // first is a member.
  static const char* EndOfSet(const char* at, const char* end) {
    if (at != end && *at == '^') ++at;
    if (at != end && *at == ']') ++at;
    if (at == end) return nullptr;
    const void* close = std::memchr(at, ']', static_cast<size_t>(end - at));
    return close == nullptr ? nullptr : static_cast<const char*>(close) + 1;
  }

  bool glob_;
  uint32_t escape_;
  uint32_t any_;
  uint32_t one_;
};

// `set` is the inside of a set that has an end.
bool SetHas(const char* set, const char* end, uint32_t c) {
  const bool inverted = *set == '^';
  if (inverted) ++set;
  bool seen = false;
  if (*set == ']') {
    seen = c == ']';
    ++set;
  }
  uint32_t before = 0;  // what a "-" would begin a range with
  while (*set != ']') {
    uint32_t member = ReadChar(&set, end);
    if (member == '-' && *set != ']' && before > 0) {
      member = ReadChar(&set, end);
      if (c >= before && c <= member) seen = true;
      before = 0;
    } else {
      if (c == member) seen = true;
      before = member;
    }
  }
  return seen != inverted;
}

// The first character of the text that is equal to `c`; null if there is none.
const char* FindChar(const Dialect& dialect, uint32_t c, const char* at, const char* end) {
  if (c < 0x80) {
    // No other byte is read as an ASCII character.
    for (; at != end; ++at) {
      const auto byte = static_cast<uint8_t>(*at);
      if (dialect.EqualChars(byte, c)) return at;
    }
    return nullptr;
  }
  while (at != end) {
    if (end - at >= 8 && EightPlain(at)) {
      at += 8;
      continue;
    }
    const char* const start = at;
    if (ReadChar(&at, end) == c) return start;
  }
  return nullptr;
}

// Goes through pattern and text side by side. Where they part, the last "any" takes one more character:
// going back to an earlier one could not help.
bool Walk(const Dialect& dialect, std::string_view pattern, std::string_view text) {
  pattern = UpToNul(pattern);
  text = UpToNul(text);
  const char* p = pattern.data();
  const char* const p_end = p + pattern.size();
  const char* t = text.data();
  const char* const t_end = t + text.size();
  const char* behind_any = nullptr;  // in the pattern
  const char* any_end = nullptr;     // in the text: what the "any" has taken so far ends here
  for (;;) {
    bool matched = false;
    if (p == p_end) {
      if (t == t_end) return true;
    } else {
      const Token token = dialect.Read(&p, p_end);
      if (token.kind == Token::Kind::kAny) {
        if (p == p_end) return true;
        behind_any = p;
        any_end = t;
        continue;
      }
      if (token.kind == Token::Kind::kNever || t == t_end) return false;
      const bool after_any = behind_any != nullptr && any_end == t;
      const uint32_t c = ReadChar(&t, t_end);
      switch (token.kind) {
        case Token::Kind::kChar:
          matched = dialect.EqualChars(token.c, c);
          if (!matched && after_any) {
            // The "any" takes all up to the next place where this character stands.
            any_end = FindChar(dialect, token.c, t, t_end);
            if (any_end == nullptr) return false;
            t = SkipChar(any_end, t_end);
            matched = true;
          }
          break;
        case Token::Kind::kSet:
          matched = SetHas(token.set, p_end, c);
          break;
        default:
          matched = true;
      }
    }
    if (matched) continue;
    if (behind_any == nullptr) return false;
    any_end = SkipChar(any_end, t_end);
    p = behind_any;
    t = any_end;
  }
}

bool HasNul(std::string_view text) {
  return !text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr;
}

}  // namespace

bool LikeMatch(std::string_view pattern, std::string_view text, uint32_t escape) {
  return Walk(Dialect(false, escape), pattern, text);
}

bool GlobMatch(std::string_view pattern, std::string_view text) {
  return Walk(Dialect(true, 0), pattern, text);
}

bool ParseEscape(std::string_view text, uint32_t* escape) {
  text = UpToNul(text);
  if (text.empty()) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  *escape = ReadChar(&at, end);
  return at == end;
}

LikeMatcher LikeMatcher::Like(std::string_view pattern, uint32_t escape) {
  return LikeMatcher(pattern, false, escape);
}

LikeMatcher LikeMatcher::Glob(std::string_view pattern) { return LikeMatcher(pattern, true, 0); }

LikeMatcher::LikeMatcher(std::string_view pattern, bool glob, uint32_t escape)
    : glob_(glob), escape_(escape), pattern_(UpToNul(pattern)) {
  const Dialect dialect(glob, escape);
  const char* at = pattern_.data();
  const char* const end = at + pattern_.size();
  std::string literal;
  const auto end_piece = [&] {
    if (!literal.empty()) pieces_.emplace_back(literal, !glob);
    literal.clear();
  };
  open_start_ = false;
  open_end_ = false;
  for (bool first = true; at != end; first = false) {
    const Token token = dialect.Read(&at, end);
    open_end_ = token.kind == Token::Kind::kAny;
    if (open_end_) {
      if (first) open_start_ = true;
      end_piece();
    } else if (token.kind == Token::Kind::kChar && token.c < 0x80) {
      // Bytes are enough for these: no other bytes are read as an ASCII character.
      literal += static_cast<char>(token.c);
    } else {
      pieces_.clear();
      return;
    }
  }
  end_piece();
  pattern_.clear();
  if (pieces_.size() > 1) {
    kind_ = Kind::kPieces;
  } else if (pieces_.empty()) {
    kind_ = open_start_ ? Kind::kAll : Kind::kExact;
    pieces_.emplace_back();
  } else if (open_start_) {
    kind_ = open_end_ ? Kind::kContains : Kind::kSuffix;
  } else {
    kind_ = open_end_ ? Kind::kPrefix : Kind::kExact;
  }
}

bool LikeMatcher::Matches(std::string_view text) const {
  switch (kind_) {
    case Kind::kContains: {
      const size_t at = pieces_[0].FindIn(text);
      return at != Needle::kNone && !HasNul(text.substr(0, at));
    }
    case Kind::kPrefix:
      return text.size() >= pieces_[0].size() && pieces_[0].EqualsAt(text.data());
    case Kind::kExact: {
      const size_t length = pieces_[0].size();
      if (text.size() < length || !pieces_[0].EqualsAt(text.data())) return false;
      return text.size() == length || text[length] == 0;
    }
    case Kind::kSuffix: {
      text = UpToNul(text);
      const size_t length = pieces_[0].size();
      return text.size() >= length && pieces_[0].EqualsAt(text.data() + text.size() - length);
    }
    case Kind::kPieces:
      return MatchesPieces(UpToNul(text));
    case Kind::kAll:
      return true;
    case Kind::kWalk:
      break;
  }
  return Walk(Dialect(glob_, escape_), pattern_, text);
}

// The first and the last piece stand at the ends unless these are open; each other piece is taken where it
// is found first.
bool LikeMatcher::MatchesPieces(std::string_view text) const {
  size_t from = 0;
  size_t to = pieces_.size();
  if (!open_start_) {
    const Needle& first = pieces_[from++];
    if (text.size() < first.size() || !first.EqualsAt(text.data())) return false;
    text.remove_prefix(first.size());
  }
  if (!open_end_) {
    const Needle& last = pieces_[--to];
    if (text.size() < last.size()) return false;
    if (!last.EqualsAt(text.data() + text.size() - last.size())) return false;
    text.remove_suffix(last.size());
  }
  for (; from < to; ++from) {
    const size_t at = pieces_[from].FindIn(text);
    if (at == Needle::kNone) return false;
    text.remove_prefix(at + pieces_[from].size());
  }
  return true;
}

}  // namespace kvsql::exec
