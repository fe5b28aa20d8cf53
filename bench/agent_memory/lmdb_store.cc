// LMDB: one tree of keys with the newest memory of an agent first, so that the latest ten are one walk
// forward; read transactions and cursors reset and renewed rather than made anew.
#include <lmdb.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "bench/agent_memory/key.h"
#include "bench/agent_memory/stores.h"
#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr size_t kMapBytes = size_t{16} << 30;  // address space, not file size

void Expect(int code, const char* what) {
  if (code != MDB_SUCCESS) [[unlikely]]
    Fatal(absl::StrCat("LMDB: ", what, ": ", mdb_strerror(code)));
}

MDB_val ValOf(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};  // LMDB does not write through it
}

std::string_view ViewOf(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}

class LmdbStore : public Store {
 public:
  ~LmdbStore() override {
    if (env_ != nullptr) Close();
  }

  void Open(const std::string& path, Sync sync) override {
    Expect(mdb_env_create(&env_), "create");
    Expect(mdb_env_set_mapsize(env_, kMapBytes), "map size");
    unsigned flags = MDB_NOSUBDIR | MDB_NOTLS;
    if (sync != Sync::kFull) flags |= MDB_NOSYNC;
    Expect(mdb_env_open(env_, path.c_str(), flags, 0644), "open");
    MDB_txn* txn = nullptr;
    Expect(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    Expect(mdb_dbi_open(txn, nullptr, 0, &dbi_), "open database");
    Expect(mdb_txn_commit(txn), "commit");
    Expect(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &reader_), "begin read");
    Expect(mdb_cursor_open(reader_, dbi_, &cursor_), "cursor");
    mdb_txn_reset(reader_);
  }

  void Close() override {
    mdb_cursor_close(cursor_);
    mdb_txn_abort(reader_);
    Expect(mdb_env_sync(env_, 1), "sync");
    mdb_env_close(env_);
    env_ = nullptr;
  }

  Order order() const override { return Order::kByAgentNewestFirst; }

  void BulkLoad(const Population& population) override {
    MDB_txn* txn = nullptr;
    Expect(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    for (size_t i = 0; i < population.size(); ++i) {
      Put(txn, population.id(i), population.value(i), MDB_APPEND);
    }
    Expect(mdb_txn_commit(txn), "commit");
    Expect(mdb_env_sync(env_, 1), "sync");
  }

  void Insert(MemoryId id, std::string_view value) override { Commit(id, value, MDB_NOOVERWRITE); }
  void Update(MemoryId id, std::string_view value) override { Commit(id, value, 0); }

  void Recall(MemoryId id, ValueBuffer* value) override {
    const Key key = Key::NewestFirst(id);
    MDB_val key_val = ValOf(key.view());
    MDB_val found;
    Expect(mdb_txn_renew(reader_), "renew");
    Expect(mdb_get(reader_, dbi_, &key_val, &found), "get");
    value->Assign(found.mv_data, found.mv_size);
    mdb_txn_reset(reader_);
  }

  void Latest(uint32_t agent, LatestBuffer* latest) override {
    const Key first(agent, 0);
    MDB_val key = ValOf(first.view());
    MDB_val value;
    latest->count = 0;
    Expect(mdb_txn_renew(reader_), "renew");
    Expect(mdb_cursor_renew(reader_, cursor_), "renew cursor");
    int code = mdb_cursor_get(cursor_, &key, &value, MDB_SET_RANGE);
    while (code == MDB_SUCCESS && ViewOf(key).substr(0, 2) == first.agent_prefix()) {
      latest->values[latest->count++].Assign(value.mv_data, value.mv_size);
      if (latest->count == kLatest) break;
      code = mdb_cursor_get(cursor_, &key, &value, MDB_NEXT);
    }
    if (code != MDB_NOTFOUND) Expect(code, "latest");
    mdb_txn_reset(reader_);
  }

  void ForEach(const Visitor& visit) override {
    MDB_val key, value;
    Expect(mdb_txn_renew(reader_), "renew");
    Expect(mdb_cursor_renew(reader_, cursor_), "renew cursor");
    int code = mdb_cursor_get(cursor_, &key, &value, MDB_FIRST);
    for (; code == MDB_SUCCESS; code = mdb_cursor_get(cursor_, &key, &value, MDB_NEXT)) {
      visit(Key::IdOfNewestFirst(ViewOf(key)), ViewOf(value));
    }
    if (code != MDB_NOTFOUND) Expect(code, "walk");
    mdb_txn_reset(reader_);
  }

  void CheckIntegrity() override {
  }  // LMDB has no check of its own; the walk over all records is one

 private:
  void Put(MDB_txn* txn, MemoryId id, std::string_view value, unsigned flags) {
    const Key key = Key::NewestFirst(id);
    MDB_val key_val = ValOf(key.view());
    MDB_val value_val = ValOf(value);
    Expect(mdb_put(txn, dbi_, &key_val, &value_val, flags), "put");
  }

  void Commit(MemoryId id, std::string_view value, unsigned flags) {
    MDB_txn* txn = nullptr;
    Expect(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    Put(txn, id, value, flags);
    Expect(mdb_txn_commit(txn), "commit");
  }

  MDB_env* env_ = nullptr;
  MDB_dbi dbi_ = 0;
  MDB_txn* reader_ = nullptr;
  MDB_cursor* cursor_ = nullptr;
};

}  // namespace

std::unique_ptr<Store> NewLmdbStore() { return std::make_unique<LmdbStore>(); }

}  // namespace kvsql::bench::agent_memory
