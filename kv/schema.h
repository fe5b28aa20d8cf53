// What the catalog knows: tables with their indexes, and keyspaces, decoded.
//
// The definitions are plain structs, immutable once a Schema hands them out. A Schema is the
// catalog of one or more states of the database that have the same one; it reads definitions from
// the catalog tree when they are first asked for, so opening a database reads none. Its generation
// number is never given to another Schema in this process: equal generations mean equal
// definitions.
//
// Thread safety: a Schema may be used from any thread.
//
// Invariants:
//  1. A Schema answers alike whichever of its states' pages it is given.
//  2. A definition lives as long as the Schema that returned it, and is shared by the Schemas made
//     from it that have it unchanged.
//
// In the catalog tree (tree 1): key = kind byte, lower-cased name; value = the record of
// catalog_codec.h. An index is in its table's record; its own key leads to the table.
#ifndef KVSQL_KV_SCHEMA_H_
#define KVSQL_KV_SCHEMA_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "btree/tree.h"
#include "kv/key_codec.h"
#include "kv/value.h"
#include "pager/types.h"

namespace kvsql::kv {

using pager::KeyKind;
using pager::TreeId;

// Stands for "the rowid" where a column number is expected.
inline constexpr uint32_t kRowidColumn = UINT32_MAX;

struct ColumnDef {
  std::string name;
  std::string declared_type;
  Affinity affinity = Affinity::kBlob;
  Collation collation = Collation::kBinary;
  bool not_null = false;
  bool any = false;  // STRICT tables: type ANY, stored as given
  bool hidden = false;
  Value default_value;      // constant default; NULL if there is none
  std::string default_sql;  // the text after DEFAULT, empty if there is none
};

struct IndexColumn {
  uint32_t column = 0;
  Collation collation = Collation::kBinary;
  bool descending = false;

  friend bool operator==(const IndexColumn&, const IndexColumn&) = default;
};

enum class IndexOrigin : uint8_t { kCreateIndex = 0, kUnique = 1, kPrimaryKey = 2 };

struct IndexDef {
  std::string name;  // sqlite_autoindex_T_N for those that constraints make
  std::string table;
  std::vector<IndexColumn> columns;
  bool unique = false;
  IndexOrigin origin = IndexOrigin::kCreateIndex;
  TreeId tree = pager::kNoTree;
  std::string sql;  // empty for those that constraints make

  // Derived.
  std::vector<KeyPart> parts;
};

enum class TableShape : uint8_t {
  kRowid = 0,         // rows by a 64-bit rowid, which may be an INTEGER PRIMARY KEY column
  kWithoutRowid = 1,  // rows by their encoded primary key
};

struct TableDef {
  std::string name;
  std::vector<ColumnDef> columns;
  TableShape shape = TableShape::kRowid;
  std::optional<uint32_t> rowid_alias;  // the INTEGER PRIMARY KEY column
  std::vector<IndexColumn>
      primary_key;  // in key order; empty if there is none. With an alias: that column
  std::vector<IndexDef> indexes;  // UNIQUE and non-integer PRIMARY KEY ones included
  bool strict = false;
  bool autoincrement = false;
  TreeId tree = pager::kNoTree;
  TreeId overflow_tree = pager::kNoTree;  // large columns, by a number of their own
  std::string sql;

  // Derived.
  std::vector<KeyPart> key_parts;  // of the primary key, for kWithoutRowid
  std::vector<uint16_t> in_key;    // per column, for kWithoutRowid: 1 + position in the key, or 0

  bool has_rowid() const { return shape == TableShape::kRowid; }
  KeyKind key_kind() const { return has_rowid() ? KeyKind::kInt64 : KeyKind::kBytes; }
  size_t max_tuple_bytes() const {
    return has_rowid() ? kMaxTupleBytes : kMaxTupleBytesWithoutRowid;
  }
  // The column's number, case-insensitively; nullopt if there is none. "rowid", "oid" and "_rowid_"
  // are the business of the caller.
  std::optional<uint32_t> FindColumn(std::string_view column) const;
  const IndexDef* FindIndex(std::string_view index) const;
  // The position of a column in the stored row; the column must not be the rowid alias.
  uint32_t StoredPosition(uint32_t column) const {
    return rowid_alias.has_value() && column > *rowid_alias ? column - 1 : column;
  }
  uint32_t stored_columns() const {
    return static_cast<uint32_t>(columns.size()) - (rowid_alias.has_value() ? 1 : 0);
  }

  // Fills in the derived members; call after any change.
  void Derive();
};

struct KeyspaceDef {
  std::string name;
  TreeId tree = pager::kNoTree;
};

// What a name in the catalog stands for. A sequence is the largest rowid that a table with
// AUTOINCREMENT ever had: 8 bytes, little-endian; it changes without a change of the schema.
enum class ObjectKind : uint8_t { kKeyspace = 'K', kTable = 'T', kIndex = 'I', kSequence = 'S' };

// The trees of the state whose catalog is to be read.
class CatalogSource {
 public:
  virtual ~CatalogSource() = default;
  virtual btree::TreeView catalog() = 0;
};

class Schema {
 public:
  // A catalog that is not known to any Schema yet.
  Schema();
  // The same catalog except for what is going to be changed through the mutators below.
  Schema(const Schema& base);
  Schema& operator=(const Schema&) = delete;

  uint64_t generation() const { return generation_; }

  // Nullptr if there is none; an error if the catalog cannot be read.
  StatusOr<const TableDef*> FindTable(std::string_view name, CatalogSource& source) const;
  StatusOr<const KeyspaceDef*> FindKeyspace(std::string_view name, CatalogSource& source) const;
  // The table that has the index; its FindIndex(name) is the index.
  StatusOr<const TableDef*> FindTableOfIndex(std::string_view index, CatalogSource& source) const;

  // All of them, in the order of their lower-cased names.
  StatusOr<std::vector<const TableDef*>> Tables(CatalogSource& source) const;
  StatusOr<std::vector<const KeyspaceDef*>> Keyspaces(CatalogSource& source) const;

  // For a Schema that no other thread has yet: forgets what has been decoded for a name, so that it
  // is read from the catalog again.
  void Forget(ObjectKind kind, std::string_view name);

 private:
  template <typename Def>
  using Cache = std::unordered_map<std::string, std::shared_ptr<const Def>>;

  const uint64_t generation_;
  mutable std::mutex mutex_;
  // By lower-cased name.
  mutable Cache<TableDef> tables_;
  mutable Cache<KeyspaceDef> keyspaces_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_SCHEMA_H_
