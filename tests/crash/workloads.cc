#include "tests/crash/workloads.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace kvsql::testing {
namespace {

TxnShape Small() { return {.operations = 3, .keys = 200, .value_bytes = 100}; }

TxnShape Large() {
  return {.operations = 400, .keys = 2000, .value_bytes = 1500, .deletes_percent = 5};
}

bool Coin(Run& run) { return run.random()() % 2 == 0; }
int Between(Run& run, int low, int high) {
  return low + static_cast<int>(run.random()() % (high - low + 1));
}
Durability AnyLevel(Run& run) { return Coin(run) ? Durability::kFull : Durability::kNormal; }

std::vector<uint8_t> LogOfAnotherDatabase(Run& run) {
  SimFileSystem fs;
  SubjectOptions options;
  options.file_system = &fs;
  const std::unique_ptr<Subject> subject = run.Make();
  if (!run.Expect("open another", subject->Open(options))) return {};
  TxnRunner runner(subject.get(), std::make_shared<History>());
  for (int i = 0; i < 6; ++i) {
    run.Expect("commit to another", runner.Run(Small(), Durability::kFull, &run.random()));
  }
  return fs.Contents("/db-log");
}

// The first opening, with what may already lie there.
void Creation(Run& run) {
  switch (Between(run, 0, 3)) {
    case 0:
      // Somebody else's empty file is initialised in place. If other bytes than zeros stood there
      // after a crash, it would rightly be refused as a file that is not ours.
      run.NoLeftovers();
      run.fs().PutFile("/db", {});
      break;
    case 1:
      run.fs().PutFile("/db-log", LogOfAnotherDatabase(run));
      break;
    default:
      break;
  }
  if (run.Open() && run.Commits(Between(run, 0, 3), Small()) && Coin(run)) run.Close();
}

void LogCreation(Run& run) {
  if (!run.Open()) return;
  run.Commits(Between(run, 3, 7), Small());
}

void LogGrowth(Run& run) {
  run.options().log_limit = 8 << 20;
  if (!run.Open() || !run.Commits(4, Small())) return;
  TxnShape shape = Small();
  shape.operations = 20;
  shape.value_bytes = 900;
  for (int i = 0; i < 25; ++i) {
    if (!run.Commit(shape, AnyLevel(run))) return;
  }
}

void LogWrap(Run& run) {
  run.options().log_limit = Coin(run) ? 32 << 10 : 96 << 10;
  if (!run.Open() || !run.Commits(4, Small())) return;
  TxnShape shape = Small();
  shape.operations = 4;
  shape.value_bytes = 1500;
  for (int i = 0; i < 60; ++i) {
    if (!run.Commit(shape, AnyLevel(run))) return;
  }
}

void SmallCommits(Run& run) {
  if (!run.Open()) return;
  for (int i = 0; i < 30; ++i) {
    if (!run.Commit(Small(), i % 4 == 0 ? AnyLevel(run) : Durability::kFull)) return;
  }
}

// Threads whose commits share flushes: writes of the log are held up until the others have appended.
void GroupedCommits(Run& run) {
  if (!run.Open() || !run.Commits(4, Small())) return;
  run.SetHook([](const SimEvent& event) {
    if (event.call == SimCall::kWriteDurable && event.stage == SimEvent::Stage::kInFlight) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  std::vector<std::thread> threads;
  const uint64_t seed = run.random()();
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&run, seed, t] {
      Random random(seed + t);
      for (int i = 0; i < 6; ++i) {
        const Durability level = random() % 4 == 0 ? Durability::kNormal : Durability::kFull;
        if (!run.Expect("grouped commit", run.runner().Run(Small(), level, &random))) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  run.SetHook(nullptr);
}

void LargeCommits(Run& run) {
  if (Coin(run)) run.options().dirty_budget = 64 << 10;
  if (!run.Open() || !run.Commits(Between(run, 0, 5), Small())) return;
  for (int i = 0; i < 3; ++i) {
    if (!run.Commit(Large(), AnyLevel(run)) || !run.Commit(Small(), AnyLevel(run))) return;
  }
}

void LargeValues(Run& run) {
  if (!run.Open() || !run.Commits(4, Small())) return;
  TxnShape shape = Small();
  shape.keys = 30;
  for (int i = 0; i < 8; ++i) {
    shape.value_bytes = i % 4 == 3 ? 600000 : 40000;
    shape.operations = i % 4 == 3 ? 1 : 3;
    if (!run.Commit(shape, AnyLevel(run))) return;
    if (i == 4 && !run.Checkpoint()) return;
  }
}

// Small commits that wait while a large one goes through its checkpoint.
void Queued(Run& run) {
  if (!run.Open() || !run.Commits(4, Small())) return;
  std::atomic<bool> go{false};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  const uint64_t seed = run.random()();
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&run, &go, &done, seed, t] {
      Random random(seed + t);
      while (!go && !done) std::this_thread::yield();
      for (int i = 0; i < 4; ++i) {
        if (!run.Expect("queued commit", run.runner().Run(Small(), Durability::kFull, &random)))
          return;
      }
    });
  }
  run.SetHook([&](const SimEvent& event) {
    if (event.path == "/db" && event.stage == SimEvent::Stage::kBefore) {
      go = true;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  run.Commit(Large());
  done = true;
  for (std::thread& thread : threads) thread.join();
  run.SetHook(nullptr);
  run.Commit(Small());
}

// Commits between the writes of a checkpoint.
void CheckpointUnderWrites(Run& run) {
  if (!run.Open()) return;
  for (int round = 0; round < 3; ++round) {
    TxnShape shape = Small();
    shape.operations = 30;
    if (!run.Commits(round == 0 ? 8 : 3, shape, AnyLevel(run))) return;
    std::atomic<int> wanted{0};
    std::atomic<int> finished{0};
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      Random random(run.history().newest());
      while (!stop || finished < wanted) {
        if (finished == wanted) {
          std::this_thread::yield();
          continue;
        }
        run.Expect(
            "commit beside a checkpoint",
            run.runner().Run(Small(), random() % 2 == 0 ? Durability::kFull : Durability::kNormal,
                             &random));
        ++finished;
      }
    });
    std::atomic<std::thread::id> checkpointing{std::this_thread::get_id()};
    run.SetHook([&](const SimEvent& event) {
      if (std::this_thread::get_id() != checkpointing.load() ||
          event.stage == SimEvent::Stage::kAfter) {
        return;
      }
      // The commit may itself need the checkpoint to end: do not wait for ever.
      ++wanted;
      for (int i = 0; i < 200 && finished < wanted; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
    const bool right = run.Checkpoint();
    stop = true;
    writer.join();
    run.SetHook(nullptr);
    if (!right) return;
  }
}

// Commits beside a checkpoint that are too large for what is left of the log until it ends.
void LogFull(Run& run) {
  run.options().log_limit = Between(run, 6, 8) * 4096;
  if (!run.Open() || !run.Commits(4, Small())) return;
  for (int round = 0; round < 6; ++round) {
    if (!run.Commits(Between(run, 1, 2), Small())) return;
    std::atomic<bool> go{false};
    std::atomic<bool> done{false};
    std::thread writer([&] {
      Random random(run.history().newest());
      TxnShape shape = Small();
      shape.operations = 13;
      shape.value_bytes = 2000;
      shape.deletes_percent = 0;
      while (!go && !done) std::this_thread::yield();
      run.Expect("commit in a full log", run.runner().Run(shape, Durability::kFull, &random));
      done = true;
    });
    const std::thread::id checkpointing = std::this_thread::get_id();
    // Most of them only when the meta is on its way.
    const int at = Between(run, 0, 3) != 0 ? 1000 : Between(run, 0, 5);
    int seen = 0;
    run.SetHook([&](const SimEvent& event) {
      if (std::this_thread::get_id() != checkpointing || event.path != "/db") return;
      const bool meta = event.stage == SimEvent::Stage::kInFlight && event.offset < 8192;
      if (seen++ < at && !meta) return;
      go = true;
      for (int i = 0; i < 200 && !done; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
    const bool right = run.Checkpoint();
    go = true;
    writer.join();
    run.SetHook(nullptr);
    if (!right) return;
  }
}

// Readers keep old states while commits and checkpoints go on, and find them unchanged.
void Snapshots(Run& run) {
  if (!run.Open() || !run.Commits(2, Small())) return;
  std::vector<std::pair<std::unique_ptr<SubjectSnapshot>, Contents>> kept;
  for (int i = 0; i < 30; ++i) {
    StatusOr<std::unique_ptr<SubjectSnapshot>> snapshot = run.subject().Snapshot();
    if (!run.Expect("snapshot", snapshot.status())) return;
    StatusOr<Contents> contents = (*snapshot)->Read();
    if (!run.Expect("read a new snapshot", contents.status())) return;
    kept.emplace_back(std::move(*snapshot), std::move(*contents));
    if (kept.size() > 4) kept.erase(kept.begin() + Between(run, 0, 4));
    TxnShape shape = Small();
    shape.operations = Between(run, 1, 40);
    if (!run.Commit(shape, AnyLevel(run))) return;
    if (i % 7 == 6 && !run.Checkpoint()) return;
    for (auto& [old, before] : kept) {
      const StatusOr<Contents> now = old->Read();
      if (!run.Expect("read an old snapshot", now.status())) return;
      if (*now != before) {
        run.Expect("an old snapshot", absl::DataLossError("it changed"));
        return;
      }
    }
  }
}

void FileGrowth(Run& run) {
  if (!run.Open()) return;
  TxnShape shape = Small();
  shape.keys = 5000;
  shape.operations = 60;
  shape.value_bytes = 800;
  shape.deletes_percent = 0;
  for (int i = 0; i < 12; ++i) {
    if (!run.Commit(shape, AnyLevel(run))) return;
    if (i % 4 == 3 && !run.Checkpoint()) return;
  }
}

void Truncation(Run& run) {
  if (!run.Open()) return;
  TxnShape shape = Large();
  shape.keys = 1000;
  if (!run.Commit(shape) || !run.Commits(5, Small())) return;
  if (!run.DeleteRange(Between(run, 0, 200), 1000) || !run.Commits(2, Small())) return;
  if (!run.Truncate() || !run.Commits(3, Small(), AnyLevel(run))) return;
  if (Coin(run)) {
    if (!run.Commit(Large()) || !run.DeleteRange(0, 2000) || !run.Truncate()) return;
  }
  if (Coin(run)) run.Close();
}

void NormalThenFull(Run& run) {
  if (!run.Open() || !run.Commits(4, Small())) return;
  for (int i = 0; i < 8; ++i) {
    if (!run.Commits(Between(run, 0, 4), Small(), Durability::kNormal)) return;
    switch (Between(run, 0, 5)) {
      case 0:
        if (!run.Sync()) return;
        break;
      case 1:
        if (!run.Checkpoint()) return;
        break;
      default:
        if (!run.Commit(Small(), Durability::kFull)) return;
        break;
    }
  }
}

void Savepoints(Run& run) {
  if (!run.Open() || !run.Commits(3, Small())) return;
  for (int i = 0; i < 10; ++i) {
    TxnShape shape = Small();
    shape.operations = Between(run, 5, 60);
    shape.savepoints_percent = 30;
    if (i == 5) shape.value_bytes = 5000;
    if (!run.Commit(shape, AnyLevel(run))) return;
    if (!run.RollBack(shape)) return;
  }
}

void CleanClose(Run& run) {
  for (int life = 0; life < 3; ++life) {
    if (!run.Open() || !run.Commits(Between(run, 0, 8), Small(), AnyLevel(run)) || !run.Close())
      return;
  }
  if (run.Open()) run.Commits(Between(run, 0, 2), Small());
}

void FullDisk(Run& run) {
  if (!run.Open() || !run.Commits(5, Small())) return;
  run.fs().SetDiskBytes(run.fs().UsedBytes() + Between(run, 0, 100) * kSimBlock);
  TxnShape shape = Small();
  shape.operations = 40;
  shape.value_bytes = 1000;
  shape.keys = 3000;
  shape.deletes_percent = 0;
  shape.range_deletes_percent = 0;
  bool full = false;
  for (int i = 0; i < 60 && !full; ++i) {
    const Status status = run.runner().Run(shape, Durability::kFull, &run.random());
    full = absl::IsResourceExhausted(status);
    if (!full && !run.Expect("commit on a filling disk", status)) return;
  }
  // What deletes must go through; and then there is room again.
  if (!run.Expect("health on a full disk", run.subject().Health())) return;
  if (!run.DeleteRange(0, 3000) || !run.Commits(3, Small())) return;
  run.fs().SetDiskBytes(UINT64_MAX);
  run.Commits(2, Small());
}

// A sync fails, and what it should have written is gone from the disk without another word.
void FailedSync(Run& run) {
  run.NoDeaths();
  if (!run.Open() || !run.Commits(Between(run, 0, 5), Small())) return;
  const auto kind = Coin(run) ? SimFault::Kind::kSyncDropsData : SimFault::Kind::kSyncEvictsData;
  run.fs().InjectFault({run.fs().calls() + 1 + run.random()() % 60, kind, /*sticky=*/false});
  bool failed = false;
  for (int i = 0; i < 40; ++i) {
    TxnShape shape = Small();
    if (i % 10 == 9) shape = Large();
    Status status = i % 5 == 4 ? run.subject().Checkpoint()
                               : run.runner().Run(shape, AnyLevel(run), &run.random());
    if (failed && status.ok() && i % 5 != 4) {
      run.Expect("after a failed sync", absl::InternalError("a commit went through"));
      return;
    }
    if (!status.ok()) {
      if (!run.fs().FaultHit()) {
        run.Expect("before any fault", status);
        return;
      }
      failed = true;
    }
  }
}

}  // namespace

const std::vector<Workload>& AllWorkloads() {
  static const std::vector<Workload> all = {
      {"creation", 5, &Creation},
      {"log-creation", 5, &LogCreation},
      {"log-growth", 6, &LogGrowth},
      {"log-wrap", 8, &LogWrap},
      {"small", 8, &SmallCommits},
      {"grouped", 8, &GroupedCommits},
      {"large", 7, &LargeCommits},
      {"large-values", 6, &LargeValues},
      {"queued", 6, &Queued},
      {"checkpoint", 8, &CheckpointUnderWrites},
      {"log-full", 6, &LogFull},
      {"snapshots", 5, &Snapshots},
      {"growth", 6, &FileGrowth},
      {"truncation", 6, &Truncation},
      {"normal-full", 7, &NormalThenFull},
      {"savepoint", 6, &Savepoints},
      {"close", 6, &CleanClose},
      {"full-disk", 6, &FullDisk},
      {"failed-sync", 6, &FailedSync},
  };
  return all;
}

}  // namespace kvsql::testing
