// A text as a source that gives a few bytes at a time.
#ifndef KVSQL_TESTS_SHELL_TEXT_SOURCE_H_
#define KVSQL_TESTS_SHELL_TEXT_SOURCE_H_

#include <algorithm>
#include <string>
#include <utility>

#include "shell/input.h"

namespace kvsql::shell {

class TextSource : public Source {
 public:
  TextSource(std::string text, size_t step) : text_(std::move(text)), step_(step) {}
  ptrdiff_t Read(char* to, size_t room) override {
    const size_t count = std::min({room, step_, text_.size() - at_});
    text_.copy(to, count, at_);
    at_ += count;
    return static_cast<ptrdiff_t>(count);
  }

 private:
  const std::string text_;
  const size_t step_;
  size_t at_ = 0;
};

}  // namespace kvsql::shell

#endif  // KVSQL_TESTS_SHELL_TEXT_SOURCE_H_
