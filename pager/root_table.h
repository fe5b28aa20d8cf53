// The table tree id -> root of one state, persistent in the functional sense: copying it is cheap, and a
// change copies only the chunk it touches.
//
// Thread safety: a table that is part of a published state is read by any number of threads and never
// changed; a writer changes its own copy. Chunks carry the serial of the writer that made them, so that
// ownership needs no reference count to be asked.
#ifndef KVSQL_PAGER_ROOT_TABLE_H_
#define KVSQL_PAGER_ROOT_TABLE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pager/types.h"

namespace kvsql::pager {

class RootTable {
 public:
  // Owner of what was read from the file: no writer's number, so every writer copies it.
  static constexpr uint64_t kNobody = 0;

  // The tree's root; for an unknown tree one with exists == false.
  const TreeRoot& Get(TreeId tree) const {
    const uint32_t chunk = tree / kChunkTrees;
    if (chunk >= chunks_.size() || chunks_[chunk] == nullptr) [[unlikely]]
      return kMissing;
    return chunks_[chunk]->roots[tree % kChunkTrees];
  }

  // `owner` is a number no other writer uses; chunks made by this owner change in place.
  void Set(TreeId tree, const TreeRoot& root, uint64_t owner) {
    const uint32_t index = tree / kChunkTrees;
    if (index >= chunks_.size()) chunks_.resize(index + 1);
    std::shared_ptr<Chunk>& chunk = chunks_[index];
    if (chunk == nullptr) {
      chunk = std::make_shared<Chunk>();
      chunk->owner = owner;
    } else if (chunk->owner != owner) {
      chunk = std::make_shared<Chunk>(*chunk);
      chunk->owner = owner;
    }
    chunk->roots[tree % kChunkTrees] = root;
  }

  // Ids below this may exist.
  TreeId limit() const { return static_cast<TreeId>(chunks_.size() * kChunkTrees); }

 private:
  static constexpr uint32_t kChunkTrees = 16;
  static inline const TreeRoot kMissing;

  struct Chunk {
    uint64_t owner = kNobody;
    std::array<TreeRoot, kChunkTrees> roots;
  };

  std::vector<std::shared_ptr<Chunk>> chunks_;
};

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_ROOT_TABLE_H_
