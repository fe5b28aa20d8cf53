// Lifting literals: turns the text of a statement into a form that statements which differ only in their
// data share, so that one cached plan serves them all.
//
//    SELECT name FROM t WHERE id = 42          ->  SELECT name FROM t WHERE id = <01>i
//    INSERT INTO t VALUES (1, 'a'), (2, 'b')   ->  INSERT INTO t VALUES (<02>, <02>)<04>
//
// Only a literal that is as a whole an operand of a comparison or BETWEEN, an IN list of nothing but literals, an
// item of VALUES in an INSERT or the right side of an assignment in SET is lifted: everywhere else its
// value decides names, types or plans. Types are part of the key for comparisons (01: one letter, 03: a set), not
// for VALUES and SET (02). Nothing is lifted after a nested SELECT, WITH, GROUP, ORDER, LIMIT, ON CONFLICT or
// RETURNING begins; never a double-quoted text or an integer that needs its minus to fit 64 bits.
//
// Rows of VALUES that all consist of literals become one template over a matrix of values: INSERTs of any number
// of rows share a plan.
//
// Thread safety: a Normaliser is used by one thread at a time.
//
// Invariants:
//   1. Two statements with equal text() parse to equal ASTs but for their LiftedExpr values.
//   2. No allocation once the buffers have grown to the size of the statements.
//   3. Bytes 01 to 04 in the given text outside of quotes and comments are no tokens, so no text that
//      parses can be taken for the normalised form of another.
#ifndef KVSQL_PARSER_NORMALISER_H_
#define KVSQL_PARSER_NORMALISER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lexer.h"
#include "parser/literal.h"
#include "parser/token.h"

namespace kvsql::parser {

// A piece of the text that the parser reads as something else.
struct LiftedRange {
  enum class Kind : uint8_t {
    kValue,  // one literal, with its sign: a LIFTED token
    kList,   // the literals of an IN list: a LIFTED token for the list
    kSkip,   // further rows of a matrix: nothing
  };
  uint32_t begin = 0;
  uint32_t end = 0;
  Kind kind = Kind::kValue;
};

// The values of one slot: one, or a list.
struct LiftedSlot {
  uint32_t first = 0;  // in values()
  uint32_t count = 1;
};

class Normaliser {
 public:
  // Looks at the first statement of `sql`, whose bytes must stay for as long as the results are used.
  // False: nothing was lifted (the statement is of another kind, has no such literals, or is no SQL).
  bool Run(std::string_view sql);

  // After Run returned true:
  std::string_view text() const { return text_; }
  // Bytes of the statement in the given text, with its semicolon.
  size_t statement_end() const { return statement_end_; }
  std::span<const LiftedRange> ranges() const { return ranges_; }
  // In the order of the text. With a matrix: one slot per column, for its first row.
  std::span<const LiftedSlot> slots() const { return slots_; }
  std::span<const LiteralValue> values() const { return values_; }
  // Rows of the matrix: the value of slot s in row r is values()[r * slots().size() + s]. 0: no matrix.
  uint32_t matrix_rows() const { return matrix_rows_; }

 private:
  enum class Mode : uint8_t {
    kNone,         // nothing is lifted here
    kExpression,   // operands of comparisons
    kAssignments,  // right sides in SET
    kRow,          // items of a VALUES row
  };

  struct Frame {
    Mode mode = Mode::kNone;
    bool between = false;  // a BETWEEN waits for its AND
  };

  bool Walk(std::string_view sql);
  bool ReadItem(std::string_view sql, Lexer* lexer, Token* next, LiteralValue* value,
                LiftedRange* range);
  bool ReadMatrix(std::string_view sql, size_t offset, size_t* resume);
  bool ReadInList(std::string_view sql, size_t offset, size_t* resume);
  void Lift(std::string_view sql, const LiftedRange& range, const LiteralValue& value, char mark);

  static constexpr size_t kMaxDepth = 64;

  std::string text_;
  std::string storage_;  // decoded bytes
  std::vector<LiftedRange> ranges_;
  std::vector<LiftedSlot> slots_;
  std::vector<LiteralValue> values_;
  size_t statement_end_ = 0;
  uint32_t copied_ = 0;  // bytes of the given text that text_ covers
  uint32_t matrix_rows_ = 0;
};

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_NORMALISER_H_
