#include "parser/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kvsql::parser {
namespace {

std::string Tokens(std::string_view sql) {
  Lexer lexer(sql);
  std::string out;
  while (true) {
    const Token token = lexer.Next();
    if (token.kind == TokenKind::kEnd) return out;
    if (!out.empty()) out += "|";
    if (token.kind == TokenKind::k_ILLEGAL) out += "!";
    out += std::string(token.In(sql));
  }
}

TEST(LexerTest, SplitsOperatorsGreedily) {
  EXPECT_EQ(Tokens("a<<=b>>c<>d!=e==f||g|h->i->>j-k"),
            "a|<<|=|b|>>|c|<>|d|!=|e|==|f||||g|||h|->|i|->>|j|-|k");
}

TEST(LexerTest, ReadsNumbersAsSqliteDoes) {
  EXPECT_EQ(Tokens("1 1. .5 1.5e3 1e-3 1e 0x1F 0x 1..2"), "1|1.|.5|1.5e3|1e-3|!1e|0x1F|!0x|1.|.2");
  EXPECT_EQ(Tokens("12abc 1e5x"), "!12abc|!1e5x");
}

TEST(LexerTest, ReadsQuotes) {
  EXPECT_EQ(Tokens("'a''b' \"c\"\"d\" [e f] `g``h` x'00aF' X'' x'0' x'zz' 'open"),
            "'a''b'|\"c\"\"d\"|[e f]|`g``h`|x'00aF'|X''|!x'0'|!x'zz'|!'open");
  EXPECT_EQ(Unquote("'a''b'"), "a'b");
  EXPECT_EQ(Unquote("[e f]"), "e f");
  EXPECT_EQ(Unquote("`g``h`"), "g`h");
  EXPECT_EQ(Unquote("plain"), "plain");
}

TEST(LexerTest, SkipsCommentsAndBlanks) {
  EXPECT_EQ(Tokens("a -- b\n c /* d ** e */ f /**/ g -- end"), "a|c|f|g");
  EXPECT_EQ(Tokens("\xef\xbb\xbf"
                   "a /* open"),
            "a");
  EXPECT_EQ(Tokens("a /*"), "a|/|*");
}

TEST(LexerTest, ReadsParameters) {
  EXPECT_EQ(Tokens("? ?12 :a @b $c $d::e(f) : @"), "?|?12|:a|@b|$c|$d::e(f)|!:|!@");
}

TEST(LexerTest, KnowsEveryKeywordInAnyCase) {
  for (int k = static_cast<int>(kFirstKeyword); k <= static_cast<int>(kLastKeyword); ++k) {
    const auto kind = static_cast<TokenKind>(k);
    std::string word(KeywordText(kind));
    EXPECT_EQ(FindKeyword(word), kind) << word;
    for (size_t i = 0; i < word.size(); i += 2) word[i] = static_cast<char>(word[i] | 0x20);
    EXPECT_EQ(FindKeyword(word), kind) << word;
    EXPECT_EQ(FindKeyword(word + "X"), TokenKind::k_ID) << word;
    EXPECT_FALSE(IsPlainIdentifier(word));
  }
  EXPECT_EQ(FindKeyword("rowid"), TokenKind::k_ID);
  EXPECT_TRUE(IsPlainIdentifier("na\xc3\xafve_1"));
  EXPECT_FALSE(IsPlainIdentifier("1a"));
  EXPECT_FALSE(IsPlainIdentifier("a b"));
}

TEST(LexerTest, EndsForEver) {
  Lexer lexer("a");
  lexer.Next();
  EXPECT_EQ(lexer.Next().kind, TokenKind::kEnd);
  EXPECT_EQ(lexer.Next().kind, TokenKind::kEnd);
}

TEST(LexerTest, NeverReadsPastTheText) {
  const std::string pieces = "'\"[`x'0--/*.:@$?#<>|!=->12e+0xab\xef\xbb;";
  for (size_t size = 0; size <= pieces.size(); ++size) {
    for (size_t start = 0; start < size; ++start) {
      const std::vector<char> exact(pieces.begin() + static_cast<long>(start),
                                    pieces.begin() + static_cast<long>(size));
      Lexer lexer(std::string_view(exact.data(), exact.size()));
      for (int i = 0; i < 100; ++i) {
        if (lexer.Next().kind == TokenKind::kEnd) break;
        ASSERT_LT(i, 99);
      }
    }
  }
}

TEST(PositionTest, CountsCharacters) {
  const Position position = PositionAt("a\n\xc3\xa9 b", 5);
  EXPECT_EQ(position.line, 2u);
  EXPECT_EQ(position.column, 3u);
}

}  // namespace
}  // namespace kvsql::parser
