// A function that is called from any thread and can be exchanged meanwhile.
#ifndef KVSQL_TESTS_SUPPORT_OBSERVER_SLOT_H_
#define KVSQL_TESTS_SUPPORT_OBSERVER_SLOT_H_

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kvsql::testing {

template <typename Event>
class ObserverSlot {
 public:
  using Observer = std::function<void(const Event&)>;

  // When it returns, no other thread is in the former observer, so what that refers to may go.
  void Set(Observer observer) {
    std::unique_lock lock(mutex_);
    observer_ = observer ? std::make_shared<const Observer>(std::move(observer)) : nullptr;
    left_.wait(lock, [this] {
      return std::all_of(inside_.begin(), inside_.end(), [](std::thread::id thread) {
        return thread == std::this_thread::get_id();
      });
    });
  }

  // No lock is held during the call, which may lead to others.
  void operator()(const Event& event) {
    std::shared_ptr<const Observer> observer;
    {
      std::lock_guard lock(mutex_);
      if (observer_ == nullptr) return;
      observer = observer_;
      inside_.push_back(std::this_thread::get_id());
    }
    (*observer)(event);
    std::lock_guard lock(mutex_);
    inside_.erase(std::find(inside_.begin(), inside_.end(), std::this_thread::get_id()));
    left_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  std::shared_ptr<const Observer> observer_;
  std::vector<std::thread::id> inside_;
};

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_SUPPORT_OBSERVER_SLOT_H_
