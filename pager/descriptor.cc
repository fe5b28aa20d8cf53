#include "pager/descriptor.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

namespace kvsql::pager {
namespace {

struct OpenList {
  std::mutex mutex;
  std::vector<int> fds;  // guarded by mutex
};

// Never destroyed: descriptors may outlive static destructors.
OpenList& List() {
  static OpenList* const list = new OpenList;
  return *list;
}

std::atomic<uint64_t> fork_generation{0};

void BeforeFork() { List().mutex.lock(); }
void InParent() { List().mutex.unlock(); }
void InChild() {
  // The mutex is held by this very thread, the only one of the child.
  CloseAllInForkedChild();
  List().mutex.unlock();
}

void InstallHandlers() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(&BeforeFork, &InParent, &InChild); });
}

}  // namespace

uint64_t ForkGeneration() { return fork_generation.load(std::memory_order_relaxed); }

void CloseAllInForkedChild() {
  OpenList& list = List();
  for (int fd : list.fds) close(fd);
  list.fds.clear();
  fork_generation.fetch_add(1, std::memory_order_relaxed);
}

Descriptor Descriptor::Open(const std::string& path, int flags, int mode) {
  InstallHandlers();
  OpenList& list = List();
  Descriptor result;
  std::lock_guard lock(list.mutex);
  list.fds.reserve(list.fds.size() + 1);
  do {
    result.fd_ = open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (result.fd_ < 0 && errno == EINTR);
  if (result.fd_ >= 0) {
    result.generation_ = ForkGeneration();
    list.fds.push_back(result.fd_);
  }
  return result;
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), generation_(other.generation_) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    generation_ = other.generation_;
  }
  return *this;
}

int Descriptor::get() const { return generation_ == ForkGeneration() ? fd_ : -1; }

void Descriptor::Close() {
  if (const int fd = get(); fd >= 0) {
    OpenList& list = List();
    std::lock_guard lock(list.mutex);
    if (const auto at = std::find(list.fds.begin(), list.fds.end(), fd); at != list.fds.end()) {
      *at = list.fds.back();
      list.fds.pop_back();
    }
    // After EINTR the descriptor is closed all the same on Linux; a second close could hit another file.
    close(fd);
  }
  fd_ = -1;
}

}  // namespace kvsql::pager
