// kvsql by key: one keyspace whose keys are agent and sequence. Recall is one get, the latest ten are one
// short walk backward from the agent's end; nothing else has to be kept in step.
#include <kvsql/database.h>

#include <memory>
#include <optional>
#include <span>

#include "bench/agent_memory/key.h"
#include "bench/agent_memory/kvsql_base.h"
#include "bench/agent_memory/stores.h"
#include "bench/engines/kvsql_check.h"

namespace kvsql::bench::agent_memory {
namespace {

KeyspaceOptions KeyspaceOptionsFor(bool compressed) {
  return {.compression = compressed ? Compression::kZstd : Compression::kNone};
}

void Get(Keyspace& keyspace, std::string_view key, ValueBuffer* value) {
  const StatusOr<std::optional<size_t>> size =
      keyspace.get(key, std::span<char>(value->bytes, ValueBuffer::kCapacity));
  if (!size.ok()) [[unlikely]]
    FailKvsql(size.status(), "get");
  if (!size->has_value() || **size > ValueBuffer::kCapacity) [[unlikely]]
    Fatal("kvsql: get: a memory is missing or was never stored");
  value->size = **size;
}

class KvsqlKeyStore : public KvsqlStore {
 public:
  explicit KvsqlKeyStore(bool compressed) : compressed_(compressed) {}

  void Open(const std::string& path, Sync sync) override {
    OpenDatabase(path, sync);
    memories_.emplace(
        Take(database().keyspace("memories", KeyspaceOptionsFor(compressed_)), "keyspace"));
  }
  void Close() override {
    memories_.reset();
    CloseDatabase();
  }

  Order order() const override { return Order::kByAgent; }

  void BulkLoad(const Population& population) override {
    WriteTransaction transaction = Take(database().begin(), "begin");
    for (size_t i = 0; i < population.size(); ++i) {
      Expect(memories_->put(Key(population.id(i)).view(), population.value(i), transaction), "put");
    }
    Expect(transaction.commit(::kvsql::Durability::kFull), "commit");
  }

  void Insert(MemoryId id, std::string_view value) override {
    if (!Take(memories_->put_if_absent(Key(id).view(), value), "insert")) [[unlikely]]
      Fatal("kvsql: a new memory is there already");
  }
  void Update(MemoryId id, std::string_view value) override {
    Expect(memories_->put(Key(id).view(), value), "update");
  }
  void Recall(MemoryId id, ValueBuffer* value) override { Get(*memories_, Key(id).view(), value); }
  void Latest(uint32_t agent, LatestBuffer* latest) override {
    const Key key(agent, 0);
    latest->count = 0;
    Expect(memories_->for_each(KeyRange::Prefix(key.agent_prefix()), Direction::kBackward,
                               [latest](const VisitedEntry& entry) {
                                 const std::string_view value = entry.value();
                                 latest->values[latest->count++].Assign(value.data(), value.size());
                                 return latest->count < kLatest;
                               }),
           "for_each");
  }

  void ForEach(const Visitor& visit) override {
    Cursor cursor = memories_->scan();
    for (; cursor.valid(); cursor.next()) visit(Key::IdOf(cursor.key()), cursor.value());
    Expect(cursor.status(), "walk");
  }

 private:
  const bool compressed_;
  std::optional<Keyspace> memories_;
};

// The alternative for ids that do not tell their agent: two keyspaces, kept in step by one atomic batch.
class KvsqlIndexedStore : public KvsqlStore {
 public:
  void Open(const std::string& path, Sync sync) override {
    OpenDatabase(path, sync);
    memories_.emplace(Take(database().keyspace("memories"), "keyspace"));
    by_agent_.emplace(Take(database().keyspace("by_agent"), "keyspace"));
  }
  void Close() override {
    memories_.reset();
    by_agent_.reset();
    CloseDatabase();
  }

  Order order() const override { return Order::kBySequence; }

  void BulkLoad(const Population& population) override {
    WriteTransaction transaction = Take(database().begin(), "begin");
    for (size_t i = 0; i < population.size(); ++i) {
      const MemoryId id = population.id(i);
      Expect(memories_->put(Plain(id.sequence).view(), population.value(i), transaction), "put");
    }
    for (size_t i = 0; i < population.size(); ++i) {
      Expect(by_agent_->put(Key(population.id(i)).view(), "", transaction), "put");
    }
    Expect(transaction.commit(::kvsql::Durability::kFull), "commit");
  }

  void Insert(MemoryId id, std::string_view value) override {
    batch_.clear();
    batch_.put(*memories_, Plain(id.sequence).view(), value);
    batch_.put(*by_agent_, Key(id).view(), "");
    Expect(database().write(batch_), "insert");
  }
  void Update(MemoryId id, std::string_view value) override {
    Expect(memories_->put(Plain(id.sequence).view(), value), "update");
  }
  void Recall(MemoryId id, ValueBuffer* value) override {
    Get(*memories_, Plain(id.sequence).view(), value);
  }
  void Latest(uint32_t agent, LatestBuffer* latest) override {
    const Key key(agent, 0);
    latest->count = 0;
    const Snapshot snapshot = Take(database().snapshot(), "snapshot");
    Cursor cursor =
        by_agent_->scan(KeyRange::Prefix(key.agent_prefix()), Direction::kBackward, snapshot);
    while (cursor.valid()) {
      const Key id = Plain(Key::IdOf(cursor.key()).sequence);
      const PinnedBytes value = Take(memories_->get_view(id.view(), snapshot), "get_view");
      if (!value.exists()) Fatal("kvsql: the index names a memory that is not there");
      latest->values[latest->count++].Assign(value.data(), value.size());
      if (latest->count == kLatest) break;
      cursor.next();
    }
    Expect(cursor.status(), "scan");
  }

  void ForEach(const Visitor& visit) override {
    Cursor cursor = memories_->scan();
    for (; cursor.valid(); cursor.next()) {
      visit(agent_memory::IdOf(Key::IdOf(cursor.key()).sequence), cursor.value());
    }
    Expect(cursor.status(), "walk");
  }

 private:
  static Key Plain(uint32_t sequence) { return {0, sequence}; }

  std::optional<Keyspace> memories_;
  std::optional<Keyspace> by_agent_;
  Batch batch_;
};

}  // namespace

std::unique_ptr<Store> NewKvsqlKeyStore(bool compressed) {
  return std::make_unique<KvsqlKeyStore>(compressed);
}

std::unique_ptr<Store> NewKvsqlIndexedStore() { return std::make_unique<KvsqlIndexedStore>(); }

}  // namespace kvsql::bench::agent_memory
