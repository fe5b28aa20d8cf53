// A person at a terminal: lines by libedit, with history and completion.
//
// Thread safety: none; libedit has one state per process.
#ifndef KVSQL_SHELL_LINE_EDITOR_H_
#define KVSQL_SHELL_LINE_EDITOR_H_

#include <string>

#include "shell/input.h"
#include "shell/shell.h"

namespace kvsql::shell {

class LineEditor : public Source {
 public:
  // Reads ~/.kvsql_history; completion asks the shell's database. The shell must live as long.
  explicit LineEditor(Shell* shell);
  // Writes the history.
  ~LineEditor() override;

  ptrdiff_t Read(char* to, size_t room) override;
  void set_continued(bool continued) override { continued_ = continued; }
  bool TakeDiscard() override;

 private:
  std::string history_file_;
  std::string line_;  // of it, what has not been handed on
  bool continued_ = false;
  bool discard_ = false;
};

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_LINE_EDITOR_H_
