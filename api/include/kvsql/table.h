// The key door of SQL tables: rows by primary key or by a UNIQUE index, without SQL.
//
//   auto users = database.table("users").value();       // CREATE TABLE users(id INTEGER PRIMARY KEY, ...)
//   if (auto row = users.get_row(42); row.ok() && row->exists()) Use((*row)["name"].text());
//   auto row = users.get_row_by("users_by_mail", {"a@example.org"});
//
// Rows are the same for both doors: what SQL writes, get_row sees, and the other way round.
//
// Thread safety: a Table is a handle, cheap, for one thread at a time. Copy it once per thread.
//
// Keys and values get the affinity of their columns, as in SQL: get_row("42") finds the row with the
// INTEGER key 42. Names of columns and indexes are compared without regard to ASCII case.
//
// Errors that every call may answer, beside its own: FAILED_PRECONDITION if the database was closed or
// the handle was moved from; NOT_FOUND if the table was dropped (in the state that the call looks at; a
// table that was dropped and made again is found again, by its name); DATA_LOSS. Calls that write: as in
// keyspace.h.
#ifndef KVSQL_TABLE_H_
#define KVSQL_TABLE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <kvsql/access.h>
#include <kvsql/export.h>
#include <kvsql/status.h>
#include <kvsql/value.h>

namespace kvsql {

namespace internal {
class TableRep;
struct RowBox;
}  // namespace internal

// A row where it stands in the database.
//
// How long it can be read: as long as the snapshot, if it was read from one; until its next write, if it
// was read from a write transaction (or a connection's); otherwise until the next call on the Table
// handle that gave it, or until the row is destroyed: so long the state that it stands in is kept. A row
// that is read later than that shows NULLs, and status() says FAILED_PRECONDITION; only for a row of a
// snapshot that has ended this is not told, and must not be done.
// The text and bytes of its columns live as long as the row can be read, and not longer than the Row. They
// may be passed to a writing call of the same handle, but not to a reading one.
//
// One thread at a time: that of the Table handle. Columns are numbered from 0 in the order of CREATE
// TABLE. A column that is not there (by number or name) is NULL.
class KVSQL_EXPORT Row {
 public:
  // No row.
  Row() = default;
  Row(Row&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  Row& operator=(Row&& other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Row() {
    if (box_ != nullptr) Release();
  }

  // Whether there is such a row.
  bool exists() const { return box_ != nullptr; }
  explicit operator bool() const { return exists(); }

  size_t column_count() const;
  // "" if there is no such column.
  std::string_view column_name(size_t column) const;
  // nullopt if there is no such column. Looks through the names: keep the number where it matters.
  std::optional<size_t> column_index(std::string_view name) const;

  ValueView at(size_t column) const;
  ValueView operator[](size_t column) const { return at(column); }
  ValueView operator[](std::string_view name) const;
  ValueType type(size_t column) const { return at(column).type(); }
  bool is_null(size_t column) const { return at(column).is_null(); }
  // The same as at(column).integer() and so on; value.h has the conversions.
  int64_t integer(size_t column) const { return at(column).integer(); }
  double real(size_t column) const { return at(column).real(); }
  std::string_view text(size_t column) const { return at(column).text(); }
  std::span<const std::byte> blob(size_t column) const { return at(column).blob(); }

  // The rowid: the INTEGER PRIMARY KEY, or the hidden one. 0 in a table WITHOUT ROWID.
  int64_t rowid() const;

  // OK as long as the row can be read.
  Status status() const;

 private:
  friend class internal::TableRep;
  explicit Row(internal::RowBox* box) : box_(box) {}
  void Release();

  internal::RowBox* box_ = nullptr;  // null: no row
};

class KVSQL_EXPORT Table {
 public:
  // Made by Database::table() and WriteTransaction::table(). A copy is a handle of its own, for another
  // thread.
  Table(const Table&);
  Table(Table&&) noexcept;
  Table& operator=(const Table&);
  Table& operator=(Table&&) noexcept;
  ~Table();

  const std::string& name() const;

  // ---- Reading. A warm get_row takes no lock, makes no system call and allocates nothing.

  // The row with this primary key; in a table without one, the row with this rowid. A Row that does not
  // exist() if there is none. Large columns are read at once. INVALID_ARGUMENT if the key has more or fewer
  // columns than the primary key.
  template <std::integral Key>
  StatusOr<Row> get_row(Key key, ReadFrom from = {}) {
    if constexpr (std::unsigned_integral<Key> && sizeof(Key) == 8) {
      if (!std::in_range<int64_t>(key)) [[unlikely]]
        return get_row(ValueView(key), from);
    }
    return get_row_by_integer(static_cast<int64_t>(key), from);
  }
  StatusOr<Row> get_row(const ValueView& key, ReadFrom from = {}) {
    return get_row(std::span<const ValueView>(&key, 1), from);
  }
  StatusOr<Row> get_row(std::initializer_list<ValueView> key, ReadFrom from = {}) {
    return get_row(std::span<const ValueView>(key.begin(), key.size()), from);
  }
  StatusOr<Row> get_row(std::span<const ValueView> key, ReadFrom from = {});

  // The row by a UNIQUE index or constraint. `index` is the index's name, or, for a constraint, its
  // column's name (of the first column of exactly one such constraint). One value per column of the
  // index; a NULL among them finds nothing. NOT_FOUND if there is no such index, INVALID_ARGUMENT if it
  // is not UNIQUE or has another number of columns.
  StatusOr<Row> get_row_by(std::string_view index, std::initializer_list<ValueView> key,
                           ReadFrom from = {}) {
    return get_row_by(index, std::span<const ValueView>(key.begin(), key.size()), from);
  }
  StatusOr<Row> get_row_by(std::string_view index, std::span<const ValueView> key,
                           ReadFrom from = {});

  // The number of rows, exactly, in constant time.
  StatusOr<uint64_t> count(ReadFrom from = {});

  // ---- Writing. Constraints are checked and indexes kept as by INSERT, UPDATE and DELETE.

  // Adds a row: one value per column, in order; missing ones at the end take their defaults. NULL for an
  // INTEGER PRIMARY KEY chooses the next one. Answers the rowid (0 in a table WITHOUT ROWID).
  // ALREADY_EXISTS if a key is taken, INVALID_ARGUMENT if another constraint fails (the message names it) or
  // there are too many values. Errors leave everything unchanged.
  StatusOr<int64_t> insert_row(std::initializer_list<ValueView> values, WriteTo to = {}) {
    return insert_row(std::span<const ValueView>(values.begin(), values.size()), to);
  }
  StatusOr<int64_t> insert_row(std::span<const ValueView> values, WriteTo to = {});
  // The same, but rows that are in the way are deleted first, as by INSERT OR REPLACE.
  StatusOr<int64_t> put_row(std::initializer_list<ValueView> values, WriteTo to = {}) {
    return put_row(std::span<const ValueView>(values.begin(), values.size()), to);
  }
  StatusOr<int64_t> put_row(std::span<const ValueView> values, WriteTo to = {});
  // Deletes the row with this primary key (as in get_row). False: there was none.
  StatusOr<bool> erase_row(const ValueView& key, WriteTo to = {}) {
    return erase_row(std::span<const ValueView>(&key, 1), to);
  }
  StatusOr<bool> erase_row(std::initializer_list<ValueView> key, WriteTo to = {}) {
    return erase_row(std::span<const ValueView>(key.begin(), key.size()), to);
  }
  StatusOr<bool> erase_row(std::span<const ValueView> key, WriteTo to = {});

 private:
  friend class Database;
  friend class WriteTransaction;
  explicit Table(internal::TableRep* rep) : rep_(rep) {}
  StatusOr<Row> get_row_by_integer(int64_t key, ReadFrom from);

  internal::TableRep* rep_;  // counted, with the rows that were read through it
};

}  // namespace kvsql

#endif  // KVSQL_TABLE_H_
