#include "shell/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kvsql::shell {

Output::Output(int descriptor)
    : original_(descriptor),
      descriptor_(descriptor),
      buffer_(std::make_unique_for_overwrite<char[]>(kCapacity)) {}

Output::~Output() { Restore(); }

void Output::WriteAll(std::string_view text) {
  while (!text.empty() && !failed_) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      failed_ = true;
      if (first_error_ == 0) first_error_ = errno;
    }
  }
}

void Output::WriteLarge(std::string_view text) {
  Flush();
  if (text.size() >= kCapacity) {
    WriteAll(text);
  } else {
    Write(text);
  }
}

void Output::Flush() {
  WriteAll({buffer_.get(), size_});
  size_ = 0;
}

bool Output::RedirectTo(const std::string& path) {
  const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (opened < 0) return false;
  Restore();
  descriptor_ = opened;
  return true;
}

void Output::Restore() {
  Flush();
  if (descriptor_ != original_) close(descriptor_);
  descriptor_ = original_;
  failed_ = false;
}

}  // namespace kvsql::shell
