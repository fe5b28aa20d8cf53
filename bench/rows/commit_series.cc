#include "bench/rows/commit_series.h"

#include <algorithm>
#include <latch>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "bench/clock.h"
#include "bench/fatal.h"
#include "bench/stats.h"

namespace kvsql::bench {
namespace {

constexpr uint32_t kPutOrder = 1'000'000;  // a seed of its own: all engines put in the same order

double Micros(int64_t nanos) { return static_cast<double>(nanos) / 1e3; }

}  // namespace

CommitSeries::CommitSeries(Lab& lab, Engine& engine)
    : engine_(engine),
      session_(engine.NewSession()),
      puts_(lab.data().Shuffled(kPutOrder)),
      next_row_(lab.data().rows()) {}

void CommitSeries::CommitNext(WriteOp op) {
  if (op == WriteOp::kInsert) {
    session_->Commit(op, MakeProbe(next_row_++), 0);
    return;
  }
  if (next_put_ == puts_.size()) {
    next_put_ = 0;
    ++version_;
  }
  session_->Commit(op, puts_[next_put_++], version_);
}

void CommitSeries::WarmUp(WriteOp op, uint32_t commits) {
  for (uint32_t i = 0; i < commits; ++i) CommitNext(op);
  engine_.Settle();
}

void CommitSeries::Run(WriteOp op, uint32_t commits) {
  micros_.reserve(micros_.size() + commits);
  const int64_t begin = NowNanos();
  int64_t last = begin;
  for (uint32_t i = 0; i < commits; ++i) {
    CommitNext(op);
    const int64_t now = NowNanos();
    micros_.push_back(Micros(now - last));
    last = now;
  }
  total_nanos_ += last - begin + engine_.Settle();
}

Sample CommitSeries::TakeSample() {
  Sample sample;
  sample.figure = Percentile(micros_, 50);
  sample.p99 = Percentile(micros_, 99);
  sample.mean = Micros(total_nanos_) / static_cast<double>(micros_.size());
  micros_.clear();
  total_nanos_ = 0;
  return sample;
}

std::vector<double> CommitInThreads(std::span<const std::unique_ptr<Session>> sessions,
                                    std::span<const Probe> probes, uint32_t commits,
                                    uint32_t version, double* seconds) {
  const size_t count = sessions.size();
  const uint32_t each = commits / static_cast<uint32_t>(count);
  std::latch start(static_cast<ptrdiff_t>(count));
  std::vector<std::vector<double>> micros(count);
  std::vector<int64_t> begins(count);
  std::vector<int64_t> ends(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      micros[i].reserve(each);
      start.arrive_and_wait();
      int64_t last = begins[i] = NowNanos();
      for (uint32_t n = 0; n < each; ++n) {
        // Each thread has keys of its own, so that the end state does not depend on who comes
        // first.
        sessions[i]->Commit(WriteOp::kPut, probes[(n * count + i) % probes.size()], version);
        const int64_t now = NowNanos();
        micros[i].push_back(Micros(now - last));
        last = now;
      }
      ends[i] = last;
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int64_t begin = *std::min_element(begins.begin(), begins.end());
  *seconds = static_cast<double>(*std::max_element(ends.begin(), ends.end()) - begin) * 1e-9;
  std::vector<double> all;
  for (const std::vector<double>& own : micros) all.insert(all.end(), own.begin(), own.end());
  return all;
}

void CompareKeys(Lab& lab, std::span<LoadedEngine> engines) {
  std::optional<uint64_t> expected;
  for (LoadedEngine& loaded : engines) {
    const uint64_t digest = loaded.engine->NewSession()->Read(
        ReadOp::kGetSnapshot, lab.data().in_order(), Digest::kExact);
    if (!expected) expected = digest;
    if (digest != *expected) {
      Fatal(absl::StrCat("after the commits ", LabelOf(loaded.engine->id()),
                         " holds other values than ", LabelOf(engines[0].engine->id())));
    }
  }
}

}  // namespace kvsql::bench
