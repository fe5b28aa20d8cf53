// Printing rows: one class per family of modes.
//
// A text or blob is shown up to its first zero byte, as SQLite's shell shows it.
//
// Thread safety: none.
#ifndef KVSQL_SHELL_ROW_WRITER_H_
#define KVSQL_SHELL_ROW_WRITER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <kvsql/value.h>

#include "shell/output.h"
#include "shell/real_text.h"
#include "shell/settings.h"

namespace kvsql::shell {

using Names = std::span<const std::string>;
using Values = std::span<const ValueView>;

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  // Before the first row; not called where there is none.
  virtual void Begin(Names names) = 0;
  virtual void Row(Values values) = 0;
  // After the last row, if there was one.
  virtual void End() {}
};

// `settings` and `output` must live as long as the writer.
std::unique_ptr<RowWriter> MakeRowWriter(const Settings& settings, Output* output);

// One for each family.
std::unique_ptr<RowWriter> MakeListWriter(const Settings& settings, Output* output);
std::unique_ptr<RowWriter> MakeCsvWriter(const Settings& settings, Output* output);
std::unique_ptr<RowWriter> MakeJsonWriter(const Settings& settings, Output* output);
std::unique_ptr<RowWriter> MakeLineWriter(const Settings& settings, Output* output);
std::unique_ptr<RowWriter> MakeTableWriter(const Settings& settings, Output* output);
std::unique_ptr<RowWriter> MakeLiteralWriter(const Settings& settings, Output* output);

// ---- What the writers share.

struct NumberBuffer {
  RealBuffer real;
};

// What stands in the column; NULL is empty. The buffer holds numbers.
std::string_view Shown(const ValueView& value, NumberBuffer* buffer);
// Up to the first zero byte.
std::string_view BeforeZero(std::string_view text);

// A value as an SQL literal, as in INSERT statements of ".dump": line ends are taken apart by replace().
void WriteLiteral(const ValueView& value, Output* output);
// A value as SQLite's quote mode shows it.
void WriteQuoted(const ValueView& value, Output* output);
// In single quotes, single quotes doubled.
void WriteQuotedText(std::string_view text, Output* output);

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_ROW_WRITER_H_
