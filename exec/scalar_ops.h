// SQLite's operators over single values: arithmetic, bits, text, comparison, logic.
//
// Thread safety: functions without state; an arena belongs to one thread.
//
// Invariants:
//   1. Nothing fails: what SQLite cannot compute is NULL.
//   2. A result's bytes are those of an operand or stand in the arena.
#ifndef KVSQL_EXEC_SCALAR_OPS_H_
#define KVSQL_EXEC_SCALAR_OPS_H_

#include <cstdint>

#include "exec/functions/text_arena.h"
#include "kv/value.h"
#include "planner/expression.h"

namespace kvsql::exec {

// + - * / %
kv::ValueView Arithmetic(planner::Opcode op, const kv::ValueView& left, const kv::ValueView& right);
// & | << >>
kv::ValueView Bitwise(planner::Opcode op, const kv::ValueView& left, const kv::ValueView& right);
kv::ValueView Concat(const kv::ValueView& left, const kv::ValueView& right, TextArena* arena);
// The integer that bit operators see.
int64_t ToInteger(const kv::ValueView& value);

// A copy whose bytes stand in the arena.
kv::ValueView CopyBytes(const kv::ValueView& value, TextArena* arena);
kv::ValueView Cast(const kv::ValueView& value, kv::Affinity affinity, TextArena* arena);
kv::ValueView WithAffinity(const kv::ValueView& value, kv::Affinity affinity, TextArena* arena);

// Orders two values that are not NULL as a comparison with this `extra` (planner::PackComparison) does.
int CompareOperands(uint8_t extra, const kv::ValueView& left, const kv::ValueView& right);
// = <> < <= > >= IS, IS NOT: 1, 0 or NULL.
kv::ValueView Compare(planner::Opcode op, uint8_t extra, const kv::ValueView& left,
                      const kv::ValueView& right);

// AND and OR of truth values as Truth gives them.
kv::ValueView Logic(bool is_and, int a, int b);
// What WHERE makes of a value: 1, 0, or -1 for NULL.
int Truth(const kv::ValueView& value);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_SCALAR_OPS_H_
