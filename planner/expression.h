// Compiled expressions. A leaf (constant, parameter, column) is an Operand; anything else is a Program for a stack of
// registers: an instruction at stack position d reads its operands at d and d + 1 and puts its result at d.
//
// Thread safety: immutable once compiled.
#ifndef KVSQL_PLANNER_EXPRESSION_H_
#define KVSQL_PLANNER_EXPRESSION_H_

#include <cstdint>
#include <vector>

#include "kv/value.h"

namespace kvsql::planner {

enum class OperandKind : uint8_t {
  kConstant,   // plan.constants[index]
  kParameter,  // parameter number index + 1
  kLifted,     // slot `index` of the literals lifted from the text
  kColumn,     // column `index` of the row at hand
  kRowid,      // its rowid
  kProgram,    // plan.programs[index]
};

struct Operand {
  OperandKind kind = OperandKind::kConstant;
  uint32_t index = 0;
};

enum class Opcode : uint8_t {
  // Loads; `index` as in Operand.
  kConstant,
  kParameter,
  kLifted,
  kColumn,
  kRowid,
  kCopy,  // of register `index`
  // One operand.
  kNegate,
  kBitNot,
  kNot,
  kIsNull,
  kNotNull,
  kCast,    // extra: kv::Affinity
  kIsTrue,  // extra: TruthTest
  // Two operands.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kBitAnd,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kConcat,
  kAnd,
  kOr,
  // extra: a Comparison.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIs,
  kIsNot,
};

// What x IS [NOT] TRUE/FALSE asks.
enum TruthTest : uint8_t { kTestTrue = 0, kTestFalse = 1, kTestNotTrue = 2, kTestNotFalse = 3 };

// What is done to both operands of a comparison before they are compared, and how texts compare.
enum class CompareAffinity : uint8_t { kNone = 0, kNumeric = 1, kText = 2 };
constexpr uint8_t PackComparison(CompareAffinity affinity, kv::Collation collation) {
  return static_cast<uint8_t>(static_cast<uint8_t>(affinity) << 4 |
                              static_cast<uint8_t>(collation));
}
constexpr CompareAffinity AffinityOfComparison(uint8_t extra) {
  return static_cast<CompareAffinity>(extra >> 4);
}
constexpr kv::Collation CollationOfComparison(uint8_t extra) {
  return static_cast<kv::Collation>(extra & 15);
}

struct Instruction {
  Opcode op = Opcode::kConstant;
  uint8_t extra = 0;
  uint16_t at = 0;     // stack position
  uint32_t index = 0;  // loads
};
static_assert(sizeof(Instruction) == 8);

struct Program {
  std::vector<Instruction> code;
  uint32_t registers = 0;  // result in register 0
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_EXPRESSION_H_
