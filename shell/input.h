// Reading scripts: text from a file, a pipe or a person at a terminal, taken apart into dot commands and
// pieces of SQL.
//
// A piece is a run of lines that ends where a line ends a statement, as SQLite's shell takes them. The
// text stands in one buffer, read in large blocks and not copied again.
//
// Thread safety: none.
#ifndef KVSQL_SHELL_INPUT_H_
#define KVSQL_SHELL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "shell/complete_check.h"

namespace kvsql::shell {

// Where text comes from.
class Source {
 public:
  virtual ~Source() = default;
  // Puts at most `room` bytes to `to`; 0 at the end, -1 with errno.
  virtual ptrdiff_t Read(char* to, size_t room) = 0;
  // Asked for the first line of a piece (false) or a further one (true).
  virtual void set_continued(bool) {}
  // Whether what was read before the last Read is to be forgotten: its writer has interrupted it.
  virtual bool TakeDiscard() { return false; }
};

class FileSource : public Source {
 public:
  enum class Lines : uint8_t {
    kAsTheyAre,
    kNewlines,  // without a carriage return in front of a newline, as SQLite's shell reads scripts
  };
  // Closes the descriptor if `owned`.
  FileSource(int descriptor, bool owned, Lines lines)
      : descriptor_(descriptor), owned_(owned), lines_(lines) {}
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ptrdiff_t Read(char* to, size_t room) override;

 private:
  const int descriptor_;
  const bool owned_;
  const Lines lines_;
  bool held_back_ = false;  // a carriage return that was the last byte read
};

struct Piece {
  enum class Kind : uint8_t { kSql, kCommand };
  Kind kind = Kind::kSql;
  std::string_view text;  // valid until the next call; without the line end for a command
  size_t line = 0;        // of its first line, from 1
};

class PieceReader {
 public:
  explicit PieceReader(Source* source) : source_(*source) {}

  // False at the end, or when reading failed: error() then says why.
  bool Next(Piece* piece);
  const std::string& error() const { return error_; }

 private:
  static constexpr size_t kBlock = size_t{256} << 10;
  bool Fill();

  Source& source_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of the piece
  size_t at_ = 0;     // of the line
  size_t end_ = 0;    // of what was read
  size_t new_ = 0;    // what the last Fill has read
  size_t line_ = 0;   // lines that were taken
  bool finished_ = false;
  CompleteCheck check_;
  std::string error_;
};

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_INPUT_H_
