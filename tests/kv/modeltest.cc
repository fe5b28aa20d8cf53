// modeltest --ops N --seed S: random operations on a store against std::map.
//
// Puts, deletes and ranges in two keyspaces and rows in a table with a UNIQUE index (with every other seed, one
// keyspace and the table are compressed, and values long enough to train dictionaries on); savepoints,
// cursors that live through writes, aborts, long snapshots, checkpoints, truncations, schema
// changes, reopens. Each snapshot is compared with the model of its moment. After every commit, no
// page that a live snapshot or the durable meta reaches may be free. Prints what it did; exits with
// 1 at the first difference.
//
// --break durable|snapshots (testing builds): lets the pager hand out pages that the durable state,
// or snapshots, still need; the test must then fail.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "btree/check.h"
#include "btree/cursor.h"
#include "kv/keyspace_ops.h"
#include "kv/store.h"
#include "kv/table_ops.h"
#include "kv/write_txn.h"
#include "pager/test_switches.h"
#include "tests/kv/program_options.h"
#include "tests/kv/table_defs.h"

namespace kvsql::kv {
namespace {

constexpr int kKeyspaces = 2;
constexpr int kCompressed = 1;  // which of them, if one is
constexpr int kKeys = 1500;
constexpr size_t kMaxSnapshots = 6;

using Map = std::map<std::string, std::string>;

struct Model {
  Map keyspaces[kKeyspaces];
  std::map<int64_t, std::pair<std::string, int64_t>> rows;
  bool has_extra = false;  // a keyspace that comes and goes
};

void Check(bool condition, const char* what) {
  if (!condition) Fail("%s", what);
}

void Check(const Status& status, const char* what) {
  if (!status.ok()) Fail("%s: %s", what, status.ToString().c_str());
}

template <typename T>
T Take(StatusOr<T> result, const char* what) {
  Check(result.status(), what);
  return std::move(result).value();
}

class PageSet : public btree::TreeVisitor {
 public:
  Status VisitPage(pager::PageId page) override {
    pages.insert(page);
    return absl::OkStatus();
  }
  Status VisitRun(pager::PageRun run, pager::TxId) override {
    for (uint32_t i = 0; i < run.pages; ++i) pages.insert(run.first + i);
    return absl::OkStatus();
  }
  std::unordered_set<pager::PageId> pages;
};

class ModelTest {
 public:
  ModelTest(uint64_t seed, const std::string& directory)
      : random_(seed), compressed_(seed % 2 != 0) {
    options_.path = directory + "/model.kv";
    options_.map_size = 64u << 20;
    options_.background = false;  // checkpoints at known moments
    options_.log_limit = (1 + Random(8)) * 256 * 1024;
    options_.dirty_budget = Random(2) == 0 ? 64u << 20 : 512u << 10;
    options_.compression_level = Random(2) == 0 ? 0 : 1;
    options_.page_size = Random(3) == 0 ? 8192 : 4096;
    committed_ = std::make_shared<const Model>();
    Open();
    CreateAll();
  }

  void Run(uint64_t operations) {
    for (uint64_t i = 0; i < operations; ++i) Step();
    if (txn_ != nullptr) Commit();
    for (auto& snapshot : snapshots_) Compare(snapshot);
    snapshots_.clear();
    CheckSound();
    CountDictionaries();
    Check(store_->Close(), "close");
    std::printf(
        "%llu operations, %llu commits, %llu rollbacks, %llu savepoint rollbacks, "
        "%llu snapshots compared, %llu reopens, %llu checkpoints\n",
        Count(operations), Count(commits_), Count(rollbacks_), Count(savepoint_rollbacks_),
        Count(compared_), Count(reopens_), Count(checkpoints_));
  }

 private:
  struct Snapshot {
    std::unique_ptr<ReadTxn> txn;
    std::shared_ptr<const Model> model;
  };
  struct Savepoint {
    std::string name;
    Model model;
  };

  static unsigned long long Count(uint64_t n) { return n; }
  uint64_t Random(uint64_t limit) { return random_() % limit; }

  void Open() { store_ = Take(Store::Open(options_), "open"); }

  void CreateAll() {
    auto txn = Take(store_->BeginWrite(), "begin");
    for (int i = 0; i < kKeyspaces; ++i) {
      const bool compressed = compressed_ && i == kCompressed;
      keyspaces_[i] =
          Take(txn->CreateKeyspace("k" + std::to_string(i),
                                   compressed ? Compression::kZstd : Compression::kNone),
               "create")
              ->tree;
    }
    TableDef def = MakeTable("t", {{"id", "INTEGER"}, {"name", "TEXT"}, {"score", "INTEGER"}});
    if (compressed_) def.compression.kind = Compression::kZstd;
    def.rowid_alias = 0;
    def.primary_key = {{0, Collation::kBinary, false}};
    AddIndex(&def, "u", {{1, Collation::kNocase, false}}, true, IndexOrigin::kUnique);
    AddIndex(&def, "i", {{2, Collation::kBinary, true}}, false, IndexOrigin::kCreateIndex);
    Check(txn->CreateTable(def).status(), "create table");
    Check(txn->Commit(), "commit");
    AfterCommit();
  }

  std::string RandomKey() {
    std::string key = "key" + std::to_string(Random(kKeys));
    if (Random(40) == 0) key += std::string(Random(2000), 'k');
    return key;
  }

  void CountDictionaries() {
    ReadTxn txn(store_);
    Check(txn.Begin(), "begin");
    const KeyspaceDef* keyspace = Take(txn.FindKeyspace("k1"), "find");
    const TableDef* table = Take(txn.FindTable("t"), "find");
    std::printf("dictionaries: %zu of the keyspace, %zu of the table\n",
                keyspace->compression.dictionaries.size(), table->compression.dictionaries.size());
  }

  // The keyspace as it is in a state.
  KeyspaceRef In(Reader reader, int k) {
    if (!compressed_ || k != kCompressed) return keyspaces_[k];
    return *Take(reader.FindKeyspace("k" + std::to_string(k)), "find");
  }

  std::string RandomValue() {
    const uint64_t kind = Random(100);
    size_t size = compressed_ ? 200 + Random(1500) : Random(60);
    if (kind < 4) size = Random(4000);
    if (kind < 1) size = Random(100'000);
    std::string value(size, static_cast<char>('a' + Random(26)));
    for (size_t i = 0; i < size; i += 1 + Random(50)) value[i] = static_cast<char>(random_());
    return value;
  }

  void Step() {
    const uint64_t kind = Random(1000);
    if (txn_ == nullptr) {
      if (kind < 700) {
        BeginTransaction();
      } else if (kind < 850) {
        OpenSnapshot();
      } else if (kind < 950) {
        if (!snapshots_.empty()) {
          const size_t i = Random(snapshots_.size());
          Compare(snapshots_[i]);
          if (Random(3) == 0) snapshots_.erase(snapshots_.begin() + static_cast<long>(i));
        }
      } else if (kind < 970) {
        Check(store_->Checkpoint(), "checkpoint");
        NoteCheckpoint();
      } else if (kind < 980) {
        Check(store_->Truncate(), "truncate");
        AfterCommit();
        CheckNothingReachableIsFree();
      } else if (kind < 985) {
        CheckSound();
      } else if (kind < 988) {
        Reopen();
      }
      return;
    }
    if (kind < 560) {
      const int k = static_cast<int>(Random(kKeyspaces));
      const std::string key = RandomKey();
      const std::string value = RandomValue();
      Check(PutValue(*txn_, In(*txn_, k), key, value), "put");
      now_.keyspaces[k][key] = value;
    } else if (kind < 660) {
      const int k = static_cast<int>(Random(kKeyspaces));
      const std::string key = RandomKey();
      Check(Take(DeleteKey(*txn_, keyspaces_[k], key), "delete") ==
                (now_.keyspaces[k].erase(key) > 0),
            "a delete found something else than the model");
    } else if (kind < 670) {
      DeleteRandomRange();
    } else if (kind < 790) {
      ChangeRow();
    } else if (kind < 830) {
      savepoints_.push_back({"s" + std::to_string(Random(3)), now_});
      Check(txn_->SetSavepoint(savepoints_.back().name), "savepoint");
    } else if (kind < 860) {
      EndSavepoint();
    } else if (kind < 890) {
      WalkWhileWriting();
    } else if (kind < 920) {
      CompareKeyspace(*txn_, now_, static_cast<int>(Random(kKeyspaces)), 20);
    } else if (kind < 925) {
      ToggleExtraKeyspace();
    } else if (kind < 985) {
      if (Random(2) == 0) Commit();
    } else if (Random(3) == 0) {
      txn_->Rollback();
      txn_.reset();
      savepoints_.clear();
      ++rollbacks_;
    }
  }

  void BeginTransaction() {
    txn_ = Take(store_->BeginWrite(), "begin");
    now_ = *committed_;
    table_ = Take(txn_->FindTable("t"), "table");
    Check(table_ != nullptr, "the table is gone");
  }

  void Commit() {
    Check(txn_->Commit(Random(2) == 0 ? Durability::kFull : Durability::kNormal), "commit");
    txn_.reset();
    savepoints_.clear();
    committed_ = std::make_shared<const Model>(now_);
    ++commits_;
    AfterCommit();
  }

  void AfterCommit() {
    // Which of the latest states the durable one is will be known after a checkpoint.
    ReadTxn txn(store_);
    Check(txn.Begin(), "begin");
    recent_[txn.txid()] = Reachable(txn);
    txn.End();
    NoteCheckpoint();
    CheckNothingReachableIsFree();
  }

  void NoteCheckpoint() {
    const pager::PagerStats stats = store_->pager()->stats();
    checkpoints_ += stats.checkpoints - seen_checkpoints_;
    seen_checkpoints_ = stats.checkpoints;
    const auto durable = recent_.find(stats.durable_txid);
    if (durable == recent_.end()) {
      // A state that nobody could see, as while a truncation moves pages.
      durable_ = PageSet();
      return;
    }
    durable_ = durable->second;
    recent_.erase(recent_.begin(), durable);
  }

  PageSet Reachable(const ReadTxn& txn) {
    PageSet set;
    btree::CheckOptions quick;
    quick.read_large_values = false;
    for (TreeId tree = 1; tree < txn.tree_limit(); ++tree) {
      if (txn.root(tree).exists) Check(btree::CheckTree(txn.View(tree), &set, quick), "tree");
    }
    return set;
  }

  void CheckNothingReachableIsFree() {
    for (const pager::PageId page : durable_.pages) {
      if (store_->pager()->IsFree(page)) Fail("page %u of the durable state is free", page);
    }
    for (const Snapshot& snapshot : snapshots_) {
      for (const pager::PageId page : Reachable(*snapshot.txn).pages) {
        if (store_->pager()->IsFree(page)) Fail("page %u of a live snapshot is free", page);
      }
    }
  }

  void OpenSnapshot() {
    if (snapshots_.size() == kMaxSnapshots) return;
    Snapshot snapshot{std::make_unique<ReadTxn>(store_), committed_};
    Check(snapshot.txn->Begin(), "begin");
    snapshots_.push_back(std::move(snapshot));
  }

  void Compare(const Snapshot& snapshot) {
    ++compared_;
    for (int k = 0; k < kKeyspaces; ++k) CompareKeyspace(*snapshot.txn, *snapshot.model, k, 100);
    Check(
        (Take(snapshot.txn->FindKeyspace("extra"), "find") != nullptr) == snapshot.model->has_extra,
        "a keyspace is there that should not be, or the other way round");
    const TableDef* table = Take(snapshot.txn->FindTable("t"), "table");
    TableScan scan;
    Check(scan.Start(*snapshot.txn, *table), "scan");
    for (const auto& [id, row] : snapshot.model->rows) {
      Check(scan.Valid(), "a row is missing");
      Check(scan.row().rowid() == id, "a row has another rowid");
      Check(scan.row().column(1).bytes() == row.first, "a row has another name");
      Check(scan.row().column(2).integer == row.second, "a row has another score");
      Check(scan.Next(), "next");
    }
    Check(!scan.Valid(), "there is a row too many");
  }

  void CompareKeyspace(Reader reader, const Model& model, int k, int samples) {
    const Map& map = model.keyspaces[k];
    for (int i = 0; i < samples; ++i) {
      const std::string key = RandomKey();
      FoundValue value;
      const bool found = Take(GetValue(reader, In(reader, k), key, &value), "get");
      const auto expected = map.find(key);
      Check(found == (expected != map.end()), "a get found something else than the model");
      if (found) Check(value.view() == expected->second, "a get found another value");
    }
    btree::Cursor cursor(Take(reader.View(keyspaces_[k]), "view"));
    const bool forward = Random(2) == 0;
    if (forward) {
      cursor.SeekFirst();
      for (const auto& [key, value] : map) {
        Check(cursor.Valid() && cursor.key() == key, "a scan differs from the model");
        cursor.Next();
      }
    } else {
      cursor.SeekLast();
      for (auto i = map.rbegin(); i != map.rend(); ++i) {
        Check(cursor.Valid() && cursor.key() == i->first, "a scan differs from the model");
        cursor.Prev();
      }
    }
    Check(cursor.status(), "cursor");
    Check(!cursor.Valid(), "a scan goes on after the last key");
    const std::string lo = RandomKey();
    const auto expected = static_cast<uint64_t>(std::distance(map.lower_bound(lo), map.end()));
    Check(Take(CountKeys(reader, keyspaces_[k], lo, std::nullopt), "count") == expected,
          "a count differs from the model");
  }

  void DeleteRandomRange() {
    const int k = static_cast<int>(Random(kKeyspaces));
    std::string lo = RandomKey();
    std::string hi = RandomKey();
    if (hi < lo) std::swap(lo, hi);
    Map& map = now_.keyspaces[k];
    if (Random(4) != 0) {
      // Mostly short ranges, so that the trees stay large.
      auto end = map.lower_bound(lo);
      for (int i = 0; i < 10 && end != map.end(); ++i) ++end;
      if (end != map.end()) hi = end->first;
    }
    uint64_t expected = 0;
    for (auto i = map.lower_bound(lo); i != map.end() && i->first < hi; ++expected) {
      i = map.erase(i);
    }
    Check(Take(DeleteKeys(*txn_, keyspaces_[k], lo, hi), "delete range") == expected,
          "a range delete found something else than the model");
  }

  void ChangeRow() {
    const auto id = static_cast<int64_t>(Random(400));
    std::string name = "name" + std::to_string(Random(600));
    if (Random(30) == 0) name += std::string(Random(6000), 'n');
    const auto score = static_cast<int64_t>(Random(50));
    const ValueView values[] = {ValueView::Integer(id), ValueView::Text(name),
                                ValueView::Integer(score)};
    Row row;
    const bool present = Take(GetByRowid(*txn_, *table_, id, &row), "get row");
    Check(present == now_.rows.contains(id), "a row is there that should not be, or not there");
    bool name_taken = false;
    int64_t other = 0;
    for (const auto& [each, content] : now_.rows) {
      if (content.first == name && each != id) {
        name_taken = true;
        other = each;
      }
    }
    if (present && Random(3) == 0) {
      Check(DeleteRow(*txn_, *table_, row), "delete row");
      now_.rows.erase(id);
      return;
    }
    const bool replace = Random(4) == 0;
    const OnConflict mode = replace ? OnConflict::kReplace : OnConflict::kAbort;
    const bool update = present && Random(2) == 0;
    const StatusOr<WriteResult> result = update ? UpdateRow(*txn_, *table_, row, values, mode)
                                                : InsertRow(*txn_, *table_, values, mode);
    const bool conflict = name_taken || (present && !update);
    if (conflict && !replace) {
      Check(absl::IsAlreadyExists(result.status()), "a row that collides was stored");
      return;
    }
    Check(result.status(), "store row");
    if (name_taken) now_.rows.erase(other);
    now_.rows[id] = {name, score};
  }

  void EndSavepoint() {
    const std::string name = "s" + std::to_string(Random(3));
    size_t i = savepoints_.size();
    while (i > 0 && savepoints_[i - 1].name != name) --i;
    const bool release = Random(2) == 0;
    const Status status = release ? txn_->Release(name) : txn_->RollbackTo(name);
    Check(status.ok() == (i > 0), "a savepoint is there that should not be, or not there");
    if (i == 0) return;
    if (!release) {
      now_ = savepoints_[i - 1].model;
      ++savepoint_rollbacks_;
    }
    savepoints_.resize(release ? i - 1 : i);
    table_ = Take(txn_->FindTable("t"), "table");
  }

  // A cursor of the transaction goes through a keyspace that is changed around it.
  void WalkWhileWriting() {
    const int k = static_cast<int>(Random(kKeyspaces));
    Map& map = now_.keyspaces[k];
    btree::Cursor cursor(&txn_->Writer(keyspaces_[k]));
    std::string position = RandomKey();
    cursor.SeekGE(std::string_view(position));
    auto expected = map.lower_bound(position);
    for (int steps = 0; steps < 30; ++steps) {
      Check(cursor.Valid() == (expected != map.end()), "a cursor ended too early or too late");
      if (!cursor.Valid()) break;
      position = expected->first;
      Check(cursor.key() == position, "a cursor is on another key");
      const std::string key = Random(3) == 0 ? position : RandomKey();
      if (Random(2) == 0) {
        const std::string value = RandomValue();
        Check(PutValue(*txn_, In(*txn_, k), key, value), "put");
        map[key] = value;
      } else {
        Check(DeleteKey(*txn_, keyspaces_[k], key).status(), "delete");
        map.erase(key);
      }
      if (Random(3) != 0) {
        cursor.Next();
        expected = map.upper_bound(position);
      } else {
        cursor.Prev();
        expected = map.lower_bound(position);
        expected = expected == map.begin() ? map.end() : std::prev(expected);
      }
    }
    Check(cursor.status(), "cursor");
  }

  void ToggleExtraKeyspace() {
    if (now_.has_extra) {
      Check(txn_->DropKeyspace("extra"), "drop keyspace");
    } else {
      const TreeId tree = Take(txn_->CreateKeyspace("extra"), "create keyspace")->tree;
      for (int i = 0; i < 50; ++i) {
        Check(PutValue(*txn_, tree, std::to_string(i), RandomValue()), "put");
      }
    }
    now_.has_extra = !now_.has_extra;
    table_ = Take(txn_->FindTable("t"), "table");
  }

  void CheckSound() {
    const std::vector<std::string> problems = Take(store_->CheckIntegrity(), "integrity check");
    for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
    Check(problems.empty(), "the integrity check found something");
  }

  void Reopen() {
    for (const Snapshot& snapshot : snapshots_) Compare(snapshot);
    snapshots_.clear();
    if (compressed_ && Random(2) == 0) Check(store_->Compact(), "compact");
    Check(store_->Close(), "close");
    store_.reset();
    seen_checkpoints_ = 0;
    Open();
    ++reopens_;
    recent_.clear();
    ReadTxn txn(store_);
    Check(txn.Begin(), "begin");
    durable_ = Reachable(txn);
    recent_[txn.txid()] = durable_;
    txn.End();
    CheckSound();
  }

  std::mt19937_64 random_;
  const bool compressed_;
  StoreOptions options_;
  std::shared_ptr<Store> store_;
  TreeId keyspaces_[kKeyspaces] = {};
  std::shared_ptr<const Model> committed_;
  std::vector<Snapshot> snapshots_;
  std::unique_ptr<WriteTxn> txn_;
  const TableDef* table_ = nullptr;
  Model now_;
  std::vector<Savepoint> savepoints_;
  PageSet durable_;
  std::map<pager::TxId, PageSet> recent_;  // states since the durable one
  uint64_t seen_checkpoints_ = 0;
  uint64_t commits_ = 0;
  uint64_t rollbacks_ = 0;
  uint64_t savepoint_rollbacks_ = 0;
  uint64_t compared_ = 0;
  uint64_t reopens_ = 0;
  uint64_t checkpoints_ = 0;
};

}  // namespace
}  // namespace kvsql::kv

int main(int argc, char** argv) {
  using namespace kvsql::kv;
  const uint64_t operations = NumberOption(argc, argv, "--ops", 20'000);
  const uint64_t seed = NumberOption(argc, argv, "--seed", 1);
  std::string directory = (std::filesystem::temp_directory_path() / "kvsql-model-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) Fail("no directory for the test");
#ifdef KVSQL_TESTING
  const std::string broken = TextOption(argc, argv, "--break");
  if (broken == "durable") kvsql::pager::Break(kvsql::pager::Rule::kReuseIgnoresDurable, true);
  if (broken == "snapshots") kvsql::pager::Break(kvsql::pager::Rule::kReuseIgnoresSnapshots, true);
#endif
  std::printf("modeltest --ops %llu --seed %llu\n", static_cast<unsigned long long>(operations),
              static_cast<unsigned long long>(seed));
  ModelTest(seed, directory).Run(operations);
  std::filesystem::remove_all(directory);
  return 0;
}
