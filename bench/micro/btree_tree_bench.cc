// One tree in memory: point lookup, scan, insert, for both kinds of keys. The argument is the
// number of entries.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "btree/cursor.h"
#include "btree/tree.h"
#include "btree/tree_writer.h"
#include "pager/pager.h"

namespace kvsql::btree {
namespace {

constexpr std::string_view kValue = "a value of 24 bytes, yes";

template <typename Key>
using Stored = std::conditional_t<std::is_same_v<Key, int64_t>, int64_t, std::string>;

template <typename Key>
Stored<Key> MakeKey(uint32_t id) {
  if constexpr (std::is_same_v<Key, int64_t>) {
    return id;
  } else {
    char text[16];
    std::snprintf(text, sizeof(text), "key:%08u", id);
    return text;
  }
}

template <typename Key>
std::vector<Stored<Key>> Shuffled(uint32_t count) {
  std::vector<Stored<Key>> keys;
  for (uint32_t id = 0; id < count; ++id) keys.push_back(MakeKey<Key>(id));
  std::mt19937_64 random(1);
  for (size_t left = keys.size(); left > 1; --left) {
    std::swap(keys[left - 1], keys[random() % left]);
  }
  return keys;
}

// A tree inside an open write transaction of an in-memory pager.
template <typename Key>
class Tree {
 public:
  Tree() {
    pager::PagerOptions options;
    options.background = false;
    auto opened = pager::Pager::Open(options);
    if (!opened.ok()) std::abort();
    pager_ = *std::move(opened);
    auto begun = pager_->BeginWrite();
    if (!begun.ok()) std::abort();
    transaction_ = *std::move(begun);
    const pager::TreeId id = transaction_->CreateTree(
        std::is_same_v<Key, int64_t> ? pager::KeyKind::kInt64 : pager::KeyKind::kBytes);
    writer_ = std::make_unique<TreeWriter>(transaction_.get(), id);
  }
  explicit Tree(uint32_t count) : Tree() {
    for (uint32_t id = 0; id < count; ++id) Put(MakeKey<Key>(id));
    if (!writer_->Sync().ok()) std::abort();
  }

  void Put(Key key) {
    if (!writer_->Put(key, kValue).ok()) std::abort();
  }
  TreeWriter& writer() { return *writer_; }

 private:
  std::shared_ptr<pager::Pager> pager_;
  std::unique_ptr<pager::WriteTransaction> transaction_;
  std::unique_ptr<TreeWriter> writer_;
};

template <typename Key>
void BM_Find(benchmark::State& state) {
  Tree<Key> tree(static_cast<uint32_t>(state.range(0)));
  const auto keys = Shuffled<Key>(static_cast<uint32_t>(state.range(0)));
  const TreeView view = tree.writer().View();
  size_t next = 0;
  for (auto _ : state) {
    ValueRef value;
    if (Find(view, keys[next], &value) != FindResult::kFound) std::abort();
    benchmark::DoNotOptimize(value);
    if (++next == keys.size()) next = 0;
  }
}
BENCHMARK(BM_Find<std::string_view>)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);
BENCHMARK(BM_Find<int64_t>)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

template <typename Key>
void BM_ScanAll(benchmark::State& state) {
  Tree<Key> tree(static_cast<uint32_t>(state.range(0)));
  Cursor cursor(tree.writer().View());
  for (auto _ : state) {
    for (bool more = cursor.SeekFirst(); more; more = cursor.Next()) {
      benchmark::DoNotOptimize(cursor.value());
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ScanAll<std::string_view>)->Arg(100'000);
BENCHMARK(BM_ScanAll<int64_t>)->Arg(100'000);

template <typename Key>
void FillNewTrees(benchmark::State& state, const std::vector<Stored<Key>>& keys) {
  for (auto _ : state) {
    Tree<Key> tree;
    for (const auto& key : keys) tree.Put(key);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(keys.size()));
}

template <typename Key>
void BM_InsertInOrder(benchmark::State& state) {
  std::vector<Stored<Key>> keys;
  for (uint32_t id = 0; id < state.range(0); ++id) keys.push_back(MakeKey<Key>(id));
  FillNewTrees<Key>(state, keys);
}
BENCHMARK(BM_InsertInOrder<std::string_view>)->Arg(100'000);
BENCHMARK(BM_InsertInOrder<int64_t>)->Arg(100'000);

template <typename Key>
void BM_InsertShuffled(benchmark::State& state) {
  FillNewTrees<Key>(state, Shuffled<Key>(static_cast<uint32_t>(state.range(0))));
}
BENCHMARK(BM_InsertShuffled<std::string_view>)->Arg(100'000);
BENCHMARK(BM_InsertShuffled<int64_t>)->Arg(100'000);

}  // namespace
}  // namespace kvsql::btree
