#include "parser/normaliser.h"

namespace kvsql::parser {
namespace {

using enum TokenKind;

constexpr char kTyped = '\x01';
constexpr char kUntyped = '\x02';
constexpr char kListMark = '\x03';
constexpr char kMatrixMark = '\x04';

char TypeLetter(LiteralType type) {
  constexpr char kLetters[] = {'n', 'i', 'r', 't', 'b'};
  return kLetters[static_cast<size_t>(type)];
}

bool IsComparison(TokenKind kind) { return kind >= k_EQ && kind <= k_GE; }
static_assert(static_cast<int>(k_GE) - static_cast<int>(k_EQ) == 5);

bool IsNumber(TokenKind kind) { return kind == k_INTEGER_LITERAL || kind == k_FLOAT_LITERAL; }

// Behind these an expression begins whose first operand may be a literal.
bool BeginsExpression(TokenKind kind) {
  return kind == k_WHERE || kind == k_ON || kind == k_AND || kind == k_OR || kind == k_NOT ||
         kind == k_LP || kind == k_WHEN;
}

// Before these a literal stands alone: nothing binds it more tightly than a comparison.
bool EndsOperand(TokenKind kind) {
  switch (kind) {
    case kEnd:
    case k_SEMI:
    case k_RP:
    case k_COMMA:
    case k_EQ:
    case k_NE:
    case k_LT:
    case k_LE:
    case k_GT:
    case k_GE:
    case k_AND:
    case k_OR:
    case k_ORDER:
    case k_GROUP:
    case k_LIMIT:
    case k_HAVING:
    case k_RETURNING:
    case k_WHERE:
    case k_JOIN:
    case k_LEFT:
    case k_INNER:
    case k_CROSS:
    case k_NATURAL:
    case k_RIGHT:
    case k_FULL:
    case k_WHEN:
    case k_THEN:
    case k_ELSE:
    case k_END:
      return true;
    default:
      return false;
  }
}

bool EndsAssignment(TokenKind kind) {
  return kind == kEnd || kind == k_SEMI || kind == k_COMMA || kind == k_WHERE || kind == k_FROM ||
         kind == k_RETURNING || kind == k_ORDER || kind == k_LIMIT;
}

// A parenthesis behind these groups; behind a name it holds arguments.
bool OpensGroup(TokenKind before) {
  return BeginsExpression(before) || IsComparison(before) || before == k_THEN || before == k_ELSE ||
         before == k_CASE || before == k_BETWEEN;
}

}  // namespace

bool Normaliser::Run(std::string_view sql) {
  text_.clear();
  storage_.clear();
  ranges_.clear();
  slots_.clear();
  values_.clear();
  copied_ = 0;
  matrix_rows_ = 0;
  statement_end_ = 0;
  if (sql.size() > UINT32_MAX / 2) return false;
  storage_.reserve(sql.size());  // decoded bytes are never more, so views into it stay
  return Walk(sql) && !slots_.empty();
}

// Replaces the range in the normalised text by a mark, and by the value's type where that matters.
void Normaliser::Lift(std::string_view sql, const LiftedRange& range, const LiteralValue& value,
                      char mark) {
  text_.append(sql.data() + copied_, range.begin - copied_);
  copied_ = range.end;
  text_.push_back(mark);
  if (mark == kTyped) text_.push_back(TypeLetter(value.type));
  ranges_.push_back(range);
  slots_.push_back({static_cast<uint32_t>(values_.size()), 1});
  values_.push_back(value);
}

// Reads [sign] literal; *next becomes the token behind it. False if there is something else.
bool Normaliser::ReadItem(std::string_view sql, Lexer* lexer, Token* next, LiteralValue* value,
                          LiftedRange* range) {
  Token token = lexer->Next();
  range->begin = token.offset;
  const bool negative = token.kind == k_MINUS;
  if (negative || token.kind == k_PLUS) {
    token = lexer->Next();
    if (!IsNumber(token.kind)) return false;
  }
  if (!ReadLiteral(token.kind, token.In(sql), negative, &storage_, value)) return false;
  range->end = token.end();
  *next = lexer->Next();
  return true;
}

// Rows of nothing but literals from `offset` to the end of the VALUES clause.
bool Normaliser::ReadMatrix(std::string_view sql, size_t offset, size_t* resume) {
  Lexer lexer(sql, offset);
  const size_t text_size = text_.size();
  const uint32_t copied = copied_;
  const size_t ranges_size = ranges_.size();
  size_t columns = 0;
  uint32_t rows = 0;
  uint32_t first_row_end = 0;
  uint32_t last_row_end = 0;
  Token token = lexer.Next();
  bool good = false;
  for (;;) {
    if (token.kind != k_LP) break;
    size_t in_row = 0;
    do {
      LiteralValue value;
      LiftedRange range;
      if (!ReadItem(sql, &lexer, &token, &value, &range)) {
        token.kind = k_ILLEGAL;
        break;
      }
      if (rows == 0) {
        Lift(sql, range, value, kUntyped);
      } else {
        values_.push_back(value);
      }
      ++in_row;
    } while (token.kind == k_COMMA);
    if (token.kind != k_RP) break;
    last_row_end = token.end();
    if (rows == 0) {
      columns = in_row;
      first_row_end = last_row_end;
    } else if (in_row != columns) {
      break;
    }
    ++rows;
    token = lexer.Next();
    if (token.kind != k_COMMA) {
      good = token.kind == kEnd || token.kind == k_SEMI || token.kind == k_ON ||
             token.kind == k_RETURNING;
      break;
    }
    token = lexer.Next();
  }
  if (!good) {
    text_.resize(text_size);
    copied_ = copied;
    ranges_.resize(ranges_size);
    slots_.clear();
    values_.clear();
    return false;
  }
  text_.append(sql.data() + copied_, first_row_end - copied_);
  text_.push_back(kMatrixMark);
  copied_ = last_row_end;
  ranges_.push_back({first_row_end, last_row_end, LiftedRange::Kind::kSkip});
  matrix_rows_ = rows;
  *resume = last_row_end;
  return true;
}

// The items of an IN list from `offset`, which is behind its opening parenthesis.
bool Normaliser::ReadInList(std::string_view sql, size_t offset, size_t* resume) {
  Lexer lexer(sql, offset);
  const size_t values_size = values_.size();
  uint8_t types = 0;
  LiftedRange list{0, 0, LiftedRange::Kind::kList};
  Token token;
  do {
    LiteralValue value;
    LiftedRange range;
    if (!ReadItem(sql, &lexer, &token, &value, &range)) {
      token.kind = k_ILLEGAL;
      break;
    }
    if (list.end == 0) list.begin = range.begin;
    list.end = range.end;
    types |= static_cast<uint8_t>(1u << static_cast<uint8_t>(value.type));
    values_.push_back(value);
  } while (token.kind == k_COMMA);
  if (token.kind != k_RP) {
    values_.resize(values_size);
    return false;
  }
  text_.append(sql.data() + copied_, list.begin - copied_);
  text_.push_back(kListMark);
  text_.push_back(static_cast<char>('@' + types));
  copied_ = list.end;
  ranges_.push_back(list);
  slots_.push_back(
      {static_cast<uint32_t>(values_size), static_cast<uint32_t>(values_.size() - values_size)});
  *resume = list.end;  // the closing parenthesis comes next
  return true;
}

bool Normaliser::Walk(std::string_view sql) {
  Lexer lexer(sql);
  Token token = lexer.Next();
  const TokenKind verb = token.kind == k_REPLACE ? k_INSERT : token.kind;
  if (verb != k_SELECT && verb != k_INSERT && verb != k_UPDATE && verb != k_DELETE) return false;

  Frame frames[kMaxDepth];
  size_t depth = 0;
  bool lifting = true;
  bool in_values = false;
  bool assigned = false;              // the assignment's '=' has been seen
  TokenKind before = token.kind;      // the token before `token`
  bool before_is_assignment = false;  // it was the '=' of an assignment
  Token next = lexer.Next();
  const auto advance = [&] {
    before = token.kind;
    token = next;
    next = lexer.Next();
  };
  const auto jump = [&](size_t offset, TokenKind kind) {
    lexer = Lexer(sql, offset);
    before = kind;
    token = lexer.Next();
    next = lexer.Next();
  };
  advance();

  for (;;) {
    const bool assignment_value = before_is_assignment;
    before_is_assignment = false;
    if (token.kind == kEnd || token.kind == k_SEMI) {
      const bool semicolon = token.kind == k_SEMI;
      statement_end_ = token.end();
      // The text ends where the statement does; blanks and comments before its end are part of it.
      text_.append(sql.data() + copied_, statement_end_ - (semicolon ? 1 : 0) - copied_);
      return true;
    }
    if (token.kind == k_ILLEGAL) return false;
    if (!lifting) {
      advance();
      continue;
    }
    Frame& frame = frames[depth];
    switch (token.kind) {
      case k_LP: {
        Mode mode = Mode::kNone;
        if (in_values && depth == 0) {
          mode = Mode::kRow;
        } else if (frame.mode == Mode::kExpression) {
          if (before == k_IN) {
            size_t resume = 0;
            if (ReadInList(sql, token.end(), &resume)) {
              jump(resume, k_STRING);
              advance();  // over the closing parenthesis
              continue;
            }
          } else if (OpensGroup(before)) {
            mode = Mode::kExpression;
          }
        }
        if (depth + 1 == kMaxDepth) {
          lifting = false;
          break;
        }
        frames[++depth] = {mode, false};
        break;
      }
      case k_RP:
        if (depth > 0) --depth;
        break;
      case k_SELECT:
      case k_WITH:
      case k_GROUP:
      case k_ORDER:
      case k_LIMIT:
      case k_HAVING:
      case k_WINDOW:
      case k_UNION:
      case k_EXCEPT:
      case k_INTERSECT:
      case k_RETURNING:
        lifting = false;
        break;
      case k_WHERE:
        if (depth == 0) frame = {verb == k_INSERT ? Mode::kNone : Mode::kExpression, false};
        break;
      case k_ON:
        if (verb == k_INSERT) lifting = false;
        if (depth == 0) frame = {Mode::kExpression, false};
        break;
      case k_FROM:
        if (depth == 0) frame = {};
        break;
      case k_SET:
        if (verb == k_UPDATE && depth == 0) {
          frame = {Mode::kAssignments, false};
          assigned = false;
        }
        break;
      case k_VALUES: {
        if (verb != k_INSERT || depth != 0 || in_values) {
          lifting = false;
          break;
        }
        size_t resume = 0;
        if (ReadMatrix(sql, token.end(), &resume)) {
          lifting = false;
          jump(resume, k_RP);
          continue;
        }
        in_values = true;
        break;
      }
      case k_BETWEEN:
        frame.between = true;
        break;
      case k_AND:
        if (frame.between) {
          frame.between = false;
          token.kind = k_BETWEEN;  // what follows is an operand of BETWEEN
        }
        break;
      case k_COMMA:
        if (frame.mode == Mode::kAssignments) assigned = false;
        break;
      case k_EQ:
        if (frame.mode == Mode::kAssignments && !assigned) {
          assigned = true;
          before_is_assignment = true;
        }
        break;
      case k_MINUS:
      case k_PLUS:
      case k_NULL:
      case k_STRING:
      case k_BLOB:
      case k_INTEGER_LITERAL:
      case k_FLOAT_LITERAL: {
        if (frame.mode == Mode::kNone) break;
        const bool is_sign = token.kind == k_MINUS || token.kind == k_PLUS;
        if (is_sign && !IsNumber(next.kind)) break;
        Token after = next;
        if (is_sign) after = Lexer(lexer).Next();
        char mark = 0;
        switch (frame.mode) {
          case Mode::kExpression:
            if (token.kind != k_NULL && EndsOperand(after.kind) &&
                (IsComparison(before) || before == k_BETWEEN ||
                 (BeginsExpression(before) && IsComparison(after.kind)))) {
              mark = kTyped;
            }
            break;
          case Mode::kAssignments:
            if (assignment_value && EndsAssignment(after.kind)) mark = kUntyped;
            break;
          case Mode::kRow:
            if ((before == k_LP || before == k_COMMA) &&
                (after.kind == k_COMMA || after.kind == k_RP)) {
              mark = kUntyped;
            }
            break;
          case Mode::kNone:
            break;
        }
        if (mark == 0) break;
        const Token& literal = is_sign ? next : token;
        LiteralValue value;
        if (!ReadLiteral(literal.kind, literal.In(sql), token.kind == k_MINUS, &storage_, &value)) {
          break;
        }
        Lift(sql, {token.offset, literal.end()}, value, mark);
        if (is_sign) advance();
        token.kind = k_STRING;
        break;
      }
      default:
        break;
    }
    advance();
  }
}

}  // namespace kvsql::parser
