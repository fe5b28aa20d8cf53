// Reals as SQLite 3.40 prints them: "%!.15g" where people read them, "%!.20g" in JSON and INSERT
// statements.
//
// SQLite scales the number in long double and takes the digits one by one, so its last digits are not
// always those of a correctly rounded conversion. This does the same steps.
#ifndef KVSQL_SHELL_REAL_TEXT_H_
#define KVSQL_SHELL_REAL_TEXT_H_

#include <cstddef>
#include <string_view>

namespace kvsql::shell {

struct RealBuffer {
  char bytes[64];
};

// With at most `precision` significant digits, up to 26. "Inf" and "-Inf" for infinities.
std::string_view RealText(double value, int precision, RealBuffer* buffer);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_REAL_TEXT_H_
