#include "tests/support/sim_disk.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kvsql::testing {

void BlockBytes::Read(uint64_t offset, MutableBytes out) const {
  size_t done = 0;
  while (done < out.size()) {
    const uint64_t at = offset + done;
    const uint64_t in_block = at % kSimBlock;
    const size_t n = std::min<uint64_t>(out.size() - done, kSimBlock - in_block);
    const uint64_t block = at / kSimBlock;
    if (block < blocks_.size() && blocks_[block] != nullptr) {
      memcpy(out.data() + done, blocks_[block]->data() + in_block, n);
    } else {
      memset(out.data() + done, 0, n);
    }
    done += n;
  }
}

void BlockBytes::Write(uint64_t offset, Bytes data) {
  if (offset >= size_) return;
  data = data.subspan(0, std::min<uint64_t>(data.size(), size_ - offset));
  size_t done = 0;
  while (done < data.size()) {
    const uint64_t at = offset + done;
    const uint64_t in_block = at % kSimBlock;
    const size_t n = std::min<uint64_t>(data.size() - done, kSimBlock - in_block);
    std::shared_ptr<Block>& block = blocks_[at / kSimBlock];
    if (block == nullptr) {
      block = std::make_shared<Block>();
      block->fill(0);
    } else if (block.use_count() > 1) {
      block = std::make_shared<Block>(*block);
    }
    memcpy(block->data() + in_block, data.data() + done, n);
    done += n;
  }
}

void BlockBytes::Resize(uint64_t size) {
  const bool cut = size < size_;
  if (cut && size % kSimBlock != 0) {
    // The rest of the last block must not come back when the file grows again.
    const std::vector<uint8_t> zeros(kSimBlock - size % kSimBlock);
    Write(size, zeros);
  }
  size_ = size;
  blocks_.resize((size + kSimBlock - 1) / kSimBlock);
}

std::vector<uint8_t> BlockBytes::ToVector() const {
  std::vector<uint8_t> bytes(size_);
  Read(0, bytes);
  return bytes;
}

Bytes PendingOp::PartIn(uint64_t sector, uint64_t* part_offset) const {
  const uint64_t begin = std::max(sector * kSector, offset);
  const uint64_t end = std::min((sector + 1) * kSector, offset + data->size());
  *part_offset = begin;
  return Bytes(*data).subspan(begin - offset, end - begin);
}

namespace {

// The sectors of `op` that are not settled, into `bytes`.
void ApplyWrite(const PendingOp& op, BlockBytes* bytes) {
  if (op.settled.empty()) {
    bytes->Write(op.offset, *op.data);
    return;
  }
  for (uint64_t i = 0; i < op.sectors(); ++i) {
    if (op.settled[i]) continue;
    uint64_t offset;
    const Bytes part = op.PartIn(op.first_sector() + i, &offset);
    bytes->Write(offset, part);
  }
}

void Settle(PendingOp* op, uint64_t begin_sector, uint64_t end_sector) {
  const uint64_t first = std::max(begin_sector, op->first_sector());
  const uint64_t last = std::min(end_sector, op->first_sector() + op->sectors());
  if (first >= last) return;
  if (op->settled.empty()) op->settled.resize(op->sectors());
  for (uint64_t s = first; s < last; ++s) op->settled[s - op->first_sector()] = true;
}

bool AllSettled(const PendingOp& op) {
  return op.kind == PendingOp::Kind::kWrite && !op.settled.empty() &&
         std::all_of(op.settled.begin(), op.settled.end(), [](bool b) { return b; });
}

}  // namespace

void DiskFile::PersistAll() {
  for (const PendingOp& op : pending) {
    if (op.kind == PendingOp::Kind::kResize) {
      durable.Resize(op.size);
    } else {
      ApplyWrite(op, &durable);
    }
  }
  pending.clear();
}

void DiskFile::PersistSize() {
  for (size_t i = 0; i < pending.size(); ++i) {
    if (pending[i].kind != PendingOp::Kind::kResize) continue;
    const uint64_t size = pending[i].size;
    if (size < durable.size()) {
      // A cut that is durable takes the writes before it along.
      const uint64_t cut = (size + kSector - 1) / kSector;
      for (size_t j = 0; j < i; ++j) {
        if (pending[j].kind == PendingOp::Kind::kWrite) Settle(&pending[j], cut, UINT64_MAX);
      }
    }
    durable.Resize(size);
  }
  std::erase_if(pending, [](const PendingOp& op) {
    return op.kind == PendingOp::Kind::kResize || AllSettled(op);
  });
}

void DiskFile::PersistWrite(uint64_t id) {
  auto it = std::find_if(pending.begin(), pending.end(),
                         [&](const PendingOp& op) { return op.id == id; });
  if (it == pending.end()) return;  // a sync has been faster
  if (it->offset + it->data->size() > durable.size()) {
    PersistSize();
    it = std::find_if(pending.begin(), pending.end(),
                      [&](const PendingOp& op) { return op.id == id; });
    if (it == pending.end()) return;
  }
  const PendingOp op = *it;
  const uint64_t begin = op.first_sector();
  const uint64_t end = begin + op.sectors();
  // What was pending in these sectors went to the disk first, in order.
  for (auto earlier = pending.begin(); earlier != it; ++earlier) {
    if (earlier->kind != PendingOp::Kind::kWrite) continue;
    for (uint64_t s = std::max(begin, earlier->first_sector());
         s < std::min(end, earlier->first_sector() + earlier->sectors()); ++s) {
      if (earlier->Settled(s)) continue;
      uint64_t offset;
      const Bytes part = earlier->PartIn(s, &offset);
      durable.Write(offset, part);
    }
    Settle(&*earlier, begin, end);
  }
  ApplyWrite(op, &durable);
  Settle(&*it, begin, end);
  std::erase_if(pending, AllSettled);
}

BlockBytes DiskFile::View() const {
  DiskFile copy = *this;
  copy.PersistAll();
  return copy.durable;
}

void DirectoryOp::Apply(std::map<std::string, uint64_t>* names) const {
  if (kind != Kind::kCreate) {
    const auto it = names->find(from);
    // Only if the name still means this file: an operation before this one may have been lost.
    if (it != names->end() && it->second == inode) names->erase(it);
  }
  if (kind != Kind::kRemove) (*names)[to] = inode;
}

std::map<std::string, uint64_t> DiskState::VisibleNames() const {
  std::map<std::string, uint64_t> visible = names;
  for (const DirectoryOp& op : directory_ops) op.Apply(&visible);
  return visible;
}

bool DiskState::MayBeNamed(uint64_t inode) const {
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& name) { return name.second == inode; }) ||
         std::any_of(directory_ops.begin(), directory_ops.end(), [&](const DirectoryOp& op) {
           return op.inode == inode && op.kind != DirectoryOp::Kind::kRemove;
         });
}

void DiskState::Bury(BlockBytes bytes) {
  constexpr size_t kKept = 4;
  if (bytes.size() == 0) return;
  if (graveyard.size() == kKept) graveyard.erase(graveyard.begin());
  graveyard.push_back(std::move(bytes));
}

std::string DiskState::ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void DiskState::PersistDirectory(const std::string& directory) {
  std::vector<DirectoryOp> rest;
  for (const DirectoryOp& op : directory_ops) {
    const std::string& path = op.kind == DirectoryOp::Kind::kRemove ? op.from : op.to;
    if (ParentOf(path) == directory) {
      op.Apply(&names);
    } else {
      rest.push_back(op);
    }
  }
  directory_ops = std::move(rest);
}

}  // namespace kvsql::testing
