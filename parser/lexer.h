// The hand lexer: SQL text to tokens, by SQLite's rules. The grammar and the normaliser of the statement
// cache both read it, so they can never disagree about where a token ends.
//
// Thread safety: a Lexer belongs to one thread; it holds no more than a position in the caller's text.
//
// Invariants:
//   1. No allocation, and no token is longer than the text.
//   2. Every byte of the text is in a token, or is blank or comment.
//   3. After the end, Next() returns kEnd for ever.
#ifndef KVSQL_PARSER_LEXER_H_
#define KVSQL_PARSER_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/token.h"

namespace kvsql::parser {

class Lexer {
 public:
  explicit Lexer(std::string_view sql, size_t offset = 0)
      : begin_(sql.data()), at_(sql.data() + offset), end_(sql.data() + sql.size()) {}

  // The next token; blanks and comments are skipped. Text that is no token (an unclosed quote, a number
  // run into letters) comes as k_ILLEGAL.
  Token Next();

 private:
  Token Make(TokenKind kind, const char* start, const char* stop) {
    at_ = stop;
    return {kind, static_cast<uint32_t>(start - begin_), static_cast<uint32_t>(stop - start)};
  }
  bool SkipBlanks();
  Token Number(const char* start);
  Token Quoted(const char* start, char close, TokenKind kind);
  Token Parameter(const char* start);
  Token BlobLiteral(const char* start);
  Token Word(const char* start);

  const char* begin_;
  const char* at_;
  const char* end_;
};

bool IsIdentifierStart(char c);
bool IsIdentifierChar(char c);

// The name that an ID or STRING token stands for: without its quotes, doubled quotes made single.
std::string Unquote(std::string_view token);
inline bool IsQuoted(std::string_view token) {
  return !token.empty() &&
         (token[0] == '"' || token[0] == '[' || token[0] == '`' || token[0] == '\'');
}

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_LEXER_H_
