// The grammar's automaton, made from the numbers that ANTLR's tool writes into the generated parser.
//
// ANTLR's own deserialiser asks each of 1,400 states and their transitions a dozen times what it is, by
// dynamic_cast, and checks what came out of the same build: 500 us, which every program start that runs a
// statement would pay. This reads the same numbers by their type codes, in about a fifth of that.
//
//   version 3 | UUID, 8 words | grammar type | largest token
//   states       count, then { type | rule | [block start: end state] [loop end: loop back state] }
//   not greedy   count, then states          precedence   count, then rule start states
//   rules        count, then start states    modes        count, then states
//   sets         count, then { intervals | contains EOF | { from | to } }; the same again with 32-bit numbers
//   edges        count, then { from | to | type | three arguments }
//   decisions    count, then states
//
// Each word but the first is stored with 2 added.
#ifndef KVSQL_PARSER_AUTOMATON_H_
#define KVSQL_PARSER_AUTOMATON_H_

#include <cstdint>
#include <string>
#include <vector>

namespace antlr4::atn {
class ATN;
}  // namespace antlr4::atn

namespace kvsql::parser {

// `words` come from this build: they are not checked. *out is empty, and must never be destroyed.
void ReadAutomaton(const std::vector<uint16_t>& words, antlr4::atn::ATN* out);

#if defined(KVSQL_TESTING)
// How what ReadAutomaton makes of the grammar differs from what ANTLR's deserialiser makes; "" if it does not.
std::string CompareAutomata();
#endif

}  // namespace kvsql::parser

#endif  // KVSQL_PARSER_AUTOMATON_H_
