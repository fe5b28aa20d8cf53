#include "kv/log_record.h"

#include "base/bytes.h"

namespace kvsql::kv {
namespace {

constexpr uint8_t kHasLo = 1;
constexpr uint8_t kHasHi = 2;

// The parts of an operation that are short, put together before they are appended at once.
class Start {
 public:
  Start(LogOp op, pager::TreeId tree) : end_(bytes_) {
    Byte(static_cast<uint8_t>(op));
    Number(tree);
  }
  Start& Byte(uint8_t byte) {
    *end_++ = byte;
    return *this;
  }
  Start& Number(uint64_t value) {
    end_ = PutVarint64(end_, value);
    return *this;
  }
  Start& Integer(int64_t value) {
    StoreLe(end_, value);
    end_ += sizeof(value);
    return *this;
  }
  void AppendTo(std::string* out) const {
    out->append(reinterpret_cast<const char*>(bytes_), static_cast<size_t>(end_ - bytes_));
  }

 private:
  uint8_t bytes_[1 + 2 * kMaxVarint64Bytes + 2 * sizeof(int64_t) + 1];
  uint8_t* end_;
};

void AppendText(std::string_view text, std::string* out) {
  uint8_t size[kMaxVarint64Bytes];
  const uint8_t* const end = PutVarint64(size, text.size());
  out->append(reinterpret_cast<const char*>(size), static_cast<size_t>(end - size));
  out->append(text);
}

template <typename Bound>
uint8_t FlagsOf(const Bound& lo, const Bound& hi) {
  return static_cast<uint8_t>((lo.has_value() ? kHasLo : 0) | (hi.has_value() ? kHasHi : 0));
}

}  // namespace

void LogPut(pager::TreeId tree, std::string_view key, std::string_view value, std::string* record) {
  Start(LogOp::kPut, tree).Number(key.size()).AppendTo(record);
  record->append(key);
  AppendText(value, record);
}

void LogPut(pager::TreeId tree, int64_t key, std::string_view value, std::string* record) {
  Start(LogOp::kPutInt, tree).Integer(key).Number(value.size()).AppendTo(record);
  record->append(value);
}

void LogDelete(pager::TreeId tree, std::string_view key, std::string* record) {
  Start(LogOp::kDelete, tree).Number(key.size()).AppendTo(record);
  record->append(key);
}

void LogDelete(pager::TreeId tree, int64_t key, std::string* record) {
  Start(LogOp::kDeleteInt, tree).Integer(key).AppendTo(record);
}

void LogDeleteRange(pager::TreeId tree, std::optional<std::string_view> lo,
                    std::optional<std::string_view> hi, std::string* record) {
  Start(LogOp::kDeleteRange, tree).Byte(FlagsOf(lo, hi)).AppendTo(record);
  if (lo.has_value()) AppendText(*lo, record);
  if (hi.has_value()) AppendText(*hi, record);
}

void LogDeleteRange(pager::TreeId tree, std::optional<int64_t> lo, std::optional<int64_t> hi,
                    std::string* record) {
  Start start(LogOp::kDeleteRangeInt, tree);
  start.Byte(FlagsOf(lo, hi));
  if (lo.has_value()) start.Integer(*lo);
  if (hi.has_value()) start.Integer(*hi);
  start.AppendTo(record);
}

void LogCreateTree(pager::TreeId tree, pager::KeyKind kind, std::string* record) {
  Start(LogOp::kCreateTree, tree).Byte(static_cast<uint8_t>(kind)).AppendTo(record);
}

void LogDropTree(pager::TreeId tree, std::string* record) {
  Start(LogOp::kDropTree, tree).AppendTo(record);
}

bool RecordReader::Number(uint64_t* out) {
  const uint8_t* begin = AsBytes(rest_);
  const uint8_t* end = GetVarint64(begin, begin + rest_.size(), out);
  if (end == nullptr) return false;
  rest_.remove_prefix(static_cast<size_t>(end - begin));
  return true;
}

bool RecordReader::Text(std::string_view* out) {
  uint64_t size = 0;
  if (!Number(&size) || size > rest_.size()) return false;
  *out = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool RecordReader::Integer(int64_t* out) {
  if (rest_.size() < sizeof(*out)) return false;
  *out = LoadLe<int64_t>(rest_.data());
  rest_.remove_prefix(sizeof(*out));
  return true;
}

bool RecordReader::Next(LoggedOperation* out) {
  *out = LoggedOperation();
  if (rest_.empty()) return false;
  out->op = static_cast<LogOp>(rest_.front());
  rest_.remove_prefix(1);
  uint64_t tree = 0;
  if (!Number(&tree) || tree == pager::kNoTree || tree > UINT32_MAX) return false;
  out->tree = static_cast<pager::TreeId>(tree);
  switch (out->op) {
    case LogOp::kPut:
      return Text(&out->key) && Text(&out->value);
    case LogOp::kPutInt:
      return Integer(&out->int_key) && Text(&out->value);
    case LogOp::kDelete:
      return Text(&out->key);
    case LogOp::kDeleteInt:
      return Integer(&out->int_key);
    case LogOp::kDeleteRange:
    case LogOp::kDeleteRangeInt: {
      if (rest_.empty()) return false;
      const auto flags = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if ((flags & ~(kHasLo | kHasHi)) != 0) return false;
      const bool ints = out->op == LogOp::kDeleteRangeInt;
      if ((flags & kHasLo) != 0 &&
          !(ints ? Integer(&out->int_lo.emplace()) : Text(&out->lo.emplace()))) {
        return false;
      }
      return (flags & kHasHi) == 0 ||
             (ints ? Integer(&out->int_hi.emplace()) : Text(&out->hi.emplace()));
    }
    case LogOp::kCreateTree: {
      if (rest_.empty()) return false;
      out->kind = static_cast<pager::KeyKind>(rest_.front());
      rest_.remove_prefix(1);
      return out->kind == pager::KeyKind::kBytes || out->kind == pager::KeyKind::kInt64;
    }
    case LogOp::kDropTree:
      return true;
  }
  return false;
}

}  // namespace kvsql::kv
