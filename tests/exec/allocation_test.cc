// The warm paths allocate nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "tests/exec/sql_fixture.h"

namespace {
thread_local uint64_t allocations = 0;
}

// GCC, inlining these into sanitized code, takes malloc and free for a mismatched pair.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// Counts what this program allocates.
void* operator new(size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace kvsql::exec {
namespace {

class AllocationTest : public SqlTest {
 protected:
  AllocationTest() {
    Run("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, code TEXT UNIQUE)");
    Run("BEGIN");
    for (int i = 0; i < 1000; ++i) {
      const std::string n = std::to_string(i);
      Run("INSERT INTO t VALUES (" + n + ", 'the name of row " + n + "', 'code" + n + "')");
    }
    Run("COMMIT");
  }

  // Allocations of the second run of `work`.
  template <typename Work>
  uint64_t Warm(Work&& work) {
    work();
    const uint64_t before = allocations;
    work();
    return allocations - before;
  }
};

TEST_F(AllocationTest, PreparedPointSelect) {
  StatementPtr select = Prepare("SELECT id, name, code || '!' FROM t WHERE id = ?");
  EXPECT_EQ(Warm([&] {
              for (int i = 0; i < 1000; ++i) {
                EXPECT_TRUE(select->Bind(1, kv::ValueView::Integer(i)).ok());
                EXPECT_TRUE(*select->Step());
                EXPECT_EQ(select->column(0).integer, i);
                select->Reset();
              }
            }),
            0u);
}

TEST_F(AllocationTest, PreparedSelectByUniqueIndex) {
  StatementPtr select = Prepare("SELECT id FROM t WHERE code = ?");
  std::vector<std::string> codes;
  for (int i = 0; i < 1000; ++i) codes.push_back("code" + std::to_string(i));
  EXPECT_EQ(
      Warm([&] {
        for (int i = 0; i < 1000; ++i) {
          EXPECT_TRUE(select->Bind(1, kv::ValueView::Text(codes[static_cast<size_t>(i)])).ok());
          EXPECT_TRUE(*select->Step());
          EXPECT_EQ(select->column(0).integer, i);
          select->Reset();
        }
      }),
      0u);
}

TEST_F(AllocationTest, TextWithANewLiteralEachTime) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i)
    texts.push_back("SELECT id, name FROM t WHERE id = " + std::to_string(i));
  EXPECT_EQ(Warm([&] {
              for (int i = 0; i < 1000; ++i) {
                size_t consumed = 0;
                StatusOr<StatementPtr> select =
                    session_->Prepare(texts[static_cast<size_t>(i)], &consumed);
                EXPECT_TRUE(*(*select)->Step());
                EXPECT_EQ((*select)->column(0).integer, i);
              }
            }),
            0u);
}

TEST_F(AllocationTest, PreparedUpdateInATransaction) {
  Run("BEGIN");
  StatementPtr update = Prepare("UPDATE t SET name = ? WHERE id = ?");
  const uint64_t warm = Warm([&] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(update->Bind(1, kv::ValueView::Text("another name, just as long")).ok());
      EXPECT_TRUE(update->Bind(2, kv::ValueView::Integer(i)).ok());
      EXPECT_TRUE(update->Step().ok());
    }
  });
  // The log record grows now and then.
  EXPECT_LT(warm, 20u);
  Run("ROLLBACK");
}

}  // namespace
}  // namespace kvsql::exec
