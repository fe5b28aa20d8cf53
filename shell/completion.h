// What a word at the cursor may become.
#ifndef KVSQL_SHELL_COMPLETION_H_
#define KVSQL_SHELL_COMPLETION_H_

#include <string>
#include <string_view>
#include <vector>

#include <kvsql/connection.h>

namespace kvsql::shell {

// Dot commands where the line begins with the word and the word with a dot; otherwise keywords (in the case
// in which the word is written), tables and columns, sorted. Behind "name." only the columns of that table.
// `connection` may be null.
std::vector<std::string> Completions(Connection* connection, std::string_view word,
                                     bool begins_line);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_COMPLETION_H_
