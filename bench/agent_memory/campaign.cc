#include "bench/agent_memory/campaign.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/agent_memory/stores.h"
#include "bench/child.h"
#include "bench/clock.h"
#include "bench/fatal.h"
#include "bench/interrupt.h"

namespace kvsql::bench::agent_memory {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kWriteBase = 10'000;  // memories at the start of the write scenario

struct Participant {
  const Variant* variant;
  Sync sync;
};

bool IsCompressed(const Variant& variant) {
  return std::string_view(variant.name).ends_with("_zstd");
}

// Alternatives of kvsql's schema that are measured beside the ones the table is about.
bool IsAlternative(const Variant& variant) {
  const std::string_view name = variant.name;
  return name == "kvsql_indexed" || name == "kvsql_sql_rowid";
}

std::vector<Participant> Chosen(bool (*wanted)(const Variant&)) {
  std::vector<Participant> chosen;
  for (const Variant& variant : Variants()) {
    if (wanted(variant)) chosen.push_back({&variant, Sync::kFull});
  }
  return chosen;
}

// One of each family, as both of a family's variants read the same file.
std::vector<Participant> Families(bool (*wanted)(const Variant&)) {
  std::vector<Participant> chosen = Chosen(wanted);
  std::erase_if(chosen, [](const Participant& participant) {
    return participant.variant->engine == EngineId::kSqliteMmap;
  });
  return chosen;
}

std::vector<Participant> Writers() {
  std::vector<Participant> writers;
  for (const Participant& family : Families([](const Variant& variant) {
         return !IsCompressed(variant) && !IsAlternative(variant);
       })) {
    for (const Sync sync : {Sync::kOff, Sync::kNormal, Sync::kFull}) {
      // OFF is a level of SQLite's only; LMDB's relaxed level goes by the name of the others'.
      if (sync == Sync::kOff && family.variant->engine != EngineId::kSqlite) continue;
      writers.push_back({family.variant, sync});
    }
  }
  return writers;
}

void SyncFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fsync(fd) != 0) Fatal(absl::StrCat("cannot sync ", path));
  close(fd);
}

class Campaign {
 public:
  Campaign(const Options& options, Scratch& scratch, const std::vector<std::string>& worker)
      : options_(options), scratch_(scratch), worker_(worker) {}

  std::vector<Measurement> Run() {
    NoteInterrupts();
    const auto all = [](const Variant&) { return true; };
    const auto plain = [](const Variant& variant) { return !IsCompressed(variant); };
    const auto main = [](const Variant& variant) {
      return !IsCompressed(variant) && !IsAlternative(variant);
    };
    // LMDB is loaded in bulk only: without APPEND its pages are half full.
    const auto normal = [](const Variant& variant) {
      return !IsAlternative(variant) && variant.engine != EngineId::kLmdb;
    };
    // Where the text matters: compression, and what its file is compared with.
    const auto vocabulary = [](const Variant& variant) {
      return IsCompressed(variant) || variant.engine == EngineId::kSqlite ||
             variant.engine == EngineId::kSqliteMmap;
    };

    constexpr TextKind kLetters = TextKind::kLetters;
    Load(Families(all), Layout::kBulk, kLetters, options_.rounds);
    Read(Chosen(all), Layout::kBulk, kLetters, ValueMode::kRaw);
    Read(Chosen(main), Layout::kBulk, kLetters, ValueMode::kJson);
    Discard(Families(all), Layout::kBulk, kLetters);
    Load(Families(normal), Layout::kNormal, kLetters, 1);
    Read(Chosen(normal), Layout::kNormal, kLetters, ValueMode::kRaw);
    Discard(Families(normal), Layout::kNormal, kLetters);
    if (!Chosen(IsCompressed).empty()) {
      Load(Families(vocabulary), Layout::kBulk, TextKind::kVocabulary, 1);
      Read(Chosen(vocabulary), Layout::kBulk, TextKind::kVocabulary, ValueMode::kRaw);
      Discard(Families(vocabulary), Layout::kBulk, TextKind::kVocabulary);
    }
    MakeWriteBases(Families(plain));
    Write(Writers(), ValueMode::kRaw);
    Write(Writers(), ValueMode::kJson);
    return std::move(measurements_);
  }

 private:
  std::string Fixture(const Variant& variant, Layout layout, TextKind text) const {
    return absl::StrCat(scratch_.path(), "/", variant.family, "-", NameOf(layout), "-",
                        NameOf(text), ".db");
  }
  std::string WriteBase(const Variant& variant) const {
    return absl::StrCat(scratch_.path(), "/", variant.family, "-base.db");
  }
  uint32_t write_base() const { return std::min(kWriteBase, options_.records); }

  // Calls run(participant, round) for each, in rotating order.
  template <class Call>
  void Rounds(const std::vector<Participant>& participants, uint32_t rounds, Call&& run) {
    for (uint32_t round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < participants.size(); ++i) {
        run(participants[(i + round) % participants.size()], round);
      }
    }
  }

  void Load(const std::vector<Participant>& families, Layout layout, TextKind text,
            uint32_t rounds) {
    Rounds(families, rounds, [&](const Participant& family, uint32_t round) {
      // The first round's file stays: all rounds of the reads use it.
      const bool stays = round == 0;
      Task task = TaskFor(Command::kLoad, family, round);
      task.path = stays ? Fixture(*family.variant, layout, text)
                        : scratch_.NewDatabase(family.variant->name);
      task.layout = layout;
      task.text = text;
      task.records = options_.records;
      if (layout == Layout::kNormal) {
        // The loosest level: where the pages go does not depend on when they are synced.
        task.sync = family.variant->engine == EngineId::kSqlite ? Sync::kOff : Sync::kNormal;
      }
      task.check_integrity = stays;
      Do(task);
      if (!stays) Scratch::RemoveDatabase(task.path);
    });
  }

  void Discard(const std::vector<Participant>& families, Layout layout, TextKind text) {
    for (const Participant& family : families) {
      Scratch::RemoveDatabase(Fixture(*family.variant, layout, text));
    }
  }

  void Read(const std::vector<Participant>& variants, Layout layout, TextKind text,
            ValueMode mode) {
    Rounds(variants, options_.rounds, [&](const Participant& variant, uint32_t round) {
      Task task = TaskFor(Command::kRead, variant, round);
      task.path = Fixture(*variant.variant, layout, text);
      task.layout = layout;
      task.text = text;
      task.mode = mode;
      task.records = options_.records;
      task.calls = options_.memory_reads;
      Do(task);
    });
  }

  void MakeWriteBases(const std::vector<Participant>& families) {
    for (const Participant& family : families) {
      Task task = TaskFor(Command::kLoad, family, 0);
      task.path = WriteBase(*family.variant);
      task.records = write_base();
      task.check_integrity = true;
      Start(task);
    }
  }

  void Write(const std::vector<Participant>& writers, ValueMode mode) {
    Rounds(writers, options_.rounds, [&](const Participant& writer, uint32_t round) {
      Task task = TaskFor(Command::kWrite, writer, round);
      task.path = scratch_.NewDatabase(writer.variant->name);
      task.mode = mode;
      task.records = write_base();
      task.calls = options_.memory_writes;
      // Its own copy, on disk before the first call: the copying must not burden the calls' syncs.
      fs::copy_file(WriteBase(*writer.variant), task.path);
      SyncFile(task.path);
      Do(task);
      Scratch::RemoveDatabase(task.path);
    });
  }

  static Task TaskFor(Command command, const Participant& participant, uint32_t round) {
    Task task;
    task.command = command;
    task.variant = participant.variant->name;
    task.sync = participant.sync;
    task.round = round;
    return task;
  }

  TaskResult Start(const Task& task) {
    LeaveIfInterrupted();
    std::vector<std::string> command = worker_;
    command.push_back(ToJson(task));
    const ChildResult child = RunChild(command);
    LeaveIfInterrupted();
    if (child.exit_code != 0) Fatal(absl::StrCat("the child failed that did ", command.back()));
    return TaskResultFromJson(child.output);
  }

  void Do(const Task& task) {
    const Stopwatch watch;
    Measurement measurement{task, Start(task)};
    for (const std::string& file : Scratch::DatabaseFiles(task.path)) {
      struct stat info {};
      if (stat(file.c_str(), &info) != 0) continue;
      measurement.logical_bytes += static_cast<uint64_t>(info.st_size);
      measurement.allocated_bytes += static_cast<uint64_t>(info.st_blocks) * 512;
    }
    Progress(measurement, watch.seconds());
    measurements_.push_back(std::move(measurement));
  }

  void Progress(const Measurement& measurement, double seconds) const {
    const Task& task = measurement.task;
    std::string line = absl::StrCat(NameOf(task.command), " ", NameOf(task.layout), " ",
                                    NameOf(task.text), " ", NameOf(task.mode), " ", task.round + 1,
                                    "/", options_.rounds, "  ", task.variant);
    if (task.command == Command::kWrite) absl::StrAppend(&line, " ", NameOf(task.sync));
    absl::StrAppend(&line, ":");
    if (measurement.result.load_seconds > 0) {
      absl::StrAppendFormat(&line, "  loaded in %.2f s", measurement.result.load_seconds);
    }
    for (const auto& [name, latencies] : measurement.result.operations) {
      absl::StrAppendFormat(&line, "  %s %.2f (p99 %.2f, mean %.2f)", name, latencies.p50,
                            latencies.p99, latencies.mean);
    }
    absl::StrAppendFormat(&line, "  %.1f MiB, peak %.1f MiB  [%.1f s]",
                          static_cast<double>(measurement.logical_bytes) / (1 << 20),
                          static_cast<double>(measurement.result.peak_rss_bytes) / (1 << 20),
                          seconds);
    std::fprintf(stderr, "%s\n", line.c_str());
    std::fflush(stderr);
  }

  const Options& options_;
  Scratch& scratch_;
  const std::vector<std::string>& worker_;
  std::vector<Measurement> measurements_;
};

}  // namespace

std::vector<Measurement> RunCampaign(const Options& options, Scratch& scratch,
                                     const std::vector<std::string>& worker) {
  return Campaign(options, scratch, worker).Run();
}

}  // namespace kvsql::bench::agent_memory
