// random() and randomblob(): bytes of the system's generator, fit to be keys that nobody guesses.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"

namespace kvsql::exec::builtin {
namespace {

using kv::ValueView;

constexpr size_t kAtOnce = 256;  // what getentropy gives at most

// A child process must not answer with the bytes that its parent has in store.
std::atomic<uint32_t> process_generation{0};

void WatchForks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { process_generation.fetch_add(1); });
  static_cast<void>(registered);
}

struct Store {
  char bytes[kAtOnce];
  size_t used = kAtOnce;
  uint32_t generation = 0;
};

// False: the system gave none.
bool FillRandom(char* out, size_t size) {
  while (size >= kAtOnce) {
    if (getentropy(out, kAtOnce) != 0) return false;
    out += kAtOnce;
    size -= kAtOnce;
  }
  if (size == 0) return true;
  WatchForks();
  static thread_local Store store;
  const uint32_t generation = process_generation.load(std::memory_order_relaxed);
  if (store.used + size > kAtOnce || store.generation != generation) {
    if (getentropy(store.bytes, kAtOnce) != 0) return false;
    store.used = 0;
    store.generation = generation;
  }
  std::memcpy(out, store.bytes + store.used, size);
  // What was given is not kept.
  std::memset(store.bytes + store.used, 0, size);
  store.used += size;
  return true;
}

ValueView FailRandom(FunctionContext& context) {
  return Fail(context, "the system has no random bytes");
}

}  // namespace

// Never the least integer, so that abs() works.
ValueView Random(FunctionContext& context, const ValueView*, int) {
  int64_t value = 0;
  do {
    if (!FillRandom(reinterpret_cast<char*>(&value), sizeof(value))) return FailRandom(context);
  } while (value == std::numeric_limits<int64_t>::min());
  return ValueView::Integer(value);
}

ValueView Randomblob(FunctionContext& context, const ValueView* args, int) {
  const int64_t size = std::max<int64_t>(IntegerOf(args[0]), 1);
  if (size > kMaxLength) return FailTooBig(context);
  char* const out = context.arena->Allocate(static_cast<size_t>(size));
  if (!FillRandom(out, static_cast<size_t>(size))) return FailRandom(context);
  return ValueView::Blob({out, static_cast<size_t>(size)});
}

}  // namespace kvsql::exec::builtin
