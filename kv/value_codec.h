// Values as a table or keyspace WITH (compression = zstd) stores them: rows, values and large columns, each
// compressed by itself against a dictionary that was trained on others of the same tree.
//
//    packed row      varint dictionary * 4 + 3 | frame
//    value           varint 0 | bytes as they are
//    packed value    varint dictionary + 1 | frame
//
// A row that compression would not make smaller stands as it is: its first varint is never 3 modulo 4
// (row_codec.h). "Value" is what a keyspace and the tree of large columns hold. The frame is one of zstd, with the
// size of the plain bytes, without magic number, checksum and dictionary id. Dictionary 0 is none.
//
// Thread safety: a Dictionary and a ValueCodec do not change and may be used from any thread. Each thread
// keeps a zstd context for reading and one for writing.
//
// Invariants:
//  1. Unpack writes exactly PackedValue::size bytes, or answers false; never more, whatever the bytes.
//  2. A size that no frame of that length can have is refused before anybody makes room for it.
//  3. Reading and writing allocate nothing, once the thread has its context and *out has room.
#ifndef KVSQL_KV_VALUE_CODEC_H_
#define KVSQL_KV_VALUE_CODEC_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "btree/large_value.h"

struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace kvsql::kv {

// How a table or keyspace stores its values. The numbers are stored.
enum class Compression : uint8_t { kNone = 0, kZstd = 1 };

// "zstd" in any case; false: there is no such compression.
bool ParseCompression(std::string_view name, Compression* out);

// zstd's, for training and writing.
inline constexpr int kCompressionLevel = 3;

// The largest dictionary.
inline constexpr size_t kMaxDictionaryBytes = size_t{64} << 10;

// A dictionary, ready for use.
class Dictionary {
 public:
  // DATA_LOSS if the bytes are no dictionary.
  static StatusOr<std::shared_ptr<const Dictionary>> Make(uint32_t number, std::string_view bytes);
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  // What cells call it by; from 1.
  uint32_t number() const { return number_; }
  const ZSTD_DDict_s* for_reading() const { return for_reading_; }
  // Made when it is first asked for; null if there is no memory for it.
  const ZSTD_CDict_s* for_writing() const;

 private:
  explicit Dictionary(uint32_t number) : number_(number) {}

  const uint32_t number_;
  ZSTD_DDict_s* for_reading_ = nullptr;
  mutable std::once_flag made_for_writing_;
  mutable ZSTD_CDict_s* for_writing_ = nullptr;
  mutable std::string bytes_;  // until for_writing_ is made
};

// What stands in a packed cell.
struct PackedValue {
  uint32_t dictionary = 0;
  uint32_t size = 0;  // of the plain bytes
  std::string_view frame;
};

enum class CellForm : uint8_t {
  kPlain,
  kPacked,
  kDamaged,
};

// Of a cell of a table's tree; kPlain says nothing about the row.
CellForm ReadRowCell(std::string_view cell, PackedValue* packed);
// Of a value; *plain are its bytes if it is kPlain.
CellForm ReadValueCell(std::string_view cell, std::string_view* plain, PackedValue* packed);

// Values to train a dictionary on, one behind the other.
struct Samples {
  std::string bytes;
  std::vector<size_t> sizes;

  // Of long values, the beginning.
  void Add(std::string_view value);
};
// Nothing: these samples make no dictionary.
std::optional<std::string> MakeDictionary(const Samples& samples);

class ValueCodec {
 public:
  // In the order in which they were trained: the last is written with. `trained_rows`: how many entries the tree
  // had then.
  explicit ValueCodec(std::vector<std::shared_ptr<const Dictionary>> dictionaries,
                      uint64_t trained_rows = 0)
      : dictionaries_(std::move(dictionaries)), trained_rows_(trained_rows) {}

  // Null: none yet.
  const Dictionary* current() const {
    return dictionaries_.empty() ? nullptr : dictionaries_.back().get();
  }
  uint64_t trained_rows() const { return trained_rows_; }

  // The cell of a row in *out; false: the row itself is the cell, and *out is undefined.
  bool PackRow(std::string_view row, std::string* out) const;
  // The cell of a value in *out.
  void PackValue(std::string_view value, std::string* out) const;

  // The plain bytes to `to`, which has room for packed.size. False: they cannot be had.
  bool Unpack(const PackedValue& packed, char* to) const;
  // The same into memory of its own. DATA_LOSS; RESOURCE_EXHAUSTED if there is no memory.
  StatusOr<btree::LargeValue> UnpackOwned(const PackedValue& packed) const;
  // Any value's cell as plain bytes: a view of the cell where it is plain.
  StatusOr<btree::LargeValue> ReadValue(btree::LargeValue cell) const;

 private:
  const Dictionary* Find(uint32_t number) const;
  // Appends the frame; false if that does not save enough.
  bool AppendPacked(std::string_view plain, std::string* out) const;

  const std::vector<std::shared_ptr<const Dictionary>> dictionaries_;
  const uint64_t trained_rows_;
};

Status DamagedPackedValue();

}  // namespace kvsql::kv

#endif  // KVSQL_KV_VALUE_CODEC_H_
