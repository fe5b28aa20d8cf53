#include "shell/input.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace kvsql::shell {
namespace {

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

// Takes out each carriage return in front of a newline; returns the new size.
size_t EndLinesWithNewlines(char* text, size_t size) {
  char* const end = text + size;
  auto* at = static_cast<char*>(std::memchr(text, '\r', size));
  if (at == nullptr) return size;
  char* to = at;
  for (; at != end; ++at) {
    if (*at == '\r' && at + 1 != end && at[1] == '\n') continue;
    *to++ = *at;
  }
  return static_cast<size_t>(to - text);
}

}  // namespace

FileSource::~FileSource() {
  if (owned_) close(descriptor_);
}

ptrdiff_t FileSource::Read(char* to, size_t room) {
  for (;;) {
    size_t size = held_back_ ? 1 : 0;
    if (held_back_) *to = '\r';
    const ptrdiff_t count = read(descriptor_, to + size, room - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return count;
    held_back_ = false;
    size += static_cast<size_t>(count);
    if (count == 0 || lines_ == Lines::kAsTheyAre) return static_cast<ptrdiff_t>(size);
    size = EndLinesWithNewlines(to, size);
    // What follows the last byte decides whether it stays.
    if (to[size - 1] == '\r' && room > 1) {
      held_back_ = true;
      if (--size == 0) continue;
    }
    return static_cast<ptrdiff_t>(size);
  }
}

// Reads on behind end_; what stands before begin_ is given up. False at the end.
bool PieceReader::Fill() {
  if (finished_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    at_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ < kBlock / 2) {
    const size_t larger = capacity_ == 0 ? kBlock : 2 * capacity_;
    std::unique_ptr<char[]> grown(new (std::nothrow) char[larger]);
    if (grown == nullptr) {
      error_ = "no memory for so long a statement";
      finished_ = true;
      return false;
    }
    if (end_ > 0) std::memcpy(grown.get(), buffer_.get(), end_);
    buffer_ = std::move(grown);
    capacity_ = larger;
  }
  const ptrdiff_t count = source_.Read(buffer_.get() + end_, capacity_ - end_);
  if (count < 0) error_ = std::strerror(errno);
  if (count <= 0) {
    finished_ = true;
    return false;
  }
  new_ = end_;
  end_ += static_cast<size_t>(count);
  if (source_.TakeDiscard()) {
    begin_ = at_ = new_;
    check_.Reset();
  }
  return true;
}

bool PieceReader::Next(Piece* piece) {
  check_.Reset();
  begin_ = at_;
  size_t first_line = line_ + 1;
  source_.set_continued(false);
  for (;;) {
    // The next line: [at_, stop).
    size_t stop = 0;
    for (size_t looked = at_;;) {
      const void* const eol =
          looked < end_ ? std::memchr(buffer_.get() + looked, '\n', end_ - looked) : nullptr;
      if (eol != nullptr) {
        stop = static_cast<size_t>(static_cast<const char*>(eol) - buffer_.get()) + 1;
        break;
      }
      if (!Fill()) {
        stop = end_;
        break;
      }
      looked = new_;
    }
    if (stop == at_) break;  // the end
    const std::string_view line(buffer_.get() + at_, stop - at_);
    ++line_;
    if (begin_ == at_) {
      first_line = line_;
      if (line.front() == '.' || line.front() == '#') {
        at_ = begin_ = stop;
        if (line.front() == '#') continue;  // a comment, as in SQLite's shell
        piece->kind = Piece::Kind::kCommand;
        piece->text = line;
        while (!piece->text.empty() && (piece->text.back() == '\n' || piece->text.back() == '\r')) {
          piece->text.remove_suffix(1);
        }
        piece->line = line_;
        return true;
      }
    }
    at_ = stop;
    check_.Feed(line);
    if (check_.complete()) {
      piece->kind = Piece::Kind::kSql;
      piece->text = std::string_view(buffer_.get() + begin_, at_ - begin_);
      piece->line = first_line;
      return true;
    }
    if (check_.blank()) begin_ = at_;  // nothing to keep
    source_.set_continued(begin_ != at_);
  }
  // A last statement without a semicolon.
  const std::string_view rest(buffer_.get() + begin_, end_ - begin_);
  begin_ = at_ = end_;
  if (IsBlank(rest) || (check_.blank() && rest.empty())) return false;
  piece->kind = Piece::Kind::kSql;
  piece->text = rest;
  piece->line = first_line;
  return true;
}

}  // namespace kvsql::shell
