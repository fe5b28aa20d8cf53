#include "shell/row_writer.h"

#include <charconv>
#include <cstring>

namespace kvsql::shell {

std::unique_ptr<RowWriter> MakeRowWriter(const Settings& settings, Output* output) {
  switch (settings.mode) {
    case Mode::kList:
      return MakeListWriter(settings, output);
    case Mode::kCsv:
      return MakeCsvWriter(settings, output);
    case Mode::kJson:
      return MakeJsonWriter(settings, output);
    case Mode::kLine:
      return MakeLineWriter(settings, output);
    case Mode::kQuote:
    case Mode::kInsert:
      return MakeLiteralWriter(settings, output);
    default:
      return MakeTableWriter(settings, output);
  }
}

std::string_view BeforeZero(std::string_view text) {
  const void* const zero = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size());
  if (zero == nullptr) return text;
  return text.substr(0, static_cast<size_t>(static_cast<const char*>(zero) - text.data()));
}

std::string_view Shown(const ValueView& value, NumberBuffer* buffer) {
  switch (value.type()) {
    case ValueType::kNull:
      return {};
    case ValueType::kInteger: {
      char* const begin = buffer->real.bytes;
      const auto done = std::to_chars(begin, begin + sizeof(buffer->real.bytes), value.integer());
      return {begin, static_cast<size_t>(done.ptr - begin)};
    }
    case ValueType::kReal:
      return RealText(value.real(), 15, &buffer->real);
    default:
      return BeforeZero(value.text());
  }
}

}  // namespace kvsql::shell
