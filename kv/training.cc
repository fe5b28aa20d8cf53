#include "kv/training.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "btree/cursor.h"
#include "btree/large_value.h"
#include "kv/read_txn.h"
#include "kv/store.h"

namespace kvsql::kv {
namespace {

using btree::LargeValue;

// What a dictionary is made of.
constexpr size_t kMinSampleBytes = size_t{256} << 10;
constexpr size_t kMaxSampleBytes = size_t{2} << 20;
constexpr size_t kMaxSamples = 8192;
// One sample in so many is kept out of the training, to judge by.
constexpr size_t kJudgedOf = 8;
// What a first dictionary leaves uncompressed behind it is stored anew up to this size.
constexpr size_t kMaxStoredAnew = size_t{16} << 20;

// A cell's value as it was before it was compressed.
StatusOr<LargeValue> PlainOf(const pager::PageReader& pages, const CompressedTree& of,
                             const ValueCodec& codec, const btree::ValueRef& cell) {
  KV_ASSIGN_OR_RETURN(LargeValue stored, btree::ReadValue(pages, cell));
  if (of.kind == ObjectKind::kKeyspace) return codec.ReadValue(std::move(stored));
  PackedValue packed;
  switch (ReadRowCell(stored.view(), &packed)) {
    case CellForm::kPlain:
      return stored;
    case CellForm::kPacked:
      return codec.UnpackOwned(packed);
    case CellForm::kDamaged:
      break;
  }
  return DamagedPackedValue();
}

// The cell for a value; *buffer may become its storage.
std::string_view CellOf(const CompressedTree& of, const ValueCodec& codec, std::string_view plain,
                        std::string* buffer) {
  if (of.kind == ObjectKind::kKeyspace) {
    codec.PackValue(plain, buffer);
    return *buffer;
  }
  return codec.PackRow(plain, buffer) ? std::string_view(*buffer) : plain;
}

// Values from all over the tree: some to train with, some to judge by.
Status TakeSamples(const btree::TreeView& view, const CompressedTree& of, const ValueCodec& codec,
                   Samples* training, Samples* judging) {
  const uint64_t rows = view.root.count;
  const uint64_t wanted = std::min<uint64_t>(rows, kMaxSamples);
  btree::Cursor cursor(view);
  for (uint64_t i = 0; i < wanted && training->bytes.size() < kMaxSampleBytes; ++i) {
    // Each from its own stretch; a large tree's stretches are not read through.
    const uint64_t rank = rows / wanted * i + rows % wanted * i / wanted;
    if (rows == wanted && i != 0) {
      cursor.Next();
    } else {
      cursor.SeekToRank(rank);
    }
    if (!cursor.Valid()) return cursor.status();
    KV_ASSIGN_OR_RETURN(const LargeValue plain, PlainOf(*view.pages, of, codec, cursor.value()));
    (i % kJudgedOf == kJudgedOf - 1 ? judging : training)->Add(plain.view());
  }
  return absl::OkStatus();
}

// Bytes that the samples would take.
uint64_t SizeWith(const CompressedTree& of, const ValueCodec& codec, const Samples& samples) {
  uint64_t size = 0;
  std::string buffer;
  std::string_view rest = samples.bytes;
  for (const size_t each : samples.sizes) {
    size += CellOf(of, codec, rest.substr(0, each), &buffer).size();
    rest.remove_prefix(each);
  }
  return size;
}

// A dictionary that is worth having in place of the codec's; nothing if none is.
StatusOr<std::optional<std::string>> BetterDictionary(const CompressedTree& of,
                                                      const ValueCodec& codec,
                                                      const Samples& training,
                                                      const Samples& judging) {
  std::optional<std::string> bytes = MakeDictionary(training);
  if (!bytes.has_value()) return bytes;
  KV_ASSIGN_OR_RETURN(std::shared_ptr<const Dictionary> dictionary, Dictionary::Make(1, *bytes));
  const ValueCodec with({std::move(dictionary)});
  const uint64_t before = SizeWith(of, codec, judging);
  // A twentieth at least.
  if (SizeWith(of, with, judging) > before - before / 20) return std::optional<std::string>();
  return bytes;
}

struct StoredEntry {
  std::string key;
  int64_t int_key = 0;
  LargeValue plain;
};

// Puts every value of the tree, whose entries `from` has, into it anew.
Status StoreAgain(WriteTxn& txn, const CompressedTree& of, std::vector<StoredEntry> entries) {
  KV_RETURN_IF_ERROR(txn.Clear(of.tree).status());
  const ValueCodec& codec = *txn.CodecOf(of.tree, *of.compression);
  std::string buffer;
  for (const StoredEntry& entry : entries) {
    const std::string_view cell = CellOf(of, codec, entry.plain.view(), &buffer);
    const StatusOr<bool> stored = of.key_kind == KeyKind::kInt64
                                      ? txn.Put(of.tree, entry.int_key, cell)
                                      : txn.Put(of.tree, std::string_view(entry.key), cell);
    KV_RETURN_IF_ERROR(stored.status());
  }
  return absl::OkStatus();
}

// All entries with copies of their values; nothing if they are too many.
StatusOr<std::optional<std::vector<StoredEntry>>> CopyEntries(const btree::TreeView& view,
                                                              const CompressedTree& of,
                                                              const ValueCodec& codec) {
  std::vector<StoredEntry> entries;
  size_t bytes = 0;
  btree::Cursor cursor(view);
  for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
    StoredEntry& entry = entries.emplace_back();
    if (of.key_kind == KeyKind::kInt64) {
      entry.int_key = cursor.int_key();
    } else {
      entry.key = cursor.key();
    }
    KV_ASSIGN_OR_RETURN(entry.plain, PlainOf(*view.pages, of, codec, cursor.value()));
    bytes += entry.key.size() + entry.plain.view().size();
    if (bytes > kMaxStoredAnew) return std::optional<std::vector<StoredEntry>>();
    if (!entry.plain.is_owned()) {
      const std::string_view found = entry.plain.view();
      auto copy = std::make_unique<char[]>(std::max<size_t>(found.size(), 1));
      std::copy_n(found.data(), found.size(), copy.get());
      entry.plain = LargeValue(std::move(copy), found.size());
    }
  }
  KV_RETURN_IF_ERROR(cursor.status());
  return std::optional(std::move(entries));
}

// Waits for the state that a write transaction was begun in to be the published one.
Status BeginSame(const WriteTxn& txn, std::chrono::milliseconds timeout, ReadTxn* read) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (!read->Begin()) return read->BeginError();
    if (read->txid() + 1 >= txn.pages().txid()) return absl::OkStatus();
    if (std::chrono::steady_clock::now() >= deadline) {
      return absl::UnavailableError("the commits before are not durable yet");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Puts all values of `view`, as `old` reads them, into the tree, which is empty now.
Status Refill(WriteTxn& txn, const CompressedTree& of, const btree::TreeView& view,
              const ValueCodec& old, const ValueCodec& codec) {
  std::string buffer;
  btree::Cursor cursor(view);
  for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
    KV_ASSIGN_OR_RETURN(const LargeValue plain, PlainOf(*view.pages, of, old, cursor.value()));
    const std::string_view cell = CellOf(of, codec, plain.view(), &buffer);
    const StatusOr<bool> stored = of.key_kind == KeyKind::kInt64
                                      ? txn.Put(of.tree, cursor.int_key(), cell)
                                      : txn.Put(of.tree, cursor.key(), cell);
    KV_RETURN_IF_ERROR(stored.status());
  }
  return cursor.status();
}

// The same for a table's large columns, which are stored as a keyspace's values are.
Status RefillLarge(WriteTxn& txn, const CompressedTree& of, const btree::TreeView& view,
                   const ValueCodec& old, const ValueCodec& codec) {
  CompressedTree large = of;
  large.kind = ObjectKind::kKeyspace;
  large.key_kind = KeyKind::kInt64;
  large.tree = of.overflow_tree;
  return Refill(txn, large, view, old, codec);
}

Status Retrain(Store& store, WriteTxn& txn, const CompressedTree& of) {
  // Kept beyond the definition's change.
  const std::shared_ptr<const ValueCodec> old = of.compression->codec;
  KV_ASSIGN_OR_RETURN(const btree::TreeView view, txn.View(of.tree));
  Samples training;
  Samples judging;
  KV_RETURN_IF_ERROR(TakeSamples(view, of, *old, &training, &judging));
  if (training.bytes.size() < kMinSampleBytes) return absl::OkStatus();
  KV_ASSIGN_OR_RETURN(std::optional<std::string> bytes,
                      BetterDictionary(of, *old, training, judging));
  // Several become one, even if it is no better than the last.
  if (!bytes.has_value() && of.compression->dictionaries.size() > 1) {
    bytes = MakeDictionary(training);
  }
  if (!bytes.has_value()) return absl::OkStatus();

  ReadTxn read(store.shared_from_this());
  KV_RETURN_IF_ERROR(BeginSame(txn, store.options().busy_timeout, &read));
  KV_RETURN_IF_ERROR(txn.AddDictionary(of.kind, of.name, *bytes, /*alone=*/true));
  const ValueCodec& codec = *txn.CodecOf(of.tree, *of.compression);
  KV_RETURN_IF_ERROR(txn.Clear(of.tree).status());
  KV_RETURN_IF_ERROR(Refill(txn, of, read.View(of.tree), *old, codec));
  if (of.overflow_tree != pager::kNoTree) {
    KV_RETURN_IF_ERROR(txn.Clear(of.overflow_tree).status());
    KV_RETURN_IF_ERROR(RefillLarge(txn, of, read.View(of.overflow_tree), *old, codec));
  }
  store.PostponeTraining(of.tree, 0);
  return txn.Commit(Durability::kFull);
}

}  // namespace

namespace training_internal {

Status Train(WriteTxn& txn, const CompressedTree& of) {
  Store& store = *txn.store();
  const uint64_t rows = txn.Count(of.tree);
  if (!store.IsTrainingTurn(of.tree, rows)) return absl::OkStatus();
  const auto train = [&]() -> Status {
    const ValueCodec& codec = *txn.CodecOf(of.tree, *of.compression);
    KV_ASSIGN_OR_RETURN(const btree::TreeView view, txn.View(of.tree));
    Samples training;
    Samples judging;
    KV_RETURN_IF_ERROR(TakeSamples(view, of, codec, &training, &judging));
    if (training.bytes.size() < kMinSampleBytes) {
      // When there may be enough; twice as many at most, for the next ones may be larger.
      const uint64_t enough =
          rows * kMinSampleBytes / std::max<size_t>(training.bytes.size(), 1) + 1;
      store.PostponeTraining(of.tree, std::clamp(enough, rows + rows / 8, rows * 2));
      return absl::OkStatus();
    }
    store.PostponeTraining(of.tree, rows * 4);
    KV_ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                        BetterDictionary(of, codec, training, judging));
    if (!bytes.has_value()) return absl::OkStatus();
    store.PostponeTraining(of.tree, 0);
    std::optional<std::vector<StoredEntry>> entries;
    if (codec.current() == nullptr) {
      KV_ASSIGN_OR_RETURN(entries, CopyEntries(view, of, codec));
    }
    KV_RETURN_IF_ERROR(txn.AddDictionary(of.kind, of.name, *bytes, /*alone=*/false));
    return entries.has_value() ? StoreAgain(txn, of, *std::move(entries)) : absl::OkStatus();
  };
  Status trained = train();
  return trained.ok() ? trained : txn.Break(std::move(trained));
}

}  // namespace training_internal

Status RetrainAll(Store& store) {
  std::vector<std::pair<ObjectKind, std::string>> names;
  {
    ReadTxn read(store.shared_from_this());
    if (!read.Begin()) return read.BeginError();
    KV_ASSIGN_OR_RETURN(const std::vector<const TableDef*> tables, read.Tables());
    for (const TableDef* table : tables) {
      if (table->compression.codec != nullptr) names.emplace_back(ObjectKind::kTable, table->name);
    }
    KV_ASSIGN_OR_RETURN(const std::vector<const KeyspaceDef*> keyspaces, read.Keyspaces());
    for (const KeyspaceDef* keyspace : keyspaces) {
      if (keyspace->compression.codec == nullptr) continue;
      names.emplace_back(ObjectKind::kKeyspace, keyspace->name);
    }
  }
  for (const auto& [kind, name] : names) {
    // It may be gone by now, or be another one.
    KV_ASSIGN_OR_RETURN(const std::unique_ptr<WriteTxn> txn, store.BeginWrite());
    if (kind == ObjectKind::kTable) {
      KV_ASSIGN_OR_RETURN(const TableDef* table, txn->FindTable(name));
      if (table == nullptr || table->compression.codec == nullptr) continue;
      KV_RETURN_IF_ERROR(Retrain(store, *txn, CompressedTree(*table)));
    } else {
      KV_ASSIGN_OR_RETURN(const KeyspaceDef* keyspace, txn->FindKeyspace(name));
      if (keyspace == nullptr || keyspace->compression.codec == nullptr) continue;
      KV_RETURN_IF_ERROR(Retrain(store, *txn, CompressedTree(*keyspace)));
    }
  }
  return absl::OkStatus();
}

}  // namespace kvsql::kv
