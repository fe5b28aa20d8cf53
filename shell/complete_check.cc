#include "shell/complete_check.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "shell/names.h"

namespace kvsql::shell {
namespace {

enum Class : uint8_t { kPlain, kBlank, kWord, kSpecial };

constexpr std::array<uint8_t, 256> BuildClasses() {
  std::array<uint8_t, 256> classes{};
  for (size_t c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (c >= '0' && c <= '9') || c == '_' || c == '$' || c >= 0x80) classes[c] = kWord;
  }
  for (const char c : {' ', '\t', '\r', '\n', '\f'}) classes[static_cast<size_t>(c)] = kBlank;
  for (const char c : {';', '\'', '"', '`', '[', '-', '/'}) {
    classes[static_cast<size_t>(c)] = kSpecial;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = BuildClasses();

uint8_t ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

}  // namespace

CompleteCheck::Token CompleteCheck::WordToken(std::string_view word) {
  switch (word.size()) {
    case 3:
      return EqualsIgnoreCase(word, "end") ? Token::kEnd : Token::kOther;
    case 4:
      return EqualsIgnoreCase(word, "temp") ? Token::kTemp : Token::kOther;
    case 6:
      return EqualsIgnoreCase(word, "create") ? Token::kCreate : Token::kOther;
    case 7:
      if (EqualsIgnoreCase(word, "trigger")) return Token::kTrigger;
      return EqualsIgnoreCase(word, "explain") ? Token::kExplain : Token::kOther;
    case 9:
      return EqualsIgnoreCase(word, "temporary") ? Token::kTemp : Token::kOther;
    default:
      return Token::kOther;
  }
}

void CompleteCheck::Take(Token token) {
  seen_ = true;
  switch (state_) {
    case State::kBegin:
    case State::kStart:
      state_ = token == Token::kSemi      ? State::kStart
               : token == Token::kExplain ? State::kExplain
               : token == Token::kCreate  ? State::kCreate
                                          : State::kNormal;
      break;
    case State::kNormal:
      if (token == Token::kSemi) state_ = State::kStart;
      break;
    case State::kExplain:
      // EXPLAIN QUERY PLAN stays here.
      state_ = token == Token::kSemi     ? State::kStart
               : token == Token::kOther  ? State::kExplain
               : token == Token::kCreate ? State::kCreate
                                         : State::kNormal;
      break;
    case State::kCreate:
      state_ = token == Token::kSemi      ? State::kStart
               : token == Token::kTemp    ? State::kCreate
               : token == Token::kTrigger ? State::kTrigger
                                          : State::kNormal;
      break;
    case State::kTrigger:
      if (token == Token::kSemi) state_ = State::kSemi;
      break;
    case State::kSemi:
      state_ = token == Token::kSemi  ? State::kSemi
               : token == Token::kEnd ? State::kEnd
                                      : State::kTrigger;
      break;
    case State::kEnd:
      state_ = token == Token::kSemi ? State::kStart : State::kTrigger;
      break;
  }
}

void CompleteCheck::Feed(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    if (open_ != 0) {
      const auto* close =
          static_cast<const char*>(std::memchr(p, open_, static_cast<size_t>(end - p)));
      if (close == nullptr) return;
      p = close + 1;
      if (open_ == '*' && (p == end || *p != '/')) continue;
      if (open_ == '*') ++p;
      open_ = 0;
      continue;
    }
    // In the middle of a statement words mean nothing.
    if (state_ == State::kNormal) {
      while (p < end && ClassOf(*p) != kSpecial) ++p;
      if (p == end) return;
    }
    switch (ClassOf(*p)) {
      case kBlank:
        ++p;
        break;
      case kWord: {
        const char* const start = p;
        while (p < end && ClassOf(*p) == kWord) ++p;
        Take(WordToken({start, static_cast<size_t>(p - start)}));
        break;
      }
      case kPlain:
        Take(Token::kOther);
        ++p;
        break;
      default:
        if (*p == ';') {
          Take(Token::kSemi);
          ++p;
        } else if (*p == '-' && p + 1 < end && p[1] == '-') {
          const auto* eol =
              static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
          p = eol == nullptr ? end : eol;
        } else if (*p == '/' && p + 1 < end && p[1] == '*') {
          open_ = '*';
          p += 2;
        } else {
          if (*p != '-' && *p != '/') open_ = *p == '[' ? ']' : *p;
          Take(Token::kOther);
          ++p;
        }
        break;
    }
  }
}

}  // namespace kvsql::shell
