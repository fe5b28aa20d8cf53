// kvsql by prepared SQL, and its rows by get_row.
#include <kvsql/database.h>

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bench/agent_memory/kvsql_base.h"
#include "bench/agent_memory/stores.h"
#include "bench/engines/kvsql_check.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr char kCompressed[] = "WITH (compression = zstd)";

class KvsqlSqlStore : public KvsqlStore {
 public:
  KvsqlSqlStore(const Schema& schema, bool compressed) : schema_(schema), compressed_(compressed) {}

  void Open(const std::string& path, Sync sync) override {
    OpenDatabase(path, sync);
    connection_.emplace(Take(database().connect(), "connect"));
    if (database().table("memories").status().code() == absl::StatusCode::kNotFound) {
      Expect(connection_->execute(absl::StrCat(schema_.create, " ", schema_.options, " ",
                                               compressed_ ? kCompressed : "")),
             "CREATE TABLE");
    }
    const auto prepare = [this](const char* sql) { return Take(connection_->prepare(sql), sql); };
    statements_.emplace(Statements{prepare(schema_.insert), prepare(schema_.update),
                                   prepare(schema_.recall), prepare(schema_.latest)});
    table_.emplace(Take(database().table("memories"), "table"));
  }

  void Close() override {
    statements_.reset();
    table_.reset();
    connection_.reset();
    CloseDatabase();
  }

  Order order() const override { return schema_.order; }

  void BulkLoad(const Population& population) override {
    WriteTransaction transaction = Take(database().begin(), "begin");
    Statement insert = Take(transaction.prepare(schema_.insert), "prepare");
    for (size_t i = 0; i < population.size(); ++i) {
      Run(insert, population.id(i), population.value(i));
    }
    Expect(transaction.execute(schema_.index), "CREATE INDEX");
    Expect(transaction.commit(::kvsql::Durability::kFull), "commit");
  }
  void MakeIndex() override { Expect(connection_->execute(schema_.index), "CREATE INDEX"); }

  void AfterLoad() override { Expect(connection_->execute("ANALYZE"), "ANALYZE"); }

  void Insert(MemoryId id, std::string_view value) override { Run(statements_->insert, id, value); }
  void Update(MemoryId id, std::string_view value) override {
    Run(statements_->update, id, value);
    if (connection_->changes() != 1) [[unlikely]]
      Fatal("kvsql: an update found no memory");
  }

  void Recall(MemoryId id, ValueBuffer* value) override {
    Statement& recall = statements_->recall;
    Expect(recall.bind(1, id.sequence), "bind");
    if (schema_.recall_takes_agent) Expect(recall.bind(2, id.agent), "bind");
    if (!Take(recall.step(), "step")) [[unlikely]]
      Fatal("kvsql: SELECT: a memory is missing");
    const std::string_view found = recall.text(0);
    value->Assign(found.data(), found.size());
    recall.reset();
  }

  void Latest(uint32_t agent, LatestBuffer* latest) override {
    Statement& statement = statements_->latest;
    Expect(statement.bind(1, agent), "bind");
    Expect(statement.bind(2, kLatest), "bind");
    latest->count = 0;
    while (latest->count < kLatest && Take(statement.step(), "step")) {
      const std::string_view found = statement.text(0);
      latest->values[latest->count++].Assign(found.data(), found.size());
    }
    statement.reset();
  }

  bool has_recall_row() const override { return true; }
  void RecallRow(MemoryId id, ValueBuffer* value) override {
    const StatusOr<Row> row = schema_.recall_takes_agent ? table_->get_row({id.agent, id.sequence})
                                                         : table_->get_row(id.sequence);
    if (!row.ok()) [[unlikely]]
      FailKvsql(row.status(), "get_row");
    if (!row->exists()) [[unlikely]]
      Fatal("kvsql: get_row: a memory is missing");
    const std::string_view found = row->text(2);
    value->Assign(found.data(), found.size());
  }

  void ForEach(const Visitor& visit) override {
    Statement statement = Take(connection_->prepare(schema_.all), "prepare");
    while (Take(statement.step(), "step")) {
      visit({static_cast<uint32_t>(statement.integer(0)),
             static_cast<uint32_t>(statement.integer(1))},
            statement.text(2));
    }
  }

 private:
  struct Statements {
    Statement insert, update, recall, latest;
  };

  static void Run(Statement& statement, MemoryId id, std::string_view value) {
    Expect(statement.bind_all({id.sequence, id.agent, ValueView::Blob(value)}), "bind");
    Expect(statement.execute(), "write");
  }

  const Schema& schema_;
  const bool compressed_;
  std::optional<Connection> connection_;
  std::optional<Table> table_;
  std::optional<Statements> statements_;
};

}  // namespace

std::unique_ptr<Store> NewKvsqlSqlStore(const Schema& schema, bool compressed) {
  return std::make_unique<KvsqlSqlStore>(schema, compressed);
}

}  // namespace kvsql::bench::agent_memory
