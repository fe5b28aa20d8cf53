// What the tests of the public API share.
#ifndef KVSQL_TESTS_API_API_TEST_UTIL_H_
#define KVSQL_TESTS_API_API_TEST_UTIL_H_

#include <gtest/gtest.h>
#include <kvsql/kvsql.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#define ASSERT_OK(expression)                                      \
  do {                                                             \
    const auto& status_or = (expression);                          \
    ASSERT_TRUE(status_or.ok()) << ::kvsql::StatusText(status_or); \
  } while (false)
#define EXPECT_OK(expression)                                      \
  do {                                                             \
    const auto& status_or = (expression);                          \
    EXPECT_TRUE(status_or.ok()) << ::kvsql::StatusText(status_or); \
  } while (false)
#define EXPECT_CODE(expression, wanted)                             \
  do {                                                              \
    const auto& status_or = (expression);                           \
    EXPECT_EQ(::kvsql::CodeOf(status_or), absl::StatusCode::wanted) \
        << ::kvsql::StatusText(status_or);                          \
  } while (false)

namespace kvsql {

inline std::string StatusText(const Status& status) { return status.ToString(); }
template <typename T>
std::string StatusText(const StatusOr<T>& result) {
  return result.status().ToString();
}
inline absl::StatusCode CodeOf(const Status& status) { return status.code(); }
template <typename T>
absl::StatusCode CodeOf(const StatusOr<T>& result) {
  return result.status().code();
}

// The value, or the test ends here.
template <typename T>
T Must(StatusOr<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status().ToString();
    abort();
  }
  return *std::move(result);
}

// A directory of the test's own, removed afterwards.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kvsql_api_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A test with a database in memory.
class MemoryTest : public ::testing::Test {
 protected:
  MemoryTest() : db(Must(Database::Open(":memory:"))) {}

  Database db;
};

inline std::vector<std::string> KeysOf(Cursor cursor) {
  std::vector<std::string> keys;
  for (; cursor.valid(); cursor.next()) keys.emplace_back(cursor.key());
  EXPECT_OK(cursor.status());
  return keys;
}

}  // namespace kvsql

#endif  // KVSQL_TESTS_API_API_TEST_UTIL_H_
