// What users of a database see when the file system fails: every call in turn.
#include <kvsql/kvsql.h>

#include <string>

#include "api/database_access.h"
#include "tests/api/api_test_util.h"
#include "tests/support/sim_file.h"

namespace kvsql {
namespace {

using testing::SimFault;
using testing::SimFileSystem;

constexpr char kPath[] = "/db/a";

StatusOr<Database> OpenSim(SimFileSystem& fs, Options options = {}) {
  options.background_threads = false;
  options.map_size = uint64_t{64} << 20;
  return internal::DatabaseAccess::Open(kPath, options, {.file_system = &fs});
}

class FailureTest : public ::testing::TestWithParam<SimFault::Kind> {};

TEST_P(FailureTest, EveryCallOfACommitInTurn) {
  bool failed_once = false;
  for (uint64_t n = 1;; ++n) {
    SCOPED_TRACE("call " + std::to_string(n));
    SimFileSystem fs;
    Database db = Must(OpenSim(fs));
    Keyspace k = Must(db.keyspace("k"));
    ASSERT_OK(k.put("a", "0"));
    ASSERT_OK(k.put("b", "0"));
    const Snapshot before = Must(db.snapshot());
    fs.InjectFault({.call = fs.calls() + n, .kind = GetParam(), .sticky = true});
    // A small commit, and one that is too large for the log.
    std::string acknowledged = "0";
    std::string attempted = "0";
    Status failure;
    for (int i = 1; i <= 3 && failure.ok(); ++i) {
      attempted = i == 2 ? std::string(600000, '2') : std::to_string(i);
      failure = k.put("a", attempted);
      if (failure.ok()) acknowledged = attempted;
    }
    if (!fs.FaultHit()) {
      ASSERT_TRUE(failure.ok());
      break;
    }
    if (!failure.ok()) {
      failed_once = true;
      // Readers go on, and see what was acknowledged.
      ASSERT_EQ(Must(k.get("a", before)), "0");
      ASSERT_TRUE(Must(k.get("a")) == acknowledged);
      ASSERT_EQ(Must(k.get("b")), "0");
      if (failure.code() == absl::StatusCode::kUnknown) {
        const Status after = k.put("b", "1");
        ASSERT_EQ(after.code(), absl::StatusCode::kFailedPrecondition) << after;
        EXPECT_CODE(db.begin(), kFailedPrecondition);
      } else {
        // Nothing was changed; the database goes on when the file system does.
        ASSERT_EQ(failure.code(), GetParam() == SimFault::Kind::kNoSpace
                                      ? absl::StatusCode::kResourceExhausted
                                      : absl::StatusCode::kInternal)
            << failure;
        fs.ClearFault();
        ASSERT_OK(k.put("b", "0"));
      }
    }
    // A new machine after the loss of all that was not synced would be powerfail's business; here the process
    // ends, and the file system works again.
    SimFileSystem next(fs.Capture());
    Database again = Must(OpenSim(next));
    Keyspace found = Must(again.keyspace("k", {.create_if_missing = false}));
    const std::string value = *Must(found.get("a"));
    ASSERT_TRUE(value == acknowledged ||
                (failure.code() == absl::StatusCode::kUnknown && value == attempted))
        << value.substr(0, 20) << " after " << failure;
    ASSERT_EQ(Must(found.get("b")), "0");
    ASSERT_OK(found.put("b", "2"));
    const IntegrityReport report = Must(again.check_integrity());
    ASSERT_TRUE(report.ok()) << report.problems.front();
  }
  EXPECT_TRUE(failed_once);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FailureTest,
                         ::testing::Values(SimFault::Kind::kIoError, SimFault::Kind::kNoSpace,
                                           SimFault::Kind::kSyncDropsData));

TEST(DiskFullTest, NothingIsChangedAndDeletingHelps) {
  SimFileSystem fs;
  Database db = Must(OpenSim(fs));
  Keyspace k = Must(db.keyspace("k"));
  ASSERT_OK(k.put("small", "1"));
  fs.SetDiskBytes(fs.UsedBytes() + (uint64_t{2} << 20));
  int stored = 0;
  Status status;
  while (status.ok() && stored < 100000) {
    WriteTransaction transaction = Must(db.begin());
    for (int i = 0; i < 100 && status.ok(); ++i) {
      status = k.put(std::to_string(stored * 100 + i), std::string(200, 'v'), transaction);
    }
    if (status.ok()) status = transaction.commit();
    if (status.ok()) ++stored;
  }
  ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  ASSERT_GT(stored, 5);
  EXPECT_EQ(Must(k.count()), stored * 100u + 1);
  // Deleting works on a full disk, and makes room.
  ASSERT_OK(k.erase_range(KeyRange::Between("1", "6")));
  ASSERT_OK(k.put("again", std::string(200, 'v')));
  const IntegrityReport report = Must(db.check_integrity());
  EXPECT_TRUE(report.ok()) << report.problems.front();
}

}  // namespace
}  // namespace kvsql
