// What the catalog knows: tables with their indexes, views and keyspaces, decoded.
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
//
// kv knows no SQL: expressions (CHECK, DEFAULT, the WHERE and the terms of indexes) are texts here, and
// row_rules.h is what evaluates them.
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
#include "kv/value_codec.h"
#include "pager/types.h"

namespace kvsql::kv {

using pager::KeyKind;
using pager::TreeId;

// Stands for "the rowid" where a column number is expected.
inline constexpr uint32_t kRowidColumn = UINT32_MAX;
// Stands for "an expression" in an index.
inline constexpr uint32_t kExpressionColumn = UINT32_MAX - 2;

// What happens when a row breaks a constraint: by the statement, or else by the constraint's own clause.
// The numbers are stored.
enum class OnConflict : uint8_t {
  kDefault = 0,   // of a statement: as each constraint says; of a constraint: kAbort
  kAbort = 1,     // the error; the statement is undone
  kRollback = 2,  // the error; the transaction is undone
  kFail = 3,      // the error; what the statement did before stays
  kIgnore = 4,    // no error; the row is left out
  kReplace = 5,   // rows in the way are deleted; NULL in a NOT NULL column becomes its default
};

struct ColumnDef {
  std::string name;
  std::string declared_type;
  Affinity affinity = Affinity::kBlob;
  Collation collation = Collation::kBinary;
  bool not_null = false;
  bool any = false;  // STRICT tables: type ANY, stored as given
  bool hidden = false;
  OnConflict not_null_conflict = OnConflict::kDefault;
  Value default_value;              // constant default; NULL if there is none
  std::string default_sql;          // the text after DEFAULT, empty if there is none
  bool default_expression = false;  // default_sql is evaluated for each row; default_value is NULL
};

// A CHECK constraint.
struct CheckDef {
  std::string name;  // empty: none
  std::string sql;   // the expression

  const std::string& label() const { return name.empty() ? sql : name; }
};

struct IndexColumn {
  uint32_t column = 0;  // or kRowidColumn, or kExpressionColumn
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
  OnConflict conflict = OnConflict::kDefault;  // of the constraint
  TreeId tree = pager::kNoTree;
  std::string sql;        // empty for those that constraints make
  std::string where_sql;  // of a partial index: which rows are in it
  std::vector<std::string>
      expressions;  // per column: the text of an expression; or empty as a whole

  // Derived.
  std::vector<KeyPart> parts;
  bool has_expressions = false;

  // Not part of the table's record: what ANALYZE found, rows of the index and then the average number
  // of rows for each prefix of its columns. Empty: not analyzed.
  std::vector<uint64_t> statistics;

  bool partial() const { return !where_sql.empty(); }
};

// How the values of a table or keyspace are compressed.
struct CompressionDef {
  Compression kind = Compression::kNone;
  std::vector<uint32_t> dictionaries;  // in the order of their training: the last is written with
  uint64_t trained_rows = 0;           // entries of the tree at the last training

  // Made by the Schema with the dictionaries; null if nothing is compressed.
  std::shared_ptr<const ValueCodec> codec;
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
  std::vector<CheckDef> checks;
  OnConflict key_conflict =
      OnConflict::kDefault;  // of the rowid alias, or of the WITHOUT ROWID key
  bool strict = false;
  bool autoincrement = false;
  TreeId tree = pager::kNoTree;
  TreeId overflow_tree = pager::kNoTree;  // large columns, by a number of their own
  CompressionDef compression;             // of rows and large columns
  std::string sql;

  // Derived.
  std::vector<KeyPart> key_parts;  // of the primary key, for kWithoutRowid
  std::vector<uint16_t> in_key;    // per column, for kWithoutRowid: 1 + position in the key, or 0
  // For kWithoutRowid: how many indexes of constraints stand before the primary key, which is an index too in
  // SQLite and is numbered with them.
  uint32_t key_rank = 0;
  bool index_rules = false;  // an index is partial or has expressions
  bool temporary = false;    // of a store of temporary tables (StoreOptions::temporary)

  // Not part of the table's record: its rows when ANALYZE counted them.
  std::optional<uint64_t> analyzed_rows;

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
  CompressionDef compression;
};

struct ViewDef {
  std::string name;
  std::vector<std::string> columns;  // empty: those of the query
  std::string sql;                   // CREATE VIEW ...
  // Ids of trees that were in use when it was made: where it stands among the tables of sqlite_schema.
  TreeId trees_before = pager::kNoTree;
  uint64_t made_at = 0;  // the schema's version; among those with the same trees
};

// What a name in the catalog stands for. A sequence is the largest rowid that a table with
// AUTOINCREMENT ever had: 8 bytes, little-endian; it changes without a change of the schema. So does a
// property: a number of the database as a whole, in the same form. Statistics are those of a table. A
// dictionary is one that the values of a tree are compressed with (DictionaryName).
enum class ObjectKind : uint8_t {
  kKeyspace = 'K',
  kTable = 'T',
  kIndex = 'I',
  kSequence = 'S',
  kView = 'V',
  kProperty = 'P',
  kStatistics = 'A',
  kDictionary = 'D',
};

// The name of a dictionary of a table or keyspace, by whose tree it is called.
std::string DictionaryName(TreeId tree, uint32_t number);

// Property: counts the changes of the schema.
inline constexpr std::string_view kSchemaVersion = "schema_version";
// Properties: not 0 if there ever was a table with AUTOINCREMENT, or an ANALYZE. The lower 32 bits are the number of
// trees that were in use then, the upper ones the schema's version: where sqlite_sequence and sqlite_stat1 stand in
// sqlite_schema (as ViewDef::trees_before and made_at).
inline constexpr std::string_view kHasSequences = "has_sequences";
inline constexpr std::string_view kHasStatistics = "has_statistics";

// The trees of the state whose catalog is to be read.
class CatalogSource {
 public:
  virtual ~CatalogSource() = default;
  virtual btree::TreeView catalog() = 0;
};

class Schema {
 public:
  // A catalog that is not known to any Schema yet. `temporary`: its tables are.
  explicit Schema(bool temporary = false);
  // The same catalog except for what is going to be changed through the mutators below.
  Schema(const Schema& base);
  Schema& operator=(const Schema&) = delete;

  uint64_t generation() const { return generation_; }

  // Nullptr if there is none; an error if the catalog cannot be read.
  StatusOr<const TableDef*> FindTable(std::string_view name, CatalogSource& source) const;
  StatusOr<const KeyspaceDef*> FindKeyspace(std::string_view name, CatalogSource& source) const;
  StatusOr<const ViewDef*> FindView(std::string_view name, CatalogSource& source) const;
  // The table that has the index; its FindIndex(name) is the index.
  StatusOr<const TableDef*> FindTableOfIndex(std::string_view index, CatalogSource& source) const;

  // All of them, in the order of their lower-cased names.
  StatusOr<std::vector<const TableDef*>> Tables(CatalogSource& source) const;
  StatusOr<std::vector<const KeyspaceDef*>> Keyspaces(CatalogSource& source) const;
  StatusOr<std::vector<const ViewDef*>> Views(CatalogSource& source) const;

  // For a Schema that no other thread has yet: forgets what has been decoded for a name, so that it
  // is read from the catalog again.
  void Forget(ObjectKind kind, std::string_view name);

 private:
  template <typename Def>
  using Cache = std::unordered_map<std::string, std::shared_ptr<const Def>>;

  const uint64_t generation_;
  const bool temporary_;
  mutable std::mutex mutex_;
  // By lower-cased name.
  mutable Cache<TableDef> tables_;
  mutable Cache<KeyspaceDef> keyspaces_;
  mutable Cache<ViewDef> views_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_SCHEMA_H_
