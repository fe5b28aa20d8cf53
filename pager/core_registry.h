// The open databases of this process, by file: a second open of the same file shares the first one's core
// (S38), whatever path it came by. Two cores on one file would each believe to be alone, since a lock
// between processes does not tell threads of one process apart.
//
// What a core is does not matter here. Its life:
//   Enter -> a core: somebody has the file open; use that one.
//         -> a registration: the caller is the one to open it. Others who enter wait meanwhile.
//   registration.Publish(core)   open has succeeded; a registration that dies without says that it failed
//   registration.BeginClose()    nobody gets this core any more; whoever enters waits
//   registration.Release()       the file is unlocked and closed; the next may open it
// A core keeps its registration as its first member, so that it is released last even without Close.
//
// A fork: the child has handles, but neither the lock nor the threads that they count on. In the child every
// core's fork handler runs before fork() returns, the registry is empty (the child may open files anew),
// and registrations from before answer forked() and do nothing. Such a core must not lock, write,
// join or unmap anything when it is destroyed: its mutexes may be held by threads that are not there.
//
// Thread safety: any thread.
#ifndef KVSQL_PAGER_CORE_REGISTRY_H_
#define KVSQL_PAGER_CORE_REGISTRY_H_

#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "pager/file.h"

namespace kvsql::pager {

class CoreRegistry {
 public:
  // Runs in a forked child, where only async-signal-safe work is allowed: stores to atomics, no locks.
  using ForkHandler = void (*)(void* core);

  class Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept { *this = std::move(other); }
    Registration& operator=(Registration&& other) noexcept;
    ~Registration() { Release(); }

    bool held() const { return held_; }
    // Gives the core to all who enter from now on. `handler` may be null.
    void Publish(const std::shared_ptr<void>& core, ForkHandler handler);
    void BeginClose();
    void Release();
    // Whether this process is a child of the one that entered.
    bool forked() const;

   private:
    friend class CoreRegistry;
    struct Name {
      const FileSystem* file_system = nullptr;
      FileIdentity file;
      friend auto operator<=>(const Name&, const Name&) = default;
    };

    Registration(const Name& name, uint64_t generation)
        : name_(name), generation_(generation), held_(true) {}

    Name name_;
    uint64_t generation_ = 0;
    bool held_ = false;
  };

  struct Entered {
    std::shared_ptr<void> core;  // null: open it, and publish it with the registration
    Registration registration;
  };

  // The one of this process; lives for ever.
  static CoreRegistry& Instance();

  // Waits while another thread opens or closes the file. UNAVAILABLE: it still does at `deadline`.
  StatusOr<Entered> Enter(const FileSystem* file_system, const FileIdentity& file,
                          std::chrono::steady_clock::time_point deadline);

 private:
  enum class Stage : uint8_t { kOpening, kOpen, kClosing };
  struct Entry {
    Stage stage = Stage::kOpening;
    std::weak_ptr<void> core;
    void* raw = nullptr;  // the same, for the fork handler
    ForkHandler handler = nullptr;
  };
  using Entries = std::map<Registration::Name, Entry>;

  CoreRegistry();
  static void BeforeFork();
  static void AfterForkInParent();
  static void AfterForkInChild();

  std::mutex mutex_;
  // Both on the heap: a child abandons them, since their state may be that of threads it does not have.
  std::condition_variable* changed_;
  Entries* entries_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_CORE_REGISTRY_H_
