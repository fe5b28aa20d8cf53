// How the test formats write values.
#ifndef KVSQL_TESTS_SQL_RENDER_H_
#define KVSQL_TESTS_SQL_RENDER_H_

#include <string>

#include <kvsql/value.h>

namespace kvsql::slt {

// The value as text, as SQLite's column_text gives it; NULL is empty, a NUL byte ends it.
std::string TextOf(const ValueView& value);

// "%.3f" of SQLite 3.43: rounds half away from zero, 16 significant digits and then zeros.
std::string ThreeDecimals(double value);

// A value in a column of type I (cast to an integer of 64 bits), R (cast to a real, three decimals) or T
// ("(empty)" for no text, "@" for each byte that is not printable ASCII). NULL is "NULL".
std::string RenderTyped(const ValueView& value, char type);

// As DuckDB's own files have it: text whatever the column's type, not changed but for "(empty)".
std::string RenderPlain(const ValueView& value);

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_RENDER_H_
