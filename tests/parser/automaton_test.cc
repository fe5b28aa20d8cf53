#include "parser/automaton.h"

#include <gtest/gtest.h>

namespace kvsql::parser {
namespace {

#if defined(KVSQL_TESTING)
TEST(AutomatonTest, IsWhatAntlrMakesOfTheGrammar) { EXPECT_EQ(CompareAutomata(), ""); }
#endif

}  // namespace
}  // namespace kvsql::parser
