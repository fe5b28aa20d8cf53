// The format language of printf() and format().
//
//   %[flags][width][.precision][l|ll]conversion     width and precision: digits, or * for an argument
//
//   flags        - left   + or blank: sign   0 zeros   # alternate form   , thousands   ! more digits, or
//                characters instead of bytes
//   conversion   d i u x X o p r (1st, 2nd)   f e E g G   s z c   q Q w (quoted)   % n
//
// A conversion that does not exist ends the text. Missing arguments are NULL. A text over kMaxLength is an
// error, where SQLite silently answers NULL.
//
// Thread safety: functions without state.
#ifndef KVSQL_EXEC_FUNCTIONS_PRINTF_H_
#define KVSQL_EXEC_FUNCTIONS_PRINTF_H_

#include <cstdint>
#include <string_view>

#include "exec/functions/function.h"
#include "exec/functions/text_builder.h"

namespace kvsql::exec {

// One conversion, parsed.
struct PrintfSpec {
  char conversion = 0;
  bool left = false;
  bool alternate = false;
  bool characters = false;  // "!"
  bool zeros = false;
  bool thousands = false;
  char sign = 0;
  int32_t width = 0;
  int32_t precision = -1;  // -1: none given
};

// Appends with blanks up to the width on the side that the spec says.
void AppendPadded(std::string_view text, int64_t width, bool left, TextBuilder* out);

void AppendInteger(int64_t value, PrintfSpec spec, TextBuilder* out);
void AppendReal(double value, const PrintfSpec& spec, TextBuilder* out);
// `text` is null for NULL; the texts end at their first NUL.
void AppendText(const std::string_view* text, const PrintfSpec& spec, TextBuilder* out);
void AppendCharacter(const std::string_view* text, const PrintfSpec& spec, TextBuilder* out);
void AppendQuoted(const std::string_view* text, const PrintfSpec& spec, TextBuilder* out);

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_PRINTF_H_
