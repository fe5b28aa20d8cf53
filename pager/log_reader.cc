#include "pager/log_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "pager/log_buffer.h"
#include "pager/log_file.h"
#include "pager/test_switches.h"

namespace kvsql::pager {

// The part of the file that was read last. Records are looked at in place.
class LogReader::Window {
 public:
  Window(File* file, const std::string& path) : file_(file), path_(path) {}
  ~Window() { std::free(data_); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Bytes of whole blocks in the file.
  StatusOr<uint64_t> FileEnd() {
    if (file_end_ == 0) {
      KV_ASSIGN_OR_RETURN(const uint64_t size, file_->Size());
      file_end_ = size / kLogBlockSize * kLogBlockSize;
    }
    return file_end_;
  }

  // `size` bytes at `offset`, which must lie before FileEnd(); valid until the next call.
  StatusOr<const uint8_t*> View(uint64_t offset, uint64_t size) {
    if (offset < begin_ || offset + size > begin_ + size_) {
      KV_RETURN_IF_ERROR(Load(offset, size));
    }
    return data_ + (offset - begin_);
  }

 private:
  static constexpr uint64_t kOrdinary = uint64_t{256} << 10;

  Status Load(uint64_t offset, uint64_t size) {
    const uint64_t begin = offset / kLogBlockSize * kLogBlockSize;
    const uint64_t wanted = std::max(LogBlockCeil(offset + size) - begin, kOrdinary);
    const uint64_t bytes = std::min(wanted, file_end_ - begin);
    size_ = 0;
    if (bytes > capacity_) {
      std::free(data_);
      data_ = static_cast<uint8_t*>(std::aligned_alloc(kLogBlockSize, bytes));
      KV_CHECK(data_ != nullptr);
      capacity_ = bytes;
    }
    KV_ASSIGN_OR_RETURN(const size_t got, file_->ReadDirect(begin, MutableBytes(data_, bytes)));
    if (got < bytes) {
      return DataLoss("commit log ", path_, " became shorter while it was read, at offset ",
                      begin + got);
    }
    begin_ = begin;
    size_ = bytes;
    return absl::OkStatus();
  }

  File* const file_;
  const std::string& path_;
  uint8_t* data_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t begin_ = 0;
  uint64_t size_ = 0;
  uint64_t file_end_ = 0;
};

LogReader::LogReader(File* file, std::string path, const LogIdentity& identity,
                     const LogPosition& from)
    : file_(file),
      path_(std::move(path)),
      identity_(identity),
      position_(from),
      window_(std::make_unique<Window>(file_, path_)) {}

LogReader::~LogReader() = default;

StatusOr<const uint8_t*> LogReader::Intact(uint64_t offset) {
  constexpr uint64_t kFirst = uint64_t{kLogFirstBlock} * kLogBlockSize;
  KV_ASSIGN_OR_RETURN(const uint64_t end, window_->FileEnd());
  if (offset < kFirst || offset % kLogRecordAlignment != 0 || offset > end ||
      end - offset < sizeof(LogRecordHeader)) {
    return nullptr;
  }
  KV_ASSIGN_OR_RETURN(const uint8_t* at, window_->View(offset, sizeof(LogRecordHeader)));
  const LogRecordHeader header = *LogHeaderAt(at);
  // What could not count anyway is not worth reading its payload.
  if (header.sequence < position_.next_sequence) return nullptr;
  if (header.sequence <= header.durable || (header.flags & ~kLogKnownFlags) != 0 ||
      header.length > end - offset - sizeof(LogRecordHeader)) {
    return nullptr;
  }
  KV_ASSIGN_OR_RETURN(at, window_->View(offset, sizeof(LogRecordHeader) + header.length));
  if (header.checksum != LogRecordChecksum(at, LogSeed(identity_)) &&
      !KV_BROKEN(kLogIgnoreChecksum)) {
    return nullptr;
  }
  return at;
}

StatusOr<std::optional<LogRecord>> LogReader::SuccessorAt(uint64_t offset) {
  KV_ASSIGN_OR_RETURN(const uint8_t* at, Intact(offset));
  if (at == nullptr) return std::nullopt;
  const LogRecordHeader header = *LogHeaderAt(at);
  const bool chained =
      header.sequence == position_.next_sequence && header.previous == position_.last_checksum &&
      (header.flush == position_.next_flush || header.flush + 1 == position_.next_flush);
  // Broken, it takes any later record, wherever it stands in the chain.
  const bool taken_unchained = KV_BROKEN(kLogIgnoreChain);
  if (!chained && !taken_unchained) return std::nullopt;
  LogRecord record;
  record.txid = header.txid;
  record.sequence = header.sequence;
  record.flush = header.flush;
  record.full = (header.flags & kLogRecordFull) != 0;
  record.payload = Bytes(at + sizeof(LogRecordHeader), header.length);
  record.after = LogPosition{.offset = offset + LogRecordSize(header.length),
                             .next_sequence = header.sequence + 1,
                             .last_checksum = header.checksum,
                             .next_flush = header.flush + 1};
  return record;
}

StatusOr<std::optional<LogRecord>> LogReader::Next() {
  const uint64_t behind = position_.offset;
  const uint64_t fresh = LogBlockCeil(behind);
  constexpr uint64_t kRoundStart = uint64_t{kLogFirstBlock} * kLogBlockSize;
  for (const uint64_t offset : {behind, fresh, kRoundStart}) {
    KV_ASSIGN_OR_RETURN(std::optional<LogRecord> record, SuccessorAt(offset));
    if (record.has_value()) {
      position_ = record->after;
      return record;
    }
  }
  return std::nullopt;
}

Status LogReader::CheckNothingLost() {
  if (KV_BROKEN(kLogAcceptLostRecords)) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(const uint64_t end, window_->FileEnd());
  // The first flush after records became durable starts on a fresh block, so looking there is enough.
  for (uint64_t offset = uint64_t{kLogFirstBlock} * kLogBlockSize; offset < end;
       offset += kLogBlockSize) {
    KV_ASSIGN_OR_RETURN(const uint8_t* at, Intact(offset));
    if (at == nullptr) continue;
    const LogRecordHeader& header = *LogHeaderAt(at);
    if (header.sequence <= position_.next_sequence || header.durable < position_.next_sequence) {
      continue;
    }
    return DataLoss("commit log ", path_, ": record ", position_.next_sequence,
                    " should stand near offset ", position_.offset, " and is broken, but record ",
                    header.sequence, " at offset ", offset, " shows that everything up to record ",
                    header.durable, " had been synced");
  }
  return absl::OkStatus();
}

StatusOr<LogPosition> ReplayLog(File* file, const std::string& path, const LogIdentity& identity,
                                const LogPosition& from,
                                const std::function<Status(const LogRecord&)>& apply,
                                const ReplayOptions& options) {
  KV_RETURN_IF_ERROR(CheckLogHeader(file, path, identity));
  LogReader reader(file, path, identity, from);
  while (true) {
    KV_ASSIGN_OR_RETURN(const std::optional<LogRecord> record, reader.Next());
    if (!record.has_value()) break;
    KV_RETURN_IF_ERROR(apply(*record));
  }
  if (!options.accept_lost_records) KV_RETURN_IF_ERROR(reader.CheckNothingLost());
  return reader.position();
}

}  // namespace kvsql::pager
