// Mode line: a column a line, as "name = value".
#include <algorithm>

#include "shell/row_writer.h"

namespace kvsql::shell {
namespace {

class LineWriter : public RowWriter {
 public:
  LineWriter(const Settings& settings, Output* output) : settings_(settings), output_(*output) {}

  void Begin(Names names) override {
    names_.assign(names.begin(), names.end());
    for (const std::string& name : names) width_ = std::max(width_, name.size());
  }

  void Row(Values values) override {
    if (!first_) output_.Write(settings_.row_separator);
    first_ = false;
    for (size_t i = 0; i < values.size(); ++i) {
      output_.Fill(' ', width_ - names_[i].size());
      output_.Write(names_[i]);
      output_.Write(" = ");
      output_.Write(values[i].is_null() ? settings_.null_value : Shown(values[i], &buffer_));
      output_.Write(settings_.row_separator);
    }
  }

 private:
  const Settings& settings_;
  Output& output_;
  std::vector<std::string> names_;
  NumberBuffer buffer_;
  size_t width_ = 5;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<RowWriter> MakeLineWriter(const Settings& settings, Output* output) {
  return std::make_unique<LineWriter>(settings, output);
}

}  // namespace kvsql::shell
