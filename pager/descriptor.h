// An open file descriptor that a forked child cannot misuse.
//
// A child of fork() inherits every descriptor, and with it the open file description that carries the
// lock of the database. So all descriptors of kvsql stand in one process-wide list, and a handler that
// pthread_atfork installed closes them in the child, before fork() returns there. What the child's copy of
// a Descriptor (or of a mapping, or of a lock) still names is then stale: its number may already belong to
// another file. A fork generation, counted up in each child, tells the stale ones from the others.
//
// Thread safety: a Descriptor is an ordinary value, one thread at a time may change it; get() may be called
// from any thread while nobody moves or closes it. The list has its own lock, which the handlers hold while
// the process forks, so that no descriptor is opened half in the one process and half in the other.
//
// Invariants:
//  1. Every valid Descriptor of the current generation is in the list, from the open() on.
//  2. A stale Descriptor is never closed, read, written, locked or unlocked: get() is -1.
#ifndef KVSQL_PAGER_DESCRIPTOR_H_
#define KVSQL_PAGER_DESCRIPTOR_H_

#include <cstdint>
#include <string>

namespace kvsql::pager {

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { Close(); }

  // open(path, flags | O_CLOEXEC, mode), again after EINTR. On failure the result is not valid() and
  // errno says why.
  static Descriptor Open(const std::string& path, int flags, int mode = 0);

  // The number, or -1 if it is closed or belonged to the parent process.
  int get() const;
  bool valid() const { return get() >= 0; }
  void Close();

 private:
  int fd_ = -1;
  uint64_t generation_ = 0;
};

// How often the line of processes that leads to this one has forked since kvsql opened its first file.
// Handles remember it when they are made and are close-only where it has changed (S38).
uint64_t ForkGeneration();

// What the atfork handler does in the child. Also for a child that was made without the handlers, such as
// by a bare clone(); calling it twice does no harm.
void CloseAllInForkedChild();

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_DESCRIPTOR_H_
