// fliptest --stride N --seed S: flips bytes of small database files, one at a time, and asks
// everything.
//
// Three images are made: one closed cleanly, one left behind with a commit log, and one with pages
// of 8 KiB. For every N-th byte of their files (the first one by the seed), the byte is changed,
// and the store is opened, read through every call there is, checked, written to and read again.
// Each answer must be an error status, or what a good file answers: the newest content; or, where a
// meta slot or the log was hit, which cannot be told from a write that did not finish, that of some
// earlier commit, the same in every answer. N = 1 flips every byte.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "btree/cursor.h"
#include "kv/keyspace_ops.h"
#include "kv/store.h"
#include "kv/table_ops.h"
#include "kv/write_txn.h"
#include "tests/kv/program_options.h"
#include "tests/kv/table_defs.h"
#include "tests/support/sim_file.h"

namespace kvsql::kv {
namespace {

using testing::SimFileSystem;

constexpr const char* kPath = "/db/flip.kv";
constexpr const char* kLogPath = "/db/flip.kv-log";
constexpr uint64_t kMetaBytes = 8192;

// Where we are, for the handler of a crash.
char g_where[200];

void OnCrash(int signal) {
  constexpr char kText[] = "CRASHED at ";
  (void)!::write(2, kText, sizeof(kText) - 1);
  (void)!::write(2, g_where, ::strnlen(g_where, sizeof(g_where)));
  (void)!::write(2, "\n", 1);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

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
  std::map<std::string, std::string> packed;  // of the compressed keyspace
  std::map<int64_t, std::string> rows;
};

struct Image {
  const char* name;
  uint32_t page_size;
  std::vector<uint8_t> file;
  std::vector<uint8_t> log;
  std::vector<Model> versions;  // after each commit
};

StoreOptions OptionsOn(SimFileSystem* fs, uint32_t page_size) {
  StoreOptions options;
  options.path = kPath;
  options.file_system = fs;
  options.page_size = page_size;
  options.map_size = 16u << 20;
  options.log_limit = 256 * 1024;
  options.background = false;
  return options;
}

Image MakeImage(const char* name, uint32_t page_size, bool close) {
  Image image{name, page_size, {}, {}, {}};
  SimFileSystem fs;
  const std::shared_ptr<Store> store = Take(Store::Open(OptionsOn(&fs, page_size)), "create");
  Model model;
  const auto commit = [&](WriteTxn& txn) {
    Check(txn.Commit(Durability::kFull), "commit");
    image.versions.push_back(model);
  };
  image.versions.push_back(model);  // nothing at all
  {
    auto txn = Take(store->BeginWrite(), "begin");
    Check(txn->CreateKeyspace("k").status(), "create keyspace");
    Check(txn->CreateKeyspace("packed", Compression::kZstd).status(), "create keyspace");
    TableDef def = MakeTable("t", {{"id", "INTEGER"}, {"name", "TEXT"}});
    def.rowid_alias = 0;
    def.primary_key = {{0, Collation::kBinary, false}};
    AddIndex(&def, "u", {{1, Collation::kNocase, false}}, true, IndexOrigin::kUnique);
    Check(txn->CreateTable(def).status(), "create table");
    commit(*txn);
  }
  for (int round = 0; round < 6; ++round) {
    auto txn = Take(store->BeginWrite(), "begin");
    const TreeId tree = Take(txn->FindKeyspace("k"), "keyspace")->tree;
    const TableDef* table = Take(txn->FindTable("t"), "table");
    for (int i = 0; i < (round == 0 ? 300 : 3); ++i) {
      const std::string key = "key" + std::to_string(round * 1000 + i);
      const std::string value = "value" + std::to_string(i * 7919 % 1000);
      Check(PutValue(*txn, tree, key, value), "put");
      model.keys[key] = value;
      const std::string text = "Name " + std::to_string(round * 1000 + i);
      const ValueView row[] = {ValueView::Null(), ValueView::Text(text)};
      model.rows[Take(InsertRow(*txn, *table, row), "insert").rowid] = text;
    }
    const KeyspaceDef* packed = Take(txn->FindKeyspace("packed"), "keyspace");
    for (int i = 0; i < 3; ++i) {
      // Long enough to be compressed without a dictionary.
      const std::string key = "key" + std::to_string(round * 10 + i);
      std::string value;
      for (int n = 0; n < 60; ++n)
        value += "word " + std::to_string(n * (round + i + 7) % 90) + " ";
      Check(PutValue(*txn, *packed, key, value), "put");
      model.packed[key] = value;
    }
    if (round == 1) {
      const std::string large(20'000, 'L');
      Check(PutValue(*txn, tree, "large", large), "put");
      model.keys["large"] = large;
      const ValueView row[] = {ValueView::Integer(5000), ValueView::Text(large)};
      Check(InsertRow(*txn, *table, row).status(), "insert");
      model.rows[5000] = large;
    }
    commit(*txn);
    if (round == 1) Check(store->Checkpoint(), "checkpoint");
  }
  if (close) Check(store->Close(), "close");
  image.file = fs.Contents(kPath);
  image.log = fs.Contents(kLogPath);
  if (!close) Check(store->Close(), "close");
  return image;
}

// The commits whose content all answers so far agree with.
class Candidates {
 public:
  Candidates(const Image& image, bool only_newest) {
    const size_t first = only_newest ? image.versions.size() - 1 : 0;
    for (size_t i = first; i < image.versions.size(); ++i) models_.push_back(&image.versions[i]);
  }
  template <typename Predicate>
  void Require(const char* what, Predicate&& agrees) {
    std::erase_if(models_, [&](const Model* model) { return !agrees(*model); });
    if (models_.empty()) Fail("%s: wrong data from %s", g_where, what);
  }

 private:
  std::vector<const Model*> models_;
};

struct Tally {
  uint64_t flips = 0;
  uint64_t refused = 0;    // to open
  uint64_t errors = 0;     // some answer was an error
  uint64_t unnoticed = 0;  // all answers were right
  uint64_t findings = 0;   // the integrity check found something
};

class Examination {
 public:
  Examination(const Image& image, bool only_newest) : image_(image), only_newest_(only_newest) {}

  // Reads everything; true if there was no error.
  bool ReadAll(const std::shared_ptr<Store>& store) {
    Candidates candidates(image_, only_newest_);
    bool clean = true;
    ReadTxn txn(store);
    if (!txn.Begin()) return false;
    const StatusOr<const KeyspaceDef*> keyspace = txn.FindKeyspace("k");
    if (keyspace.ok()) {
      candidates.Require("FindKeyspace", [&](const Model& model) {
        return (*keyspace != nullptr) == (&model != &image_.versions[0]);
      });
      if (*keyspace != nullptr) clean &= ReadKeyspace(txn, (*keyspace)->tree, &candidates);
    }
    const StatusOr<const KeyspaceDef*> packed = txn.FindKeyspace("packed");
    clean &= packed.ok();
    if (packed.ok()) {
      candidates.Require("FindKeyspace", [&](const Model& model) {
        return (*packed != nullptr) == (&model != &image_.versions[0]);
      });
      if (*packed != nullptr) clean &= ReadPacked(txn, **packed, &candidates);
    }
    const StatusOr<const TableDef*> table = txn.FindTable("t");
    if (table.ok()) {
      candidates.Require("FindTable", [&](const Model& model) {
        return (*table != nullptr) == (&model != &image_.versions[0]);
      });
      if (*table != nullptr) clean &= ReadTable(txn, **table, &candidates);
    }
    return clean && keyspace.ok() && table.ok();
  }

  // Changes things, in vain: only that nothing crashes, and what it says afterwards.
  bool Write(const std::shared_ptr<Store>& store) {
    auto begun = store->BeginWrite();
    if (!begun.ok()) return false;
    WriteTxn& txn = **begun;
    bool clean = true;
    const StatusOr<const KeyspaceDef*> keyspace = txn.FindKeyspace("k");
    if (keyspace.ok() && *keyspace != nullptr) {
      const TreeId tree = (*keyspace)->tree;
      clean &= txn.SetSavepoint("s").ok();
      for (int i = 0; i < 6000; i += 97) {
        clean &= PutValue(txn, tree, "key" + std::to_string(i) + "x", "new").ok();
        clean &= DeleteKey(txn, tree, "key" + std::to_string(i)).ok();
      }
      clean &= DeleteKeys(txn, tree, "key10", "key20").ok();
      clean &= txn.RollbackTo("s").ok();
      clean &= PutValue(txn, tree, "zzz", "put after the flip").ok();
    }
    const StatusOr<const TableDef*> table = txn.FindTable("t");
    if (table.ok() && *table != nullptr) {
      const ValueView row[] = {ValueView::Integer(9999), ValueView::Text("inserted")};
      clean &= InsertRow(txn, **table, row).ok();
    }
    // The transaction as it would be found by the next reader; kept or not.
    return txn.Commit(Durability::kFull).ok() && clean;
  }

 private:
  bool ReadPacked(const ReadTxn& txn, const KeyspaceDef& keyspace, Candidates* candidates) {
    bool clean = true;
    for (const auto& [key, value] : image_.versions.back().packed) {
      FoundValue found;
      const StatusOr<bool> answer = GetValue(txn, keyspace, key, &found);
      clean &= answer.ok();
      if (!answer.ok()) continue;
      candidates->Require("GetValue", [&](const Model& model) {
        const auto expected = model.packed.find(key);
        return expected == model.packed.end() ? !*answer
                                              : *answer && found.view() == expected->second;
      });
    }
    return clean;
  }

  bool ReadKeyspace(const ReadTxn& txn, TreeId tree, Candidates* candidates) {
    bool clean = true;
    for (const auto& [key, value] : image_.versions.back().keys) {
      FoundValue found;
      const StatusOr<bool> answer = GetValue(txn, tree, key, &found);
      clean &= answer.ok();
      if (!answer.ok()) continue;
      candidates->Require("GetValue", [&](const Model& model) {
        const auto expected = model.keys.find(key);
        return expected == model.keys.end() ? !*answer
                                            : *answer && found.view() == expected->second;
      });
    }
    FoundValue ignored;
    const StatusOr<bool> absent = GetValue(txn, tree, "no such key", &ignored);
    clean &= absent.ok();
    if (absent.ok() && *absent) Fail("%s: found a key that never was", g_where);
    for (const bool forward : {true, false}) {
      btree::Cursor cursor(txn.View(tree));
      std::vector<std::string> keys;
      for (forward ? cursor.SeekFirst() : cursor.SeekLast(); cursor.Valid();
           forward ? cursor.Next() : cursor.Prev()) {
        keys.emplace_back(cursor.key());
        if (keys.size() > 10'000) Fail("%s: a scan does not end", g_where);
      }
      clean &= cursor.status().ok();
      if (!cursor.status().ok()) continue;
      if (!forward) std::reverse(keys.begin(), keys.end());
      candidates->Require("a scan", [&](const Model& model) {
        if (keys.size() != model.keys.size()) return false;
        size_t i = 0;
        for (const auto& [key, value] : model.keys) {
          if (keys[i++] != key) return false;
        }
        return true;
      });
    }
    const StatusOr<uint64_t> count = CountKeys(txn, tree, "key1", "key3");
    clean &= count.ok();
    if (count.ok()) {
      candidates->Require("CountKeys", [&](const Model& model) {
        return *count == static_cast<uint64_t>(std::distance(model.keys.lower_bound("key1"),
                                                             model.keys.lower_bound("key3")));
      });
    }
    return clean;
  }

  bool ReadTable(const ReadTxn& txn, const TableDef& table, Candidates* candidates) {
    bool clean = true;
    Row row;
    for (const auto& [id, text] : image_.versions.back().rows) {
      const StatusOr<bool> answer = GetByRowid(txn, table, id, &row);
      clean &= answer.ok();
      if (answer.ok()) {
        candidates->Require("GetByRowid", [&](const Model& model) {
          const auto expected = model.rows.find(id);
          return expected == model.rows.end() ? !*answer
                                              : *answer && row.column(1).type == ValueType::kText &&
                                                    row.column(1).bytes() == expected->second;
        });
      }
      const ValueView key[] = {ValueView::Text(text)};
      const StatusOr<bool> unique = GetByUniqueIndex(txn, table, table.indexes[0], key, &row);
      clean &= unique.ok();
      if (unique.ok()) {
        candidates->Require("GetByUniqueIndex", [&](const Model& model) {
          return *unique == model.rows.contains(id) && (!*unique || row.rowid() == id);
        });
      }
    }
    TableScan scan;
    Status status = scan.Start(txn, table);
    std::map<int64_t, std::string> rows;
    while (status.ok() && scan.Valid()) {
      const ValueView text = scan.row().column(1);
      rows[scan.row().rowid()] =
          text.type == ValueType::kText ? std::string(text.bytes()) : std::string();
      status = scan.Next();
    }
    clean &= status.ok();
    if (status.ok()) {
      candidates->Require("a table scan", [&](const Model& model) { return rows == model.rows; });
    }
    return clean;
  }

  const Image& image_;
  bool only_newest_;
};

void Flip(const Image& image, bool in_log, uint64_t offset, uint8_t change, Tally* tally) {
  std::snprintf(g_where, sizeof(g_where), "image %s, %s byte %llu ^ %02x", image.name,
                in_log ? "log" : "file", static_cast<unsigned long long>(offset), change);
  ++tally->flips;
  SimFileSystem fs;
  std::vector<uint8_t> flipped = in_log ? image.log : image.file;
  flipped[offset] ^= change;
  fs.PutFile(kPath, in_log ? image.file : flipped);
  if (!image.log.empty()) fs.PutFile(kLogPath, in_log ? flipped : image.log);
  const bool only_newest = !in_log && offset >= kMetaBytes;
  bool clean = true;
  Examination examination(image, only_newest);
  StoreOptions options = OptionsOn(&fs, image.page_size);
  options.create_if_missing = false;
  options.read_only = true;
  bool opened = false;
  if (const auto store = Store::Open(options); store.ok()) {
    opened = true;
    clean &= examination.ReadAll(*store);
    const StatusOr<std::vector<std::string>> problems = (*store)->CheckIntegrity();
    if (!problems.ok() || !problems->empty()) ++tally->findings;
    // What the reads met, the check meets.
    if (!clean && problems.ok() && problems->empty()) {
      Fail("%s: reads failed, but the integrity check found nothing", g_where);
    }
    (void)(*store)->Close();
  }
  options.read_only = false;
  if (const auto store = Store::Open(options); store.ok()) {
    opened = true;
    clean &= examination.ReadAll(*store);
    const bool written = examination.Write(*store);
    clean &= written;
    (void)(*store)->CheckIntegrity();
    (void)(*store)->Close();
    const auto again = Store::Open(options);
    if (again.ok()) {
      (void)(*again)->CheckIntegrity();
      (void)(*again)->Close();
    }
  }
  if (!opened) {
    ++tally->refused;
  } else if (!clean) {
    ++tally->errors;
  } else {
    ++tally->unnoticed;
  }
}

void Run(uint64_t stride, uint64_t seed) {
  std::mt19937_64 random(seed);
  const Image images[] = {MakeImage("closed", 4096, true), MakeImage("with log", 4096, false),
                          MakeImage("8 KiB pages", 8192, true)};
  for (const Image& image : images) {
    // Each image as it is must be right in everything.
    {
      std::snprintf(g_where, sizeof(g_where), "image %s as it is", image.name);
      SimFileSystem fs;
      fs.PutFile(kPath, image.file);
      if (!image.log.empty()) fs.PutFile(kLogPath, image.log);
      const std::shared_ptr<Store> store =
          Take(Store::Open(OptionsOn(&fs, image.page_size)), "open");
      if (!Examination(image, true).ReadAll(store)) Fail("%s: an error", g_where);
      for (const std::string& problem : Take(store->CheckIntegrity(), "check")) {
        Fail("%s: %s", g_where, problem.c_str());
      }
      Check(store->Close(), "close");
    }
    Tally tally;
    for (const bool in_log : {false, true}) {
      const uint64_t size = in_log ? image.log.size() : image.file.size();
      for (uint64_t offset = random() % stride; offset < size; offset += stride) {
        const auto change =
            static_cast<uint8_t>(random() % 2 == 0 ? 1 << (random() % 8) : 1 + random() % 255);
        Flip(image, in_log, offset, change, &tally);
      }
    }
    std::printf(
        "%s: %llu bytes of file, %llu of log; %llu flips: %llu refused, %llu with errors, "
        "%llu without effect; the integrity check found %llu\n",
        image.name, static_cast<unsigned long long>(image.file.size()),
        static_cast<unsigned long long>(image.log.size()),
        static_cast<unsigned long long>(tally.flips),
        static_cast<unsigned long long>(tally.refused),
        static_cast<unsigned long long>(tally.errors),
        static_cast<unsigned long long>(tally.unnoticed),
        static_cast<unsigned long long>(tally.findings));
    if (tally.refused + tally.errors == 0) Fail("no flip was noticed");
  }
}

}  // namespace
}  // namespace kvsql::kv

int main(int argc, char** argv) {
  using namespace kvsql::kv;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) ::signal(signal, &OnCrash);
  Run(std::max<uint64_t>(1, NumberOption(argc, argv, "--stride", 61)),
      NumberOption(argc, argv, "--seed", 1));
  return 0;
}
