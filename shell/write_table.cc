// Modes column, table, box and markdown: all rows are collected, so that each column is as wide as its
// widest value.
#include <algorithm>

#include "shell/row_writer.h"

namespace kvsql::shell {
namespace {

// Characters, as far as the bytes that begin one can tell.
size_t Characters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

// The lines that separate rows: left end, dash, crossing, right end.
struct Rule {
  std::string_view left, dash, cross, right;
};

struct Style {
  std::string_view begin, between, end;  // of a row
  Rule top, middle, bottom;
};

constexpr std::string_view kLine = "\u2500";
constexpr Style kBox = {"\u2502 ",
                        " \u2502 ",
                        " \u2502\n",
                        {"\u250c", kLine, "\u252c", "\u2510"},
                        {"\u251c", kLine, "\u253c", "\u2524"},
                        {"\u2514", kLine, "\u2534", "\u2518"}};
constexpr Rule kAscii = {"+", "-", "+", "+"};
constexpr Style kTable = {"| ", " | ", " |\n", kAscii, kAscii, kAscii};
constexpr Style kMarkdown = {"| ", " | ", " |\n", {}, {"|", "-", "|", "|"}, {}};
constexpr Style kColumn = {"", "  ", "\n", {}, {}, {}};

class TableWriter : public RowWriter {
 public:
  TableWriter(const Settings& settings, Output* output) : settings_(settings), output_(*output) {}

  void Begin(Names names) override {
    columns_ = names.size();
    widths_.assign(columns_, 0);
    for (size_t i = 0; i < columns_; ++i) widths_[i] = WantedWidth(i);
    std::vector<std::string_view> texts(names.begin(), names.end());
    AddLine(&texts);
    // A name that is too long for its column is cut, not wrapped.
    ends_row_.assign(1, true);
  }

  void Row(Values values) override {
    std::vector<std::string_view> texts(columns_);
    std::vector<NumberBuffer> buffers(columns_);
    for (size_t i = 0; i < columns_; ++i) {
      texts[i] =
          values[i].is_null() ? settings_.null_value : BeforeZero(Shown(values[i], &buffers[i]));
    }
    while (AddLine(&texts)) wrapped_ = true;
  }

  void End() override;

 private:
  // 0: as needed.
  size_t WantedWidth(size_t column) const {
    if (column >= settings_.widths.size()) return 0;
    return static_cast<size_t>(std::abs(settings_.widths[column]));
  }
  // How wide a line may be.
  size_t Limit(size_t column) const {
    const size_t wanted = WantedWidth(column);
    return wanted != 0 ? wanted : static_cast<size_t>(settings_.wrap);
  }
  bool RightAligned(size_t column) const {
    return column < settings_.widths.size() && settings_.widths[column] < 0;
  }
  bool AddLine(std::vector<std::string_view>* texts);
  void WriteCell(size_t column, std::string_view text);
  void WriteCentred(size_t column, std::string_view text);
  void WriteRule(const Rule& rule);

  const Settings& settings_;
  Output& output_;
  size_t columns_ = 0;
  std::vector<size_t> widths_;      // characters
  std::vector<std::string> cells_;  // the names, then line by line
  std::vector<bool> ends_row_;      // by line: not continued by the next one
  bool wrapped_ = false;
};

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The bytes of `text` that stand on a line of `width` characters, tabs reaching to the next eighth; the
// characters go to *line and their number to *column.
size_t Measure(std::string_view text, size_t width, std::string* line, size_t* column) {
  size_t at = 0;
  *column = 0;
  line->clear();
  while (*column < width && at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= ' ') {
      ++*column;
      do *line += text[at++];
      while (at < text.size() && IsContinuation(text[at]));
    } else if (byte == '\t') {
      do {
        ++*column;
        *line += ' ';
      } while (*column % 8 != 0 && *column < width);
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// A better place to end a line than behind `end` bytes: between words, or else between letters and other
// characters, in the second half of the line.
size_t BreakBefore(std::string_view text, size_t end) {
  for (size_t k = end; k > end / 2; --k) {
    if (IsSpace(text[k - 1])) return k;
  }
  for (size_t k = end; k > end / 2; --k) {
    const char next = k < text.size() ? text[k] : '\0';
    if (IsAlphanumeric(text[k - 1]) != IsAlphanumeric(next) && !IsContinuation(next)) return k;
  }
  return end;
}

// Takes one line off *text: up to a line end or `width` characters (0: no limit).
std::string TakeLine(std::string_view* text, size_t width, bool word_wrap) {
  if (width == 0) width = 1'000'000;
  std::string line;
  size_t column = 0;
  size_t taken = Measure(*text, width, &line, &column);
  if (column >= width && word_wrap) {
    const size_t end = BreakBefore(*text, taken);
    if (end < taken) {
      size_t ignored = 0;
      Measure(text->substr(0, end), width, &line, &ignored);
      taken = end;
      while (taken < text->size() && (*text)[taken] == ' ') ++taken;
    }
  }
  text->remove_prefix(taken);
  if (text->empty() || (column >= width && static_cast<unsigned char>(text->front()) >= ' ')) {
    return line;
  }
  text->remove_prefix(text->starts_with("\r\n") ? 2 : 1);
  return line;
}

// True: something is left of the texts.
bool TableWriter::AddLine(std::vector<std::string_view>* texts) {
  bool more = false;
  for (size_t i = 0; i < columns_; ++i) {
    std::string line = TakeLine(&(*texts)[i], Limit(i), settings_.word_wrap);
    widths_[i] = std::max(widths_[i], Characters(line));
    more = more || !(*texts)[i].empty();
    cells_.push_back(std::move(line));
  }
  ends_row_.push_back(!more);
  return more;
}

void TableWriter::WriteCell(size_t column, std::string_view text) {
  const size_t blanks = widths_[column] - std::min(widths_[column], Characters(text));
  if (RightAligned(column)) output_.Fill(' ', blanks);
  output_.Write(text);
  if (!RightAligned(column)) output_.Fill(' ', blanks);
}

void TableWriter::WriteCentred(size_t column, std::string_view text) {
  const size_t blanks = widths_[column] - Characters(text);
  output_.Fill(' ', blanks / 2);
  output_.Write(text);
  output_.Fill(' ', (blanks + 1) / 2);
}

void TableWriter::WriteRule(const Rule& rule) {
  if (rule.left.empty()) return;
  output_.Write(rule.left);
  for (size_t i = 0; i < columns_; ++i) {
    if (i > 0) output_.Write(rule.cross);
    for (size_t n = widths_[i] + 2; n > 0; --n) output_.Write(rule.dash);
  }
  output_.Write(rule.right);
  output_.Write('\n');
}

void TableWriter::End() {
  if (columns_ == 0) return;
  const bool plain = settings_.mode == Mode::kColumn;
  const Style& style = plain                               ? kColumn
                       : settings_.mode == Mode::kTable    ? kTable
                       : settings_.mode == Mode::kMarkdown ? kMarkdown
                                                           : kBox;
  WriteRule(style.top);
  if (!plain || settings_.headers) {
    output_.Write(style.begin);
    for (size_t i = 0; i < columns_; ++i) {
      if (i > 0) output_.Write(style.between);
      if (plain) {
        WriteCell(i, cells_[i]);
      } else {
        WriteCentred(i, cells_[i]);
      }
    }
    output_.Write(style.end);
    if (plain) {
      for (size_t i = 0; i < columns_; ++i) {
        if (i > 0) output_.Write("  ");
        output_.Fill('-', widths_[i]);
      }
      output_.Write('\n');
    }
  }
  WriteRule(style.middle);
  const size_t lines = cells_.size() / columns_;
  for (size_t line = 1; line < lines; ++line) {
    output_.Write(style.begin);
    for (size_t i = 0; i < columns_; ++i) {
      if (i > 0) output_.Write(style.between);
      WriteCell(i, cells_[line * columns_ + i]);
    }
    output_.Write(style.end);
    if (wrapped_ && ends_row_[line] && line + 1 < lines) {
      if (plain) output_.Write('\n');
      if (settings_.mode != Mode::kMarkdown) WriteRule(style.middle);
    }
  }
  WriteRule(style.bottom);
}

}  // namespace

std::unique_ptr<RowWriter> MakeTableWriter(const Settings& settings, Output* output) {
  return std::make_unique<TableWriter>(settings, output);
}

}  // namespace kvsql::shell
