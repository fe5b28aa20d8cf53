// The tokens that the hand lexer finds and the grammar reads.
#ifndef KVSQL_PARSER_TOKEN_H_
#define KVSQL_PARSER_TOKEN_H_

#include <cstdint>
#include <string_view>

namespace kvsql::parser {

// Numbered as in the grammar: kEnd is ANTLR's 0 ("no token") and never reaches it.
enum class TokenKind : uint8_t {
  kEnd = 0,
#define KVSQL_SYMBOL(name, text) k_##name,
#define KVSQL_CLASS(name) k_##name,
#define KVSQL_KEYWORD(name) k_##name,
#include "parser/tokens.def"
#undef KVSQL_SYMBOL
#undef KVSQL_CLASS
#undef KVSQL_KEYWORD
};

inline constexpr TokenKind kFirstKeyword = TokenKind::k_ABORT;
inline constexpr TokenKind kLastKeyword = TokenKind::k_WITHOUT;

inline bool IsKeyword(TokenKind kind) { return kind >= kFirstKeyword; }

// A token is a piece of the text it came from.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t offset = 0;
  uint32_t length = 0;

  std::string_view In(std::string_view sql) const { return sql.substr(offset, length); }
  uint32_t end() const { return offset + length; }
};

// Where an offset of a text is, counted from 1; columns count characters (UTF-8), not bytes.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};
Position PositionAt(std::string_view sql, size_t offset);

// The keyword that `word` is (in any case), or k_ID.
TokenKind FindKeyword(std::string_view word);
// The upper-case spelling of a keyword.
std::string_view KeywordText(TokenKind keyword);

// True if SQL lets an unquoted `word` be a name wherever a name may stand: it looks like an identifier
// and is no keyword.
bool IsPlainIdentifier(std::string_view word);

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_TOKEN_H_
