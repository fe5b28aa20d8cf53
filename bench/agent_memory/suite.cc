#include "bench/agent_memory/suite.h"

#include <kvsql/database.h>
#include <lmdb.h>
#include <sqlite3.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "bench/agent_memory/campaign.h"
#include "bench/agent_memory/details.h"
#include "bench/agent_memory/rows.h"
#include "bench/agent_memory/worker.h"
#include "bench/output.h"
#include "bench/report/conditions.h"
#include "bench/report/report.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr std::string_view kWorkerFlag = "--agent-memory-task";

constexpr char kIntro[] =
    "Written by `kvsql_bench --suite agent-memory`. Every row that was measured is here, won or "
    "lost.\n\n"
    "kvsql by key is one keyspace with the key (agent, sequence); kvsql by SQL is a table with "
    "PRIMARY KEY(agent, ts DESC), WITHOUT ROWID. SQLite's columns show the schema (rowid with an "
    "index, or clustered) that is better in the row; both are in the details below.";

std::vector<std::pair<std::string, std::string>> Conditions(const Options& options,
                                                            const std::string& directory) {
  auto conditions = MachineConditions(directory);
  int major = 0, minor = 0, patch = 0;
  mdb_version(&major, &minor, &patch);
  const auto add = [&](const char* name, std::string value) {
    conditions.emplace_back(name, std::move(value));
  };
  add("records", absl::StrCat(options.records, ", 64 agents, 200 bytes of text, JSON values"));
  add("rounds", absl::StrCat(options.rounds,
                             "; each variant once per round, in rotating order, in "
                             "a process of its own"));
  add("reads", absl::StrCat(options.memory_reads, " recalls and ", options.memory_reads,
                            " latest-tens per variant and round, warm, values copied out"));
  add("writes", absl::StrCat(options.memory_writes,
                             " inserts, recalls, latest-tens, updates and mixed calls from 10,000 "
                             "records, each change committed by itself"));
  if (options.quick) add("quick", "yes: too few calls for figures");
  add("JSON",
      "rows named _json encode with nlohmann-json and decode with simdjson inside the timer");
  add("kvsql", std::string(::kvsql::version()));
  add("kvsql settings",
      "the defaults; levels full and normal; recall by key copies into the caller's buffer");
  add("sqlite", sqlite3_libversion());
  add("sqlite settings",
      "WAL, page_size 4096, cache_size 131072 pages (512 MiB), mmap_size 0 or as much as SQLite "
      "allows, synchronous OFF, NORMAL and FULL, wal_autocheckpoint 1000, temp_store MEMORY, "
      "statements prepared once (fewer than a 16-statement cache holds), NOMUTEX, bulk load in "
      "primary key order with the index made afterwards, ANALYZE");
  add("lmdb", absl::StrCat(major, ".", minor, ".", patch));
  add("lmdb settings",
      "NOSUBDIR, NOTLS; loaded with APPEND; read transaction and cursor renewed; the newest memory "
      "of an agent first; the relaxed level is NOSYNC");
  return conditions;
}

}  // namespace

std::optional<int> RunIfWorker(int argc, char** argv) {
  if (argc != 3 || argv[1] != kWorkerFlag) return std::nullopt;
  const TaskResult result = DoTask(TaskFromJson(argv[2]));
  Print(ToJson(result) + "\n");
  return 0;
}

void RunSuite(const Options& options, Scratch& scratch) {
  Results results;
  results.conditions = Conditions(options, scratch.path());
  Print(ConditionsText(results) + "\n");
  const std::vector<Measurement> measurements =
      RunCampaign(options, scratch, {"/proc/self/exe", std::string(kWorkerFlag)});
  FillRows(measurements, results);
  const Details details(measurements);
  WriteFile("agent-memory.md",
            Markdown(results,
                     {"An agent's memory on kvsql, SQLite and LMDB", kIntro, "agent-memory.svg"}) +
                "\n![Figures](agent-memory-figures.svg)\n\n" + details.Markdown());
  nlohmann::ordered_json json = JsonObject(results);
  json["details"] = details.Json();
  WriteFile("agent-memory.json", JsonText(json));
  WriteFile("agent-memory.svg", Svg(results));
  WriteFile("agent-memory-figures.svg", FiguresSvg(results));
  Print("\n" + TableText(results) +
        "Written: agent-memory.md, agent-memory.json, agent-memory.svg, "
        "agent-memory-figures.svg\n");
}

}  // namespace kvsql::bench::agent_memory
