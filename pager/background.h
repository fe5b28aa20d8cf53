// The one helper thread of a pager: does checkpoints, log growth and late syncs when they fall due.
#ifndef KVSQL_PAGER_BACKGROUND_H_
#define KVSQL_PAGER_BACKGROUND_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace kvsql::pager {

// Thread safety: all methods may be called from any thread.
class BackgroundWorker {
 public:
  // `work` runs on the helper thread each time Wake was called since it last began, or a deadline passed.
  explicit BackgroundWorker(std::function<void()> work) : work_(std::move(work)) {}
  ~BackgroundWorker() { Stop(); }

  // Starts the thread at the first call.
  void Wake();
  // Work at `when` at the latest.
  void WakeAt(std::chrono::steady_clock::time_point when);
  // Waits for running work and ends the thread. Later wakes do nothing.
  void Stop();

 private:
  void Run();
  void StartLocked();

  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool due_ = false;
  bool stopped_ = false;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::thread thread_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_BACKGROUND_H_
