// Each door of a database in memory: no file, no sync, so what is left is kvsql's own work.
#include <benchmark/benchmark.h>
#include <kvsql/database.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kvsql {
namespace {

constexpr uint32_t kRows = 100'000;

template <typename T>
T Take(StatusOr<T> result) {
  if (!result.ok()) std::abort();
  return *std::move(result);
}
void Expect(const Status& status) {
  if (!status.ok()) std::abort();
}

std::string KeyOf(uint32_t id) { return "key:" + std::to_string(10'000'000 + id); }

Database& Loaded() {
  static Database database = [] {
    Database made = Take(Database::Open(":memory:"));
    Connection connection = Take(made.connect());
    Expect(connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)"));
    Take(made.keyspace("keys"));
    WriteTransaction transaction = Take(made.begin());
    Table table = Take(transaction.table("t"));
    Keyspace keys = Take(transaction.keyspace("keys"));
    for (uint32_t id = 0; id < kRows; ++id) {
      Take(table.insert_row({id, "name-" + std::to_string(id), id * 7919 % 1000}, transaction));
      Expect(keys.put(KeyOf(id), "a value of 24 bytes, yes", transaction));
    }
    Expect(transaction.commit());
    return made;
  }();
  return database;
}

// Every id once, in random order.
class Ids {
 public:
  Ids() {
    for (uint32_t id = 0; id < kRows; ++id) ids_.push_back(id);
    std::mt19937_64 random(1);
    for (size_t left = kRows; left > 1; --left) std::swap(ids_[left - 1], ids_[random() % left]);
  }
  uint32_t Next() { return ids_[next_ == kRows ? next_ = 1, 0 : next_++]; }

 private:
  std::vector<uint32_t> ids_;
  size_t next_ = 0;
};

// The keys of all rows in random order, read in `from` or each in the newest state.
void GetAll(benchmark::State& state, ReadFrom from) {
  Keyspace keys = Take(Loaded().keyspace("keys"));
  Ids ids;
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < kRows; ++i) texts.push_back(KeyOf(ids.Next()));
  char buffer[64];
  size_t next = 0;
  for (auto _ : state) {
    const StatusOr<std::optional<size_t>> size = keys.get(texts[next], buffer, from);
    if (!size.ok() || !*size) std::abort();
    if (++next == texts.size()) next = 0;
  }
}
void BM_Get(benchmark::State& state) { GetAll(state, {}); }
BENCHMARK(BM_Get)->Threads(1)->Threads(2);
void BM_GetSnapshot(benchmark::State& state) {
  const Snapshot snapshot = Take(Loaded().snapshot());
  GetAll(state, snapshot);
}
BENCHMARK(BM_GetSnapshot);

void BM_GetRow(benchmark::State& state) {
  Table table = Take(Loaded().table("t"));
  Ids ids;
  for (auto _ : state) {
    const StatusOr<Row> row = table.get_row(ids.Next());
    if (!row.ok() || !row->exists()) std::abort();
    benchmark::DoNotOptimize(row->text(1));
    benchmark::DoNotOptimize(row->integer(2));
  }
}
BENCHMARK(BM_GetRow)->Threads(1)->Threads(2);

void BM_PreparedSelect(benchmark::State& state) {
  Connection connection = Take(Loaded().connect());
  Statement select = Take(connection.prepare("SELECT id, name, score FROM t WHERE id = ?"));
  Ids ids;
  for (auto _ : state) {
    Expect(select.bind(1, ids.Next()));
    const StatusOr<bool> stepped = select.step();
    if (!stepped.ok() || !*stepped) std::abort();
    benchmark::DoNotOptimize(select.text(1));
    select.reset();
  }
}
BENCHMARK(BM_PreparedSelect);

void BM_SelectText(benchmark::State& state) {
  Connection connection = Take(Loaded().connect());
  Ids ids;
  std::string sql;
  for (auto _ : state) {
    sql = "SELECT id, name, score FROM t WHERE id = ";
    sql += std::to_string(ids.Next());
    Statement select = Take(connection.prepare(sql));
    const StatusOr<bool> stepped = select.step();
    if (!stepped.ok() || !*stepped) std::abort();
    benchmark::DoNotOptimize(select.text(1));
  }
}
BENCHMARK(BM_SelectText);

void BM_Put(benchmark::State& state) {
  Keyspace keys = Take(Loaded().keyspace("keys"));
  Ids ids;
  for (auto _ : state) Expect(keys.put(KeyOf(ids.Next()), "another value of 24 byte"));
}
BENCHMARK(BM_Put);

}  // namespace
}  // namespace kvsql
