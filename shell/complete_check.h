// Whether text that comes line by line ends a statement: SQLite's rule (sqlite3_complete), which looks
// into CREATE TRIGGER ... BEGIN ... END, carried from line to line.
//
// Thread safety: none.
#ifndef KVSQL_SHELL_COMPLETE_CHECK_H_
#define KVSQL_SHELL_COMPLETE_CHECK_H_

#include <cstdint>
#include <string_view>

namespace kvsql::shell {

class CompleteCheck {
 public:
  // The next line, with its line end (or a larger piece of text, cut at a line end).
  void Feed(std::string_view text);
  // The text so far ends with a semicolon that ends a statement, or blanks and comments behind it.
  bool complete() const { return state_ == State::kStart && open_ == 0 && seen_; }
  // Nothing but blanks and comments has come, and no comment is open.
  bool blank() const { return !seen_ && open_ == 0; }
  void Reset() { *this = CompleteCheck(); }

 private:
  enum class State : uint8_t {
    kBegin,    // nothing yet
    kStart,    // behind a semicolon
    kNormal,   // in a statement
    kExplain,  // behind EXPLAIN
    kCreate,   // behind CREATE [TEMP]
    kTrigger,  // in a trigger
    kSemi,     // behind a semicolon in a trigger
    kEnd,      // behind that semicolon's END
  };
  enum class Token : uint8_t { kSemi, kOther, kExplain, kCreate, kTemp, kTrigger, kEnd };
  void Take(Token token);
  static Token WordToken(std::string_view word);

  State state_ = State::kBegin;
  char open_ = 0;  // what is to be closed: a quote, ']', or '*' for a comment
  bool seen_ = false;
};

}  // namespace kvsql::shell

#endif  // KVSQL_SHELL_COMPLETE_CHECK_H_
