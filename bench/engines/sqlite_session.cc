// The timed loops of SQLite.
#include "bench/engines/sink.h"
#include "bench/engines/sqlite_engine.h"
#include "bench/fatal.h"

namespace kvsql::bench {
namespace {

class SqliteSession : public Session {
 public:
  SqliteSession(const std::string& path, const SqliteSettings& settings)
      : db_(path, settings),
        get_(db_, "SELECT v FROM kv WHERE k = ?1"),
        select_(db_, "SELECT id, name, score FROM t WHERE id = ?1"),
        put_(db_, "INSERT OR REPLACE INTO kv(k, v) VALUES(?1, ?2)"),
        insert_(db_, "INSERT INTO t(id, name, score) VALUES(?1, ?2, ?3)"),
        update_(db_, "UPDATE t SET score = ?2 WHERE id = ?1") {}

  uint64_t Read(ReadOp op, std::span<const Probe> probes, Digest digest) override {
    return digest == Digest::kFast ? ReadInto<Digest::kFast>(op, probes)
                                   : ReadInto<Digest::kExact>(op, probes);
  }

  void Commit(WriteOp op, const Probe& probe, uint32_t version) override {
    switch (op) {
      case WriteOp::kPut: {
        const ShortText value = ValueOf(probe.id, version);
        sqlite3_bind_blob(put_.get(), 1, probe.key, sizeof(probe.key), SQLITE_STATIC);
        sqlite3_bind_blob(put_.get(), 2, value.view().data(), static_cast<int>(value.view().size()),
                          SQLITE_STATIC);
        return Run(put_.get());
      }
      case WriteOp::kInsert: {
        const ShortText name = NameOf(probe.id);
        sqlite3_bind_int64(insert_.get(), 1, probe.id);
        sqlite3_bind_text(insert_.get(), 2, name.view().data(),
                          static_cast<int>(name.view().size()), SQLITE_STATIC);
        sqlite3_bind_int64(insert_.get(), 3, ScoreOf(probe.id));
        return Run(insert_.get());
      }
      case WriteOp::kUpdate:
        sqlite3_bind_int64(update_.get(), 1, probe.id);
        sqlite3_bind_int64(update_.get(), 2, (ScoreOf(probe.id) + version) % 1000);
        return Run(update_.get());
    }
  }

 private:
  void Run(sqlite3_stmt* statement) {
    db_.Expect(sqlite3_step(statement), SQLITE_DONE, "step");
    db_.Expect(sqlite3_reset(statement), SQLITE_OK, "reset");
  }

  template <Digest kDigest>
  uint64_t ReadInto(ReadOp op, std::span<const Probe> probes) {
    Sink<kDigest> sink;
    const bool in_transaction = op == ReadOp::kGetSnapshot || op == ReadOp::kPointPreparedTxn;
    if (in_transaction) db_.Execute("BEGIN");
    switch (op) {
      case ReadOp::kGet:
      case ReadOp::kGetSnapshot:
        Get(probes, sink);
        break;
      case ReadOp::kGetRow:
      case ReadOp::kPointPrepared:
      case ReadOp::kPointPreparedTxn:
        Select(probes, sink);
        break;
      case ReadOp::kPointText:
        SelectText(probes, sink);
        break;
    }
    if (in_transaction) db_.Execute("COMMIT");
    return sink.sum();
  }

  template <class SinkType>
  void Get(std::span<const Probe> probes, SinkType& sink) {
    sqlite3_stmt* statement = get_.get();
    for (const Probe& probe : probes) {
      sqlite3_bind_blob(statement, 1, probe.key, sizeof(probe.key), SQLITE_STATIC);
      db_.Expect(sqlite3_step(statement), SQLITE_ROW, "get");
      const void* value = sqlite3_column_blob(statement, 0);
      sink.Value(probe.id, value, static_cast<size_t>(sqlite3_column_bytes(statement, 0)));
      sqlite3_reset(statement);
    }
  }

  template <class SinkType>
  static void TakeRow(sqlite3_stmt* statement, SinkType& sink) {
    const int64_t id = sqlite3_column_int64(statement, 0);
    const unsigned char* name = sqlite3_column_text(statement, 1);
    const auto name_size = static_cast<size_t>(sqlite3_column_bytes(statement, 1));
    sink.Row(id, name, name_size, sqlite3_column_int64(statement, 2));
  }

  template <class SinkType>
  void Select(std::span<const Probe> probes, SinkType& sink) {
    sqlite3_stmt* statement = select_.get();
    for (const Probe& probe : probes) {
      sqlite3_bind_int64(statement, 1, probe.id);
      db_.Expect(sqlite3_step(statement), SQLITE_ROW, "select");
      TakeRow(statement, sink);
      sqlite3_reset(statement);
    }
  }

  template <class SinkType>
  void SelectText(std::span<const Probe> probes, SinkType& sink) {
    PointText text;
    for (const Probe& probe : probes) {
      const std::string_view sql = text.Set(probe.id);
      sqlite3_stmt* statement = nullptr;
      // With the terminator in the length SQLite needs no copy of the text.
      db_.Expect(sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()) + 1,
                                    &statement, nullptr),
                 SQLITE_OK, "prepare");
      db_.Expect(sqlite3_step(statement), SQLITE_ROW, "select");
      TakeRow(statement, sink);
      sqlite3_finalize(statement);
    }
  }

  SqliteConnection db_;
  SqliteStatement get_;
  SqliteStatement select_;
  SqliteStatement put_;
  SqliteStatement insert_;
  SqliteStatement update_;
};

}  // namespace

std::unique_ptr<Session> NewSqliteSession(const std::string& path, const SqliteSettings& settings) {
  return std::make_unique<SqliteSession>(path, settings);
}

}  // namespace kvsql::bench
