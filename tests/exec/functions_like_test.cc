// LIKE and GLOB: three ways of matching that agree with each other and with SQLite.
#include <random>

#include "exec/functions/like.h"
#include "tests/exec/function_oracle.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;

class LikeTest : public FunctionTest {
 protected:
  using Parts = std::vector<std::string_view>;

  std::string Random(const Parts& parts, int most) {
    std::string made;
    for (int n = static_cast<int>(random_() % static_cast<unsigned>(most + 1)); n > 0; --n) {
      made += parts[random_() % parts.size()];
    }
    return made;
  }

  void Compare(const std::string& pattern, const std::string& text, bool glob) {
    const std::string name = glob ? "glob" : "like";
    const Arguments args = {ValueView::Text(pattern), ValueView::Text(text)};
    const std::string theirs = sqlite_.Call(name, args);
    matched_ += theirs == "1" ? 1 : 0;
    const LikeMatcher matcher = glob ? LikeMatcher::Glob(pattern) : LikeMatcher::Like(pattern);
    const bool plain = glob ? GlobMatch(pattern, text) : LikeMatch(pattern, text);
    ExpectSame(name + " compiled", DescribeAll(args), theirs, matcher.Matches(text) ? "1" : "0");
    ExpectSame(name + " plain", DescribeAll(args), theirs, plain ? "1" : "0");
  }

  void CompareEscaped(const std::string& pattern, const std::string& text,
                      const std::string& escape) {
    const Arguments args = {ValueView::Text(pattern), ValueView::Text(text),
                            ValueView::Text(escape)};
    const std::string theirs = sqlite_.Call("like", args);
    matched_ += theirs == "1" ? 1 : 0;
    uint32_t character = 0;
    if (!ParseEscape(escape, &character)) {
      ExpectSame("like", DescribeAll(args), theirs,
                 "error: ESCAPE expression must be a single character");
      return;
    }
    ExpectSame("like", args);
    ExpectSame("like compiled", DescribeAll(args), theirs,
               LikeMatcher::Like(pattern, character).Matches(text) ? "1" : "0");
  }

  void TearDown() override {
    // Both sides are tested well.
    if (compared_ > 10'000) {
      EXPECT_GT(matched_, compared_ / 100);
    }
    FunctionTest::TearDown();
  }

  std::mt19937 random_{5};
  int64_t matched_ = 0;
};

TEST_F(LikeTest, AsciiPatternsAsSqlite) {
  const Parts pattern_parts = {"%", "%", "%", "_", "a", "B", "ab", "9", "@", "`"};
  const Parts text_parts = {"a", "A", "b", "B", "9", " ", "@", "`", "ab"};
  for (int i = 0; i < 150000; ++i) {
    Compare(Random(pattern_parts, 7), Random(text_parts, 30), false);
  }
}

TEST_F(LikeTest, LiteralsAtEveryPlaceOfTextsOfEveryLength) {
  const std::string filler = "xyzw";
  for (const std::string literal : {"9", "99", "abc", "Needle", "a needle in a haystack, long"}) {
    for (size_t length = literal.size(); length < literal.size() + 40; ++length) {
      for (size_t at = 0; at + literal.size() <= length; ++at) {
        std::string text;
        while (text.size() < length) text += filler[text.size() % 4];
        text.replace(at, literal.size(), literal);
        for (const std::string& pattern :
             {"%" + literal + "%", literal + "%", "%" + literal, literal}) {
          const bool starts = at == 0 || pattern[0] == '%';
          const bool ends = at + literal.size() == length || pattern.back() == '%';
          EXPECT_EQ(LikeMatcher::Like(pattern).Matches(text), starts && ends) << pattern << text;
          std::string folded = text;
          for (char& c : folded) c = static_cast<char>(std::toupper(c));
          EXPECT_EQ(LikeMatcher::Like(pattern).Matches(folded), starts && ends);
          text[at] ^= 0x40;
          EXPECT_FALSE(LikeMatcher::Like("%" + literal + "%").Matches(text)) << pattern << text;
          text[at] ^= 0x40;
        }
      }
    }
  }
}

TEST_F(LikeTest, AnyBytesAsSqlite) {
  using namespace std::string_view_literals;
  const Parts parts = {"%",
                       "%",
                       "_",
                       "a",
                       "A",
                       "\xc3\xa9",
                       "\xc3\x89",
                       "\xa9",
                       "\xe0\x82\xa9",
                       "\xc3",
                       "\xe2\x82\xac",
                       "\xff",
                       "\0"sv,
                       "\xc0\x80",
                       "x"};
  const Parts text_parts(parts.begin() + 3, parts.end());
  for (int i = 0; i < 150000; ++i) Compare(Random(parts, 6), Random(text_parts, 9), false);
  const Parts ascii = {"%", "a", "b"};
  for (int i = 0; i < 50000; ++i) Compare(Random(ascii, 4), Random(text_parts, 9), false);
}

TEST_F(LikeTest, GlobsAsSqlite) {
  using namespace std::string_view_literals;
  const Parts parts = {
      "*",       "*", "?",     "a",    "B",    "[",     "]",   "^",
      "-",       "c", "[a-c]", "[^b]", "[]x]", "[^]x]", "[a-", "[\xc3\xa0-\xc3\xbf]",
      "\xc3\xa9"};
  const Parts text_parts = {"a", "b", "B", "c",        "x",    "]",
                            "[", "^", "-", "\xc3\xa9", "\xa9", "\0"sv};
  for (int i = 0; i < 150000; ++i) Compare(Random(parts, 7), Random(text_parts, 9), true);
}

TEST_F(LikeTest, EscapesAsSqlite) {
  const Parts parts = {"%", "_", "a", "\\", "\\%", "\\_", "\\\\", "\xc3\xa9", "B"};
  const Parts text_parts = {"%", "_", "a", "b", "\\", "\xc3\xa9", "A"};
  for (const std::string escape :
       {"\\", "%", "_", "a", "\xc3\xa9", "", "ab", "\xc3\xa9\xc3\xa9", "\x80", "A"}) {
    for (int i = 0; i < 15000; ++i) {
      CompareEscaped(Random(parts, 6), Random(text_parts, 7), escape);
    }
  }
}

TEST_F(LikeTest, LongPatternsAreRefused) {
  for (const size_t size : {size_t{49'999}, size_t{50'000}, size_t{50'001}}) {
    const std::string pattern = std::string(size - 1, 'x') + "%";
    for (const char* name : {"like", "glob"}) {
      ExpectSame(name, {ValueView::Text(pattern), ValueView::Text("x")});
    }
  }
}

TEST_F(LikeTest, ManyWildcardsEndSoon) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "%a_";
  pattern += "b";
  const std::string text(20'000, 'a');
  EXPECT_FALSE(LikeMatch(pattern, text));
  EXPECT_FALSE(LikeMatcher::Like(pattern).Matches(text));
}

}  // namespace
}  // namespace kvsql::exec
