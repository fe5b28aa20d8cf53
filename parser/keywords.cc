// The keyword table: an open-addressed hash of the upper-case words, built at compile time.
#include <array>
#include <cstddef>

#include "parser/lexer.h"
#include "parser/token.h"

namespace kvsql::parser {
namespace {

constexpr std::string_view kKeywords[] = {
#define KVSQL_SYMBOL(name, text)
#define KVSQL_CLASS(name)
#define KVSQL_KEYWORD(name) #name,
#include "parser/tokens.def"
#undef KVSQL_SYMBOL
#undef KVSQL_CLASS
#undef KVSQL_KEYWORD
};
constexpr size_t kKeywordCount = std::size(kKeywords);
static_assert(kKeywordCount ==
              static_cast<size_t>(kLastKeyword) - static_cast<size_t>(kFirstKeyword) + 1);

constexpr size_t kLongest = 17;
constexpr size_t kSlots = 1024;  // sparse: nearly every identifier misses at its first slot

constexpr char Fold(char c) {
  return static_cast<char>(c & ~0x20);
}  // only used on letters and '_'

constexpr size_t Slot(const char* word, size_t length) {
  const auto at = [&](size_t i) {
    return static_cast<size_t>(static_cast<uint8_t>(Fold(word[i])));
  };
  return (at(0) * 131 + at(1) * 31 + at(length / 2) * 61 + at(length - 1) * 7 + length * 173) %
         kSlots;
}

struct KeywordTable {
  std::array<uint8_t, kSlots> index{};  // 1 + number of the keyword
};

constexpr KeywordTable Build() {
  KeywordTable table;
  for (size_t i = 0; i < kKeywordCount; ++i) {
    size_t slot = Slot(kKeywords[i].data(), kKeywords[i].size());
    while (table.index[slot] != 0) slot = (slot + 1) % kSlots;
    table.index[slot] = static_cast<uint8_t>(i + 1);
  }
  return table;
}
constexpr KeywordTable kTable = Build();

constexpr bool SameWord(std::string_view keyword, std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
    if (upper != keyword[i]) return false;
  }
  return true;
}

}  // namespace

TokenKind FindKeyword(std::string_view word) {
  if (word.size() < 2 || word.size() > kLongest) return TokenKind::k_ID;
  for (size_t slot = Slot(word.data(), word.size()); kTable.index[slot] != 0;
       slot = (slot + 1) % kSlots) {
    const size_t number = kTable.index[slot] - 1u;
    const std::string_view keyword = kKeywords[number];
    if (keyword.size() == word.size() && SameWord(keyword, word)) {
      return static_cast<TokenKind>(static_cast<size_t>(kFirstKeyword) + number);
    }
  }
  return TokenKind::k_ID;
}

std::string_view KeywordText(TokenKind keyword) {
  return kKeywords[static_cast<size_t>(keyword) - static_cast<size_t>(kFirstKeyword)];
}

bool IsPlainIdentifier(std::string_view word) {
  if (word.empty()) return false;
  Lexer lexer(word);
  const Token token = lexer.Next();
  return token.kind == TokenKind::k_ID && token.length == word.size() && IsIdentifierStart(word[0]);
}

}  // namespace kvsql::parser
