#include "tests/crash/store_subject.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "btree/cursor.h"
#include "btree/large_value.h"
#include "kv/keyspace_ops.h"
#include "kv/read_txn.h"
#include "kv/store.h"
#include "kv/write_txn.h"

namespace kvsql::testing {
namespace {

constexpr std::string_view kKeyspace = "harness";

// Keys in the order of their numbers, and long enough to have prefixes.
std::string KeyText(uint32_t key) {
  char text[24];
  snprintf(text, sizeof text, "key/%010u", key);
  return text;
}

bool IsObject(uint32_t key) { return key >= kFirstObjectKey && key < kFirstObjectKey + kObjects; }
std::string ObjectName(uint32_t key) { return absl::StrCat("object ", key - kFirstObjectKey); }

class StoreTxn final : public SubjectTxn {
 public:
  StoreTxn(std::unique_ptr<kv::WriteTxn> txn, kv::TreeId tree)
      : txn_(std::move(txn)), tree_(tree) {}

  StatusOr<uint64_t> Counter() override {
    kv::FoundValue value;
    KV_ASSIGN_OR_RETURN(const bool found,
                        kv::GetValue(kv::Reader(*txn_), tree_, KeyText(kCounterKey), &value));
    uint64_t counter = 0;
    if (found) memcpy(&counter, value.view().data(), sizeof counter);
    return counter;
  }
  Status Put(uint32_t key, std::string_view value) override {
    if (!IsObject(key)) return kv::PutValue(*txn_, tree_, KeyText(key), value);
    const std::string name = ObjectName(key);
    KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* object, txn_->FindKeyspace(name));
    if (object == nullptr) {
      KV_ASSIGN_OR_RETURN(object, txn_->CreateKeyspace(name, kv::Compression::kZstd));
    }
    return kv::PutValue(*txn_, *object, name, value);
  }
  Status Delete(uint32_t key) override {
    if (!IsObject(key)) return kv::DeleteKey(*txn_, tree_, KeyText(key)).status();
    const Status dropped = txn_->DropKeyspace(ObjectName(key));
    return absl::IsNotFound(dropped) ? absl::OkStatus() : dropped;
  }
  Status DeleteRange(uint32_t lo, uint32_t hi) override {
    return kv::DeleteKeys(*txn_, tree_, KeyText(lo), KeyText(hi)).status();
  }
  Status SetSavepoint() override { return txn_->SetSavepoint("here"); }
  Status RollbackToSavepoint() override {
    KV_RETURN_IF_ERROR(txn_->RollbackTo("here"));
    return txn_->Release("here");
  }
  Status ReleaseSavepoint() override { return txn_->Release("here"); }
  Status Commit(Durability level) override { return txn_->Commit(level); }

 private:
  std::unique_ptr<kv::WriteTxn> txn_;
  const kv::TreeId tree_;
};

class StoreSnapshot final : public SubjectSnapshot {
 public:
  explicit StoreSnapshot(kv::ReadTxn txn) : txn_(std::move(txn)) {}
  StatusOr<Contents> Read() override {
    Contents contents;
    KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* keyspace, txn_.FindKeyspace(kKeyspace));
    if (keyspace == nullptr) return contents;
    btree::Cursor cursor(txn_.View(keyspace->tree));
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
      const std::string_view text = cursor.key();
      if (text.size() != KeyText(0).size()) return DataLoss("a key of ", text.size(), " bytes");
      const auto key = static_cast<uint32_t>(std::stoul(std::string(text.substr(4))));
      KV_ASSIGN_OR_RETURN(const btree::LargeValue value,
                          btree::ReadValue(txn_.pages(), cursor.value()));
      contents[key] = FingerprintOf(value.view());
    }
    KV_RETURN_IF_ERROR(cursor.status());
    for (uint32_t key = kFirstObjectKey; key < kFirstObjectKey + kObjects; ++key) {
      const std::string name = ObjectName(key);
      KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* object, txn_.FindKeyspace(name));
      if (object == nullptr) continue;
      kv::FoundValue value;
      KV_ASSIGN_OR_RETURN(const bool found, kv::GetValue(kv::Reader(txn_), *object, name, &value));
      if (!found) return DataLoss(name, " is empty");
      contents[key] = FingerprintOf(value.view());
    }
    return contents;
  }

 private:
  kv::ReadTxn txn_;
};

class StoreSubject final : public Subject {
 public:
  Status Open(const SubjectOptions& options) override {
    kv::StoreOptions store;
    store.path = options.path;
    store.file_system = options.file_system;
    store.page_size = options.page_size;
    store.log_limit = options.log_limit;
    store.dirty_budget = options.dirty_budget;
    store.background = options.background;
    store.map_size = 256 << 20;
    store.busy_timeout = std::chrono::milliseconds(10000);
    KV_ASSIGN_OR_RETURN(store_, kv::Store::Open(store));
    return absl::OkStatus();
  }
  Status Close() override { return store_->Close(); }

  StatusOr<std::unique_ptr<SubjectTxn>> Begin() override {
    KV_ASSIGN_OR_RETURN(std::unique_ptr<kv::WriteTxn> txn, store_->BeginWrite());
    KV_ASSIGN_OR_RETURN(const kv::KeyspaceDef* keyspace, txn->FindKeyspace(kKeyspace));
    if (keyspace == nullptr) {
      KV_ASSIGN_OR_RETURN(keyspace, txn->CreateKeyspace(kKeyspace));
    }
    const kv::TreeId tree = keyspace->tree;
    return std::unique_ptr<SubjectTxn>(std::make_unique<StoreTxn>(std::move(txn), tree));
  }

  Status Checkpoint() override { return store_->Checkpoint(); }
  Status Sync() override { return store_->Sync(); }
  Status Truncate() override { return store_->Truncate(); }
  Status Health() override { return store_->health(); }

  StatusOr<std::unique_ptr<SubjectSnapshot>> Snapshot() override {
    kv::ReadTxn txn(store_);
    if (!txn.Begin()) return txn.BeginError();
    return std::unique_ptr<SubjectSnapshot>(std::make_unique<StoreSnapshot>(std::move(txn)));
  }

  Status Check() override {
    KV_ASSIGN_OR_RETURN(const std::vector<std::string> findings, store_->CheckIntegrity(5));
    if (findings.empty()) return absl::OkStatus();
    std::string text;
    for (const std::string& finding : findings) absl::StrAppend(&text, "\n    ", finding);
    return DataLoss(findings.size(), " findings:", text);
  }

 private:
  std::shared_ptr<kv::Store> store_;
};

}  // namespace

std::unique_ptr<Subject> MakeStoreSubject() { return std::make_unique<StoreSubject>(); }

}  // namespace kvsql::testing
