// An agent's memory: remember, recall by id, the latest ten, forget. One table, both doors: rows by key where
// the key is known, prepared SQL where it is a question. docs/agent-memory.md explains the choice.
#include <kvsql/kvsql.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

class AgentMemory {
 public:
  static kvsql::StatusOr<AgentMemory> Open(const std::string& path) {
    auto database = kvsql::Database::Open(path);
    if (!database.ok()) return database.status();
    auto connection = database->connect();
    if (!connection.ok()) return connection.status();
    // An agent's memories lie side by side, the newest first.
    kvsql::Status status = connection->execute(
        "CREATE TABLE IF NOT EXISTS memories(agent INTEGER NOT NULL, seq INTEGER NOT NULL, "
        "text TEXT NOT NULL, PRIMARY KEY(agent, seq DESC)) WITHOUT ROWID");
    if (!status.ok()) return status;
    auto table = database->table("memories");
    if (!table.ok()) return table.status();
    auto latest = connection->prepare(
        "SELECT seq, text FROM memories WHERE agent = ?1 ORDER BY seq DESC LIMIT 10");
    if (!latest.ok()) return latest.status();
    return AgentMemory(*std::move(database), *std::move(table), *std::move(latest));
  }

  // Durable when it returns; answers the memory's number, which counts up for each agent.
  kvsql::StatusOr<int64_t> remember(int64_t agent, const std::string& text) {
    auto transaction = database_.begin();  // so that no two get the same number
    if (!transaction.ok()) return transaction.status();
    auto last = transaction->prepare("SELECT max(seq) FROM memories WHERE agent = ?1");
    if (!last.ok()) return last.status();
    if (auto status = last->bind(1, agent); !status.ok()) return status;
    if (auto row = last->step(); !row.ok()) return row.status();
    const int64_t seq = last->integer(0) + 1;  // NULL counts as 0
    last->reset();
    if (auto row = table_.insert_row({agent, seq, text}, *transaction); !row.ok()) {
      return row.status();
    }
    if (auto status = transaction->commit(); !status.ok()) return status;
    return seq;
  }

  // The key door: no SQL, no lock. Empty: there is none.
  kvsql::StatusOr<std::string> recall(int64_t agent, int64_t seq) {
    auto row = table_.get_row({agent, seq});
    if (!row.ok()) return row.status();
    return std::string(row->text(2));
  }

  // The SQL door: reads ten rows, one behind the other.
  kvsql::StatusOr<std::vector<std::string>> latest(int64_t agent) {
    std::vector<std::string> texts;
    if (auto status = latest_.bind(1, agent); !status.ok()) return status;
    for (;;) {
      auto at_row = latest_.step();
      if (!at_row.ok()) return at_row.status();
      if (!*at_row) return texts;
      texts.push_back("#" + std::to_string(latest_.integer(0)) + " " +
                      std::string(latest_.text(1)));
    }
  }

  kvsql::StatusOr<bool> forget(int64_t agent, int64_t seq) {
    return table_.erase_row({agent, seq});
  }

 private:
  AgentMemory(kvsql::Database database, kvsql::Table table, kvsql::Statement latest)
      : database_(std::move(database)), table_(std::move(table)), latest_(std::move(latest)) {}

  kvsql::Database database_;
  kvsql::Table table_;
  kvsql::Statement latest_;
};

int main(int argc, char** argv) {
  auto memory = AgentMemory::Open(argc > 1 ? argv[1] : ":memory:");
  const auto fail = [](const kvsql::Status& status) {
    std::cerr << status << "\n";
    return 1;
  };
  if (!memory.ok()) return fail(memory.status());
  for (int i = 1; i <= 12; ++i) {
    auto seq = memory->remember(7, "thought " + std::to_string(i));
    if (!seq.ok()) return fail(seq.status());
  }
  if (auto gone = memory->forget(7, 11); !gone.ok()) return fail(gone.status());
  auto third = memory->recall(7, 3);
  auto latest = memory->latest(7);
  if (!third.ok()) return fail(third.status());
  if (!latest.ok()) return fail(latest.status());
  std::cout << "recalled: " << *third << "\n";
  for (const std::string& text : *latest) std::cout << text << "\n";
}
