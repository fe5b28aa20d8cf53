// slt_runner [OPTIONS] FILE|DIR|LIST.txt...: runs test files of the sqllogictest and .sqltest formats on
// kvsql, or on SQLite to prove the files and this runner.
//
// A directory stands for its .test, .slt and .sqltest files; a list has a path on each line, relative to
// itself. slt_file.h and sqltest_file.h describe the formats. Each file has a process of its own; a failure
// is printed with file and line, and totals per directory come last. The exit status is 0 if there was a
// record and none failed.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sql/pool.h"
#include "tests/sql/report.h"

namespace kvsql::slt {
namespace {

namespace fs = std::filesystem;

constexpr char kUsage[] =
    "usage: slt_runner [OPTIONS] FILE|DIR|LIST.txt...\n"
    "  --engine kvsql|sqlite  what runs the SQL (kvsql)\n"
    "  --memory               each file has a database in memory (that is the default)\n"
    "  --db PATH              each file has a new database at PATH\n"
    "  --jobs N               files at a time (1)\n"
    "  --max-failures N       failures printed for each file (10)\n"
    "  --timeout SECONDS      for one record; longer is a failure (60)\n"
    "  --summary FILE         writes why records failed, the most frequent reason first (-: to the "
    "output)\n"
    "  --quiet                only totals\n";

struct Arguments {
  PoolOptions pool;
  std::string summary;
  bool quiet = false;
  std::vector<std::string> paths;
};

// A file to run, with the name of the row in the totals that counts it.
struct Input {
  std::string path;  // absolute
  std::string name;  // as it was given
  std::string group;
  std::string argument;  // of the command
};

[[noreturn]] void Refuse(const std::string& message) {
  std::fprintf(stderr, "slt_runner: %s\n%s", message.c_str(), kUsage);
  std::exit(2);
}

size_t Number(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') Refuse(option + " needs a number");
  return static_cast<size_t>(value);
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) Refuse(word + " needs a value");
      return argv[++i];
    };
    if (word == "--engine") {
      const auto engine = engines::ParseEngine(value());
      if (!engine) Refuse("there is no such engine");
      arguments.pool.engine = *engine;
    } else if (word == "--memory") {
      arguments.pool.database.clear();
    } else if (word == "--db") {
      arguments.pool.database = fs::absolute(value()).string();
    } else if (word == "--jobs") {
      arguments.pool.jobs = std::max<size_t>(1, Number(word, value()));
    } else if (word == "--max-failures") {
      arguments.pool.max_failures = Number(word, value());
    } else if (word == "--timeout") {
      arguments.pool.record_timeout = std::chrono::seconds(Number(word, value()));
    } else if (word == "--summary") {
      arguments.summary = value();
    } else if (word == "--quiet") {
      arguments.quiet = true;
    } else if (word.starts_with("--")) {
      Refuse("unknown option " + word);
    } else {
      arguments.paths.push_back(word);
    }
  }
  if (arguments.paths.empty()) Refuse("no files");
  if (arguments.quiet) arguments.pool.max_failures = 1;
  return arguments;
}

Input InputOf(const fs::path& path, const std::string& group) {
  return {fs::absolute(path).lexically_normal().string(), path.string(), group, {}};
}

// The directory and the folder in it where the file lies.
std::string GroupIn(const fs::path& directory, const fs::path& file) {
  const fs::path inside = file.lexically_relative(directory);
  const std::string top =
      directory.has_filename() ? directory.string() : directory.parent_path().string();
  return std::distance(inside.begin(), inside.end()) > 1 ? top + "/" + inside.begin()->string()
                                                         : top;
}

void AddInputs(const fs::path& path, std::vector<Input>* inputs) {
  if (fs::is_directory(path)) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".test" || extension == ".slt" || extension == ".sqltest") {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) inputs->push_back(InputOf(file, GroupIn(path, file)));
  } else if (path.extension() == ".txt") {
    std::ifstream list(path);
    if (!list) Refuse("cannot read " + path.string());
    for (std::string line; std::getline(list, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      inputs->push_back(InputOf(path.parent_path() / line, fs::path(line).parent_path().string()));
    }
  } else {
    inputs->push_back(InputOf(path, path.parent_path().string()));
  }
}

int Main(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  std::vector<Input> inputs;
  for (const std::string& path : arguments.paths) {
    const size_t before = inputs.size();
    AddInputs(path, &inputs);
    for (size_t i = before; i < inputs.size(); ++i) inputs[i].argument = path;
  }
  std::vector<std::string> paths;
  std::map<std::string, const Input*> by_path;
  for (const Input& input : inputs) {
    paths.push_back(input.path);
    by_path[input.path] = &input;
  }
  Report report(inputs.size(), isatty(STDERR_FILENO) != 0);
  RunFiles(
      paths, arguments.pool,
      [&](const FileReport& file) {
        const Input& input = *by_path[file.path];
        report.Add(file, input.name, input.group, input.argument, arguments.quiet);
      },
      [&](const Progress& progress) { report.Show(progress); });
  report.PrintTotals();
  if (!arguments.summary.empty() && !report.WriteSummary(arguments.summary)) {
    Refuse("cannot write " + arguments.summary);
  }
  return report.ok() ? 0 : 1;
}

}  // namespace
}  // namespace kvsql::slt

int main(int argc, char** argv) { return kvsql::slt::Main(argc, argv); }
