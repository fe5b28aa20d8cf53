#include "shell/timer.h"

#include <sys/resource.h>
#include <time.h>

#include <cstdio>

namespace kvsql::shell {

Timer::Timer(bool on) : on_(on) {
  if (on) begin_ = Now();
}

Timer::Times Timer::Now() {
  timespec clock = {};
  clock_gettime(CLOCK_MONOTONIC, &clock);
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {static_cast<double>(clock.tv_sec) + static_cast<double>(clock.tv_nsec) * 1e-9,
          seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

void Timer::Report(Output* output) const {
  if (!on_) return;
  const Times end = Now();
  char line[128];
  const int size =
      std::snprintf(line, sizeof(line), "Run Time: real %.3f user %.6f sys %.6f\n",
                    end.real - begin_.real, end.user - begin_.user, end.system - begin_.system);
  output->Write({line, static_cast<size_t>(size)});
}

}  // namespace kvsql::shell
