// The timed loops of kvsql.
#ifndef KVSQL_BENCH_ENGINES_KVSQL_SESSION_H_
#define KVSQL_BENCH_ENGINES_KVSQL_SESSION_H_

#include <kvsql/database.h>

#include <memory>

#include "bench/engines/engine.h"

namespace kvsql::bench {

std::unique_ptr<Session> NewKvsqlSession(const Database& database);

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_ENGINES_KVSQL_SESSION_H_
