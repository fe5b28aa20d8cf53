// killtest --kills N --seed S: kills a writing process at random moments and looks at what it left.
//
// The child runs transactions that follow from their numbers alone: transaction i writes i under
// "seq" and changes other keys and rows by a random stream seeded with i; now and then it creates
// or drops a keyspace and a table. Through a pipe it tells each number before
// it calls commit, and again when the commit is acknowledged. The parent kills it, opens the store
// and finds the number s under "seq": not less than the last acknowledged, not more than the last
// announced; and all else must be what the transactions 1..s make. Then the next child goes on from
// there.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kv/keyspace_ops.h"
#include "kv/store.h"
#include "kv/table_ops.h"
#include "kv/write_txn.h"
#include "tests/kv/program_options.h"
#include "tests/kv/table_defs.h"

namespace kvsql::kv {
namespace {

constexpr int kKeys = 400;
constexpr int kRows = 200;
// Each transaction with such a number creates the extra keyspace and table, or drops them.
constexpr uint64_t kSchemaChangeEvery = 7;

void Check(const Status& status, const char* what) {
  if (!status.ok()) Fail("%s: %s", what, status.ToString().c_str());
}

template <typename T>
T Take(StatusOr<T> result, const char* what) {
  Check(result.status(), what);
  return std::move(result).value();
}

struct Model {
  std::map<std::string, std::string> keys;
  std::map<int64_t, std::string> rows;
  bool has_extra = false;
  friend bool operator==(const Model&, const Model&) = default;
};

// One change that a transaction makes.
struct Change {
  bool row = false;
  bool erase = false;
  int64_t id = 0;
  std::string key;
  std::string value;
};

std::vector<Change> ChangesOf(uint64_t seed, uint64_t number) {
  std::mt19937_64 random(seed * 1'000'003 + number);
  std::vector<Change> changes;
  // Mostly small ones, which the log carries; now and then one that goes direct.
  const uint64_t count = random() % 40 == 0 ? 1500 : 1 + random() % 5;
  for (uint64_t i = 0; i < count; ++i) {
    Change change;
    change.row = random() % 3 == 0;
    change.erase = random() % 4 == 0;
    change.id = static_cast<int64_t>(random() % kRows);
    change.key = "key" + std::to_string(random() % kKeys);
    const size_t size = random() % 50 == 0 ? random() % 30'000 : random() % 100;
    change.value = std::string(size, static_cast<char>('a' + random() % 26));
    change.value += std::to_string(number);
    changes.push_back(std::move(change));
  }
  return changes;
}

void Apply(uint64_t seed, uint64_t number, Model* model) {
  for (const Change& change : ChangesOf(seed, number)) {
    if (change.row) {
      if (change.erase) {
        model->rows.erase(change.id);
      } else {
        model->rows[change.id] = change.value;
      }
    } else if (change.erase) {
      model->keys.erase(change.key);
    } else {
      model->keys[change.key] = change.value;
    }
  }
  model->keys["seq"] = std::to_string(number);
  if (number % kSchemaChangeEvery == 0) model->has_extra = !model->has_extra;
}

StoreOptions OptionsFor(const std::string& path) {
  StoreOptions options;
  options.path = path;
  options.map_size = 64u << 20;
  options.log_limit = 512 * 1024;  // wraps and checkpoints often
  return options;
}

TableDef MakeTableT(const std::string& name) {
  TableDef def = MakeTable(name, {{"id", "INTEGER"}, {"text", "TEXT"}});
  def.rowid_alias = 0;
  def.primary_key = {{0, Collation::kBinary, false}};
  AddIndex(&def, name + "_i", {{1, Collation::kNocase, false}}, false, IndexOrigin::kCreateIndex);
  return def;
}

void ToggleExtra(WriteTxn* txn) {
  if (Take(txn->FindKeyspace("extra"), "find") != nullptr) {
    Check(txn->DropKeyspace("extra"), "drop keyspace");
    Check(txn->DropTable("extra"), "drop table");
    return;
  }
  const TreeId tree = Take(txn->CreateKeyspace("extra"), "create keyspace")->tree;
  const TableDef* table = Take(txn->CreateTable(MakeTableT("extra")), "create table");
  for (int i = 0; i < 20; ++i) {
    const std::string text = std::to_string(i);
    Check(PutValue(*txn, tree, text, text), "put");
    const ValueView values[] = {ValueView::Null(), ValueView::Text(text)};
    Check(InsertRow(*txn, *table, values).status(), "insert");
  }
}

void Create(const std::string& path) {
  const std::shared_ptr<Store> store = Take(Store::Open(OptionsFor(path)), "create");
  auto txn = Take(store->BeginWrite(), "begin");
  Check(txn->CreateKeyspace("k").status(), "create keyspace");
  Check(txn->CreateTable(MakeTableT("t")).status(), "create table");
  Check(txn->Commit(), "commit");
  Check(store->Close(), "close");
}

void Tell(int pipe, uint64_t message) {
  if (::write(pipe, &message, sizeof(message)) != sizeof(message)) std::_Exit(2);
}

// Messages: 2 * number when commit is called, 2 * number + 1 when it is acknowledged.
[[noreturn]] void RunChild(const std::string& path, uint64_t seed, uint64_t from, int pipe) {
  const std::shared_ptr<Store> store = Take(Store::Open(OptionsFor(path)), "open in child");
  for (uint64_t number = from;; ++number) {
    auto txn = Take(store->BeginWrite(), "begin");
    const TreeId tree = Take(txn->FindKeyspace("k"), "keyspace")->tree;
    const TableDef* table = Take(txn->FindTable("t"), "table");
    for (const Change& change : ChangesOf(seed, number)) {
      if (!change.row) {
        if (change.erase) {
          Check(DeleteKey(*txn, tree, change.key).status(), "delete");
        } else {
          Check(PutValue(*txn, tree, change.key, change.value), "put");
        }
        continue;
      }
      if (change.erase) {
        Row row;
        if (Take(GetByRowid(*txn, *table, change.id, &row), "get")) {
          Check(DeleteRow(*txn, *table, row), "delete row");
        }
      } else {
        const ValueView values[] = {ValueView::Integer(change.id), ValueView::Text(change.value)};
        Check(InsertRow(*txn, *table, values, OnConflict::kReplace).status(), "insert");
      }
    }
    Check(PutValue(*txn, tree, "seq", std::to_string(number)), "put");
    if (number % kSchemaChangeEvery == 0) ToggleExtra(txn.get());
    Tell(pipe, 2 * number);
    Check(txn->Commit(Durability::kFull), "commit");
    Tell(pipe, 2 * number + 1);
  }
}

Model ReadAll(const std::shared_ptr<Store>& store) {
  Model model;
  ReadTxn txn(store);
  if (!txn.Begin()) Fail("begin");
  const TreeId tree = Take(txn.FindKeyspace("k"), "keyspace")->tree;
  btree::Cursor cursor(txn.View(tree));
  for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
    FoundValue value;
    Check(value.Set(txn.pages(), cursor.value()), "value");
    model.keys[std::string(cursor.key())] = std::string(value.view());
  }
  Check(cursor.status(), "cursor");
  TableScan scan;
  Check(scan.Start(txn, *Take(txn.FindTable("t"), "table")), "scan");
  while (scan.Valid()) {
    model.rows[scan.row().rowid()] = std::string(scan.row().column(1).bytes());
    Check(scan.Next(), "next");
  }
  const KeyspaceDef* keyspace = Take(txn.FindKeyspace("extra"), "keyspace");
  const TableDef* table = Take(txn.FindTable("extra"), "table");
  if ((keyspace == nullptr) != (table == nullptr)) Fail("half of a schema change is there");
  model.has_extra = keyspace != nullptr;
  if (model.has_extra &&
      (Take(CountKeys(txn, keyspace->tree, std::nullopt, std::nullopt), "count") != 20 ||
       Take(CountRows(txn, *table), "count") != 20)) {
    Fail("the extra keyspace or table is not whole");
  }
  return model;
}

void Run(const std::string& path, uint64_t kills, uint64_t seed) {
  Create(path);
  std::mt19937_64 random(seed);
  Model model;
  uint64_t number = 0;  // transactions that the store has
  uint64_t in_doubt_kept = 0;
  uint64_t dead_in_commit = 0;
  for (uint64_t kill = 0; kill < kills; ++kill) {
    int ends[2];
    if (::pipe(ends) != 0) Fail("pipe");
    const pid_t child = ::fork();
    if (child < 0) Fail("fork");
    if (child == 0) {
      ::close(ends[0]);
      RunChild(path, seed, number + 1, ends[1]);
    }
    ::close(ends[1]);
    // Sometimes dead in the middle of its start, mostly after some commits.
    uint64_t first = 0;
    if (random() % 4 == 0) {
      ::usleep(static_cast<useconds_t>(random() % 5'000));
    } else {
      if (::read(ends[0], &first, sizeof(first)) != sizeof(first)) Fail("the child never began");
      ::usleep(static_cast<useconds_t>(random() % 60'000));
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) Fail("the child ended by itself (status %d)", status);
    uint64_t announced = std::max(number, first / 2);
    uint64_t acknowledged = number;
    uint64_t message = 0;
    while (::read(ends[0], &message, sizeof(message)) == sizeof(message)) {
      (message % 2 == 0 ? announced : acknowledged) = message / 2;
    }
    ::close(ends[0]);

    const std::shared_ptr<Store> store = Take(Store::Open(OptionsFor(path)), "open after a kill");
    const Model found = ReadAll(store);
    const auto seq = found.keys.find("seq");
    const uint64_t present = seq == found.keys.end() ? 0 : std::stoull(seq->second);
    if (present < acknowledged || present > announced) {
      Fail("kill %llu: transaction %llu was acknowledged, %llu announced, %llu is there",
           static_cast<unsigned long long>(kill), static_cast<unsigned long long>(acknowledged),
           static_cast<unsigned long long>(announced), static_cast<unsigned long long>(present));
    }
    if (announced > acknowledged) ++dead_in_commit;
    if (present > acknowledged) ++in_doubt_kept;
    while (number < present) Apply(seed, ++number, &model);
    if (found != model) {
      Fail("kill %llu: the content is not that of transaction %llu",
           static_cast<unsigned long long>(kill), static_cast<unsigned long long>(present));
    }
    for (const std::string& problem : Take(store->CheckIntegrity(), "integrity check")) {
      Fail("kill %llu: %s", static_cast<unsigned long long>(kill), problem.c_str());
    }
    Check(store->Close(), "close");
  }
  std::printf("%llu kills, %llu transactions, %llu dead in commit, of which %llu were kept\n",
              static_cast<unsigned long long>(kills), static_cast<unsigned long long>(number),
              static_cast<unsigned long long>(dead_in_commit),
              static_cast<unsigned long long>(in_doubt_kept));
}

}  // namespace
}  // namespace kvsql::kv

int main(int argc, char** argv) {
  using namespace kvsql::kv;
  const uint64_t kills = NumberOption(argc, argv, "--kills", 50);
  const uint64_t seed = NumberOption(argc, argv, "--seed", 1);
  std::string directory = (std::filesystem::temp_directory_path() / "kvsql-kill-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) Fail("no directory for the test");
  Run(directory + "/kill.kv", kills, seed);
  std::filesystem::remove_all(directory);
  return 0;
}
