// The lock that lets one write transaction run at a time: first come, first served, with a time limit.
#ifndef KVSQL_PAGER_WRITER_LOCK_H_
#define KVSQL_PAGER_WRITER_LOCK_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace kvsql::pager {

// Thread safety: all methods may be called from any thread; Release by whoever holds the lock.
class WriterLock {
 public:
  // False if the lock did not become free within `timeout`.
  bool Acquire(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!held_ && queue_.empty()) {
      held_ = true;
      return true;
    }
    Waiter self;
    const auto place = queue_.insert(queue_.end(), &self);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!self.granted) {
      if (self.wake.wait_until(lock, deadline) == std::cv_status::timeout && !self.granted) {
        queue_.erase(place);
        return false;
      }
    }
    return true;
  }

  void Release() {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      held_ = false;
      return;
    }
    // Handed over directly: nobody can overtake the one that waited longest.
    Waiter* next = queue_.front();
    queue_.pop_front();
    next->granted = true;
    next->wake.notify_one();
  }

  // Whether somebody waits for the lock now.
  bool Contended() {
    std::lock_guard lock(mutex_);
    return !queue_.empty();
  }

 private:
  struct Waiter {
    std::condition_variable wake;
    bool granted = false;
  };

  std::mutex mutex_;
  bool held_ = false;
  std::list<Waiter*> queue_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_WRITER_LOCK_H_
