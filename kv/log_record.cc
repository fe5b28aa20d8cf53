#include "kv/log_record.h"

#include "base/bytes.h"

namespace kvsql::kv {
namespace {

constexpr uint8_t kHasLo = 1;
constexpr uint8_t kHasHi = 2;

void AppendNumber(uint64_t value, std::string* out) {
  uint8_t buffer[kMaxVarint64Bytes];
  const uint8_t* end = PutVarint64(buffer, value);
  out->append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(end - buffer));
}

void AppendStart(LogOp op, pager::TreeId tree, std::string* out) {
  out->push_back(static_cast<char>(op));
  AppendNumber(tree, out);
}

void AppendText(std::string_view text, std::string* out) {
  AppendNumber(text.size(), out);
  out->append(text);
}

void AppendInteger(int64_t value, std::string* out) {
  char bytes[8];
  StoreLe(bytes, value);
  out->append(bytes, sizeof(bytes));
}

template <typename Bound>
uint8_t FlagsOf(const Bound& lo, const Bound& hi) {
  return static_cast<uint8_t>((lo.has_value() ? kHasLo : 0) | (hi.has_value() ? kHasHi : 0));
}

}  // namespace

void LogPut(pager::TreeId tree, std::string_view key, std::string_view value, std::string* record) {
  AppendStart(LogOp::kPut, tree, record);
  AppendText(key, record);
  AppendText(value, record);
}

void LogPut(pager::TreeId tree, int64_t key, std::string_view value, std::string* record) {
  AppendStart(LogOp::kPutInt, tree, record);
  AppendInteger(key, record);
  AppendText(value, record);
}

void LogDelete(pager::TreeId tree, std::string_view key, std::string* record) {
  AppendStart(LogOp::kDelete, tree, record);
  AppendText(key, record);
}

void LogDelete(pager::TreeId tree, int64_t key, std::string* record) {
  AppendStart(LogOp::kDeleteInt, tree, record);
  AppendInteger(key, record);
}

void LogDeleteRange(pager::TreeId tree, std::optional<std::string_view> lo,
                    std::optional<std::string_view> hi, std::string* record) {
  AppendStart(LogOp::kDeleteRange, tree, record);
  record->push_back(static_cast<char>(FlagsOf(lo, hi)));
  if (lo.has_value()) AppendText(*lo, record);
  if (hi.has_value()) AppendText(*hi, record);
}

void LogDeleteRange(pager::TreeId tree, std::optional<int64_t> lo, std::optional<int64_t> hi,
                    std::string* record) {
  AppendStart(LogOp::kDeleteRangeInt, tree, record);
  record->push_back(static_cast<char>(FlagsOf(lo, hi)));
  if (lo.has_value()) AppendInteger(*lo, record);
  if (hi.has_value()) AppendInteger(*hi, record);
}

void LogCreateTree(pager::TreeId tree, pager::KeyKind kind, std::string* record) {
  AppendStart(LogOp::kCreateTree, tree, record);
  record->push_back(static_cast<char>(kind));
}

void LogDropTree(pager::TreeId tree, std::string* record) {
  AppendStart(LogOp::kDropTree, tree, record);
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
