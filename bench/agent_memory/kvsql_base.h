// What kvsql's stores share: opening, closing, and the check of the file.
#ifndef KVSQL_BENCH_AGENT_MEMORY_KVSQL_BASE_H_
#define KVSQL_BENCH_AGENT_MEMORY_KVSQL_BASE_H_

#include <kvsql/database.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/agent_memory/store.h"
#include "bench/engines/kvsql_check.h"

namespace kvsql::bench::agent_memory {

class KvsqlStore : public Store {
 public:
  void CheckIntegrity() override {
    const IntegrityReport report = Take(database_->check_integrity(), "check_integrity");
    if (!report.ok()) Fatal(absl::StrCat("kvsql: ", absl::StrJoin(report.problems, "; ")));
  }

 protected:
  void OpenDatabase(const std::string& path, Sync sync) {
    Options options;
    options.durability =
        sync == Sync::kFull ? ::kvsql::Durability::kFull : ::kvsql::Durability::kNormal;
    database_.emplace(Take(Database::Open(path, options), "open"));
  }
  // Handles must be gone.
  void CloseDatabase() {
    Expect(database_->close(), "close");
    database_.reset();
  }
  Database& database() { return *database_; }

 private:
  std::optional<Database> database_;
};

}  // namespace kvsql::bench::agent_memory

#endif  // KVSQL_BENCH_AGENT_MEMORY_KVSQL_BASE_H_
