#include "bench/interrupt.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace kvsql::bench {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void NoteInterrupts() {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
}

void LeaveIfInterrupted() {
  if (interrupted == 0) return;
  std::fputs("\nkvsql_bench: interrupted\n", stderr);
  std::exit(130);  // not by the signal: what runs at exit must run
}

}  // namespace kvsql::bench
