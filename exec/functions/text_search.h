// Finding a text in another, short ones first of all; ASCII letters may be taken for equal in both cases.
//
// Thread safety: functions without state.
#ifndef KVSQL_EXEC_FUNCTIONS_TEXT_SEARCH_H_
#define KVSQL_EXEC_FUNCTIONS_TEXT_SEARCH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace kvsql::exec {

// What is searched for. Byte t of a text is equal to byte i of the needle if (t | mask[i]) ==
// bytes[i]: the mask is 0x20 for a letter whose case does not matter, which is then lower case.
class Needle {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  Needle() = default;
  Needle(std::string_view bytes, bool fold_case);

  size_t size() const { return bytes_.size(); }

  // Where the needle stands first in the text, or kNone. An empty needle stands at 0.
  size_t FindIn(std::string_view text) const;

  // True if the needle is equal to the size() bytes at `text`.
  bool EqualsAt(const char* text) const;

 private:
  size_t FindSlow(std::string_view text, size_t from) const;

  std::string bytes_;
  std::string mask_;
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_TEXT_SEARCH_H_
