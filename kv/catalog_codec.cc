#include "kv/catalog_codec.h"

#include <bit>
#include <utility>

#include "base/bytes.h"

namespace kvsql::kv {
namespace {

constexpr uint64_t kVersion = 2;
// Of records with compression; others stay readable for builds that do not know it.
constexpr uint64_t kCompressedVersion = 3;

// Flags of a table.
constexpr uint64_t kTableStrict = 1;
constexpr uint64_t kTableAutoincrement = 2;
// Flags of a column.
constexpr uint64_t kColumnNotNull = 1;
constexpr uint64_t kColumnAny = 2;
constexpr uint64_t kColumnHidden = 4;
constexpr uint64_t kColumnDefaultExpression = 8;

constexpr uint64_t kDictionaryNumberLimit = uint64_t{1} << 30;

constexpr uint64_t kOnConflictLimit = static_cast<uint64_t>(OnConflict::kReplace) + 1;

class Encoder {
 public:
  void Number(uint64_t value) {
    uint8_t buffer[kMaxVarint64Bytes];
    const uint8_t* end = PutVarint64(buffer, value);
    out_.append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(end - buffer));
  }
  void Text(std::string_view text) {
    Number(text.size());
    out_.append(text);
  }
  void Scalar(const ValueView& value) {
    Number(static_cast<uint64_t>(value.type));
    switch (value.type) {
      case ValueType::kNull:
        break;
      case ValueType::kInteger:
        Number(static_cast<uint64_t>(value.integer));
        break;
      case ValueType::kReal:
        Number(std::bit_cast<uint64_t>(value.real));
        break;
      case ValueType::kText:
      case ValueType::kBlob:
        Text(value.bytes());
        break;
    }
  }
  void Columns(const std::vector<IndexColumn>& columns) {
    Number(columns.size());
    for (const IndexColumn& column : columns) {
      // 0: the rowid, 1: an expression.
      Number(column.column == kRowidColumn        ? 0
             : column.column == kExpressionColumn ? 1
                                                  : uint64_t{column.column} + 2);
      Number(static_cast<uint64_t>(column.collation) * 2 + (column.descending ? 1 : 0));
    }
  }
  void Texts(const std::vector<std::string>& texts) {
    Number(texts.size());
    for (const std::string& text : texts) Text(text);
  }
  void Conflict(OnConflict conflict) { Number(static_cast<uint64_t>(conflict)); }
  void Version(const CompressionDef& compression) {
    Number(compression.kind == Compression::kNone ? kVersion : kCompressedVersion);
  }
  void Compressed(const CompressionDef& compression) {
    if (compression.kind == Compression::kNone) return;
    Number(static_cast<uint64_t>(compression.kind));
    Number(compression.trained_rows);
    Number(compression.dictionaries.size());
    for (const uint32_t number : compression.dictionaries) Number(number);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads what Encoder wrote; after the first piece of nonsense everything reads as zero and ok() is
// false.
class Decoder {
 public:
  explicit Decoder(std::string_view record) : rest_(record) {}

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  uint64_t Number() {
    uint64_t value = 0;
    const uint8_t* begin = AsBytes(rest_);
    const uint8_t* end = ok_ ? GetVarint64(begin, begin + rest_.size(), &value) : nullptr;
    if (end == nullptr) return Fail();
    rest_.remove_prefix(static_cast<size_t>(end - begin));
    return value;
  }
  uint64_t Number(uint64_t limit) {
    const uint64_t value = Number();
    return value < limit ? value : Fail();
  }
  // A number of things that take at least a byte each.
  uint64_t Amount() { return Number(rest_.size() + 1); }
  std::string Text() {
    const uint64_t size = Amount();
    if (size > rest_.size()) return Fail(), std::string();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  Value Scalar() {
    switch (static_cast<ValueType>(Number(5))) {
      case ValueType::kNull:
        return Value();
      case ValueType::kInteger:
        return Value(ValueView::Integer(static_cast<int64_t>(Number())));
      case ValueType::kReal:
        return Value(ValueView::Real(std::bit_cast<double>(Number())));
      case ValueType::kText:
        return Value(ValueView::Text(Text()));
      case ValueType::kBlob:
        return Value(ValueView::Blob(Text()));
    }
    return Value();
  }
  std::vector<IndexColumn> Columns(uint64_t table_columns) {
    std::vector<IndexColumn> columns(Amount());
    for (IndexColumn& column : columns) {
      const uint64_t number = Number(table_columns + 2);
      column.column = number == 0   ? kRowidColumn
                      : number == 1 ? kExpressionColumn
                                    : static_cast<uint32_t>(number - 2);
      const uint64_t order = Number(6);
      column.collation = static_cast<Collation>(order / 2);
      column.descending = (order & 1) != 0;
    }
    return columns;
  }
  OnConflict Conflict() { return static_cast<OnConflict>(Number(kOnConflictLimit)); }
  std::vector<std::string> Texts() {
    std::vector<std::string> texts(Amount());
    for (std::string& text : texts) text = Text();
    return texts;
  }
  TreeId Tree() { return static_cast<TreeId>(Number(uint64_t{UINT32_MAX} + 1)); }
  CompressionDef Compressed(uint64_t version) {
    CompressionDef compression;
    if (version != kCompressedVersion) return compression;
    if (Number(static_cast<uint64_t>(Compression::kZstd) + 1) == 0) Fail();
    compression.kind = Compression::kZstd;
    compression.trained_rows = Number();
    compression.dictionaries.resize(Amount());
    for (uint32_t& number : compression.dictionaries) {
      number = static_cast<uint32_t>(Number(kDictionaryNumberLimit));
    }
    return compression;
  }

 private:
  uint64_t Fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

// `newest`: the newest version of such records.
Status CheckVersion(uint64_t version, const Decoder& decoder, uint64_t newest = kVersion) {
  if (!decoder.ok()) return DataLoss("catalog: a record is cut short");
  if (version >= kVersion && version <= newest) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("catalog: a record has version ", version, ", this build knows ", newest));
}

}  // namespace

std::string CatalogKey(ObjectKind kind, std::string_view name) {
  return static_cast<char>(kind) + LowerAscii(name);
}

std::string EncodeTable(const TableDef& table) {
  Encoder out;
  out.Version(table.compression);
  out.Number(static_cast<uint64_t>(table.shape));
  out.Number((table.strict ? kTableStrict : 0) | (table.autoincrement ? kTableAutoincrement : 0));
  out.Number(table.tree);
  out.Number(table.overflow_tree);
  out.Text(table.name);
  out.Number(table.columns.size());
  for (const ColumnDef& column : table.columns) {
    out.Text(column.name);
    out.Text(column.declared_type);
    out.Number(static_cast<uint64_t>(column.affinity));
    out.Number(static_cast<uint64_t>(column.collation));
    out.Number((column.not_null ? kColumnNotNull : 0) | (column.any ? kColumnAny : 0) |
               (column.hidden ? kColumnHidden : 0) |
               (column.default_expression ? kColumnDefaultExpression : 0));
    out.Conflict(column.not_null_conflict);
    out.Scalar(column.default_value.view());
    out.Text(column.default_sql);
  }
  out.Number(table.rowid_alias.has_value() ? uint64_t{*table.rowid_alias} + 1 : 0);
  out.Columns(table.primary_key);
  out.Conflict(table.key_conflict);
  out.Number(table.checks.size());
  for (const CheckDef& check : table.checks) {
    out.Text(check.name);
    out.Text(check.sql);
  }
  out.Number(table.indexes.size());
  for (const IndexDef& index : table.indexes) {
    out.Text(index.name);
    out.Columns(index.columns);
    out.Number(static_cast<uint64_t>(index.origin) * 2 + (index.unique ? 1 : 0));
    out.Conflict(index.conflict);
    out.Number(index.tree);
    out.Text(index.sql);
    out.Text(index.where_sql);
    out.Texts(index.expressions);
  }
  out.Text(table.sql);
  out.Compressed(table.compression);
  return out.Take();
}

std::string EncodeIndexEntry(std::string_view table) {
  Encoder out;
  out.Number(kVersion);
  out.Text(table);
  return out.Take();
}

std::string EncodeKeyspace(const KeyspaceDef& keyspace) {
  Encoder out;
  out.Version(keyspace.compression);
  out.Number(keyspace.tree);
  out.Text(keyspace.name);
  out.Compressed(keyspace.compression);
  return out.Take();
}

StatusOr<TableDef> DecodeTable(std::string_view record) {
  Decoder in(record);
  const uint64_t version = in.Number();
  KV_RETURN_IF_ERROR(CheckVersion(version, in, kCompressedVersion));
  TableDef table;
  table.shape = static_cast<TableShape>(in.Number(2));
  const uint64_t flags = in.Number();
  table.strict = (flags & kTableStrict) != 0;
  table.autoincrement = (flags & kTableAutoincrement) != 0;
  table.tree = in.Tree();
  table.overflow_tree = in.Tree();
  table.name = in.Text();
  const uint64_t columns = in.Amount();
  for (uint64_t i = 0; i < columns && in.ok(); ++i) {
    ColumnDef column;
    column.name = in.Text();
    column.declared_type = in.Text();
    column.affinity = static_cast<Affinity>(in.Number(5));
    column.collation = static_cast<Collation>(in.Number(3));
    const uint64_t column_flags = in.Number();
    column.not_null = (column_flags & kColumnNotNull) != 0;
    column.any = (column_flags & kColumnAny) != 0;
    column.hidden = (column_flags & kColumnHidden) != 0;
    column.default_expression = (column_flags & kColumnDefaultExpression) != 0;
    column.not_null_conflict = in.Conflict();
    column.default_value = in.Scalar();
    column.default_sql = in.Text();
    table.columns.push_back(std::move(column));
  }
  if (const uint64_t alias = in.Number(columns + 1); alias != 0) {
    table.rowid_alias = static_cast<uint32_t>(alias - 1);
  }
  table.primary_key = in.Columns(columns);
  table.key_conflict = in.Conflict();
  const uint64_t checks = in.Amount();
  for (uint64_t i = 0; i < checks && in.ok(); ++i) {
    CheckDef check;
    check.name = in.Text();
    check.sql = in.Text();
    table.checks.push_back(std::move(check));
  }
  const uint64_t indexes = in.Amount();
  for (uint64_t i = 0; i < indexes && in.ok(); ++i) {
    IndexDef index;
    index.name = in.Text();
    index.table = table.name;
    index.columns = in.Columns(columns);
    const uint64_t origin = in.Number(6);
    index.origin = static_cast<IndexOrigin>(origin / 2);
    index.unique = (origin & 1) != 0;
    index.conflict = in.Conflict();
    index.tree = in.Tree();
    index.sql = in.Text();
    index.where_sql = in.Text();
    index.expressions = in.Texts();
    table.indexes.push_back(std::move(index));
  }
  table.sql = in.Text();
  table.compression = in.Compressed(version);
  if (!in.done()) return DataLoss("catalog: the record of table '", table.name, "' is damaged");
  // What the rest of the code relies on.
  const bool without_rowid = table.shape == TableShape::kWithoutRowid;
  bool sound = !table.columns.empty() && !(without_rowid && table.primary_key.empty()) &&
               !(without_rowid && table.rowid_alias.has_value());
  for (const IndexColumn& column : table.primary_key) {
    sound = sound && column.column < columns;
  }
  for (const IndexDef& index : table.indexes) {
    sound = sound && !index.columns.empty() &&
            (index.expressions.empty() || index.expressions.size() == index.columns.size());
    for (size_t i = 0; i < index.columns.size(); ++i) {
      sound = sound && !(without_rowid && index.columns[i].column == kRowidColumn) &&
              !(index.columns[i].column == kExpressionColumn && index.expressions.empty());
    }
  }
  if (!sound) {
    return DataLoss("catalog: the record of table '", table.name, "' contradicts itself");
  }
  table.Derive();
  return table;
}

StatusOr<std::string> DecodeIndexEntry(std::string_view record) {
  Decoder in(record);
  KV_RETURN_IF_ERROR(CheckVersion(in.Number(), in));
  std::string table = in.Text();
  if (!in.done()) return DataLoss("catalog: the record of an index is damaged");
  return table;
}

StatusOr<KeyspaceDef> DecodeKeyspace(std::string_view record) {
  Decoder in(record);
  const uint64_t version = in.Number();
  KV_RETURN_IF_ERROR(CheckVersion(version, in, kCompressedVersion));
  KeyspaceDef keyspace;
  keyspace.tree = in.Tree();
  keyspace.name = in.Text();
  keyspace.compression = in.Compressed(version);
  if (!in.done()) return DataLoss("catalog: the record of a keyspace is damaged");
  return keyspace;
}

std::string EncodeDictionary(std::string_view bytes) {
  Encoder out;
  out.Number(kVersion);
  out.Text(bytes);
  return out.Take();
}

StatusOr<std::string> DecodeDictionary(std::string_view record) {
  Decoder in(record);
  KV_RETURN_IF_ERROR(CheckVersion(in.Number(), in));
  std::string bytes = in.Text();
  if (!in.done()) return DataLoss("catalog: the record of a dictionary is damaged");
  return bytes;
}

std::string EncodeView(const ViewDef& view) {
  Encoder out;
  out.Number(kVersion);
  out.Number(view.trees_before);
  out.Number(view.made_at);
  out.Text(view.name);
  out.Texts(view.columns);
  out.Text(view.sql);
  return out.Take();
}

StatusOr<ViewDef> DecodeView(std::string_view record) {
  Decoder in(record);
  KV_RETURN_IF_ERROR(CheckVersion(in.Number(), in));
  ViewDef view;
  view.trees_before = in.Tree();
  view.made_at = in.Number();
  view.name = in.Text();
  view.columns = in.Texts();
  view.sql = in.Text();
  if (!in.done()) return DataLoss("catalog: the record of a view is damaged");
  return view;
}

std::string EncodeStatistics(const TableDef& table) {
  Encoder out;
  out.Number(kVersion);
  out.Number(table.analyzed_rows.value_or(0));
  uint64_t analyzed = 0;
  for (const IndexDef& index : table.indexes) analyzed += index.statistics.empty() ? 0 : 1;
  out.Number(analyzed);
  for (const IndexDef& index : table.indexes) {
    if (index.statistics.empty()) continue;
    out.Text(index.name);
    out.Number(index.statistics.size());
    for (const uint64_t number : index.statistics) out.Number(number);
  }
  return out.Take();
}

Status DecodeStatistics(std::string_view record, TableDef* table) {
  Decoder in(record);
  KV_RETURN_IF_ERROR(CheckVersion(in.Number(), in));
  table->analyzed_rows = in.Number();
  const uint64_t analyzed = in.Amount();
  for (uint64_t i = 0; i < analyzed && in.ok(); ++i) {
    const std::string name = in.Text();
    std::vector<uint64_t> numbers(in.Amount());
    for (uint64_t& number : numbers) number = in.Number();
    for (IndexDef& index : table->indexes) {
      if (EqualsIgnoreCase(index.name, name) && numbers.size() == index.columns.size() + 1) {
        index.statistics = numbers;
      }
    }
  }
  if (!in.done()) {
    return DataLoss("catalog: the statistics of table '", table->name, "' are damaged");
  }
  return absl::OkStatus();
}

}  // namespace kvsql::kv
