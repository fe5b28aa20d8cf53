#include "shell/line_editor.h"

#include <editline/readline.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <utility>
#include <vector>

#include "shell/completion.h"

namespace kvsql::shell {
namespace {

constexpr int kHistoryLines = 2000;

// libedit's completion has no place for a pointer of ours.
Shell* completing = nullptr;
std::vector<std::string> candidates;
size_t next_candidate = 0;

char* NextCandidate(const char*, int state) {
  if (state == 0) next_candidate = 0;
  if (next_candidate == candidates.size()) return nullptr;
  return strdup(candidates[next_candidate++].c_str());
}

char** Complete(const char* text, int begin, int) {
  rl_attempted_completion_over = 1;  // no file names
  candidates = Completions(completing->connection(), text, begin == 0);
  return rl_completion_matches(text, NextCandidate);
}

// One character of the terminal as its code point, or -1 at its end or when the interrupt key was
// hit. libedit's own function would miss a key that is hit between its prompt and its read().
int ReadCharacter(FILE* from) {
  mbstate_t state = {};
  for (;;) {
    pollfd waiting[] = {{fileno(from), POLLIN, 0}, {InterruptPipe(), POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) {
      if (errno == EINTR) continue;  // a window of another size; an interrupt is in the pipe
      return -1;
    }
    if (waiting[1].revents != 0) return -1;
    char byte = 0;
    const ssize_t count = read(fileno(from), &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -1;
    wchar_t character = 0;
    const size_t length = std::mbrtowc(&character, &byte, 1, &state);
    if (length == static_cast<size_t>(-2)) continue;  // its first bytes
    if (length == static_cast<size_t>(-1)) {
      state = {};  // no character of this encoding; it is not taken
      continue;
    }
    return static_cast<int>(character);
  }
}

// Statements are UTF-8, whatever the person's language is; numbers stay as in "C".
void SpeakUtf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
}

std::string HistoryFile() {
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string() : std::string(home) + "/.kvsql_history";
}

}  // namespace

LineEditor::LineEditor(Shell* shell) : history_file_(HistoryFile()) {
  completing = shell;
  SpeakUtf8();
  WatchInterrupts();
  rl_getc_function = ReadCharacter;
  rl_readline_name = const_cast<char*>("kvsql");
  rl_initialize();
  rl_attempted_completion_function = Complete;
  rl_completer_word_break_characters = const_cast<char*>(" \t\n\"\\'`@$><=;|&{(,)+-*/");
  using_history();
  if (!history_file_.empty()) read_history(history_file_.c_str());
}

LineEditor::~LineEditor() {
  if (history_file_.empty()) return;
  stifle_history(kHistoryLines);
  write_history(history_file_.c_str());
}

bool LineEditor::TakeDiscard() { return std::exchange(discard_, false); }

ptrdiff_t LineEditor::Read(char* to, size_t room) {
  while (line_.empty()) {
    char* const line = readline(continued_ ? "  ...> " : "kvsql> ");
    if (line == nullptr) {
      static_cast<void>(!write(STDOUT_FILENO, "\n", 1));
      if (!Interrupted()) return 0;
      // The statement that was begun is given up, not the shell.
      ClearInterrupt();
      discard_ = true;
      continued_ = false;
      continue;
    }
    if (*line != '\0') add_history(line);
    line_ = line;
    line_ += '\n';
    std::free(line);
  }
  const size_t count = std::min(room, line_.size());
  std::memcpy(to, line_.data(), count);
  line_.erase(0, count);
  return static_cast<ptrdiff_t>(count);
}

}  // namespace kvsql::shell
