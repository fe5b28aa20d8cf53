// How ANTLR reads the hand lexer's tokens. Included by parser/*.cc only: no other file meets ANTLR.
#ifndef KVSQL_PARSER_ANTLR_INPUT_H_
#define KVSQL_PARSER_ANTLR_INPUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "antlr4-runtime.h"
#include "parser/statement_scanner.h"

namespace kvsql::parser {

class SqlToken : public antlr4::Token {
 public:
  SqlToken(std::string_view sql, const ScannedToken& scanned, size_t index)
      : sql_(sql), scanned_(scanned), index_(index) {}

  const ScannedToken& scanned() const { return scanned_; }
  std::string_view text() const { return scanned_.token.In(sql_); }

  std::string getText() const override { return std::string(text()); }
  size_t getType() const override {
    return scanned_.token.kind == TokenKind::kEnd ? antlr4::Token::EOF
                                                  : static_cast<size_t>(scanned_.token.kind);
  }
  size_t getLine() const override { return PositionAt(sql_, scanned_.token.offset).line; }
  size_t getCharPositionInLine() const override {
    return PositionAt(sql_, scanned_.token.offset).column - 1;
  }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  size_t getTokenIndex() const override { return index_; }
  size_t getStartIndex() const override { return scanned_.token.offset; }
  size_t getStopIndex() const override { return scanned_.token.end() - 1; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return getText(); }

 private:
  std::string_view sql_;
  ScannedToken scanned_;
  size_t index_;
};

// The tokens of one statement, with EOF behind them.
class SqlTokenStream : public antlr4::TokenStream {
 public:
  SqlTokenStream(std::string_view sql, const ScannedStatement& statement) {
    tokens_.reserve(statement.tokens.size() + 1);
    for (const ScannedToken& token : statement.tokens) {
      tokens_.emplace_back(sql, token, tokens_.size());
    }
    ScannedToken end;
    end.token.offset = static_cast<uint32_t>(statement.end);
    tokens_.emplace_back(sql, end, tokens_.size());
  }

  antlr4::Token* LT(ssize_t k) override {
    if (k > 0) {
      const size_t at = position_ + static_cast<size_t>(k) - 1;
      if (at > furthest_) furthest_ = at;
      return At(at);
    }
    const auto back = static_cast<size_t>(-k);
    return k == 0 || back > position_ ? nullptr : At(position_ - back);
  }
  size_t LA(ssize_t k) override {
    antlr4::Token* token = LT(k);
    return token == nullptr ? antlr4::Token::INVALID_TYPE : token->getType();
  }
  antlr4::Token* get(size_t index) const override {
    return const_cast<SqlToken*>(&tokens_[index < tokens_.size() ? index : tokens_.size() - 1]);
  }
  void consume() override {
    if (position_ + 1 < tokens_.size()) ++position_;
  }
  // The last token that was looked at: where the text stopped making sense. Prediction looks ahead, and leaves
  // a loop before the token that fits nothing, so that the parser itself fails too early.
  const SqlToken& furthest() const {
    return tokens_[furthest_ < tokens_.size() ? furthest_ : tokens_.size() - 1];
  }
  void Rewind() { position_ = furthest_ = 0; }

  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return position_; }
  void seek(size_t index) override { position_ = index; }
  size_t size() override { return tokens_.size(); }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getSourceName() const override { return "SQL"; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  antlr4::Token* At(size_t index) { return get(index); }

  std::vector<SqlToken> tokens_;
  size_t position_ = 0;
  size_t furthest_ = 0;
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_ANTLR_INPUT_H_
