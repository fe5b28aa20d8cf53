#include "base/status.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/check.h"

namespace kvsql {
namespace {

StatusOr<std::unique_ptr<int>> Make(bool works) {
  if (!works) return DataLoss("page ", 7, ": expected ", "a", ", found ", "b");
  return std::make_unique<int>(5);
}

StatusOr<int> Use(bool works, int* reached) {
  KV_ASSIGN_OR_RETURN(std::unique_ptr<int> made, Make(works));
  ++*reached;
  KV_ASSIGN_OR_RETURN(made, Make(works));
  return *made;
}

Status Pass(Status status, int* reached) {
  KV_RETURN_IF_ERROR(status);
  ++*reached;
  return absl::OkStatus();
}

TEST(StatusMacros, AnErrorReturnsAtOnceAndKeepsItsMessage) {
  int reached = 0;
  const StatusOr<int> failed = Use(false, &reached);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(std::string(failed.status().message()), "page 7: expected a, found b");
  EXPECT_EQ(Pass(failed.status(), &reached), failed.status());
  EXPECT_EQ(reached, 0);
}

TEST(StatusMacros, AValueIsMovedOut) {
  int reached = 0;
  const StatusOr<int> made = Use(true, &reached);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*made, 5);
  EXPECT_TRUE(Pass(absl::OkStatus(), &reached).ok());
  EXPECT_EQ(reached, 2);
}

TEST(CheckDeathTest, ABrokenInvariantNamesItselfAndAborts) {
  EXPECT_DEATH(KV_CHECK(1 + 1 == 3), "kvsql invariant broken: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace kvsql
