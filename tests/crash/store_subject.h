// The store as a Subject: one keyspace, made by the first transaction.
#ifndef KVSQL_TESTS_CRASH_STORE_SUBJECT_H_
#define KVSQL_TESTS_CRASH_STORE_SUBJECT_H_

#include <memory>

#include "tests/crash/subject.h"

namespace kvsql::testing {

std::unique_ptr<Subject> MakeStoreSubject();

}  // namespace kvsql::testing

#endif  // KVSQL_TESTS_CRASH_STORE_SUBJECT_H_
