// A disk that is full: whatever a write needed, after RESOURCE_EXHAUSTED the tree is as it was before the call.
#include "btree/bulk_loader.h"
#include "tests/btree/tree_test_util.h"
#include "tests/support/sim_file.h"

namespace kvsql::btree {
namespace {

kvsql::testing::SimOptions DiskOf(uint64_t bytes) {
  kvsql::testing::SimOptions options;
  options.disk_bytes = bytes;
  return options;
}

class TreeFullDiskTest : public ::testing::TestWithParam<int> {};

TEST_P(TreeFullDiskTest, RefusedWritesChangeNothing) {
  std::mt19937_64 random(static_cast<uint64_t>(GetParam()));
  kvsql::testing::SimFileSystem file_system({}, DiskOf(3 << 20));
  pager::PagerOptions options;
  options.file_system = &file_system;
  options.path = "/full/db";
  options.background = false;
  options.validator = ValidatePage;
  auto pager = pager::Pager::Open(options);
  ASSERT_TRUE(pager.ok()) << pager.status();
  auto txn = (*pager)->BeginWrite();
  ASSERT_TRUE(txn.ok());
  const pager::TreeId tree = (*txn)->CreateTree(pager::KeyKind::kBytes);
  TreeWriter writer(txn->get(), tree);
  std::map<std::string, std::string> model;
  int refused = 0;
  for (int i = 0; i < 40'000 && refused < 300; ++i) {
    std::string key = std::to_string(random() % 100'000);
    if (random() % 50 == 0) key += std::string(2000, 'k') + std::to_string(random() % 9);
    const size_t size = random() % 100 == 0 ? 1000 + random() % 20'000 : random() % 200;
    const std::string value(size, static_cast<char>('a' + random() % 26));
    Status status;
    const uint64_t kind = random() % 10;
    if (kind < 7) {
      status = writer.Put(std::string_view(key), value).status();
      if (status.ok()) model[key] = value;
    } else if (kind < 9 || refused == 0) {
      const auto at = model.lower_bound(key);
      if (at == model.end()) continue;
      status = writer.Delete(std::string_view(at->first)).status();
      if (status.ok()) model.erase(at);
    } else {
      const auto from = model.lower_bound(key);
      auto to = from;
      for (uint64_t n = random() % 40; n > 0 && to != model.end(); --n) ++to;
      if (to == model.end()) continue;
      status =
          writer.DeleteRange(std::string_view(from->first), std::string_view(to->first)).status();
      if (status.ok()) model.erase(from, to);
    }
    if (status.ok()) continue;
    ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    if (++refused % 20 != 1) continue;
    ASSERT_TRUE(writer.Sync().ok());
    const Status checked = CheckTree(writer.View(), nullptr);
    ASSERT_TRUE(checked.ok()) << checked;
    ASSERT_EQ(writer.count(), model.size());
    Cursor cursor(writer.View());
    auto expected = model.begin();
    for (bool more = cursor.SeekFirst(); more; more = cursor.Next(), ++expected) {
      ASSERT_EQ(cursor.key(), expected->first);
      ASSERT_EQ(ValueOf(**txn, cursor.value()), expected->second);
    }
    ASSERT_EQ(expected, model.end());
  }
  EXPECT_GE(refused, 20);
  (*txn)->Rollback();
}

INSTANTIATE_TEST_SUITE_P(Seeds, TreeFullDiskTest, ::testing::Range(1, 4));

TEST(TreeFullDiskTest, BulkLoadFailsCleanly) {
  kvsql::testing::SimFileSystem file_system({}, DiskOf(2 << 20));
  pager::PagerOptions options;
  options.file_system = &file_system;
  options.path = "/full/db";
  options.background = false;
  options.validator = ValidatePage;
  auto pager = pager::Pager::Open(options);
  ASSERT_TRUE(pager.ok()) << pager.status();
  auto txn = (*pager)->BeginWrite();
  ASSERT_TRUE(txn.ok());
  const pager::TreeId tree = (*txn)->CreateTree(pager::KeyKind::kInt64);
  {
    BulkLoader loader(txn->get(), tree);
    Status status;
    const std::string value(500, 'v');
    for (int64_t key = 0; status.ok() && key < 100'000; ++key) status = loader.Add(key, value);
    ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  }
  TreeWriter writer(txn->get(), tree);
  for (int64_t key = 0; key < 500; ++key) ASSERT_TRUE(writer.Put(key, "fits again").ok());
}

}  // namespace
}  // namespace kvsql::btree
