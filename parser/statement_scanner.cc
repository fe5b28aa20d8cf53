#include "parser/statement_scanner.h"

#include <charconv>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "parser/lexer.h"

namespace kvsql::parser {
namespace {

using enum TokenKind;

// Operators inside one pair of parentheses that may hang below each other in a chain.
bool IsOperator(TokenKind kind) {
  switch (kind) {
    case k_PLUS:
    case k_MINUS:
    case k_STAR:
    case k_SLASH:
    case k_PERCENT:
    case k_EQ:
    case k_NE:
    case k_LT:
    case k_LE:
    case k_GT:
    case k_GE:
    case k_LSHIFT:
    case k_RSHIFT:
    case k_BITAND:
    case k_BITOR:
    case k_BITNOT:
    case k_CONCAT:
    case k_ARROW:
    case k_LONG_ARROW:
    case k_AND:
    case k_OR:
    case k_NOT:
    case k_IS:
    case k_IN:
    case k_LIKE:
    case k_GLOB:
    case k_MATCH:
    case k_REGEXP:
    case k_BETWEEN:
    case k_COLLATE:
    case k_ISNULL:
    case k_NOTNULL:
      return true;
    default:
      return false;
  }
}

bool IsPrefixOperator(TokenKind kind) {
  return kind == k_PLUS || kind == k_MINUS || kind == k_BITNOT || kind == k_NOT;
}

class Scanner {
 public:
  Scanner(std::string_view sql, std::span<const LiftedRange> lifted, const Limits& limits,
          ScannedStatement* out)
      : sql_(sql), lifted_(lifted), limits_(limits), out_(*out) {}

  Status Run();

 private:
  struct Level {
    bool is_case = false;
    uint32_t operators = 0;  // since the last comma
  };

  Status Check(const Token& token);
  Status NumberParameter(ScannedToken* scanned);
  void ResolveContextKeywords();
  bool IsTrigger() const;
  TokenKind KindFromEnd(size_t back) const {
    const size_t size = out_.tokens.size();
    return size > back ? out_.tokens[size - 1 - back].token.kind : kEnd;
  }

  const std::string_view sql_;
  const std::span<const LiftedRange> lifted_;
  const Limits& limits_;
  ScannedStatement& out_;
  std::vector<Level> levels_{1};
  uint32_t prefix_run_ = 0;
  std::unordered_map<std::string_view, uint32_t> named_;
};

Status Scanner::NumberParameter(ScannedToken* scanned) {
  const std::string_view text = scanned->token.In(sql_);
  size_t number = out_.parameter_names.size() + 1;
  if (text.size() > 1 && text[0] == '?') {
    const auto parsed = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (parsed.ec != std::errc() || number == 0 || number > limits_.parameters) {
      return ErrorAt(sql_, scanned->token.offset,
                     absl::StrCat("variable number must be between ?1 and ?", limits_.parameters));
    }
  } else if (text.size() > 1) {
    number = named_.try_emplace(text, static_cast<uint32_t>(number)).first->second;
  }
  if (number > limits_.parameters) {
    return ErrorAt(sql_, scanned->token.offset, "too many SQL variables");
  }
  if (out_.parameter_names.size() < number) out_.parameter_names.resize(number);
  if (text.size() > 1) out_.parameter_names[number - 1] = std::string(text);
  scanned->number = static_cast<uint32_t>(number);
  return absl::OkStatus();
}

Status Scanner::Check(const Token& token) {
  Level& level = levels_.back();
  switch (token.kind) {
    case k_LP:
    case k_CASE:
      if (levels_.size() > limits_.nesting) {
        return ErrorAt(sql_, token.offset,
                       absl::StrCat("nesting is deeper than the limit of ", limits_.nesting));
      }
      levels_.push_back({token.kind == k_CASE, 0});
      break;
    case k_RP:
      while (levels_.size() > 1 && levels_.back().is_case) levels_.pop_back();
      if (levels_.size() > 1) levels_.pop_back();
      break;
    case k_END:
      if (level.is_case) levels_.pop_back();
      break;
    case k_COMMA:
      level.operators = 0;
      break;
    default:
      break;
  }
  if (!IsOperator(token.kind)) {
    prefix_run_ = 0;
    return absl::OkStatus();
  }
  prefix_run_ = IsPrefixOperator(token.kind) ? prefix_run_ + 1 : 0;
  // Exactly counted when the AST is built; a tree of depth N has seldom more than 4 N operators on a level.
  if (prefix_run_ > limits_.expression_depth ||
      ++levels_.back().operators > 4 * limits_.expression_depth) {
    return ErrorAt(sql_, token.offset,
                   absl::StrCat("Expression tree is too large (maximum depth ",
                                limits_.expression_depth, ")"));
  }
  return absl::OkStatus();
}

// CREATE [TEMP] TRIGGER, maybe behind EXPLAIN.
bool Scanner::IsTrigger() const {
  size_t at = 0;
  const auto kind = [&] { return at < out_.tokens.size() ? out_.tokens[at].token.kind : kEnd; };
  if (kind() == k_EXPLAIN) {
    ++at;
    if (kind() == k_QUERY) at += 2;
  }
  if (kind() != k_CREATE) return false;
  ++at;
  if (kind() == k_TEMP || kind() == k_TEMPORARY) ++at;
  return kind() == k_TRIGGER;
}

// WINDOW, OVER and FILTER are keywords only where nothing else fits; elsewhere they are names.
void Scanner::ResolveContextKeywords() {
  std::vector<ScannedToken>& tokens = out_.tokens;
  const auto kind = [&](size_t i) { return i < tokens.size() ? tokens[i].token.kind : kEnd; };
  const auto is_name = [](TokenKind k) { return k == k_ID || k == k_STRING || IsKeyword(k); };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind before = i > 0 ? kind(i - 1) : kEnd;
    bool keyword = true;
    switch (kind(i)) {
      case k_WINDOW:
        keyword = is_name(kind(i + 1)) && kind(i + 2) == k_AS;
        break;
      case k_OVER:
        keyword = before == k_RP && (kind(i + 1) == k_LP || is_name(kind(i + 1)));
        break;
      case k_FILTER:
        keyword = before == k_RP && kind(i + 1) == k_LP;
        break;
      default:
        break;
    }
    if (!keyword) tokens[i].token.kind = k_ID;
  }
}

Status Scanner::Run() {
  Lexer lexer(sql_);
  size_t next_range = 0;
  bool trigger = false;
  bool may_be_trigger = true;
  for (;;) {
    if (next_range < lifted_.size()) {
      // A skipped range begins where no token need stand: look before reading on.
      const LiftedRange& range = lifted_[next_range];
      if (range.kind == LiftedRange::Kind::kSkip && !out_.tokens.empty() &&
          out_.tokens.back().token.end() == range.begin) {
        out_.lifted_matrix = true;
        lexer = Lexer(sql_, range.end);
        ++next_range;
        continue;
      }
    }
    ScannedToken scanned;
    scanned.token = lexer.Next();
    Token& token = scanned.token;
    if (next_range < lifted_.size() && token.offset == lifted_[next_range].begin) {
      const LiftedRange& range = lifted_[next_range++];
      token.kind = k_LIFTED;
      token.length = range.end - range.begin;
      scanned.number = out_.lifted_slots++;
      scanned.is_list = range.kind == LiftedRange::Kind::kList;
      lexer = Lexer(sql_, range.end);
    }
    if (token.kind == kEnd) {
      out_.end = token.offset;
      break;
    }
    if (token.kind == k_SEMI) {
      const bool inside = trigger && !(KindFromEnd(0) == k_END && KindFromEnd(1) == k_SEMI);
      if (!inside) {
        out_.end = token.end();
        if (out_.tokens.empty()) continue;  // an empty statement before the first one
        break;
      }
    }
    if (token.end() > limits_.statement_bytes || out_.tokens.size() >= limits_.tokens) {
      return ErrorAt(sql_, token.offset, "statement too long");
    }
    if (token.kind == k_PARAMETER) KV_RETURN_IF_ERROR(NumberParameter(&scanned));
    KV_RETURN_IF_ERROR(Check(token));
    out_.tokens.push_back(scanned);
    if (may_be_trigger && !trigger) {
      trigger = IsTrigger();
      may_be_trigger = out_.tokens.size() < 6;
    }
  }
  ResolveContextKeywords();
  return absl::OkStatus();
}

}  // namespace

Status ScanStatement(std::string_view sql, std::span<const LiftedRange> lifted,
                     const Limits& limits, ScannedStatement* out) {
  if (sql.size() > UINT32_MAX / 2) {
    return absl::InvalidArgumentError("SQL text of 2 GiB or more");
  }
  return Scanner(sql, lifted, limits, out).Run();
}

}  // namespace kvsql::parser
