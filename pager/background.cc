#include "pager/background.h"

namespace kvsql::pager {

void BackgroundWorker::StartLocked() {
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void BackgroundWorker::Wake() {
  std::lock_guard lock(mutex_);
  if (stopped_ || due_) return;
  due_ = true;
  StartLocked();
  wake_.notify_one();
}

void BackgroundWorker::WakeAt(std::chrono::steady_clock::time_point when) {
  std::lock_guard lock(mutex_);
  if (stopped_ || (deadline_.has_value() && *deadline_ <= when)) return;
  deadline_ = when;
  StartLocked();
  wake_.notify_one();
}

void BackgroundWorker::Stop() {
  std::thread thread;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
    thread.swap(thread_);
  }
  if (thread.joinable()) thread.join();
}

void BackgroundWorker::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_) return;
    const bool late = deadline_.has_value() && std::chrono::steady_clock::now() >= *deadline_;
    if (due_ || late) {
      due_ = false;
      deadline_.reset();
      lock.unlock();
      work_();
      lock.lock();
    } else if (deadline_.has_value()) {
      const auto until = *deadline_;
      wake_.wait_until(lock, until);
    } else {
      wake_.wait(lock);
    }
  }
}

}  // namespace kvsql::pager
