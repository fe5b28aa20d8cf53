// The engines that tests run the same SQL on: kvsql through its public API, and SQLite, the oracle.
//
//   std::unique_ptr<Engine> engine = OpenEngine(EngineKind::kSqlite, "");
//   Result result;
//   Outcome outcome = engine->Run("SELECT 1", &result);
//
// Thread safety: an engine belongs to one thread at a time.
#ifndef KVSQL_TESTS_ENGINES_ENGINE_H_
#define KVSQL_TESTS_ENGINES_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kvsql/value.h>

namespace kvsql::engines {

enum class EngineKind : uint8_t { kKvsql, kSqlite };

// "kvsql", "sqlite".
std::string_view EngineName(EngineKind kind);
std::optional<EngineKind> ParseEngine(std::string_view name);

// How a statement went.
struct Outcome {
  enum class Stage : uint8_t {
    kDone,     // it worked
    kPrepare,  // the engine refused the text
    kRun,      // it failed while it ran; the rows before the failure are in the result
  };
  Stage stage = Stage::kDone;
  bool unsupported = false;  // kvsql said "not supported yet"
  std::string error;

  bool ok() const { return stage == Stage::kDone; }
};

struct Result {
  size_t columns = 0;
  std::vector<std::string> names;  // of the columns
  std::vector<Value> values;       // row after row

  size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Runs one statement to its end. `result` (may be null) gets its rows. Text without a statement works.
  virtual Outcome Run(std::string_view sql, Result* result) = 0;

  // Runs all statements of the text up to the first that fails; `result` gets the rows of the last one.
  Outcome RunScript(std::string_view sql, Result* result);
};

// A connection to the database at `path`, or to an empty one in memory if that is empty. Null, and *error
// says why, if it cannot be opened.
std::unique_ptr<Engine> OpenEngine(EngineKind kind, const std::string& path, std::string* error);
std::unique_ptr<Engine> OpenSqlite(const std::string& path, std::string* error);
// SQLite with most of its optimisations off and scans backwards: what it answers differently was not defined.
std::unique_ptr<Engine> OpenSqliteBackwards(std::string* error);
std::unique_ptr<Engine> OpenKvsql(const std::string& path, std::string* error);

// Removes a database's file and what both engines lay beside it.
void RemoveDatabase(const std::string& path);

// Whether there is nothing but blanks, comments and semicolons.
bool IsBlankSql(std::string_view sql);
// The statements of a text, semicolons included; blank ones are left out.
std::vector<std::string_view> SplitStatements(std::string_view sql);

}  // namespace kvsql::engines

#endif  // KVSQL_TESTS_ENGINES_ENGINE_H_
