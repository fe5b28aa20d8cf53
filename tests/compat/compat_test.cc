// COMPAT.md is checked against the engine: every row of its tables has an example, and the example must
// do what the row's state says.
//
// A row is `| feature | state | example |`. The example's statements run in order on a new database; the
// state speaks of the last one: "yes" means that it runs, "no" that it answers UNIMPLEMENTED. Tables
// whose header is not that are prose and not read.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kvsql/kvsql.h>

namespace kvsql {
namespace {

struct Feature {
  int line = 0;
  std::string name;
  std::string state;
  std::string example;
};

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The cells of a Markdown table row; "\|" is a bar inside a cell.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell.push_back('|');
      ++i;
    } else if (line[i] == '|') {
      cells.push_back(Trimmed(cell));
      cell.clear();
    } else {
      cell.push_back(line[i]);
    }
  }
  return cells;
}

std::vector<Feature> ReadFeatures() {
  std::ifstream file(KVSQL_SOURCE_DIR "/COMPAT.md");
  std::vector<Feature> features;
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] != '|') {
      inside = false;
      continue;
    }
    const std::vector<std::string> cells = Cells(line);
    if (cells == std::vector<std::string>{"Feature", "State", "Example"}) {
      inside = true;
    } else if (inside && !cells.empty() && cells[0].rfind("---", 0) != 0) {
      Feature feature;
      feature.line = number;
      if (cells.size() == 3) {
        feature.name = cells[0];
        feature.state = cells[1];
        feature.example = cells[2];
      }
      features.push_back(feature);
    }
  }
  return features;
}

// What stands between backquotes: one statement each.
std::vector<std::string> Statements(const std::string& example) {
  std::vector<std::string> statements;
  std::istringstream stream(example);
  std::string part;
  for (bool quoted = false; std::getline(stream, part, '`'); quoted = !quoted) {
    if (quoted) statements.push_back(part);
  }
  return statements;
}

// What every example may use.
Status Prepare(Connection& connection) {
  return connection.execute(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);"
      "CREATE UNIQUE INDEX t_name ON t(name);"
      "INSERT INTO t VALUES (1, 'one', 10);"
      "INSERT INTO t VALUES (2, 'two', 20);");
}

Status RunStatement(Connection& connection, const std::string& sql) {
  StatusOr<Statement> statement = connection.prepare(sql);
  if (!statement.ok()) return statement.status();
  while (true) {
    StatusOr<bool> more = statement->step();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
  }
}

TEST(Compat, EveryLineOfTheDocumentIsTrue) {
  const std::vector<Feature> features = ReadFeatures();
  ASSERT_GT(features.size(), 40u) << "COMPAT.md was not read";
  for (const Feature& feature : features) {
    SCOPED_TRACE("COMPAT.md:" + std::to_string(feature.line) + ": " + feature.name);
    const std::vector<std::string> statements = Statements(feature.example);
    if (statements.empty() || (feature.state != "yes" && feature.state != "no")) {
      ADD_FAILURE() << "a row is | feature | yes or no | `statement` ... |";
      continue;
    }
    StatusOr<Database> database = Database::Open(":memory:");
    ASSERT_TRUE(database.ok()) << database.status();
    StatusOr<Connection> connection = database->connect();
    ASSERT_TRUE(connection.ok()) << connection.status();
    const Status prepared = Prepare(*connection);
    ASSERT_TRUE(prepared.ok()) << prepared;

    for (size_t i = 0; i < statements.size(); ++i) {
      const Status status = RunStatement(*connection, statements[i]);
      if (i + 1 < statements.size() || feature.state == "yes") {
        EXPECT_TRUE(status.ok()) << statements[i] << "\n  " << status;
      } else {
        EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented)
            << statements[i] << "\n  " << status;
      }
    }
  }
}

}  // namespace
}  // namespace kvsql
