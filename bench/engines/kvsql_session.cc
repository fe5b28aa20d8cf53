#include "bench/engines/kvsql_session.h"

#include <optional>

#include "bench/engines/kvsql_check.h"
#include "bench/engines/sink.h"

namespace kvsql::bench {
namespace {

class KvsqlSession : public Session {
 public:
  explicit KvsqlSession(const Database& database)
      : database_(database),
        keys_(Take(database_.keyspace("keys"), "keyspace")),
        table_(Take(database_.table("t"), "table")),
        connection_(Take(database_.connect(), "connect")),
        select_(Prepare("SELECT id, name, score FROM t WHERE id = ?1")),
        insert_(Prepare("INSERT INTO t(id, name, score) VALUES(?1, ?2, ?3)")),
        update_(Prepare("UPDATE t SET score = ?2 WHERE id = ?1")) {}

  uint64_t Read(ReadOp op, std::span<const Probe> probes, Digest digest) override {
    return digest == Digest::kFast ? ReadInto<Digest::kFast>(op, probes)
                                   : ReadInto<Digest::kExact>(op, probes);
  }

  void Commit(WriteOp op, const Probe& probe, uint32_t version) override {
    switch (op) {
      case WriteOp::kPut: {
        const ShortText value = ValueOf(probe.id, version);
        return Expect(keys_.put(probe.key_view(), value.view()), "put");
      }
      case WriteOp::kInsert: {
        const ShortText name = NameOf(probe.id);
        Expect(insert_.bind_all({probe.id, name.view(), ScoreOf(probe.id)}), "bind");
        return Expect(insert_.execute(), "INSERT");
      }
      case WriteOp::kUpdate:
        Expect(update_.bind_all({probe.id, (ScoreOf(probe.id) + version) % 1000}), "bind");
        return Expect(update_.execute(), "UPDATE");
    }
  }

 private:
  Statement Prepare(std::string_view sql) { return Take(connection_.prepare(sql), "prepare"); }

  template <Digest kDigest>
  uint64_t ReadInto(ReadOp op, std::span<const Probe> probes) {
    Sink<kDigest> sink;
    switch (op) {
      case ReadOp::kGet:
        Get(probes, sink, {});
        break;
      case ReadOp::kGetSnapshot: {
        const Snapshot snapshot = Take(database_.snapshot(), "snapshot");
        Get(probes, sink, snapshot);
        break;
      }
      case ReadOp::kGetRow:
        GetRow(probes, sink);
        break;
      case ReadOp::kPointPrepared:
        Select(probes, sink);
        break;
      case ReadOp::kPointPreparedTxn:
        Expect(connection_.execute("BEGIN"), "BEGIN");
        Select(probes, sink);
        Expect(connection_.execute("COMMIT"), "COMMIT");
        break;
      case ReadOp::kPointText:
        SelectText(probes, sink);
        break;
    }
    return sink.sum();
  }

  template <class SinkType>
  void Get(std::span<const Probe> probes, SinkType& sink, ReadFrom from) {
    const std::span<char> buffer(sink.buffer(), SinkType::capacity());
    for (const Probe& probe : probes) {
      const StatusOr<std::optional<size_t>> size = keys_.get(probe.key_view(), buffer, from);
      if (!size.ok()) [[unlikely]]
        FailKvsql(size.status(), "get");
      if (!size->has_value() || **size > buffer.size()) [[unlikely]] {
        Fatal("kvsql: get: a key is missing or its value was never stored");
      }
      sink.Copied(probe.id, **size);
    }
  }

  template <class SinkType>
  void GetRow(std::span<const Probe> probes, SinkType& sink) {
    for (const Probe& probe : probes) {
      const StatusOr<Row> row = table_.get_row(probe.id);
      if (!row.ok()) [[unlikely]]
        FailKvsql(row.status(), "get_row");
      if (!row->exists()) [[unlikely]]
        Fatal("kvsql: get_row: a row is missing");
      const std::string_view name = row->text(1);
      sink.Row(row->integer(0), name.data(), name.size(), row->integer(2));
    }
  }

  template <class SinkType>
  static void TakeRow(Statement& statement, SinkType& sink) {
    const StatusOr<bool> stepped = statement.step();
    if (!stepped.ok()) [[unlikely]]
      FailKvsql(stepped.status(), "step");
    if (!*stepped) [[unlikely]]
      Fatal("kvsql: SELECT: a row is missing");
    const std::string_view name = statement.text(1);
    sink.Row(statement.integer(0), name.data(), name.size(), statement.integer(2));
  }

  template <class SinkType>
  void Select(std::span<const Probe> probes, SinkType& sink) {
    for (const Probe& probe : probes) {
      Expect(select_.bind(1, probe.id), "bind");
      TakeRow(select_, sink);
      select_.reset();
    }
  }

  template <class SinkType>
  void SelectText(std::span<const Probe> probes, SinkType& sink) {
    PointText text;
    for (const Probe& probe : probes) {
      StatusOr<Statement> statement = connection_.prepare(text.Set(probe.id));
      if (!statement.ok()) [[unlikely]]
        FailKvsql(statement.status(), "prepare");
      TakeRow(*statement, sink);
    }
  }

  Database database_;
  Keyspace keys_;
  Table table_;
  Connection connection_;
  Statement select_;
  Statement insert_;
  Statement update_;
};

}  // namespace

std::unique_ptr<Session> NewKvsqlSession(const Database& database) {
  return std::make_unique<KvsqlSession>(database);
}

}  // namespace kvsql::bench
