// LIKE and GLOB.
//
// Characters are compared as SQLite's UTF-8 decoder reads them, malformed ones too; a NUL ends both
// pattern and text. LIKE takes the 26 ASCII letters for equal in both cases.
//
// Thread safety: a compiled LikeMatcher is immutable.
//
// Invariants:
//   1. Matching allocates nothing and does not recurse.
//   2. LikeMatcher and LikeMatch / GlobMatch agree on every pattern and text.
#ifndef KVSQL_EXEC_FUNCTIONS_LIKE_H_
#define KVSQL_EXEC_FUNCTIONS_LIKE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exec/functions/text_search.h"

namespace kvsql::exec {

// Longer patterns are refused: "LIKE or GLOB pattern too complex". In bytes.
constexpr size_t kMaxLikePattern = 50'000;

// For patterns that vary from row to row. `escape` is a character, 0 for none.
bool LikeMatch(std::string_view pattern, std::string_view text, uint32_t escape = 0);
bool GlobMatch(std::string_view pattern, std::string_view text);

// The one character of an ESCAPE operand. False if it is not one character: "ESCAPE expression must be
// a single character".
bool ParseEscape(std::string_view text, uint32_t* escape);

// A pattern compiled once, for many texts.
class LikeMatcher {
 public:
  static LikeMatcher Like(std::string_view pattern, uint32_t escape = 0);
  static LikeMatcher Glob(std::string_view pattern);

  bool Matches(std::string_view text) const;

 private:
  // What a pattern of ASCII literals and "%" comes to; all others are walked.
  enum class Kind : uint8_t {
    kWalk,
    kAll,       // %
    kExact,     // literal
    kPrefix,    // literal%
    kSuffix,    // %literal
    kContains,  // %literal%
    kPieces,    // several literals with "%" between them
  };

  LikeMatcher(std::string_view pattern, bool glob, uint32_t escape);

  bool MatchesPieces(std::string_view text) const;

  Kind kind_ = Kind::kWalk;
  bool glob_;
  bool open_start_ = false;  // the pattern begins with %
  bool open_end_ = false;    // it ends with %
  uint32_t escape_;
  std::vector<Needle> pieces_;  // unless kWalk
  std::string pattern_;         // if kWalk
};

}  // namespace kvsql::exec

#endif  // KVSQL_EXEC_FUNCTIONS_LIKE_H_
