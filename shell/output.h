// Where the shell's answers go: a buffered file descriptor, standard output or the file of ".output".
//
// Thread safety: none.
#ifndef KVSQL_SHELL_OUTPUT_H_
#define KVSQL_SHELL_OUTPUT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kvsql::shell {

class Output {
 public:
  // Does not close the descriptor that it begins with.
  explicit Output(int descriptor);
  // Writes what is buffered.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view text) {
    if (text.size() > kCapacity - size_) [[unlikely]] {
      WriteLarge(text);
      return;
    }
    text.copy(buffer_.get() + size_, text.size());
    size_ += text.size();
  }
  void Write(char c) { Write(std::string_view(&c, 1)); }
  void Fill(char c, size_t count) {
    for (; count > 0; --count) Write(c);
  }
  // What could not be written is lost, and failed() says so.
  void Flush();
  bool failed() const { return failed_; }
  // The errno of the first write that failed since the beginning; 0 if none did.
  int first_error() const { return first_error_; }

  // To this file, which is emptied; false, with errno, if it cannot be opened.
  bool RedirectTo(const std::string& path);
  // Back to the descriptor it began with.
  void Restore();

 private:
  static constexpr size_t kCapacity = size_t{64} << 10;
  void WriteLarge(std::string_view text);
  void WriteAll(std::string_view text);

  const int original_;
  int descriptor_;
  bool failed_ = false;  // since the last change of files
  int first_error_ = 0;
  size_t size_ = 0;
  const std::unique_ptr<char[]> buffer_;
};

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_OUTPUT_H_
