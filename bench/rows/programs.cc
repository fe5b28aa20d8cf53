// The shell as a program, beside the sqlite3 program: how long a script waits for one answer, and how fast a dump is
// read.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/child.h"
#include "bench/fatal.h"
#include "bench/rows/rows.h"

namespace kvsql::bench {
namespace {

struct Program {
  EngineId engine;
  std::string path;
};

void MeasureOneShot(Lab& lab, const std::vector<Program>& programs) {
  std::vector<Participant> participants;
  std::vector<LoadedEngine> databases;
  for (const Program& program : programs) {
    LoadedEngine& loaded =
        databases.emplace_back(lab.MakeLoaded(program.engine, Durability::kFull));
    loaded.engine->Close();
    const std::vector<std::string> command = {program.path, loaded.path, "SELECT 1"};
    const ChildResult first = RunChild(command);
    if (first.exit_code != 0 || first.output != "1\n") {
      Fatal(absl::StrCat("one_shot: ", program.path, " answered '", first.output, "', code ",
                         first.exit_code));
    }
    const uint32_t starts = lab.options().starts_per_round;
    participants.push_back(Single(program.engine, [command, starts](uint32_t) {
      double seconds = 0;
      for (uint32_t i = 0; i < starts; ++i) seconds += RunChild(command).seconds;
      return Sample{.figure = seconds * 1e3 / starts};
    }));
  }
  lab.RunRounds("one_shot", participants);
  for (LoadedEngine& loaded : databases) Scratch::RemoveDatabase(loaded.path);
}

void MeasureReadDump(Lab& lab, const std::vector<Program>& programs) {
  const uint32_t rows = lab.options().dump_rows;
  const std::string dump = lab.scratch().NewDatabase("dump");
  {
    std::ofstream file(dump);
    file << "BEGIN TRANSACTION;\n"
            "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);\n";
    for (uint32_t id = 0; id < rows; ++id) {
      file << "INSERT INTO t VALUES(" << id << ",'" << NameOf(id).view() << "'," << ScoreOf(id)
           << ");\n";
    }
    file << "COMMIT;\n";
    if (!file.flush()) Fatal(absl::StrCat("cannot write ", dump));
  }
  std::vector<Participant> participants;
  std::string expected;
  for (const Program& program : programs) {
    participants.push_back(Single(program.engine, [&](uint32_t) {
      const std::string database = lab.scratch().NewDatabase(KeyOf(program.engine));
      const ChildResult read = RunChild({program.path, database, absl::StrCat(".read ", dump)});
      const ChildResult check = RunChild(
          {program.path, database, "SELECT count(*), sum(score), sum(length(name)) FROM t"});
      if (expected.empty()) expected = check.output;
      if (read.exit_code != 0 || check.exit_code != 0 || check.output != expected) {
        Fatal(absl::StrCat("read_dump: ", program.path, ": code ", read.exit_code, ", holds ",
                           check.output));
      }
      Scratch::RemoveDatabase(database);
      return Sample{.figure = read.seconds * 1e3};
    }));
  }
  lab.RunRounds("read_dump", participants);
  Scratch::RemoveDatabase(dump);
}

}  // namespace

void MeasurePrograms(Lab& lab) {
  if (!lab.Wanted("one_shot") && !lab.Wanted("read_dump")) return;
  const std::vector<Program> programs = {{EngineId::kKvsql, FindProgram("kvsql")},
                                         {EngineId::kSqlite, FindProgram("sqlite3")}};
  for (const Program& program : programs) {
    if (!program.path.empty()) continue;
    const std::string why = absl::StrCat("there is no program ",
                                         program.engine == EngineId::kKvsql ? "kvsql" : "sqlite3");
    for (const char* row : {"one_shot", "read_dump"}) {
      if (lab.Wanted(row)) lab.Refused(row, why);
    }
    return;
  }
  if (lab.Wanted("one_shot")) MeasureOneShot(lab, programs);
  if (lab.Wanted("read_dump")) MeasureReadDump(lab, programs);
}

}  // namespace kvsql::bench
