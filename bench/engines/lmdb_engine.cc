#include "bench/engines/lmdb_engine.h"

#include <cstdlib>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/engines/sink.h"
#include "bench/engines/sql_runner.h"
#include "bench/fatal.h"

namespace kvsql::bench {
namespace {

constexpr size_t kMapBytes = size_t{16} << 30;  // address space, not file size

void Expect(int code, const char* what) {
  if (code != MDB_SUCCESS) [[unlikely]] {
    Fatal(absl::StrCat("LMDB: ", what, ": ", mdb_strerror(code)));
  }
}

MDB_val ValOf(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};  // LMDB does not write through it
}

class LmdbSession : public Session {
 public:
  LmdbSession(MDB_env* env, MDB_dbi dbi) : env_(env), dbi_(dbi) {
    Expect(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &reader_), "begin read");
    mdb_txn_reset(reader_);
  }
  ~LmdbSession() override { mdb_txn_abort(reader_); }

  uint64_t Read(ReadOp op, std::span<const Probe> probes, Digest digest) override {
    return digest == Digest::kFast ? ReadInto<Digest::kFast>(op, probes)
                                   : ReadInto<Digest::kExact>(op, probes);
  }

  void Commit(WriteOp op, const Probe& probe, uint32_t version) override {
    if (op != WriteOp::kPut) Fatal("LMDB has no rows");
    const ShortText text = ValueOf(probe.id, version);
    MDB_txn* txn = nullptr;
    Expect(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
    MDB_val key = ValOf(probe.key_view());
    MDB_val value = ValOf(text.view());
    Expect(mdb_put(txn, dbi_, &key, &value, 0), "put");
    Expect(mdb_txn_commit(txn), "commit");
  }

 private:
  template <Digest kDigest>
  uint64_t ReadInto(ReadOp op, std::span<const Probe> probes) {
    Sink<kDigest> sink;
    if (op == ReadOp::kGet) {
      for (const Probe& probe : probes) {
        Expect(mdb_txn_renew(reader_), "renew");
        Get(probe, sink);
        mdb_txn_reset(reader_);
      }
    } else if (op == ReadOp::kGetSnapshot) {
      Expect(mdb_txn_renew(reader_), "renew");
      for (const Probe& probe : probes) Get(probe, sink);
      mdb_txn_reset(reader_);
    } else {
      Fatal("LMDB has no rows");
    }
    return sink.sum();
  }

  template <class SinkType>
  void Get(const Probe& probe, SinkType& sink) {
    MDB_val key = ValOf(probe.key_view());
    MDB_val value;
    Expect(mdb_get(reader_, dbi_, &key, &value), "get");
    sink.Value(probe.id, value.mv_data, value.mv_size);
  }

  MDB_env* env_;
  MDB_dbi dbi_;
  MDB_txn* reader_ = nullptr;
};

}  // namespace

void LmdbEngine::Open(const std::string& path, Durability durability) {
  Expect(mdb_env_create(&env_), "create");
  Expect(mdb_env_set_mapsize(env_, kMapBytes), "map size");
  // NOTLS: a session's transaction belongs to the session, whichever thread uses it.
  unsigned flags = MDB_NOSUBDIR | MDB_NOTLS;
  if (durability == Durability::kNormal) flags |= MDB_NOSYNC;
  Expect(mdb_env_open(env_, path.c_str(), flags, 0644), "open");
  MDB_txn* txn = nullptr;
  Expect(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
  Expect(mdb_dbi_open(txn, nullptr, 0, &dbi_), "open database");
  Expect(mdb_txn_commit(txn), "commit");
}

void LmdbEngine::Close() {
  if (env_ == nullptr) return;
  Checkpoint();
  mdb_env_close(env_);
  env_ = nullptr;
}

std::unique_ptr<Session> LmdbEngine::NewSession() {
  return std::make_unique<LmdbSession>(env_, dbi_);
}

std::unique_ptr<SqlRunner> LmdbEngine::NewRunner() { return nullptr; }

double LmdbEngine::LoadRows(std::span<const Probe>) { Fatal("LMDB has no rows"); }

double LmdbEngine::LoadKeys(std::span<const Probe> probes, bool ascending) {
  const unsigned flags = ascending ? MDB_APPEND : 0;
  const TextColumn values = TextColumn::Values(probes);
  const Stopwatch watch;
  MDB_txn* txn = nullptr;
  Expect(mdb_txn_begin(env_, nullptr, 0, &txn), "begin");
  for (size_t i = 0; i < probes.size(); ++i) {
    MDB_val key = ValOf(probes[i].key_view());
    MDB_val value = ValOf(values[i]);
    Expect(mdb_put(txn, dbi_, &key, &value, flags), "put");
  }
  Expect(mdb_txn_commit(txn), "commit");
  return watch.seconds();
}

void LmdbEngine::Checkpoint() { Expect(mdb_env_sync(env_, 1), "sync"); }

uint64_t LmdbEngine::OpenReadRowClose(const std::string&, uint32_t) { Fatal("LMDB has no rows"); }

}  // namespace kvsql::bench
