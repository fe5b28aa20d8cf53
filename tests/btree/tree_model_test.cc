// Random operations on a tree against std::map: point writes, deletes, ranges, cursors, ranks, commits, savepoints.
#include "tests/btree/tree_test_util.h"

namespace kvsql::btree {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kOperations = 5'000;
#else
constexpr int kOperations = 20'000;
#endif

struct Style {
  const char* name;
  size_t max_value;
  int large_percent;     // of values: over a quarter page
  size_t key_length;     // of byte keys, at most
  int long_key_percent;  // of byte keys: spilled ones
  int64_t key_range;
  int min_height;
  int compression = 0;
  uint32_t page_size = 4096;
};

template <typename Key>
class Model {
 public:
  Model(const Style& style, uint64_t seed)
      : style_(style),
        random_(seed),
        tree_(std::is_same_v<Key, int64_t> ? pager::KeyKind::kInt64 : pager::KeyKind::kBytes,
              WriterOptions{.compression_level = style.compression}, style.page_size) {}

  void Run(int operations) {
    for (int i = 0; i < operations && !::testing::Test::HasFatalFailure(); ++i) {
      growing_ = i % kOperations < kOperations * 7 / 10;
      Step();
      most_rows_ = std::max(most_rows_, model_.size());
      most_height_ = std::max<int>(most_height_, tree_.writer->View().root.height);
      if (i % 500 == 499) {
        const Status status = tree_.Check();
        ASSERT_TRUE(status.ok()) << status << " after operation " << i;
      }
      if (i % 2000 == 1999) ExpectEqual(tree_, model_);
    }
    const Status status = tree_.Check();
    ASSERT_TRUE(status.ok()) << status;
    ExpectEqual(tree_, model_);
    StatusOr<uint64_t> cleared = tree_.writer->Clear();
    ASSERT_TRUE(cleared.ok());
    ASSERT_EQ(*cleared, model_.size());
    CountingVisitor visitor;
    ASSERT_TRUE(tree_.Check(&visitor).ok());
    ASSERT_TRUE(visitor.pages.empty());
    // The run was worth something.
    EXPECT_GE(most_height_, style_.min_height) << most_rows_ << " rows";
    ::testing::Test::RecordProperty("rows", static_cast<int>(most_rows_));
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }

  Key RandomKey() {
    const int64_t n = static_cast<int64_t>(Below(static_cast<uint64_t>(style_.key_range)));
    if constexpr (std::is_same_v<Key, int64_t>) {
      // Dense parts, sparse parts and the ends of the range.
      switch (Below(8)) {
        case 0:
          return n * 1'000'003;
        case 1:
          return n * 1'000'000'007'000 - 7;
        case 2:
          return std::numeric_limits<int64_t>::min() + n % 50;
        case 3:
          return std::numeric_limits<int64_t>::max() - n % 50;
        default:
          return n;
      }
    } else {
      std::string key = std::to_string(n);
      if (Below(4) == 0) key = "common/prefix/of/many/" + key;
      if (Below(16) == 0) key.insert(0, 1 + Below(3), '\0');
      if (Below(16) == 0) key.append(1 + Below(4), '\0');
      if (Below(32) == 0) key.clear();
      while (key.size() < style_.key_length && Below(2) == 0) key += key.substr(0, 16) + "x";
      if (key.size() > style_.key_length) key.resize(style_.key_length);
      if (static_cast<int>(Below(100)) < style_.long_key_percent) {
        // Long keys that differ early, late, or at their very end.
        const size_t length = style_.page_size / 4 + Below(6000);
        key = std::string(length, 'k') + std::to_string(n % 40);
        if (Below(2) == 0) key[Below(4)] = static_cast<char>('a' + Below(26));
        if (Below(2) == 0) key.resize(style_.page_size / 8 + Below(style_.page_size / 4), 'k');
        if (key.size() > kMaxKeySize) key.resize(kMaxKeySize);
      }
      return key;
    }
  }

  std::string RandomValue() {
    size_t size = Below(style_.max_value + 1);
    if (static_cast<int>(Below(100)) < style_.large_percent) size = 900 + Below(90'000);
    std::string value(size, static_cast<char>('a' + Below(26)));
    for (size_t i = 0; i < value.size(); i += 1 + Below(64))
      value[i] = static_cast<char>(random_());
    return value;
  }

  Key ExistingOrRandom() {
    if (model_.empty() || Below(3) == 0) return RandomKey();
    auto at = model_.lower_bound(RandomKey());
    return at == model_.end() ? model_.rbegin()->first : at->first;
  }

  static Key KeyOf(Cursor& cursor) {
    if constexpr (std::is_same_v<Key, int64_t>) {
      return cursor.int_key();
    } else {
      return std::string(cursor.key());
    }
  }
  // Argument as the interface takes it.
  static auto Arg(const Key& key) {
    if constexpr (std::is_same_v<Key, int64_t>) {
      return key;
    } else {
      return std::string_view(key);
    }
  }
  using ArgBound =
      std::optional<std::conditional_t<std::is_same_v<Key, int64_t>, int64_t, std::string_view>>;

  void Put() {
    const Key key = Below(3) == 0 ? ExistingOrRandom() : RandomKey();
    PutKey(key);
  }

  void PutKey(const Key& key) {
    const std::string value = RandomValue();
    const bool exists = model_.contains(key);
    const auto mode = static_cast<PutMode>(Below(6) < 4 ? 0 : Below(3));
    StatusOr<bool> stored = tree_.writer->Put(Arg(key), value, mode);
    ASSERT_TRUE(stored.ok()) << stored.status();
    const bool expected =
        mode == PutMode::kUpsert || (mode == PutMode::kInsertOnly ? !exists : exists);
    ASSERT_EQ(*stored, expected);
    if (expected) model_[key] = value;
  }

  void PutRun() {
    Key key = RandomKey();
    const bool up = Below(2) == 0;
    for (uint64_t i = 0, n = Below(60); i < n; ++i) {
      if constexpr (std::is_same_v<Key, int64_t>) {
        if (key >= std::numeric_limits<int64_t>::max() - 70 ||
            key <= std::numeric_limits<int64_t>::min() + 70) {
          return;
        }
        key += up ? 1 : -1;
        PutKey(key);
      } else {
        const std::string digits = std::to_string(up ? 100 + i : 999 - i);
        if (key.size() + 3 > kMaxKeySize) return;
        PutKey(key + digits);
      }
    }
  }

  void Delete() {
    const Key key = ExistingOrRandom();
    StatusOr<bool> deleted = tree_.writer->Delete(Arg(key));
    ASSERT_TRUE(deleted.ok()) << deleted.status();
    ASSERT_EQ(*deleted, model_.erase(key) == 1);
  }

  void DeleteMany() {
    Key key = ExistingOrRandom();
    for (uint64_t i = 0, n = Below(100); i < n; ++i) {
      auto at = model_.lower_bound(key);
      if (at == model_.end()) return;
      key = at->first;
      StatusOr<bool> deleted = tree_.writer->Delete(Arg(key));
      ASSERT_TRUE(deleted.ok() && *deleted);
      model_.erase(at);
    }
  }

  void DeleteRange() {
    Key lo = ExistingOrRandom();
    Key hi = ExistingOrRandom();
    if (hi < lo) std::swap(lo, hi);
    if (growing_ || Below(4) != 0) {
      // A short one.
      auto at = model_.lower_bound(lo);
      for (uint64_t i = 0, n = Below(300); i < n && at != model_.end(); ++i) ++at;
      if (at != model_.end()) hi = at->first;
      if (hi < lo) std::swap(lo, hi);
    }
    ArgBound from(Arg(lo));
    ArgBound to(Arg(hi));
    auto first = model_.lower_bound(lo);
    auto last = model_.lower_bound(hi);
    if (Below(60) == 0) {
      from.reset();
      first = model_.begin();
    } else if (Below(60) == 0) {
      to.reset();
      last = model_.end();
    }
    const auto expected = static_cast<uint64_t>(std::distance(first, last));
    StatusOr<uint64_t> deleted = tree_.writer->DeleteRange(from, to);
    ASSERT_TRUE(deleted.ok()) << deleted.status();
    ASSERT_EQ(*deleted, expected);
    model_.erase(first, last);
    const Status status = tree_.Check();
    ASSERT_TRUE(status.ok()) << status;
  }

  void Lookup() {
    const Key key = ExistingOrRandom();
    ValueRef ref;
    const auto at = model_.find(key);
    const FindResult expected = at == model_.end() ? FindResult::kNotFound : FindResult::kFound;
    ASSERT_EQ(tree_.writer->Find(Arg(key), &ref), expected);
    if (at != model_.end()) {
      ASSERT_EQ(ValueOf(*tree_.txn, ref), at->second);
    }
    ASSERT_EQ(Find(tree_.writer->View(), Arg(key), &ref), expected);
    if (at != model_.end()) {
      ASSERT_EQ(ValueOf(*tree_.txn, ref), at->second);
    }
  }

  void Ranks() {
    Key lo = ExistingOrRandom();
    Key hi = ExistingOrRandom();
    ASSERT_TRUE(tree_.writer->Sync().ok());
    const TreeView view = tree_.writer->View();
    const auto rank = static_cast<uint64_t>(std::distance(model_.begin(), model_.lower_bound(lo)));
    ASSERT_EQ(*Rank(view, Arg(lo)), rank);
    const uint64_t count =
        hi < lo
            ? 0
            : static_cast<uint64_t>(std::distance(model_.lower_bound(lo), model_.lower_bound(hi)));
    ASSERT_EQ(*CountRange(view, ArgBound(Arg(lo)), ArgBound(Arg(hi))), count);
    Cursor cursor(tree_.writer.get());
    ASSERT_EQ(cursor.SeekToRank(rank), rank < model_.size()) << cursor.status();
    if (rank < model_.size()) {
      ASSERT_EQ(KeyOf(cursor), model_.lower_bound(lo)->first);
    }
    ASSERT_TRUE(cursor.status().ok());
  }

  // A cursor that walks while the tree changes under it.
  void Walk() {
    Cursor cursor(tree_.writer.get());
    const Key start = ExistingOrRandom();
    const bool forward = Below(2) == 0;
    auto at = model_.lower_bound(start);
    bool valid;
    if (forward) {
      valid = cursor.SeekGE(Arg(start));
      ASSERT_EQ(valid, at != model_.end());
    } else {
      at = model_.upper_bound(start);
      valid = cursor.SeekLE(Arg(start));
      ASSERT_EQ(valid, at != model_.begin());
      if (valid) --at;
    }
    for (uint64_t i = 0, n = Below(80); i < n && valid; ++i) {
      const Key key = KeyOf(cursor);
      ASSERT_EQ(key, at->first);
      ASSERT_EQ(ValueOf(*tree_.txn, cursor.value()), at->second);
      if (Below(3) == 0) {
        switch (Below(4)) {
          case 0:
            Put();
            break;
          case 1:
            Delete();
            break;
          case 2:
            PutKey(key);
            break;
          case 3: {
            ASSERT_TRUE(*tree_.writer->Delete(Arg(key)));
            model_.erase(key);
            ASSERT_EQ(cursor.value().data, nullptr);
            break;
          }
        }
      }
      if (::testing::Test::HasFatalFailure()) return;
      ASSERT_TRUE(cursor.Valid());
      if (forward) {
        at = model_.upper_bound(key);
        valid = cursor.Next();
        ASSERT_EQ(valid, at != model_.end());
      } else {
        at = model_.lower_bound(key);
        valid = cursor.Prev();
        ASSERT_EQ(valid, at != model_.begin());
        if (valid) --at;
      }
    }
    ASSERT_TRUE(cursor.status().ok()) << cursor.status();
  }

  void Savepoint() {
    if (depth_ > 2) return;
    ++depth_;
    ASSERT_TRUE(tree_.writer->Sync().ok());
    const std::map<Key, std::string> before = model_;
    const pager::PageWriter::Mark mark = tree_.txn->SetMark();
    for (uint64_t i = 0, n = Below(200); i < n && !::testing::Test::HasFatalFailure(); ++i) Step();
    ASSERT_TRUE(tree_.writer->Sync().ok());
    if (Below(2) == 0) {
      tree_.txn->RollbackToMark(mark);
      tree_.writer->Invalidate();
      model_ = before;
      const Status status = tree_.Check();
      ASSERT_TRUE(status.ok()) << status;
    }
    tree_.txn->ReleaseMark(mark);
    --depth_;
  }

  void Step() {
    switch (Below(64)) {
      case 0:
        if (!growing_ || Below(16) == 0) DeleteMany();
        break;
      case 1:
        if (Below(growing_ ? 64 : 4) == 0) DeleteRange();
        break;
      case 2:
        Walk();
        break;
      case 3:
        Ranks();
        break;
      case 4:
        PutRun();
        break;
      case 5:
        if (depth_ == 0 && Below(4) == 0) tree_.Commit();
        break;
      case 6:
        if (Below(8) == 0) Savepoint();
        break;
      case 7:
      case 8:
      case 9:
      case 10:
      case 11:
      case 12:
      case 13:
      case 14:
      case 15:
      case 16:
      case 17:
        if (!growing_ || Below(4) == 0) Delete();
        break;
      case 18:
      case 19:
      case 20:
      case 21:
      case 22:
      case 23:
        Lookup();
        break;
      default:
        Put();
    }
  }

  const Style style_;
  std::mt19937_64 random_;
  TestTree tree_;
  std::map<Key, std::string> model_;
  int depth_ = 0;
  bool growing_ = true;
  size_t most_rows_ = 0;
  int most_height_ = 0;
};

class TreeModelTest : public ::testing::TestWithParam<std::tuple<int, int>> {};

constexpr Style kStyles[] = {
    {"small", 12, 0, 24, 0, 100'000, 1},    {"wide", 900, 0, 900, 0, 30'000, 2},
    {"large", 60, 4, 24, 0, 20'000, 1},     {"compressed", 60, 4, 24, 0, 20'000, 1, 3},
    {"longkeys", 60, 1, 40, 20, 10'000, 1}, {"bigpages", 200, 1, 300, 3, 20'000, 1, 0, 65536},
};

TEST_P(TreeModelTest, BytesAgreeWithMap) {
  const auto [style, seed] = GetParam();
  SCOPED_TRACE(kStyles[style].name);
  Model<std::string>(kStyles[style], static_cast<uint64_t>(seed)).Run(kOperations);
}

TEST_P(TreeModelTest, IntegersAgreeWithMap) {
  const auto [style, seed] = GetParam();
  SCOPED_TRACE(kStyles[style].name);
  Model<int64_t>(kStyles[style], static_cast<uint64_t>(seed) + 100).Run(kOperations);
}

INSTANTIATE_TEST_SUITE_P(Styles, TreeModelTest,
                         ::testing::Combine(::testing::Range(0, 6), ::testing::Range(1, 3)));

}  // namespace
}  // namespace kvsql::btree
