// A database of a hundred lines, to prove that the power-failure harness bites: a map in memory, and a log of
// whole blocks that is read at open. Each switch breaks it in one way.
#ifndef KVSQL_TESTS_CRASH_TOY_SUBJECT_H_
#define KVSQL_TESTS_CRASH_TOY_SUBJECT_H_

#include <memory>

#include "tests/crash/subject.h"

namespace kvsql::testing {

struct ToyBugs {
  bool skip_sync = false;            // a full commit is only written to the page cache
  bool sync_own_range = false;       // a full commit does not sync the normal ones before it
  bool no_checksum = false;          // torn records count
  bool no_chain = false;             // a record counts though the one before it is gone
  bool skip_directory_sync = false;  // the file's name is not made durable
  bool skip_recovery_sync = false;   // what recovery reads may still be lost
};

SubjectFactory ToyFactory(ToyBugs bugs);

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_TOY_SUBJECT_H_
