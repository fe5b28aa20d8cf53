#include "tests/sql/sqltest_file.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kvsql::slt {
namespace {

struct Token {
  enum class Kind { kWord, kString, kBlock };
  Kind kind = Kind::kWord;
  std::string text;
  size_t line = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // False at the end of the text, or at an error (*error is set).
  bool Next(Token* token, std::string* error) {
    SkipBlanks();
    if (at_ >= text_.size()) return false;
    token->text.clear();
    token->line = line_;
    const char c = text_[at_];
    if (c == '{') {
      token->kind = Token::Kind::kBlock;
      return Block(token, error);
    }
    if (c == '"') {
      token->kind = Token::Kind::kString;
      for (Advance(); at_ < text_.size() && text_[at_] != '"'; Advance()) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) token->text.push_back(Take());
        token->text.push_back(text_[at_]);
      }
      Advance();
      return true;
    }
    token->kind = Token::Kind::kWord;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) &&
           std::string_view("{}\"").find(text_[at_]) == std::string_view::npos) {
      token->text.push_back(Take());
    }
    if (!token->text.empty()) return true;
    *error = "line " + std::to_string(line_) + ": unexpected " + c;
    return false;
  }

 private:
  char Take() {
    const char c = text_[at_];
    Advance();
    return c;
  }
  void Advance() {
    if (at_ < text_.size() && text_[at_] == '\n') ++line_;
    ++at_;
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') Advance();
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        Advance();
      } else {
        return;
      }
    }
  }

  bool Block(Token* token, std::string* error) {
    Advance();
    std::string& body = token->text;
    for (int depth = 1; at_ < text_.size();) {
      const char c = Take();
      if (c == '\\' && at_ < text_.size() &&
          std::string_view("{}\\").find(text_[at_]) != std::string_view::npos) {
        body.push_back(Take());
        continue;
      }
      depth += (c == '{') - (c == '}');
      if (depth == 0) {
        if (body.starts_with('\n')) body.erase(0, 1);
        if (body.ends_with('\n')) body.pop_back();
        return true;
      }
      body.push_back(c);
    }
    *error = "line " + std::to_string(token->line) + ": block without end";
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
};

class Parser {
 public:
  Parser(std::vector<Token> tokens, SqltestFile* file) : tokens_(std::move(tokens)), file_(file) {}

  bool Parse(std::string* error) {
    while (!failed_ && at_ < tokens_.size()) ParseItem();
    *error = error_;
    return !failed_;
  }

 private:
  using Kind = Token::Kind;

  bool At(Kind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }
  bool AtWord(std::string_view word) const { return At(Kind::kWord) && tokens_[at_].text == word; }

  std::string Take(Kind kind) {
    if (At(kind)) return tokens_[at_++].text;
    if (!failed_) {
      error_ = at_ < tokens_.size() ? "line " + std::to_string(tokens_[at_].line) +
                                          ": unexpected " + tokens_[at_].text.substr(0, 20)
                                    : "unexpected end";
    }
    failed_ = true;
    return "";
  }

  void ParseItem() {
    const size_t line = tokens_[at_].line;
    const std::string word = Take(Kind::kWord);
    if (word == "@database") {
      file_->databases.push_back(Take(Kind::kWord));
      if (AtWord("readonly")) ++at_;
    } else if (word == "@setup") {
      setups_.push_back(Take(Kind::kWord));
    } else if (word == "setup") {
      const std::string name = Take(Kind::kWord);
      file_->setups[name] = Take(Kind::kBlock);
    } else if (word == "@var") {
      Take(Kind::kWord);
      Take(Kind::kBlock);
    } else if (word == "@skip-if" || word == "@skip-file-if" || word.starts_with("@requires") ||
               word == "@backend") {
      Take(Kind::kWord);
      if (At(Kind::kString)) ++at_;
    } else if (word == "@skip" || word == "@skip-file" || word == "@cross-check-integrity") {
      if (At(Kind::kString)) ++at_;
    } else if (word == "test" || word.starts_with("snapshot") || word == "matrix") {
      ParseTest(word, line);
    } else if (!failed_) {
      failed_ = true;
      error_ = "line " + std::to_string(line) + ": unknown word " + word;
    }
  }

  void ParseTest(const std::string& kind, size_t line) {
    SqlTest test;
    test.line = line;
    test.kind = kind;
    test.name = Take(Kind::kWord);
    test.sql = Take(Kind::kBlock);
    test.setups = std::exchange(setups_, {});
    while (AtWord("expect")) {
      ++at_;
      Expectation expectation;
      while (At(Kind::kWord)) expectation.modes.push_back(Take(Kind::kWord));
      expectation.body = Take(Kind::kBlock);
      test.expectations.push_back(std::move(expectation));
    }
    file_->tests.push_back(std::move(test));
  }

  const std::vector<Token> tokens_;
  SqltestFile* const file_;
  size_t at_ = 0;
  std::vector<std::string> setups_;
  bool failed_ = false;
  std::string error_;
};

}  // namespace

bool Expectation::Has(std::string_view mode) const {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

bool ParseSqltest(std::string_view text, SqltestFile* file, std::string* error) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  error->clear();
  for (Token token; lexer.Next(&token, error);) tokens.push_back(token);
  if (!error->empty()) return false;
  return Parser(std::move(tokens), file).Parse(error);
}

}  // namespace kvsql::slt
