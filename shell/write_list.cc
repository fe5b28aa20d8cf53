// Mode list: columns with a separator between them.
#include "shell/row_writer.h"

namespace kvsql::shell {
namespace {

class ListWriter : public RowWriter {
 public:
  ListWriter(const Settings& settings, Output* output) : settings_(settings), output_(*output) {}

  void Begin(Names names) override {
    if (!settings_.headers) return;
    for (size_t i = 0; i < names.size(); ++i) {
      if (i > 0) output_.Write(settings_.column_separator);
      output_.Write(names[i]);
    }
    output_.Write(settings_.row_separator);
  }

  void Row(Values values) override {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) output_.Write(settings_.column_separator);
      output_.Write(values[i].is_null() ? settings_.null_value : Shown(values[i], &buffer_));
    }
    output_.Write(settings_.row_separator);
  }

 private:
  const Settings& settings_;
  Output& output_;
  NumberBuffer buffer_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeListWriter(const Settings& settings, Output* output) {
  return std::make_unique<ListWriter>(settings, output);
}

}  // namespace kvsql::shell
