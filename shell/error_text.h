// What the shell says about a statement that failed.
//
//   Error in load.sql at line 12, column 8: near "FORM": syntax error
//     SELECT * FORM t
//              ^--- error here
#ifndef KVSQL_SHELL_ERROR_TEXT_H_
#define KVSQL_SHELL_ERROR_TEXT_H_

#include <string>
#include <string_view>

#include <kvsql/status.h>

#include "shell/shell.h"

namespace kvsql::shell {

// `rest` is the end of `text` from the statement on; `place` is that of `text`. The engine counts lines and
// columns from there, and says them at the end of its message.
std::string ErrorText(const Status& status, std::string_view text, std::string_view rest,
                      const Place& place, bool interactive);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_ERROR_TEXT_H_
