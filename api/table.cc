#include <kvsql/table.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/convert.h"
#include "api/errors.h"
#include "api/table_rep.h"
#include "base/status.h"
#include "kv/table_ops.h"

namespace kvsql {

using internal::FromKv;
using internal::KvValues;
using internal::RowBox;
using internal::TableRep;

namespace internal {

TableRep::~TableRep() {
  while (free_ != nullptr) {
    RowBox* const box = free_;
    free_ = box->next;
    delete box;
  }
}

Status TableRep::Bind(kv::Reader reader) {
  KV_ASSIGN_OR_RETURN(const kv::TableDef* const def, reader.FindTable(name_));
  if (def == nullptr) {
    Unbound();
    return NoSuchError("table", name_);
  }
  def_ = def;
  keyed_by_rowid_ = def->has_rowid() && (def->rowid_alias.has_value() || def->primary_key.empty());
  Bound(reader.schema_generation());
  return absl::OkStatus();
}

RowBox* TableRep::NewBox() {
  RowBox* const box = new RowBox();
  box->table = this;
  return box;
}

void TableRep::NoteSource(const ReadSource* source, RowBox* box) {
  if (source->kind == ReadSource::Kind::kSnapshot) {
    box->of = RowBox::Of::kSnapshot;
    return;
  }
  box->of = RowBox::Of::kTransaction;
  // Sources of these kinds are made as WriteTargets only.
  box->target = const_cast<WriteTarget*>(static_cast<const WriteTarget*>(source));
  box->target->Ref();
  box->target->Now(&box->moment);
}

}  // namespace internal

namespace {

Status MovedFrom() { return internal::MovedFromError("Table"); }

// Finds the row with this primary key.
StatusOr<bool> FindByKey(kv::Reader reader, const TableRep& table,
                         std::span<const kv::ValueView> key, kv::Row* row) {
  const kv::TableDef& def = table.def();
  if (!def.primary_key.empty()) return kv::GetByPrimaryKey(reader, def, key, row);
  if (key.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("table ", def.name, " has no primary key: a row is ",
                     "found by its rowid, not by ", key.size(), " values"));
  }
  // The rowid has the affinity INTEGER.
  kv::NumberText text;
  const kv::ValueView rowid = kv::ApplyAffinity(key[0], kv::Affinity::kInteger, &text);
  if (rowid.type != kv::ValueType::kInteger) return false;
  return kv::GetByRowid(reader, def, rowid.integer, row);
}

// Ends the call when it goes.
struct CallEnd {
  TableRep* table;
  ~CallEnd() { table->EndCall(); }
};

// The UNIQUE index of this name, or the constraint that begins with the column of this name.
StatusOr<const kv::IndexDef*> FindUniqueIndex(const kv::TableDef& table, std::string_view name) {
  if (const kv::IndexDef* const index = table.FindIndex(name); index != nullptr) {
    if (index->unique) return index;
    return absl::InvalidArgumentError(
        absl::StrCat("index ", index->name, " of table ", table.name, " is not UNIQUE"));
  }
  const kv::IndexDef* found = nullptr;
  if (const std::optional<uint32_t> column = table.FindColumn(name); column.has_value()) {
    for (const kv::IndexDef& index : table.indexes) {
      if (!index.unique || index.partial() || index.has_expressions ||
          index.columns[0].column != *column) {
        continue;
      }
      if (found != nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("column ", table.columns[*column].name, " of table ", table.name,
                         " begins more than one UNIQUE index: ", found->name, " and ", index.name));
      }
      found = &index;
    }
  }
  if (found != nullptr) return found;
  return absl::NotFoundError(absl::StrCat("table ", table.name, " has no UNIQUE index or column ",
                                          absl::string_view(name.data(), name.size())));
}

StatusOr<int64_t> Insert(TableRep* rep, std::span<const ValueView> values, WriteTo to,
                         kv::OnConflict on_conflict) {
  if (rep == nullptr) return MovedFrom();
  const CallEnd end{rep};
  return rep->Write(to, [&](kv::WriteTxn& txn) -> StatusOr<int64_t> {
    const kv::TableDef& def = rep->def();
    if (values.size() > def.columns.size()) {
      return absl::InvalidArgumentError(absl::StrCat("table ", def.name, " has ",
                                                     def.columns.size(), " columns but ",
                                                     values.size(), " values were given"));
    }
    StatusOr<kv::WriteResult> result = kv::WriteResult{};
    if (values.size() == def.columns.size()) {
      KvValues all(values);
      result = kv::InsertRow(txn, def, all.span(), on_conflict);
    } else {
      std::vector<kv::ValueView> all;
      all.reserve(def.columns.size());
      for (const ValueView& value : values) all.push_back(internal::ToKv(value));
      while (all.size() < def.columns.size()) {
        KV_ASSIGN_OR_RETURN(const kv::ValueView value,
                            kv::DefaultOf(txn, def, static_cast<uint32_t>(all.size())));
        all.push_back(value);
      }
      result = kv::InsertRow(txn, def, all, on_conflict);
    }
    KV_RETURN_IF_ERROR(result.status());
    return def.has_rowid() ? result->rowid : 0;
  });
}

}  // namespace

// ---- Row ---------------------------------------------------------------------------------------------

void Row::Release() { box_->table->Release(box_); }

size_t Row::column_count() const {
  return box_ != nullptr && box_->Readable() ? box_->row.table().columns.size() : 0;
}

std::string_view Row::column_name(size_t column) const {
  return column < column_count() ? std::string_view(box_->row.table().columns[column].name)
                                 : std::string_view();
}

std::optional<size_t> Row::column_index(std::string_view name) const {
  if (column_count() == 0) return std::nullopt;
  return box_->row.table().FindColumn(name);
}

ValueView Row::at(size_t column) const {
  if (column >= column_count()) [[unlikely]]
    return ValueView();
  return FromKv(box_->row.column(static_cast<uint32_t>(column)));
}

ValueView Row::operator[](std::string_view name) const {
  const std::optional<size_t> column = column_index(name);
  return column.has_value() ? at(*column) : ValueView();
}

int64_t Row::rowid() const {
  if (column_count() == 0 || !box_->row.table().has_rowid()) return 0;
  return box_->row.rowid();
}

Status Row::status() const {
  if (box_ == nullptr || box_->Readable()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the row was read before the last call on its table, or in a transaction that has written or "
      "ended "
      "since");
}

// ---- Table -------------------------------------------------------------------------------------------

Table::Table(const Table& other)
    : rep_(other.rep_ == nullptr ? nullptr
                                 : new TableRep(other.rep_->database(), other.rep_->name())) {}
Table::Table(Table&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
Table& Table::operator=(const Table& other) {
  if (this != &other) *this = Table(other);
  return *this;
}
Table& Table::operator=(Table&& other) noexcept {
  std::swap(rep_, other.rep_);
  return *this;
}
Table::~Table() {
  if (rep_ != nullptr) rep_->Unref();
}

const std::string& Table::name() const {
  static const std::string* const kNone = new std::string();
  return rep_ == nullptr ? *kNone : rep_->name();
}

StatusOr<Row> Table::get_row_by_integer(int64_t key, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  return rep_->GetRow(from, [&](kv::Reader reader, kv::Row* row) -> StatusOr<bool> {
    if (rep_->keyed_by_rowid()) [[likely]]
      return kv::GetByRowid(reader, rep_->def(), key, row);
    const kv::ValueView value = kv::ValueView::Integer(key);
    return FindByKey(reader, *rep_, std::span(&value, 1), row);
  });
}

StatusOr<Row> Table::get_row(std::span<const ValueView> key, ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  KvValues values(key);
  return rep_->GetRow(from, [&](kv::Reader reader, kv::Row* row) {
    return FindByKey(reader, *rep_, values.span(), row);
  });
}

StatusOr<Row> Table::get_row_by(std::string_view index, std::span<const ValueView> key,
                                ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  KvValues values(key);
  return rep_->GetRow(from, [&](kv::Reader reader, kv::Row* row) -> StatusOr<bool> {
    const kv::TableDef& table = rep_->def();
    KV_ASSIGN_OR_RETURN(const kv::IndexDef* const found, FindUniqueIndex(table, index));
    if (values.span().size() != found->columns.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", found->name, " of table ", table.name, " has ",
                       found->columns.size(), " columns but ", key.size(), " values were given"));
    }
    return kv::GetByUniqueIndex(reader, table, *found, values.span(), row);
  });
}

StatusOr<uint64_t> Table::count(ReadFrom from) {
  if (rep_ == nullptr) return MovedFrom();
  const CallEnd end{rep_};
  return rep_->Read(from, [&](kv::Reader reader) { return kv::CountRows(reader, rep_->def()); });
}

StatusOr<int64_t> Table::insert_row(std::span<const ValueView> values, WriteTo to) {
  return Insert(rep_, values, to, kv::OnConflict::kDefault);
}

StatusOr<int64_t> Table::put_row(std::span<const ValueView> values, WriteTo to) {
  return Insert(rep_, values, to, kv::OnConflict::kReplace);
}

StatusOr<bool> Table::erase_row(std::span<const ValueView> key, WriteTo to) {
  if (rep_ == nullptr) return MovedFrom();
  const CallEnd end{rep_};
  KvValues values(key);
  return rep_->Write(to, [&](kv::WriteTxn& txn) -> StatusOr<bool> {
    RowBox* const box = rep_->TakeBox();
    StatusOr<bool> found = FindByKey(txn, *rep_, values.span(), &box->row);
    if (found.ok() && *found) {
      Status status = kv::DeleteRow(txn, rep_->def(), box->row);
      if (!status.ok()) found = std::move(status);
    }
    rep_->ReturnBox(box);
    return found;
  });
}

}  // namespace kvsql
