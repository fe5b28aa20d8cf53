// What options and dot commands change.
#ifndef KVSQL_SHELL_SETTINGS_H_
#define KVSQL_SHELL_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvsql::shell {

enum class Mode : uint8_t {
  kList,
  kCsv,
  kJson,
  kLine,
  kColumn,
  kTable,
  kBox,
  kMarkdown,
  kQuote,
  kInsert,
};

struct Settings {
  Mode mode = Mode::kList;
  bool headers = false;
  bool headers_chosen = false;  // by the user; otherwise a mode chooses
  std::string column_separator = "|";
  std::string row_separator = "\n";
  std::string null_value;
  std::string insert_table = "table";  // of Mode::kInsert, quoted where needed
  std::vector<int> widths;             // of columns in Mode::kColumn and its like; 0: as needed
  int wrap = 0;                        // characters at which their columns are wrapped; 0: not
  bool word_wrap = false;              // between words, where there are some
  bool bail = false;
  bool echo = false;
  bool timer = false;
};

// By its name or a beginning of it, as ".mode" takes it; "tabs" and "ascii" are kList with separators.
// False if there is none.
bool ChooseMode(std::string_view name, Settings* settings);
// As the option of the same name does, which leaves the separators of rows alone.
bool ChooseModeByOption(std::string_view name, Settings* settings);
std::string_view ModeName(Mode mode);
// Whether rows stand in columns of equal width.
bool IsTabular(Mode mode);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_SETTINGS_H_
