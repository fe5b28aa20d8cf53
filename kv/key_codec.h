// Keys whose memcmp order is the order of the tuples they encode, so that trees need no
// comparators.
//
// One element after the other; an element is
//
//    NULL                      05
//    number -2^64 or below     10        ~ big-endian bits of the magnitude as a double
//    negative number           1A-n      ~ (n bytes big-endian: integer part * 2 + has fraction),
//                                        ~ fraction
//    zero                      1A
//    positive number           1A+n      n bytes big-endian (1..9): integer part * 2 + has
//                                        fraction, fraction
//    number 2^64 or above      24        big-endian bits of the double
//    text                      30        collated bytes with 00 written as 00 FF, then 00
//    blob                      38        bytes with 00 written as 00 FF, then 00
//
// where a fraction is the big-endian bits of the double in (0, 1), and ~ inverts bytes. A
// descending element is inverted as a whole, and its text or blob ends in 00 01 instead of 00
// (before inversion), for a terminator at the end of a key would else sort before an inverted 00
// FF.
//
// Thread safety: free functions without state.
//
// Invariants:
//  1. memcmp(key(a), key(b)) has the sign of the tuple comparison under the parts' collations and
//     directions.
//  2. No element's encoding is a proper prefix of another's, except that a terminator may be
//     followed by FF; no element begins with 00 or FF in either direction. So all keys that begin
//     with the elements of K are in [K, K + FF).
//  3. What an encoding loses (integer or real, case, trailing blanks) is given by AppendLoss; the
//     decoder with that loss returns the original value, bit for bit.
#ifndef KVSQL_KV_KEY_CODEC_H_
#define KVSQL_KV_KEY_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kv/value.h"

namespace kvsql::kv {

// How one column stands in a key.
struct KeyPart {
  Collation collation = Collation::kBinary;
  bool descending = false;
  bool real = false;  // the column's affinity is REAL: integral numbers decode as reals

  friend bool operator==(const KeyPart&, const KeyPart&) = default;
};

// Longest tuple encoding that a tree key keeps; what is longer is cut there and must be rechecked
// against the row. Both leave room below 64 KiB for the row's own key behind it: a rowid, or the
// primary key of a table without rowids, which may itself be no longer than the second limit.
inline constexpr size_t kMaxTupleBytes = 65'000;
inline constexpr size_t kMaxTupleBytesWithoutRowid = 32'000;

void AppendKeyElement(const ValueView& value, KeyPart part, std::string* out);
// An ascending integer element: how a rowid stands at the end of an index key.
void AppendKeyInteger(int64_t value, std::string* out);

struct TupleShape {
  bool has_null = false;
  bool truncated = false;  // was longer than the limit and has been cut there
};
// Appends the elements of `values`, which has parts.size() or fewer entries (then a prefix
// results).
TupleShape AppendTuple(std::span<const ValueView> values, std::span<const KeyPart> parts,
                       std::string* out, size_t limit = kMaxTupleBytes);

// The first key after all keys that begin with the elements of `tuple`.
inline void AppendTupleEnd(std::string* tuple) { tuple->push_back('\xff'); }

// Reads elements one by one. Never reads outside of the key, whatever its bytes.
class KeyReader {
 public:
  explicit KeyReader(std::string_view key) : rest_(key) {}

  // Decodes the next element; text and blobs are appended to *storage and the view points into it,
  // so that the caller must not let earlier views depend on it when it grows (see DecodeTuple).
  // False if the bytes are no element.
  bool Next(KeyPart part, ValueView* value, std::string* storage);
  // Skips one element, and tells whether it is NULL.
  bool Skip(KeyPart part, bool* is_null);
  bool Skip(KeyPart part) {
    bool ignored = false;
    return Skip(part, &ignored);
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Whether the element of `value` alone does not give it back.
bool KeyLoses(const ValueView& value, KeyPart part);

// What the keys of `values` lose, in a form that is empty if that is nothing.
//   loss = { part as varint, kind byte, payload }*
void AppendLoss(std::span<const ValueView> values, std::span<const KeyPart> parts,
                std::string* out);

// A decoded tuple and the bytes its views point to; reuse it to save allocations.
struct DecodedTuple {
  std::vector<ValueView> values;
  std::string storage;
};
// Decodes the parts at the start of `key`, restores what `loss` says, and sets *rest to what
// follows in the key. False on bytes that are no such key or loss.
bool DecodeTuple(std::string_view key, std::span<const KeyPart> parts, std::string_view loss,
                 DecodedTuple* out, std::string_view* rest);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_KEY_CODEC_H_
