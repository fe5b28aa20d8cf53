// difftest --cases N --seed S: random SQL on kvsql and on SQLite, which must answer alike.
//
// Each case is a schema with data and a dozen statements. Success, column names and rows are compared, in
// every variant of variants.h. A case that fails is made smaller and printed as plain SQL. At the end stands
// how often what was exercised. The exit status is 1 if a case failed, or something was exercised less than
// it should be.
//
//   --allow-unsupported   what kvsql answers with "not supported yet" is counted, and no failure
//   --case SEED           only the case with this seed, as printed for a failure
//   --print               prints the cases' SQL
//   --max-failures N      ends after so many (5)
//   --self-check          compares SQLite with itself under other plans, which proves that the cases have
//                         defined answers. A few differ all the same, by errors of SQLite 3.40.
#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/diff/case.h"
#include "tests/diff/compare.h"
#include "tests/diff/coverage.h"
#include "tests/diff/known.h"
#include "tests/diff/random.h"
#include "tests/diff/shrink.h"
#include "tests/diff/variants.h"
#include "tests/engines/engine.h"

namespace kvsql::diff {
namespace {

constexpr size_t kShrinkBudget = 4000;
constexpr unsigned kCaseSeconds = 60;
// Of this many cases each feature is in one at least.
constexpr uint64_t kCasesPerFeature = 300;
// Of this many cases one may be left undecided because SQLite does not agree with itself.
constexpr uint64_t kCasesPerUndecided = 2000;

struct Arguments {
  uint64_t cases = 1000;
  uint64_t seed = 1;
  uint64_t only_case = 0;
  uint64_t max_failures = 5;
  bool allow_unsupported = false;
  bool print = false;
  bool self_check = false;
};

[[noreturn]] void Refuse(const std::string& message) {
  std::fprintf(
      stderr,
      "difftest: %s\nusage: difftest [--cases N] [--seed S] [--case SEED] [--max-failures N]\n"
      "                [--allow-unsupported] [--print] [--self-check]\n",
      message.c_str());
  std::exit(2);
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&]() -> uint64_t {
      char* end = nullptr;
      const char* text = i + 1 < argc ? argv[++i] : "";
      const uint64_t value = std::strtoull(text, &end, 10);
      if (*text == '\0' || *end != '\0') Refuse(word + " needs a number");
      return value;
    };
    if (word == "--cases") {
      arguments.cases = number();
    } else if (word == "--seed") {
      arguments.seed = number();
    } else if (word == "--case") {
      arguments.only_case = number();
      arguments.cases = 1;
    } else if (word == "--max-failures") {
      arguments.max_failures = number();
    } else if (word == "--allow-unsupported") {
      arguments.allow_unsupported = true;
    } else if (word == "--print") {
      arguments.print = true;
    } else if (word == "--self-check") {
      arguments.self_check = true;
    } else {
      Refuse("unknown option " + word);
    }
  }
  return arguments;
}

// ---- A case that crashes or does not end still names itself.

char g_case_name[64];

void ReportSignal(int signal) {
  const char* what = signal == SIGALRM ? "no end after a minute" : "crash";
  for (const char* piece :
       {"difftest: ", what, " in ", static_cast<const char*>(g_case_name), "\n"}) {
    if (write(STDERR_FILENO, piece, std::strlen(piece)) < 0) break;
  }
  _exit(3);
}

void WatchOver(uint64_t case_seed) {
  std::snprintf(g_case_name, sizeof(g_case_name), "--case %" PRIu64, case_seed);
  alarm(kCaseSeconds);
}

// ---- Engines.

std::unique_ptr<engines::Engine> Opened(std::unique_ptr<engines::Engine> engine,
                                        const std::string& error) {
  if (engine == nullptr) Refuse("no database: " + error);
  return engine;
}

std::unique_ptr<engines::Engine> Sqlite() {
  std::string error;
  return Opened(engines::OpenSqlite("", &error), error);
}

std::unique_ptr<engines::Engine> SqliteBackwards() {
  std::string error;
  return Opened(engines::OpenSqliteBackwards(&error), error);
}

std::unique_ptr<engines::Engine> Kvsql(const Variant& variant) {
  std::string error;
  auto engine = Opened(engines::OpenKvsql("", &error), error);
  for (const std::string& pragma : variant.pragmas) {
    if (!engine->Run(pragma, nullptr).ok()) return nullptr;
  }
  return engine;
}

struct Subject {
  std::string name;
  MakeEngine make;
};

std::vector<Subject> Subjects(const Arguments& arguments) {
  if (arguments.self_check) return {{"SQLite under other plans", SqliteBackwards}};
  std::vector<Subject> subjects;
  for (const Variant& variant : Variants()) {
    if (Kvsql(variant) == nullptr) {
      std::printf("variant \"%s\" is left out: kvsql has no %s\n", variant.name.c_str(),
                  variant.pragmas[0].c_str());
      continue;
    }
    subjects.push_back({variant.name, [variant] { return Kvsql(variant); }});
  }
  return subjects;
}

// ---- Failures.

void PrintLines(const char* title, const std::string& text) {
  std::printf("-- %s:\n", title);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::printf("--   %s\n", text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

bool SqliteAgreesWithItself(const Case& made) {
  return !CompareCase(made, Sqlite, SqliteBackwards).difference.has_value();
}

void ReportDifference(uint64_t case_seed, const Subject& subject, Case failing, bool self_check) {
  alarm(0);
  // A smaller case may lose what made its answer defined: then SQLite does not agree with itself.
  const auto fails = [&](const Case& candidate) {
    return CompareCase(candidate, Sqlite, subject.make).difference.has_value() &&
           (self_check || SqliteAgreesWithItself(candidate));
  };
  if (fails(failing)) failing = Shrink(std::move(failing), fails, kShrinkBudget);
  const Comparison comparison = CompareCase(failing, Sqlite, subject.make);
  std::printf("-- FAILED: --case %" PRIu64 ", %s\n%s", case_seed, subject.name.c_str(),
              failing.Text().c_str());
  if (comparison.difference) {
    const Difference& difference = *comparison.difference;
    std::printf("-- they differ in the %s of: %s\n", difference.what.c_str(),
                failing.statements[difference.statement].Text().c_str());
    PrintLines("SQLite", difference.expected);
    PrintLines(subject.name.c_str(), difference.got);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void PrintNames(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::printf("%s:", title);
  for (const std::string& name : names) std::printf(" [%s]", name.c_str());
  std::printf("\n");
}

int Main(int argc, char** argv) {
  const Arguments arguments = Parse(argc, argv);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) {
    signal(number, ReportSignal);
  }
  const std::vector<Subject> subjects = Subjects(arguments);
  Coverage coverage;
  Random seeds(arguments.seed);
  uint64_t failures = 0;
  uint64_t cases = 0;
  uint64_t undecided = 0;
  std::map<std::string, uint64_t> known;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  for (; cases < arguments.cases && failures < arguments.max_failures; ++cases) {
    const uint64_t case_seed = arguments.only_case != 0 ? arguments.only_case : seeds.Next();
    WatchOver(case_seed);
    const Case made = MakeCase(case_seed);
    if (arguments.print) std::printf("-- case %" PRIu64 "\n%s\n", case_seed, made.Text().c_str());
    const std::vector<bool> worked = RunAlone(made, Sqlite);
    for (const Subject& subject : subjects) {
      const Comparison comparison = CompareCase(made, Sqlite, subject.make);
      if (&subject == &subjects[0]) coverage.Add(made, worked, comparison);
      if (!comparison.difference) continue;
      const Difference& difference = *comparison.difference;
      const std::string_view why =
          WhyKnown(difference, made.statements[difference.statement].Text());
      if (!why.empty() && !arguments.self_check) {
        ++known[std::string(why)];
        break;
      }
      if (!arguments.self_check && !SqliteAgreesWithItself(made)) {
        ++undecided;
        std::printf("-- undecided, SQLite's answer depends on its plan: --case %" PRIu64 "\n",
                    case_seed);
        break;
      }
      ++failures;
      ReportDifference(case_seed, subject, made, arguments.self_check);
      break;
    }
    if (terminal && cases % 50 == 0) {
      std::fprintf(stderr, "\r\033[K[%" PRIu64 "/%" PRIu64 "] %" PRIu64 " failed", cases,
                   arguments.cases, failures);
    }
  }
  alarm(0);
  if (terminal) std::fprintf(stderr, "\r\033[K");

  coverage.Print();
  const uint64_t tolerated = cases / kCasesPerUndecided + 1;
  bool ok = failures <= (arguments.self_check ? tolerated : 0) && undecided <= tolerated;
  const uint64_t minimum = cases / kCasesPerFeature;
  const std::vector<std::string> below = coverage.Below(minimum, !arguments.allow_unsupported);
  const std::vector<std::string> unknown = coverage.Unknown();
  ok = ok && below.empty() && unknown.empty();
  ok = ok && (arguments.allow_unsupported || coverage.not_supported() == 0);
  std::printf("\n%" PRIu64 " cases, %" PRIu64 " failed, %" PRIu64 " undecided\n", cases, failures,
              undecided);
  for (const auto& [why, count] : known) {
    std::printf("known, %" PRIu64 " cases: %s\n", count, why.c_str());
  }
  PrintNames("exercised too little", below);
  PrintNames("not in the list of features", unknown);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace kvsql::diff

int main(int argc, char** argv) { return kvsql::diff::Main(argc, argv); }
