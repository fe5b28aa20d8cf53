#include "kv/row.h"

#include <utility>

namespace kvsql::kv {

Status Row::Damaged() const {
  if (table_->has_rowid()) {
    return DataLoss("table ", table_->name, ": the row with rowid ", rowid_, " is damaged");
  }
  return DataLoss("table ", table_->name, ": a row is damaged");
}

Status Row::Set(const Reader& reader, const TableDef& table, int64_t rowid,
                const btree::ValueRef& cell) {
  table_ = &table;
  alias_ = table.rowid_alias.value_or(kRowidColumn);
  rowid_ = rowid;
  key_ = {};
  return SetCell(reader, cell);
}

Status Row::Set(const Reader& reader, const TableDef& table, std::string_view key,
                const btree::ValueRef& cell) {
  table_ = &table;
  alias_ = kRowidColumn;
  rowid_ = 0;
  key_ = key;
  return SetCell(reader, cell);
}

Status Row::SetOwningKey(const Reader& reader, const TableDef& table, std::string_view key,
                         const btree::ValueRef& cell) {
  if (key.data() != owned_key_.data()) owned_key_.assign(key);
  return Set(reader, table, std::string_view(owned_key_), cell);
}

Status Row::SetCell(const Reader& reader, const btree::ValueRef& cell) {
  std::string_view bytes;
  if (cell.is_large) [[unlikely]] {
    KV_ASSIGN_OR_RETURN(cell_, btree::ReadLarge(reader.pages(), cell));
    bytes = cell_.view();
  } else {
    bytes = cell.view();
  }
  if (!view_.Parse(bytes) || view_.count() > table_->stored_columns()) [[unlikely]] {
    // The cell anew, for a view of it kept so long would cost every row two registers.
    return SetPacked(reader, cell.is_large ? cell_.view() : cell.view());
  }
  if (!view_.has_elsewhere()) [[likely]]
    return absl::OkStatus();
  return LoadElsewhere(reader);
}

// A packed row is none that view_ would take: it comes here from there. Not inlined, so that other rows save no
// registers for it.
[[gnu::noinline, gnu::cold]] Status Row::SetPacked(const Reader& reader, std::string_view cell) {
  PackedValue packed;
  const ValueCodec* const codec = reader.CodecOf(table_->tree, table_->compression);
  if (codec == nullptr || ReadRowCell(cell, &packed) != CellForm::kPacked) return Damaged();
  plain_.resize(packed.size);
  if (!codec->Unpack(packed, plain_.data()) || !view_.Parse(plain_) ||
      view_.count() > table_->stored_columns()) {
    return Damaged();
  }
  return view_.has_elsewhere() ? LoadElsewhere(reader) : absl::OkStatus();
}

Status Row::LoadElsewhere(const Reader& reader) {
  large_.clear();
  bool key_decoded = false;
  for (uint32_t i = 0; i < view_.count(); ++i) {
    const ColumnCode code = view_.code(i);
    if (code == ColumnCode::kFromKey) {
      if (table_->has_rowid() || table_->in_key[i] == 0) return Damaged();
      std::string_view rest;
      if (!key_decoded && !DecodeTuple(key_, table_->key_parts, {}, &decoded_key_, &rest)) {
        return Damaged();
      }
      key_decoded = true;
    } else if (code >= ColumnCode::kLargeText) {
      const auto overflow = static_cast<int64_t>(view_.overflow_key(i));
      btree::ValueRef value;
      switch (reader.Find(table_->overflow_tree, overflow, &value)) {
        case btree::FindResult::kError:
          return reader.FindError(table_->overflow_tree, overflow);
        case btree::FindResult::kNotFound:
          return Damaged();
        case btree::FindResult::kFound:
          break;
      }
      LargeColumn& column = large_.emplace_back();
      column.position = i;
      KV_ASSIGN_OR_RETURN(column.storage, btree::ReadValue(reader.pages(), value));
      if (table_->compression.kind != Compression::kNone) {
        const ValueCodec* const codec = reader.CodecOf(table_->tree, table_->compression);
        KV_ASSIGN_OR_RETURN(column.storage, codec->ReadValue(std::move(column.storage)));
      }
    }
  }
  return absl::OkStatus();
}

ValueView Row::Elsewhere(uint32_t position, ColumnCode code) const {
  if (code == ColumnCode::kFromKey) {
    return decoded_key_.values[table_->in_key[position] - 1u];
  }
  for (const LargeColumn& column : large_) {
    if (column.position != position) continue;
    const std::string_view bytes = column.storage.view();
    return code == ColumnCode::kLargeText ? ValueView::Text(bytes) : ValueView::Blob(bytes);
  }
  return ValueView::Null();
}

void Row::Columns(ValueView* out) const {
  const auto columns = static_cast<uint32_t>(table_->columns.size());
  if (!view_.has_elsewhere() && view_.count() == table_->stored_columns()) {
    if (alias_ == kRowidColumn) {
      view_.Decode({out, columns});
    } else {
      // Decoded one place to the right, then the ones before the alias moved left.
      view_.Decode({out + 1, columns - 1u});
      for (uint32_t i = 0; i < alias_; ++i) out[i] = out[i + 1];
      out[alias_] = ValueView::Integer(rowid_);
    }
    return;
  }
  for (uint32_t i = 0; i < columns; ++i) out[i] = column(i);
}

uint64_t Row::overflow_key(uint32_t i) const {
  const uint32_t position = table_->StoredPosition(i);
  if (i == alias_ || position >= view_.count()) return 0;
  const ColumnCode code = view_.code(position);
  return code == ColumnCode::kLargeText || code == ColumnCode::kLargeBlob
             ? view_.overflow_key(position)
             : 0;
}

}  // namespace kvsql::kv
