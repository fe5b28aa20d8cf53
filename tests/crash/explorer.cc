#include "tests/crash/explorer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace kvsql::testing {

Recorder::Recorder(SimFileSystem* fs, std::shared_ptr<const History> history, size_t limit,
                   uint64_t seed)
    : fs_(fs), limit_(limit), history_(std::move(history)), random_(seed) {
  fs_->SetObserver([this](const SimEvent& event) { OnEvent(event); });
}

Recorder::~Recorder() { fs_->SetObserver(nullptr); }

void Recorder::SetHistory(std::shared_ptr<const History> history, std::optional<Bounds> fixed) {
  std::lock_guard lock(mutex_);
  history_ = std::move(history);
  fixed_ = fixed;
}

void Recorder::OnEvent(const SimEvent& event) {
  // After an event the disk is as before the next one, when the marks may have risen: that is the sharper
  // point.
  if (event.stage != SimEvent::Stage::kAfter) TakePoint(event, /*always=*/false);
  hook_(event);
}

void Recorder::TakePoint(const SimEvent& event, bool always) {
  std::lock_guard lock(mutex_);
  ++passed_;
  always |= event.durable_writes > 1;  // rare
  size_t place = points_.size();
  if (place >= limit_ && limit_ > 0) {
    place = random_() % passed_;
    if (always) place = random_() % limit_;
  }
  if (place >= limit_) return;
  CrashPoint point;
  point.event = event;
  point.history = history_;
  // In this order: what is acknowledged after the first reading need not be on the disk captured, and
  // what is on the disk has been called for at the second.
  point.bounds = fixed_ ? *fixed_ : history_->bounds();
  point.disk = fs_->Capture();
  if (!fixed_) point.bounds.called = history_->bounds().called;
  if (place == points_.size()) {
    points_.push_back(std::move(point));
  } else {
    points_[place] = std::move(point);
  }
}

std::vector<CrashPoint> Recorder::TakePoints() {
  fs_->SetObserver(nullptr);
  SimEvent end;
  end.number = fs_->calls() + 1;
  end.path = "(end of the run)";
  TakePoint(end, /*always=*/true);
  std::lock_guard lock(mutex_);
  return std::move(points_);
}

uint64_t Explorer::all_points() const {
  uint64_t sum = 0;
  for (uint64_t n : points_) sum += n;
  return sum;
}

void Explorer::Fail(const std::string& what, const std::string& trail) {
  failures_.push_back({what, trail});
}

bool Explorer::Explore(const std::vector<CrashPoint>& points, uint64_t budget) {
  std::vector<size_t> order(points.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random_);
  const uint64_t end = all_points() + budget;
  for (size_t i : order) {
    if (all_points() >= end) break;
    if (!Explore(points[i])) return false;
  }
  return true;
}

bool Explorer::Explore(const CrashPoint& point, int depth, const std::string& trail) {
  static const char* const kStages[] = {"before", "during", "after"};
  const std::string where = absl::StrCat(
      trail, "crash ", depth, " ", kStages[static_cast<int>(point.event.stage)], " call ",
      point.event.number, ": ", SimCallName(point.event.call), " ", point.event.path, " at ",
      point.event.offset, ", ", point.event.size, " bytes; allowed ", point.bounds.durable, " (",
      point.bounds.acknowledged, ") to ", point.bounds.called, "\n");
  if (points_.size() < static_cast<size_t>(depth)) points_.resize(depth);
  const uint64_t kind = random_() % 8;
  if (kind == 0 && options_.deaths) {
    ++points_[depth - 1];
    ++deaths_;
    if (!Recover(point, point.disk, /*death=*/true, depth, where + "  the process dies\n"))
      return false;
  }
  CrashEnumerator enumerator(point.disk, random_(), options_.leftovers);
  int plans = depth == 1 ? options_.plans_per_point : 1 + static_cast<int>(random_() % 2);
  // Few moments have it, and much can go wrong there.
  if (point.event.durable_writes > 1) plans *= 4;
  for (int i = 0; i < plans; ++i) {
    const std::optional<CrashPlan> plan = enumerator.Next();
    if (!plan) break;
    ++points_[depth - 1];
    const std::string described = where + plan->Describe(point.disk);
    if (!Recover(point, ApplyPlan(point.disk, *plan), /*death=*/false, depth, described))
      return false;
  }
  return true;
}

namespace {

// Lets go of a database without letting it write any more.
void Abandon(SimFileSystem* fs, std::unique_ptr<Subject> subject) {
  fs->InjectFault({fs->calls() + 1, SimFault::Kind::kIoError, /*sticky=*/true});
  subject.reset();
}

}  // namespace

bool Explorer::Recover(const CrashPoint& point, DiskState disk, bool death, int depth,
                       const std::string& trail) {
  SimOptions sim = options_.sim;
  sim.seed = random_();
  SimFileSystem fs(std::move(disk), sim);
  SubjectOptions subject_options = options_.subject;
  subject_options.file_system = &fs;
  // What is open only because of a log must be settled before open returns (S32); without one, before the
  // first commit.
  const bool settled_at_open = !death || fs.Names().size() > 1;
  const uint64_t lowest = death ? point.bounds.acknowledged : point.bounds.durable;

  // Half of the first recoveries, and fewer of the later ones, are watched for the next crash.
  const bool deeper = depth < options_.max_depth && (death || random_() % (2 * depth) == 0);
  std::optional<Recorder> recorder;
  if (deeper) {
    recorder.emplace(&fs, point.history, /*limit=*/2, random_());
    Bounds opening = point.bounds;
    // What the page cache alone held went with the power.
    if (!death) opening.acknowledged = opening.durable;
    recorder->SetHistory(point.history, opening);
  }

  std::unique_ptr<Subject> subject = options_.make();
  const auto fail = [&](const char* doing, const Status& status) {
    Fail(absl::StrCat(doing, ": ", status.ToString()), trail);
    Abandon(&fs, std::move(subject));
    return false;
  };
  if (Status opened = subject->Open(subject_options); !opened.ok()) return fail("open", opened);
  const StatusOr<Contents> contents = subject->Read();
  if (!contents.ok()) return fail("read after recovery", contents.status());
  const StatusOr<uint64_t> found = point.history->Identify(*contents, lowest, point.bounds.called);
  if (!found.ok()) return fail("state after recovery", found.status());
  if (Status checked = subject->Check(); !checked.ok())
    return fail("check after recovery", checked);

  const auto life = std::make_shared<History>(*point.history, *found,
                                              settled_at_open ? *found : point.bounds.durable);
  if (recorder) recorder->SetHistory(life);

  // Further commits.
  TxnRunner runner(subject.get(), life);
  const int commits = static_cast<int>(random_() % 4);
  for (int i = 0; i < commits; ++i) {
    TxnShape shape;
    shape.operations = 1 + static_cast<int>(random_() % 6);
    shape.keys = 100;
    shape.value_bytes = random_() % 8 == 0 ? 3000 : 100;
    const Durability level = random_() % 4 == 0 ? Durability::kNormal : Durability::kFull;
    if (Status done = runner.Run(shape, level, &random_); !done.ok()) {
      return fail("commit after recovery", done);
    }
    if (random_() % 8 == 0) {
      if (Status done = subject->Checkpoint(); !done.ok())
        return fail("checkpoint after recovery", done);
      life->Synced(life->newest());
    }
  }
  if (commits > 0 && random_() % 4 == 0) {
    if (Status checked = subject->Check(); !checked.ok()) {
      return fail("check after further commits", checked);
    }
  }
  if (random_() % 2 == 0) {
    // A clean end, and what it leaves.
    if (Status closed = subject->Close(); !closed.ok()) return fail("close after recovery", closed);
    life->Synced(life->newest());
    subject = options_.make();
    if (Status opened = subject->Open(subject_options); !opened.ok()) return fail("reopen", opened);
    const StatusOr<Contents> again = subject->Read();
    if (!again.ok()) return fail("read after reopening", again.status());
    const auto same = life->Identify(*again, life->newest(), life->newest());
    if (!same.ok()) return fail("state after reopening", same.status());
    if (Status checked = subject->Check(); !checked.ok())
      return fail("check after reopening", checked);
  }
  std::vector<CrashPoint> next;
  if (recorder) {
    next = recorder->TakePoints();
    recorder.reset();
  }
  Abandon(&fs, std::move(subject));
  for (const CrashPoint& crash : next) {
    if (!Explore(crash, depth + 1, trail)) return false;
  }
  return true;
}

std::string ValueOf(uint64_t seed, size_t bytes) {
  std::string value(bytes, '\0');
  uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
  for (size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    value[i] = static_cast<char>(x >> (i % 8 * 8));
  }
  return value;
}

Status TxnRunner::RunIn(const Body& body, Durability level, bool roll_back) {
  KV_ASSIGN_OR_RETURN(std::unique_ptr<SubjectTxn> txn, subject_->Begin());
  KV_ASSIGN_OR_RETURN(const uint64_t base, txn->Counter());
  Contents contents = *history_->state(base);
  const uint64_t index = base + 1;
  KV_RETURN_IF_ERROR(body(*txn, index, &contents));
  if (roll_back) {
    txn.reset();
    return absl::AbortedError("rolled back");
  }
  KV_RETURN_IF_ERROR(
      txn->Put(kCounterKey, std::string_view(reinterpret_cast<const char*>(&index), 8)));
  history_->Calling(index, std::move(contents));
  KV_RETURN_IF_ERROR(txn->Commit(level));
  history_->Acknowledged(index, level);
  return absl::OkStatus();
}

Status TxnRunner::Run(const TxnShape& shape, Durability level, Random* random, bool roll_back) {
  const auto body = [&](SubjectTxn& txn, uint64_t index, Contents* contents) -> Status {
    std::vector<Contents> savepoints;
    for (int i = 0; i < shape.operations; ++i) {
      const bool object = static_cast<int>((*random)() % 100) < shape.objects_percent;
      const uint32_t key = object ? kFirstObjectKey + (*random)() % kObjects
                                  : static_cast<uint32_t>((*random)() % shape.keys);
      const int dice = object ? shape.range_deletes_percent + static_cast<int>((*random)() % 50)
                              : static_cast<int>((*random)() % 100);
      if (dice < shape.range_deletes_percent) {
        const uint32_t end = key + 1 + (*random)() % 20;
        KV_RETURN_IF_ERROR(txn.DeleteRange(key, end));
        contents->erase(contents->lower_bound(key), contents->lower_bound(end));
      } else if (dice < shape.range_deletes_percent + shape.deletes_percent) {
        KV_RETURN_IF_ERROR(txn.Delete(key));
        contents->erase(key);
      } else {
        const size_t bytes = (*random)() % (shape.value_bytes + 1);
        const std::string value = ValueOf(index * 1000 + i, bytes);
        KV_RETURN_IF_ERROR(txn.Put(key, value));
        (*contents)[key] = FingerprintOf(value);
      }
      if (static_cast<int>((*random)() % 100) >= shape.savepoints_percent) continue;
      switch ((*random)() % 3) {
        case 0:
          KV_RETURN_IF_ERROR(txn.SetSavepoint());
          savepoints.push_back(*contents);
          break;
        case 1:
          if (savepoints.empty()) break;
          KV_RETURN_IF_ERROR(txn.RollbackToSavepoint());
          *contents = std::move(savepoints.back());
          savepoints.pop_back();
          break;
        default:
          if (savepoints.empty()) break;
          KV_RETURN_IF_ERROR(txn.ReleaseSavepoint());
          savepoints.pop_back();
          break;
      }
    }
    return absl::OkStatus();
  };
  return RunIn(body, level, roll_back);
}

Status TxnRunner::RunDelete(uint32_t lo, uint32_t hi, Durability level) {
  const auto body = [&](SubjectTxn& txn, uint64_t, Contents* contents) -> Status {
    KV_RETURN_IF_ERROR(txn.DeleteRange(lo, hi));
    contents->erase(contents->lower_bound(lo), contents->lower_bound(hi));
    return absl::OkStatus();
  };
  return RunIn(body, level, /*roll_back=*/false);
}

}  // namespace kvsql::testing
