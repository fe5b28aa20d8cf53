// Write transactions: any mix of keys, rows and SQL that happens as a whole or not at all.
//
//   auto transaction = database.begin();
//   if (!transaction.ok()) return transaction.status();
//   users.put("7", "Ada", *transaction);
//   transaction->execute("INSERT INTO log VALUES (?)", {"7 was added"});
//   return transaction->commit();
//
// One write transaction runs at a time in a database; begin() waits for its turn. Readers are never held
// up, and never see a part of a transaction.
//
// Thread safety: a WriteTransaction and all handles, cursors, rows and statements used with it belong to
// one thread at a time.
//
// Views that were read from a transaction end with its next write. When it has ended, by commit or
// rollback, every further call answers FAILED_PRECONDITION.
#ifndef KVSQL_TRANSACTION_H_
#define KVSQL_TRANSACTION_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kvsql/access.h>
#include <kvsql/export.h>
#include <kvsql/keyspace.h>
#include <kvsql/status.h>
#include <kvsql/table.h>
#include <kvsql/value.h>

namespace kvsql {

class Statement;

namespace internal {
struct BatchWriter;
class TransactionRep;
}  // namespace internal

class KVSQL_EXPORT WriteTransaction {
 public:
  // Made by Database::begin().
  WriteTransaction(WriteTransaction&&) noexcept;
  WriteTransaction& operator=(WriteTransaction&&) noexcept;
  // Rolls back what was not committed.
  ~WriteTransaction();

  // Whether it has neither been committed nor rolled back.
  bool active() const;

  // Makes the transaction visible and durable, at the database's level or the given one. Either way the
  // transaction has ended afterwards. An error other than UNKNOWN means that nothing was changed.
  Status commit();
  Status commit(Durability durability);
  // Ends the transaction and forgets its changes.
  Status rollback();

  // Savepoints nest, and a name may be used again: the innermost counts. Names are compared without
  // regard to ASCII case. They are the same as those of SQL's SAVEPOINT.
  Status savepoint(std::string_view name);
  // Forgets the changes since the savepoint, and the savepoints made after it; it stays itself.
  // NOT_FOUND if there is none of that name.
  Status rollback_to(std::string_view name);
  // Forgets the savepoint and those made after it, and keeps the changes.
  Status release(std::string_view name);

  // Handles of what is in this transaction's state, as those of Database; what is made here exists for
  // others when the transaction has been committed.
  StatusOr<Keyspace> keyspace(std::string_view name, const KeyspaceOptions& options = {});
  StatusOr<Table> table(std::string_view name);
  // Deletes the keyspace with all its keys. NOT_FOUND if there is none.
  Status drop_keyspace(std::string_view name);
  // The keyspaces' names, in order.
  StatusOr<std::vector<std::string>> keyspaces() const;

  // SQL inside the transaction, as Connection's (connection.h). BEGIN, COMMIT, ROLLBACK and END answer
  // FAILED_PRECONDITION. A Statement made here answers FAILED_PRECONDITION when the transaction has ended.
  Status execute(std::string_view sql) { return execute(sql, std::span<const ValueView>()); }
  Status execute(std::string_view sql, std::initializer_list<ValueView> parameters) {
    return execute(sql, std::span<const ValueView>(parameters.begin(), parameters.size()));
  }
  Status execute(std::string_view sql, std::span<const ValueView> parameters);
  StatusOr<Statement> prepare(std::string_view sql);
  // Rows changed by the last INSERT, UPDATE or DELETE in SQL of this transaction, and its last rowid.
  int64_t changes() const;
  int64_t last_insert_rowid() const;

 private:
  friend class Database;
  friend class ReadFrom;
  friend class WriteTo;
  explicit WriteTransaction(internal::TransactionRep* rep);

  internal::TransactionRep* rep_;       // counted, with the cursors and rows that are of it
  const internal::ReadSource* source_;  // what reads use: the same
  internal::WriteTarget* target_;       // what writes use: the same
};

inline ReadFrom::ReadFrom(const WriteTransaction& transaction) : ReadFrom(transaction.source_) {}
inline WriteTo::WriteTo(WriteTransaction& transaction) : WriteTo(transaction.target_) {}

// A list of puts and deletes that Database::write() does at once. The list is made without touching the
// database: keys and values are copied. A plain value: use one from one thread at a time.
class KVSQL_EXPORT Batch {
 public:
  Batch() = default;

  void put(const Keyspace& keyspace, std::string_view key, std::string_view value) {
    put(keyspace.name(), key, value);
  }
  void erase(const Keyspace& keyspace, std::string_view key) { erase(keyspace.name(), key); }
  void erase_range(const Keyspace& keyspace, const KeyRange& range) {
    erase_range(keyspace.name(), range);
  }
  // The same by the keyspace's name, which must exist when the batch is written (NOT_FOUND).
  void put(std::string_view keyspace, std::string_view key, std::string_view value);
  void erase(std::string_view keyspace, std::string_view key);
  void erase_range(std::string_view keyspace, const KeyRange& range);

  // Operations in the list.
  size_t size() const { return operations_.size(); }
  bool empty() const { return operations_.empty(); }
  // Forgets the operations and keeps the memory.
  void clear();

 private:
  friend struct internal::BatchWriter;
  enum class Kind : uint8_t { kPut, kErase, kEraseFrom, kEraseBetween };
  struct Operation {
    Kind kind;
    uint32_t keyspace;  // index into keyspaces_
    size_t key_offset;  // in bytes_
    size_t key_size;
    size_t value_offset;  // the value, or the end of a range
    size_t value_size;
  };
  void Add(Kind kind, std::string_view keyspace, std::string_view key, std::string_view value);

  std::vector<std::string> keyspaces_;
  std::vector<Operation> operations_;
  std::string bytes_;
};

}  // namespace kvsql

#endif  // KVSQL_TRANSACTION_H_
