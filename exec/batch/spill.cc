#include "exec/batch/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueType;
using kv::ValueView;

namespace {

Status FileError(std::string_view what) {
  const int error = errno;
  const std::string text =
      absl::StrCat("temporary file: ", std::string(what), ": ", std::strerror(error));
  return error == ENOSPC || error == EDQUOT ? absl::ResourceExhaustedError(text)
                                            : absl::InternalError(text);
}

}  // namespace

// ------------------------------------------------------------------------------------ SpillFile

StatusOr<std::unique_ptr<SpillFile>> SpillFile::Create(const std::string& directory) {
  std::string where = directory;
  if (where.empty()) {
    const char* temporary = std::getenv("TMPDIR");
    where = temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
  }
  int descriptor = open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    // A file system without unnamed files.
    std::string path = where + "/kvsql-XXXXXX";
    descriptor = mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return FileError("in " + where);
    unlink(path.c_str());
  }
  return std::unique_ptr<SpillFile>(new SpillFile(descriptor));
}

SpillFile::~SpillFile() { close(descriptor_); }

StatusOr<uint64_t> SpillFile::Write(std::string_view bytes) {
  uint64_t block = blocks_;
  if (!free_.empty()) {
    block = free_.back();
    free_.pop_back();
  } else {
    ++blocks_;
  }
  auto offset = static_cast<off_t>(block * kBlockBytes);
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FileError("write");
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return block;
}

Status SpillFile::Read(uint64_t block, size_t size, char* to) const {
  auto offset = static_cast<off_t>(block * kBlockBytes);
  while (size > 0) {
    const ssize_t got = pread(descriptor_, to, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return FileError("read");
    size -= static_cast<size_t>(got);
    to += got;
    offset += got;
  }
  return absl::OkStatus();
}

// ------------------------------------------------------------------------------------ SpillStream

SpillStream::~SpillStream() {
  for (size_t i = next_block_; i < blocks_.size(); ++i) file_.Free(blocks_[i].number);
}

Status SpillStream::Append(std::string_view record) {
  const auto length = static_cast<uint32_t>(record.size());
  buffer_.append(reinterpret_cast<const char*>(&length), sizeof(length));
  buffer_.append(record);
  ++records_;
  size_t done = 0;
  while (buffer_.size() - done >= SpillFile::kBlockBytes) {
    KV_ASSIGN_OR_RETURN(const uint64_t block, file_.Write(std::string_view(buffer_).substr(
                                                  done, SpillFile::kBlockBytes)));
    blocks_.push_back({block, SpillFile::kBlockBytes});
    done += SpillFile::kBlockBytes;
  }
  buffer_.erase(0, done);
  return absl::OkStatus();
}

Status SpillStream::Finish() {
  if (!buffer_.empty()) {
    KV_ASSIGN_OR_RETURN(const uint64_t block, file_.Write(buffer_));
    blocks_.push_back({block, static_cast<uint32_t>(buffer_.size())});
  }
  buffer_ = std::string();
  at_ = 0;
  return absl::OkStatus();
}

Status SpillStream::Take(size_t size, char* to) {
  while (size > 0) {
    if (at_ == buffer_.size()) {
      const Block block = blocks_[next_block_];
      buffer_.resize(block.size);
      KV_RETURN_IF_ERROR(file_.Read(block.number, block.size, buffer_.data()));
      file_.Free(block.number);
      ++next_block_;
      at_ = 0;
    }
    const size_t part = std::min(size, buffer_.size() - at_);
    std::memcpy(to, buffer_.data() + at_, part);
    at_ += part;
    to += part;
    size -= part;
  }
  return absl::OkStatus();
}

StatusOr<bool> SpillStream::Next(std::string_view* record) {
  if (read_ == records_) return false;
  ++read_;
  uint32_t length = 0;
  KV_RETURN_IF_ERROR(Take(sizeof(length), reinterpret_cast<char*>(&length)));
  record_.resize(length);
  KV_RETURN_IF_ERROR(Take(length, record_.data()));
  *record = record_;
  return true;
}

// ------------------------------------------------------------------------------------ rows

void AppendSpilledValue(const ValueView& value, std::string* record) {
  record->push_back(static_cast<char>(value.type));
  switch (value.type) {
    case ValueType::kNull:
      return;
    case ValueType::kInteger:
      record->append(reinterpret_cast<const char*>(&value.integer), sizeof(value.integer));
      return;
    case ValueType::kReal:
      record->append(reinterpret_cast<const char*>(&value.real), sizeof(value.real));
      return;
    default: {
      const auto size = static_cast<uint32_t>(value.size);
      record->append(reinterpret_cast<const char*>(&size), sizeof(size));
      record->append(value.bytes());
      return;
    }
  }
}

void AppendSpilledRow(const std::vector<const Vector*>& columns, uint32_t row,
                      std::string* record) {
  for (const Vector* column : columns) AppendSpilledValue(column->At(row), record);
}

ValueView TakeSpilledValue(std::string_view* record) {
  const auto type = static_cast<ValueType>(record->front());
  record->remove_prefix(1);
  const auto take = [&](void* to, size_t size) {
    std::memcpy(to, record->data(), size);
    record->remove_prefix(size);
  };
  switch (type) {
    case ValueType::kNull:
      return {};
    case ValueType::kInteger: {
      int64_t value = 0;
      take(&value, sizeof(value));
      return ValueView::Integer(value);
    }
    case ValueType::kReal: {
      double value = 0;
      take(&value, sizeof(value));
      return ValueView::Real(value);
    }
    default: {
      uint32_t size = 0;
      take(&size, sizeof(size));
      const std::string_view bytes = record->substr(0, size);
      record->remove_prefix(size);
      return type == ValueType::kText ? ValueView::Text(bytes) : ValueView::Blob(bytes);
    }
  }
}

void SpilledRows::Start() {
  arena_.Reset();
  to_.clear();
  for (Vector& vector : vectors_) to_.push_back(vector.MakeValues());
  count_ = 0;
  bytes_ = 0;
}

void SpilledRows::Add(std::string_view record) {
  bytes_ += record.size();
  for (ValueView* to : to_) to[count_] = CopyBytes(TakeSpilledValue(&record), &arena_);
  ++count_;
}

void SpilledRows::Show(Batch* batch) {
  batch->columns.clear();
  for (Vector& vector : vectors_) {
    // Columns of nothing but integers, or reals, become that again.
    const ValueView* values = vector.values();
    const auto all = [&](ValueType type) {
      return count_ > 0 && std::all_of(values, values + count_,
                                       [&](const ValueView& v) { return v.type == type; });
    };
    if (all(ValueType::kInteger)) {
      int64_t* to = vector.MakeIntegers();
      for (uint32_t i = 0; i < count_; ++i) {
        const int64_t value = values[i].integer;
        to[i] = value;
      }
    } else if (all(ValueType::kReal)) {
      double* to = vector.MakeReals();
      for (uint32_t i = 0; i < count_; ++i) {
        const double value = values[i].real;
        to[i] = value;
      }
    }
    batch->columns.push_back(&vector);
  }
  batch->selection = {nullptr, count_};
}

Status SpilledRows::Next(SpillStream* stream, Batch* batch) {
  Start();
  std::string_view record;
  while (!full()) {
    KV_ASSIGN_OR_RETURN(const bool more, stream->Next(&record));
    if (!more) break;
    Add(record);
  }
  Show(batch);
  return absl::OkStatus();
}

// ------------------------------------------------------------------------------------ partitions

SpillPartitions::SpillPartitions(SpillFile* file, uint32_t level) : level_(level) {
  for (auto& stream : streams_) stream = std::make_unique<SpillStream>(file);
}

Status SpillPartitions::Add(std::string_view key, std::string_view record) {
  const uint64_t hash = Hash64(key.data(), key.size(), 0x5b1d + level_);
  return streams_[hash % kCount]->Append(record);
}

Status SpillPartitions::Finish() {
  for (const auto& stream : streams_) KV_RETURN_IF_ERROR(stream->Finish());
  return absl::OkStatus();
}

}  // namespace kvsql::exec
