#include "pager/core_registry.h"

#include <pthread.h>

#include <atomic>
#include <utility>

#include "base/check.h"

namespace kvsql::pager {
namespace {

// How many forks lie between this process and the first.
std::atomic<uint64_t> process_generation{1};

}  // namespace

CoreRegistry& CoreRegistry::Instance() {
  static CoreRegistry* const registry = new CoreRegistry;
  return *registry;
}

CoreRegistry::CoreRegistry() : changed_(new std::condition_variable), entries_(new Entries) {
  pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
}

// The mutex is held across the fork, so that the child finds the entries whole.
void CoreRegistry::BeforeFork() { Instance().mutex_.lock(); }
void CoreRegistry::AfterForkInParent() { Instance().mutex_.unlock(); }

void CoreRegistry::AfterForkInChild() {
  CoreRegistry& registry = Instance();
  process_generation.fetch_add(1, std::memory_order_acq_rel);
  for (const auto& [name, entry] : *registry.entries_) {
    // A core whose last handle is gone is being destroyed by a thread that is not here.
    if (entry.handler != nullptr && !entry.core.expired()) entry.handler(entry.raw);
  }
  registry.entries_ = new Entries;
  registry.changed_ = new std::condition_variable;
  registry.mutex_.unlock();
}

StatusOr<CoreRegistry::Entered> CoreRegistry::Enter(
    const FileSystem* file_system, const FileIdentity& file,
    std::chrono::steady_clock::time_point deadline) {
  const Registration::Name name{file_system, file};
  std::unique_lock lock(mutex_);
  while (true) {
    const auto it = entries_->find(name);
    if (it == entries_->end()) {
      entries_->emplace(name, Entry{});
      return Entered{nullptr, Registration(name, process_generation.load())};
    }
    if (it->second.stage == Stage::kOpen) {
      // Without a handle left, the core is on its way out and will release the entry.
      if (std::shared_ptr<void> core = it->second.core.lock()) return Entered{std::move(core), {}};
    }
    if (changed_->wait_until(lock, deadline) == std::cv_status::timeout &&
        std::chrono::steady_clock::now() >= deadline) {
      return absl::UnavailableError(
          "another thread of this process is still opening or closing the database");
    }
  }
}

CoreRegistry::Registration& CoreRegistry::Registration::operator=(Registration&& other) noexcept {
  if (this != &other) {
    Release();
    name_ = other.name_;
    generation_ = other.generation_;
    held_ = std::exchange(other.held_, false);
  }
  return *this;
}

void CoreRegistry::Registration::Publish(const std::shared_ptr<void>& core, ForkHandler handler) {
  if (!held_ || forked()) return;
  CoreRegistry& registry = Instance();
  std::lock_guard lock(registry.mutex_);
  const auto it = registry.entries_->find(name_);
  KV_CHECK(it != registry.entries_->end() && it->second.stage == Stage::kOpening);
  it->second = Entry{Stage::kOpen, core, core.get(), handler};
  registry.changed_->notify_all();
}

void CoreRegistry::Registration::BeginClose() {
  if (!held_ || forked()) return;
  CoreRegistry& registry = Instance();
  std::lock_guard lock(registry.mutex_);
  const auto it = registry.entries_->find(name_);
  KV_CHECK(it != registry.entries_->end());
  it->second.stage = Stage::kClosing;
}

void CoreRegistry::Registration::Release() {
  if (!std::exchange(held_, false) || forked()) return;
  CoreRegistry& registry = Instance();
  std::lock_guard lock(registry.mutex_);
  registry.entries_->erase(name_);
  registry.changed_->notify_all();
}

bool CoreRegistry::Registration::forked() const {
  return generation_ != 0 && generation_ != process_generation.load(std::memory_order_acquire);
}

}  // namespace kvsql::pager
