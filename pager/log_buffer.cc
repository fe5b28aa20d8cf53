#include "pager/log_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace kvsql::pager {
namespace {

constexpr uint64_t kOrdinaryCapacity = uint64_t{64} << 10;
constexpr uint64_t kKeptCapacity = uint64_t{1} << 20;

}  // namespace

void LogBuffer::Reserve(uint64_t bytes) {
  if (bytes <= capacity_) return;
  const uint64_t capacity = LogBlockCeil(std::max({bytes, capacity_ * 2, kOrdinaryCapacity}));
  auto* grown = static_cast<uint8_t*>(std::aligned_alloc(kLogBlockSize, capacity));
  KV_CHECK(grown != nullptr);
  if (size_ > 0) std::memcpy(grown, data_.get(), size_);
  data_.reset(grown);
  capacity_ = capacity;
}

void LogBuffer::Add(uint64_t sequence, TxId txid, Bytes payload, Durability level) {
  const uint64_t bytes = LogRecordSize(payload.size());
  // A block more, so that the usual OpenGap behind the last record finds room.
  Reserve(size_ + bytes + kLogBlockSize);
  uint8_t* at = data_.get() + size_;
  *LogHeaderAt(at) = LogRecordHeader{.checksum = 0,
                                     .previous = 0,
                                     .sequence = sequence,
                                     .txid = txid,
                                     .flush = 0,
                                     .durable = 0,
                                     .length = static_cast<uint32_t>(payload.size()),
                                     .flags = 0};
  at += sizeof(LogRecordHeader);
  if (!payload.empty()) std::memcpy(at, payload.data(), payload.size());
  std::memset(at + payload.size(), 0, bytes - sizeof(LogRecordHeader) - payload.size());
  size_ += bytes;
  ++records_;
  wants_full_ |= level == Durability::kFull;
}

uint64_t LogBuffer::first_sequence() const {
  return records_ == 0 ? 0 : LogHeaderAt(data_.get())->sequence;
}

void LogBuffer::OpenGap(uint64_t at, uint64_t gap) {
  KV_DCHECK(at <= size_);
  if (gap == 0) return;
  Reserve(size_ + gap);
  std::memmove(data_.get() + at + gap, data_.get() + at, size_ - at);
  std::memset(data_.get() + at, 0, gap);
  size_ += gap;
}

void LogBuffer::Clear() {
  size_ = 0;
  records_ = 0;
  wants_full_ = false;
  if (capacity_ > kKeptCapacity) {
    data_.reset();
    capacity_ = 0;
  }
}

}  // namespace kvsql::pager
