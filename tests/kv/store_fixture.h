// A store in a directory of its own, and the calls that tests make most.
#ifndef KVSQL_TESTS_KV_STORE_FIXTURE_H_
#define KVSQL_TESTS_KV_STORE_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kv/keyspace_ops.h"
#include "kv/read_txn.h"
#include "kv/store.h"
#include "kv/table_ops.h"
#include "kv/write_txn.h"

namespace kvsql::kv {

#define ASSERT_OK(expr)                               \
  do {                                                \
    const absl::Status assert_status = (expr);        \
    ASSERT_TRUE(assert_status.ok()) << assert_status; \
  } while (false)
#define EXPECT_OK(expr)                               \
  do {                                                \
    const absl::Status expect_status = (expr);        \
    EXPECT_TRUE(expect_status.ok()) << expect_status; \
  } while (false)

// The value of a StatusOr that must be OK.
template <typename T>
T Take(StatusOr<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    std::abort();
  }
  return std::move(result).value();
}

class TempDirectory {
 public:
  TempDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kvsql-kv-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class StoreFixture : public ::testing::Test {
 protected:
  StoreFixture() {
    options_.path = directory_.File("test.kv");
    options_.map_size = 64u << 20;
    Reopen();
  }
  ~StoreFixture() override {
    if (store_ == nullptr) return;
    CheckSound();
    EXPECT_OK(store_->Close());
  }

  void Reopen() {
    if (store_ != nullptr) EXPECT_OK(store_->Close());
    store_.reset();
    store_ = Take(Store::Open(options_));
  }

  std::unique_ptr<WriteTxn> Begin() { return Take(store_->BeginWrite()); }
  ReadTxn Read() {
    ReadTxn txn(store_);
    EXPECT_TRUE(txn.Begin());
    return txn;
  }

  TreeId NewKeyspace(const std::string& name) {
    auto txn = Begin();
    const TreeId tree = Take(txn->CreateKeyspace(name))->tree;
    EXPECT_OK(txn->Commit());
    return tree;
  }

  static std::optional<std::string> Get(Reader reader, TreeId tree, const std::string& key) {
    FoundValue value;
    if (!Take(GetValue(reader, tree, key, &value))) return std::nullopt;
    return std::string(value.view());
  }

  void CheckSound() {
    const std::vector<std::string> problems = Take(store_->CheckIntegrity());
    for (const std::string& problem : problems) ADD_FAILURE() << problem;
  }

  TempDirectory directory_;
  StoreOptions options_;
  std::shared_ptr<Store> store_;
};

}  // namespace kvsql::kv

#endif  // KVSQL_TESTS_KV_STORE_FIXTURE_H_
