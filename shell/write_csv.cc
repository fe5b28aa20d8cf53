// Mode csv: RFC 4180, with SQLite's choice of what to quote.
#include "shell/row_writer.h"

namespace kvsql::shell {
namespace {

// Control characters, blanks, quotes and everything that is not ASCII.
bool WantsQuotes(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte >= 0x7f || c == '"' || c == '\'';
}

class CsvWriter : public RowWriter {
 public:
  CsvWriter(const Settings& settings, Output* output) : settings_(settings), output_(*output) {}

  void Begin(Names names) override {
    if (!settings_.headers) return;
    for (size_t i = 0; i < names.size(); ++i) {
      if (i > 0) output_.Write(settings_.column_separator);
      WriteField(names[i]);
    }
    output_.Write(settings_.row_separator);
  }

  void Row(Values values) override {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) output_.Write(settings_.column_separator);
      if (values[i].is_null()) {
        output_.Write(settings_.null_value);
      } else {
        WriteField(Shown(values[i], &buffer_));
      }
    }
    output_.Write(settings_.row_separator);
  }

 private:
  void WriteField(std::string_view text) {
    bool quotes = text.empty();
    for (const char c : text) {
      if (WantsQuotes(c)) {
        quotes = true;
        break;
      }
    }
    if (!quotes && text.find(settings_.column_separator) == std::string_view::npos) {
      output_.Write(text);
      return;
    }
    output_.Write('"');
    for (const char c : text) {
      if (c == '"') output_.Write(c);
      output_.Write(c);
    }
    output_.Write('"');
  }

  const Settings& settings_;
  Output& output_;
  NumberBuffer buffer_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeCsvWriter(const Settings& settings, Output* output) {
  return std::make_unique<CsvWriter>(settings, output);
}

}  // namespace kvsql::shell
