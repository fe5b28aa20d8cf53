// Names and keywords of SQL, as the shell writes and completes them.
#ifndef KVSQL_SHELL_NAMES_H_
#define KVSQL_SHELL_NAMES_H_

#include <span>
#include <string>
#include <string_view>

namespace kvsql::shell {

// SQLite's keywords, in upper case, sorted.
std::span<const std::string_view> Keywords();

bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);

// In double quotes.
std::string Quoted(std::string_view name);
// The name as it is where it is a plain one and no keyword.
std::string QuotedWhereNeeded(std::string_view name);
// A text in single quotes.
std::string TextLiteral(std::string_view text);

// "on", "yes", "true", 1 and the like; anything else is false.
bool MeansTrue(std::string_view word);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_NAMES_H_
