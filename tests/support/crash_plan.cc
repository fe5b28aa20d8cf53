#include "tests/support/crash_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kvsql::testing {
namespace {

void Mix(uint64_t value, uint64_t* hash) {
  *hash = (*hash ^ value) * 0x9E3779B97F4A7C15u;
  *hash ^= *hash >> 29;
}

// Makes one file's bytes. Per sector, last_ tells how far in the order of pending writes its content goes:
// those up to and including it are in it (invariant 1 of DiskState), the last one perhaps only in part.
class ImageMaker {
 public:
  ImageMaker(const DiskState& state, const DiskFile& file, const FileFate& fate, uint64_t leftover)
      : state_(state), file_(file), fate_(fate), leftover_(leftover), random_(leftover) {}

  BlockBytes Make() {
    FindLastWrites();
    BlockBytes image = file_.durable;
    size_t write = 0;
    size_t resize = 0;
    for (const PendingOp& op : file_.pending) {
      if (op.kind == PendingOp::Kind::kResize) {
        if (resize++ < fate_.sizes) Resize(op.size, &image);
      } else {
        ApplyOne(op, write++, &image);
      }
    }
    return image;
  }

 private:
  bool Arrived(const PendingOp& op, const WriteFate& fate, uint64_t sector) const {
    switch (fate.kind) {
      case WriteFate::Kind::kLost:
        return false;
      case WriteFate::Kind::kWhole:
        return true;
      case WriteFate::Kind::kSectors:
        return fate.sectors[sector - op.first_sector()];
      case WriteFate::Kind::kFirstBytes:
        return std::max(op.offset, sector * kSector) < op.offset + fate.bytes;
      case WriteFate::Kind::kLastBytes:
        return std::min(op.offset + op.data->size(), (sector + 1) * kSector) >
               op.offset + fate.bytes;
      case WriteFate::Kind::kNoise:
        return sector <= op.first_sector() + fate.bytes;
    }
    return false;
  }

  void FindLastWrites() {
    size_t index = 0;
    for (const PendingOp& op : file_.pending) {
      if (op.kind != PendingOp::Kind::kWrite) continue;
      for (uint64_t s = op.first_sector(); s < op.first_sector() + op.sectors(); ++s) {
        if (!op.Settled(s) && Arrived(op, fate_.writes[index], s)) last_[s] = index;
      }
      ++index;
    }
  }

  void ApplyOne(const PendingOp& op, size_t index, BlockBytes* image) {
    const WriteFate& fate = fate_.writes[index];
    for (uint64_t s = op.first_sector(); s < op.first_sector() + op.sectors(); ++s) {
      if (op.Settled(s)) continue;
      const auto last = last_.find(s);
      if (last == last_.end() || index > last->second) continue;
      uint64_t offset;
      Bytes part = op.PartIn(s, &offset);
      if (index == last->second && fate.kind == WriteFate::Kind::kFirstBytes) {
        part = part.subspan(0, std::min<uint64_t>(part.size(), op.offset + fate.bytes - offset));
      } else if (index == last->second && fate.kind == WriteFate::Kind::kLastBytes) {
        const uint64_t begin = op.offset + fate.bytes;
        if (begin > offset) {
          part = part.subspan(begin - offset);
          offset = begin;
        }
      }
      image->Write(offset, part);
      if (index == last->second && fate.kind == WriteFate::Kind::kNoise &&
          s == op.first_sector() + fate.bytes) {
        // All of it, also what this write did not mean to change.
        std::vector<uint8_t> noise(kSector);
        for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random_());
        image->Write(s * kSector, noise);
      }
    }
  }

  void Resize(uint64_t size, BlockBytes* image) {
    const uint64_t old_size = image->size();
    image->Resize(size);
    if (size <= old_size || leftover_ == 0) return;
    // The blocks came from the free space of the disk with what was in them.
    std::vector<uint8_t> bytes(size - old_size);
    const size_t sources = state_.graveyard.size() + 2;
    const size_t source = leftover_ % sources;
    if (source < state_.graveyard.size()) {
      state_.graveyard[source].Read(old_size, bytes);
    } else if (source == state_.graveyard.size()) {
      // Blocks of this very file, at the same place in an earlier life or moved.
      file_.durable.Read(leftover_ / sources % 2 == 0 ? old_size : old_size % (4 * kSimBlock),
                         bytes);
    } else {
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_());
    }
    image->Write(old_size, bytes);
  }

  const DiskState& state_;
  const DiskFile& file_;
  const FileFate& fate_;
  const uint64_t leftover_;
  Random random_;
  std::map<uint64_t, size_t> last_;
};

}  // namespace

uint64_t CrashPlan::Fingerprint() const {
  uint64_t hash = leftover;
  for (const FileFate& file : files) {
    Mix(file.inode, &hash);
    Mix(file.sizes, &hash);
    for (const WriteFate& write : file.writes) {
      Mix(static_cast<uint64_t>(write.kind) + 10, &hash);
      Mix(write.bytes, &hash);
      for (bool arrived : write.sectors) Mix(arrived + 1, &hash);
    }
  }
  for (bool arrived : directory) Mix(arrived + 3, &hash);
  return hash;
}

std::string CrashPlan::Describe(const DiskState& state) const {
  std::string text;
  for (const FileFate& fate : files) {
    const DiskFile& file = state.files.at(fate.inode);
    absl::StrAppend(&text, "  inode ", fate.inode);
    for (const auto& [name, inode] : state.VisibleNames()) {
      if (inode == fate.inode) absl::StrAppend(&text, " ", name);
    }
    absl::StrAppend(&text, ": durable size ", file.durable.size(), "\n");
    size_t write = 0, resize = 0;
    for (const PendingOp& op : file.pending) {
      if (op.kind == PendingOp::Kind::kResize) {
        absl::StrAppend(&text, "    resize to ", op.size,
                        resize++ < fate.sizes ? " arrived\n" : " lost\n");
        continue;
      }
      const WriteFate& what = fate.writes[write++];
      absl::StrAppend(&text, "    write ", op.offset, "+", op.data->size());
      switch (what.kind) {
        case WriteFate::Kind::kLost:
          absl::StrAppend(&text, " lost");
          break;
        case WriteFate::Kind::kWhole:
          absl::StrAppend(&text, " arrived");
          break;
        case WriteFate::Kind::kFirstBytes:
          absl::StrAppend(&text, " first ", what.bytes, " bytes arrived");
          break;
        case WriteFate::Kind::kLastBytes:
          absl::StrAppend(&text, " bytes from ", what.bytes, " on arrived");
          break;
        case WriteFate::Kind::kNoise:
          absl::StrAppend(&text, " noise in sector ", what.bytes, ", lost behind it");
          break;
        case WriteFate::Kind::kSectors:
          absl::StrAppend(&text, " sectors ");
          for (bool arrived : what.sectors) text += arrived ? '1' : '0';
          break;
      }
      text += '\n';
    }
  }
  for (size_t i = 0; i < directory.size(); ++i) {
    const DirectoryOp& op = state.directory_ops[i];
    const char* kinds[] = {"create", "remove", "rename"};
    absl::StrAppend(&text, "  ", kinds[static_cast<int>(op.kind)], " ", op.from, " ", op.to,
                    directory[i] ? " arrived\n" : " lost\n");
  }
  if (leftover != 0) absl::StrAppend(&text, "  leftovers ", leftover, "\n");
  return text;
}

DiskState ApplyPlan(const DiskState& state, const CrashPlan& plan) {
  DiskState image;
  image.next_inode = state.next_inode;
  image.next_op = state.next_op;
  image.graveyard = state.graveyard;
  image.names = state.names;
  for (size_t i = 0; i < state.directory_ops.size(); ++i) {
    if (plan.directory[i]) state.directory_ops[i].Apply(&image.names);
  }
  for (const auto& [name, inode] : image.names) {
    if (image.files.contains(inode)) continue;
    const DiskFile& file = state.files.at(inode);
    const auto fate =
        std::find_if(plan.files.begin(), plan.files.end(),
                     [&, wanted = inode](const FileFate& f) { return f.inode == wanted; });
    DiskFile& made = image.files[inode];
    made.durable = fate == plan.files.end() ? file.durable
                                            : ImageMaker(state, file, *fate, plan.leftover).Make();
  }
  for (const auto& [inode, file] : state.files) {
    if (!image.files.contains(inode)) image.Bury(file.durable);
  }
  return image;
}

CrashEnumerator::CrashEnumerator(const DiskState& state, uint64_t seed, bool leftovers)
    : state_(state), random_(seed), operations_(state.directory_ops.size()), leftovers_(leftovers) {
  for (const auto& [inode, file] : state.files) operations_ += file.pending.size();
  if (operations_ > kExhaustive) {
    masks_ = {kAllArrived, 0};
  } else {
    for (uint64_t mask = 0; mask < uint64_t{1} << operations_; ++mask) masks_.push_back(mask);
  }
  std::shuffle(masks_.begin(), masks_.end(), random_);
}

// Bits of `mask` go to the operations in order. A change of size only arrives after those before it, so the
// number of its bits counts.
CrashPlan CrashEnumerator::Subset(uint64_t mask) const {
  CrashPlan plan;
  const bool all = mask == kAllArrived;
  const auto take = [&] {
    const bool bit = mask & 1;
    if (!all) mask >>= 1;
    return bit;
  };
  for (const auto& [inode, file] : state_.files) {
    if (file.pending.empty()) continue;
    FileFate& fate = plan.files.emplace_back();
    fate.inode = inode;
    for (const PendingOp& op : file.pending) {
      const bool arrived = take();
      if (op.kind == PendingOp::Kind::kResize) {
        fate.sizes += arrived;
      } else {
        fate.writes.emplace_back().kind =
            arrived ? WriteFate::Kind::kWhole : WriteFate::Kind::kLost;
      }
    }
  }
  for (size_t i = 0; i < state_.directory_ops.size(); ++i) plan.directory.push_back(take());
  return plan;
}

void CrashEnumerator::Tear(const PendingOp& op, WriteFate* fate) {
  const uint64_t sectors = op.sectors();
  const uint64_t style = random_() % 6;
  if (op.byte_tears && op.data->size() > 1 && style < 2) {
    fate->kind = style == 0 ? WriteFate::Kind::kFirstBytes : WriteFate::Kind::kLastBytes;
    // Often near the start, where headers stand.
    const uint64_t range =
        random_() % 2 == 0 ? std::min<uint64_t>(op.data->size() - 1, 256) : op.data->size() - 1;
    fate->bytes = 1 + random_() % range;
    return;
  }
  if (op.noise_tears && style == 2) {
    fate->kind = WriteFate::Kind::kNoise;
    fate->bytes = random_() % sectors;
    return;
  }
  if (sectors < 2) {
    fate->kind = random_() % 2 == 0 ? WriteFate::Kind::kLost : WriteFate::Kind::kWhole;
    return;
  }
  fate->kind = WriteFate::Kind::kSectors;
  fate->sectors.resize(sectors);
  const uint64_t at = 1 + random_() % (sectors - 1);
  for (uint64_t i = 0; i < sectors; ++i) {
    switch (style) {
      case 2:
        fate->sectors[i] = i < at;
        break;
      case 3:
        fate->sectors[i] = i >= at;
        break;
      case 4:
        fate->sectors[i] = i != at;
        break;
      default:
        fate->sectors[i] = random_() % 2;
        break;
    }
  }
}

CrashPlan CrashEnumerator::RandomPlan() {
  CrashPlan plan;
  // Few lost, half lost, few kept.
  const uint64_t odds[] = {10, 50, 90};
  const uint64_t keep = odds[random_() % 3];
  const uint64_t tear = random_() % 2 == 0 ? 0 : 30;
  for (const auto& [inode, file] : state_.files) {
    if (file.pending.empty()) continue;
    FileFate& fate = plan.files.emplace_back();
    fate.inode = inode;
    size_t sizes = 0;
    for (const PendingOp& op : file.pending) {
      if (op.kind == PendingOp::Kind::kResize) {
        ++sizes;
        continue;
      }
      WriteFate& write = fate.writes.emplace_back();
      if (random_() % 100 < tear || (operations_ == 1 && random_() % 8 != 0)) {
        Tear(op, &write);
      } else {
        write.kind = random_() % 100 < keep ? WriteFate::Kind::kWhole : WriteFate::Kind::kLost;
      }
    }
    switch (random_() % 4) {
      case 0:
        fate.sizes = 0;
        break;
      case 1:
        fate.sizes = random_() % (sizes + 1);
        break;
      default:
        fate.sizes = sizes;
        break;
    }
    if (leftovers_ && sizes > 0 && random_() % 2 == 0) plan.leftover = 1 + random_() % 16;
  }
  // A journal keeps directory operations in order; other file systems may not.
  const size_t ops = state_.directory_ops.size();
  const size_t first = random_() % (ops + 1);
  const bool ordered = random_() % 2 == 0;
  for (size_t i = 0; i < ops; ++i) {
    plan.directory.push_back(ordered ? i < first : random_() % 100 < keep);
  }
  return plan;
}

std::optional<CrashPlan> CrashEnumerator::Next() {
  for (int tries = 0; tries < 64; ++tries) {
    CrashPlan plan;
    // Subsets without tears are few: they come in turns with the random plans, until they are used up.
    if (!masks_.empty() && (operations_ == 0 || random_() % 2 == 0)) {
      plan = Subset(masks_.back());
      masks_.pop_back();
      tries = 0;
    } else if (operations_ == 0) {
      return std::nullopt;
    } else {
      plan = RandomPlan();
    }
    if (seen_.insert(plan.Fingerprint()).second) return plan;
  }
  return std::nullopt;
}

}  // namespace kvsql::testing
