#include "bench/options.h"

#include <charconv>
#include <string_view>

#include "base/status.h"
#include "bench/dataset.h"
#include "bench/report/catalog.h"

namespace kvsql::bench {
namespace {

absl::StatusOr<uint32_t> ParseCount(const std::string& name, std::string_view text, uint32_t least,
                                    uint32_t most) {
  uint32_t count = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), count);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || count < least ||
      count > most) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be a number from ", least, " to ",
                                                   most, ", not '", std::string(text), "'"));
  }
  return count;
}

absl::StatusOr<uint32_t> ParseRows(const std::string& name, std::string_view text) {
  return ParseCount(name, text, 1'000, kMaxRows / 2);
}

absl::StatusOr<Suite> ParseSuite(const std::string& name) {
  if (name == "standard") return Suite::kStandard;
  if (name == "agent-memory") return Suite::kAgentMemory;
  return absl::InvalidArgumentError(
      absl::StrCat("--suite must be standard or agent-memory, not '", name, "'"));
}

void MakeQuick(Options& options) {
  options.commits_per_row = 50 * options.rounds;
  options.normal_commits_per_round = 500;
  options.warm_up_commits = 50;
  options.open_rows = options.rows;
  options.opens_per_round = 5;
  options.dump_rows = options.rows;
  options.starts_per_round = 2;
  options.contention_seconds = 0.05;
  options.memory_reads = 2'000;
  options.memory_writes = 100;
}

}  // namespace

absl::StatusOr<Options> ParseOptions(int argc, const char* const* argv, const char* rows_variable) {
  Options options;
  bool rows_given = false;
  bool records_given = false;
  if (rows_variable != nullptr && *rows_variable != '\0') {
    KV_ASSIGN_OR_RETURN(options.rows, ParseRows("KVSQL_BENCH_ROWS", rows_variable));
    options.records = options.rows;
  }
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--help" || flag == "-h") {
      options.help = true;
      continue;
    }
    if (flag == "--quick") {
      options.quick = true;
      continue;
    }
    // --flag VALUE and --flag=VALUE
    std::string value;
    const size_t equals = flag.find('=');
    const bool joined = equals != std::string::npos;
    if (joined) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    }
    if (flag != "--suite" && flag != "--records" && flag != "--rows" && flag != "--rounds" &&
        flag != "--only" && flag != "--dir") {
      return absl::InvalidArgumentError(absl::StrCat("unknown argument '", argv[i], "'"));
    }
    if (!joined) {
      if (i + 1 == argc) return absl::InvalidArgumentError(absl::StrCat(flag, " needs a value"));
      value = argv[++i];
    }
    if (flag == "--suite") {
      KV_ASSIGN_OR_RETURN(options.suite, ParseSuite(value));
    } else if (flag == "--records") {
      KV_ASSIGN_OR_RETURN(options.records, ParseRows(flag, value));
      records_given = true;
    } else if (flag == "--rows") {
      rows_given = true;
      KV_ASSIGN_OR_RETURN(options.rows, ParseRows(flag, value));
    } else if (flag == "--rounds") {
      KV_ASSIGN_OR_RETURN(options.rounds, ParseCount(flag, value, 1, 1'000));
    } else if (flag == "--only") {
      if (FindRow(Suite::kStandard, value) == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat("--only: there is no row '", value, "'"));
      }
      options.only.push_back(value);
    } else {
      if (value.empty()) return absl::InvalidArgumentError("--dir must name a directory");
      options.directory = value;
    }
  }
  if (options.suite == Suite::kAgentMemory && (rows_given || !options.only.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat(rows_given ? "--rows" : "--only",
                     " belongs to the standard suite; agent-memory has --records"));
  }
  if (options.suite == Suite::kStandard && records_given) {
    return absl::InvalidArgumentError(
        "--records belongs to --suite agent-memory; here it is --rows");
  }
  if (options.quick) MakeQuick(options);
  return options;
}

std::string Usage() {
  std::string text =
      "kvsql_bench: kvsql beside SQLite and LMDB, on this machine, in one run.\n"
      "\n"
      "  --suite NAME  standard, or agent-memory: an agent's memory recalled by id and as its "
      "latest ten\n"
      "  --rows N      rows and keys in each database (100000; also KVSQL_BENCH_ROWS)\n"
      "  --records N   memories of the agent-memory suite (1000000; also KVSQL_BENCH_ROWS)\n"
      "  --rounds N    rounds of each row of the table (5)\n"
      "  --only ID     only this row of the table; may be repeated\n"
      "  --dir DIR     where the scratch databases lie while it runs (.); must be a real disk\n"
      "  --quick       few commits, a small file to open: to see that it works, not for figures\n"
      "\n"
      "Writes bench.md, bench.json and bench.svg (agent-memory.md and so on) to the current "
      "directory. Row ids:\n";
  for (const RowInfo& row : Rows(Suite::kStandard)) {
    text += absl::StrCat("  ", row.id, std::string(24 - std::string_view(row.id).size(), ' '),
                         row.title, "\n");
  }
  return text;
}

}  // namespace kvsql::bench
