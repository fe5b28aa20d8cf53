// ".timer on": what a text has cost, in the words of SQLite's shell.
#ifndef KVSQL_SHELL_TIMER_H_
#define KVSQL_SHELL_TIMER_H_

#include "shell/output.h"

namespace kvsql::shell {

class Timer {
 public:
  // Reads no clock unless it is on.
  explicit Timer(bool on);
  void Report(Output* output) const;

 private:
  struct Times {
    double real = 0;  // seconds
    double user = 0;
    double system = 0;
  };
  static Times Now();

  const bool on_;
  Times begin_;
};

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_TIMER_H_
