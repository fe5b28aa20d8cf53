// Modes quote and insert: values as SQL literals.
#include <cmath>

#include "shell/names.h"
#include "shell/row_writer.h"

namespace kvsql::shell {
namespace {

void WriteBlob(std::string_view bytes, Output* output) {
  static constexpr char kHex[] = "0123456789abcdef";
  output->Write("X'");
  for (const char c : bytes) {
    output->Write(kHex[static_cast<unsigned char>(c) >> 4]);
    output->Write(kHex[static_cast<unsigned char>(c) & 15]);
  }
  output->Write('\'');
}

// A text that is not in `text`: the first, the second, or one with a number.
std::string Unused(std::string_view text, std::string_view first, std::string_view second) {
  if (text.find(first) == std::string_view::npos) return std::string(first);
  if (text.find(second) == std::string_view::npos) return std::string(second);
  for (int i = 0;; ++i) {
    std::string made = "(" + std::string(first) + std::to_string(i) + ")";
    if (text.find(made) == std::string_view::npos) return made;
  }
}

// Line ends would be changed by what a dump passes through, so they are written as replace('a\nb','\n',char(10)).
void WriteEscapedText(std::string_view text, Output* output) {
  const bool newlines = text.find('\n') != std::string_view::npos;
  const bool returns = text.find('\r') != std::string_view::npos;
  if (!newlines && !returns) {
    WriteQuotedText(text, output);
    return;
  }
  const std::string newline = newlines ? Unused(text, "\\n", "\\012") : "";
  const std::string carriage = returns ? Unused(text, "\\r", "\\015") : "";
  if (newlines) output->Write("replace(");
  if (returns) output->Write("replace(");
  output->Write('\'');
  for (const char c : text) {
    if (c == '\n') {
      output->Write(newline);
    } else if (c == '\r') {
      output->Write(carriage);
    } else {
      if (c == '\'') output->Write(c);
      output->Write(c);
    }
  }
  output->Write('\'');
  if (returns) {
    output->Write(",'");
    output->Write(carriage);
    output->Write("',char(13))");
  }
  if (newlines) {
    output->Write(",'");
    output->Write(newline);
    output->Write("',char(10))");
  }
}

class LiteralWriter : public RowWriter {
 public:
  LiteralWriter(const Settings& settings, Output* output) : settings_(settings), output_(*output) {}

  void Begin(Names names) override {
    if (settings_.mode == Mode::kInsert) {
      if (!settings_.headers) return;
      for (size_t i = 0; i < names.size(); ++i) {
        columns_ += i == 0 ? "(" : ",";
        columns_ += QuotedWhereNeeded(names[i]);
      }
      columns_ += ")";
    } else if (settings_.headers) {
      for (size_t i = 0; i < names.size(); ++i) {
        if (i > 0) output_.Write(settings_.column_separator);
        WriteQuotedText(names[i], &output_);
      }
      output_.Write(settings_.row_separator);
    }
  }

  void Row(Values values) override {
    if (settings_.mode == Mode::kInsert) {
      output_.Write("INSERT INTO ");
      output_.Write(settings_.insert_table);
      output_.Write(columns_);
      for (size_t i = 0; i < values.size(); ++i) {
        output_.Write(i == 0 ? " VALUES(" : ",");
        WriteLiteral(values[i], &output_);
      }
      output_.Write(");\n");
      return;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) output_.Write(settings_.column_separator);
      WriteQuoted(values[i], &output_);
    }
    output_.Write(settings_.row_separator);
  }

 private:
  const Settings& settings_;
  Output& output_;
  std::string columns_;
};

}  // namespace

void WriteQuotedText(std::string_view text, Output* output) {
  output->Write('\'');
  for (;;) {
    const size_t quote = text.find('\'');
    if (quote == std::string_view::npos) break;
    output->Write(text.substr(0, quote + 1));
    output->Write('\'');
    text.remove_prefix(quote + 1);
  }
  output->Write(text);
  output->Write('\'');
}

void WriteLiteral(const ValueView& value, Output* output) {
  NumberBuffer buffer;
  switch (value.type()) {
    case ValueType::kNull:
      output->Write("NULL");
      break;
    case ValueType::kReal: {
      const double real = value.real();
      if (std::isinf(real)) {
        output->Write(real < 0 ? "-1e999" : "1e999");
      } else if (std::fabs(real) < 9e18 &&
                 static_cast<double>(static_cast<int64_t>(real)) == real) {
        output->Write(Shown(static_cast<int64_t>(real), &buffer));
        output->Write(".0");
      } else {
        output->Write(RealText(real, 20, &buffer.real));
      }
      break;
    }
    case ValueType::kText:
      WriteEscapedText(BeforeZero(value.text()), output);
      break;
    case ValueType::kBlob:
      WriteBlob(value.text(), output);
      break;
    default:
      output->Write(Shown(value, &buffer));
      break;
  }
}

void WriteQuoted(const ValueView& value, Output* output) {
  NumberBuffer buffer;
  switch (value.type()) {
    case ValueType::kNull:
      output->Write("NULL");
      break;
    case ValueType::kReal:
      if (std::isinf(value.real())) {
        output->Write(value.real() < 0 ? "-1e999" : "1e999");
      } else {
        output->Write(RealText(value.real(), 20, &buffer.real));
      }
      break;
    case ValueType::kText:
      WriteQuotedText(BeforeZero(value.text()), output);
      break;
    case ValueType::kBlob:
      WriteBlob(value.text(), output);
      break;
    default:
      output->Write(Shown(value, &buffer));
      break;
  }
}

std::unique_ptr<RowWriter> MakeLiteralWriter(const Settings& settings, Output* output) {
  return std::make_unique<LiteralWriter>(settings, output);
}

}  // namespace kvsql::shell
