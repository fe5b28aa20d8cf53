// What a statement reads: the database, and beside it the temporary tables of its connection.
//
// As a Reader it is the database's alone; it is valid while the transactions of both are.
#ifndef KVSQL_KV_STATEMENT_READER_H_
#define KVSQL_KV_STATEMENT_READER_H_

#include <cstdint>
#include <memory>

#include "kv/reader.h"

namespace kvsql::kv {

class StatementReader : public Reader {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  StatementReader(const Reader& main) : Reader(main) {}
  StatementReader(const ReadTxn& txn) : Reader(txn) {}
  StatementReader(WriteTxn& txn) : Reader(txn) {}
  // NOLINTEND(google-explicit-constructor)

  // Where temporary tables are; null: there are none.
  const Reader* temp() const { return temp_; }
  void set_temp(const Reader* temp) { temp_ = temp; }

  // Where the table's trees are.
  const Reader& Of(const TableDef& table) const {
    return table.temporary && temp_ != nullptr ? *temp_ : *this;
  }

  // Together they say whether names still mean what they did.
  uint64_t temp_generation() const { return temp_ != nullptr ? temp_->schema_generation() : 0; }

 private:
  const Reader* temp_ = nullptr;
};

}  // namespace kvsql::kv

#endif  // KVSQL_KV_STATEMENT_READER_H_
