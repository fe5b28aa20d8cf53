// Mode json: an array of objects, one a line.
#include <cmath>

#include "shell/row_writer.h"

namespace kvsql::shell {
namespace {

class JsonWriter : public RowWriter {
 public:
  explicit JsonWriter(Output* output) : output_(*output) {}

  void Begin(Names names) override { names_.assign(names.begin(), names.end()); }

  void Row(Values values) override {
    output_.Write(first_ ? "[{" : ",\n{");
    first_ = false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) output_.Write(',');
      WriteText(names_[i]);
      output_.Write(':');
      WriteValue(values[i]);
    }
    output_.Write('}');
  }

  void End() override { output_.Write("]\n"); }

 private:
  void WriteValue(const ValueView& value) {
    switch (value.type()) {
      case ValueType::kNull:
        output_.Write("null");
        break;
      case ValueType::kInteger:
        output_.Write(Shown(value, &buffer_));
        break;
      case ValueType::kReal:
        if (std::isinf(value.real())) {
          output_.Write(value.real() < 0 ? "-1e999" : "1e999");
        } else {
          output_.Write(RealText(value.real(), 20, &buffer_.real));
        }
        break;
      case ValueType::kText:
        WriteText(BeforeZero(value.text()));
        break;
      case ValueType::kBlob:
        WriteText(value.text());
        break;
    }
  }

  void WriteText(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    output_.Write('"');
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        output_.Write('\\');
        output_.Write(c);
      } else if (byte > 0x1f) {
        output_.Write(c);
      } else if (c == '\n') {
        output_.Write("\\n");
      } else if (c == '\t') {
        output_.Write("\\t");
      } else if (c == '\r') {
        output_.Write("\\r");
      } else if (c == '\b') {
        output_.Write("\\b");
      } else if (c == '\f') {
        output_.Write("\\f");
      } else {
        output_.Write("\\u00");
        output_.Write(kHex[byte >> 4]);
        output_.Write(kHex[byte & 15]);
      }
    }
    output_.Write('"');
  }

  Output& output_;
  std::vector<std::string> names_;
  NumberBuffer buffer_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<RowWriter> MakeJsonWriter(const Settings&, Output* output) {
  return std::make_unique<JsonWriter>(output);
}

}  // namespace kvsql::shell
