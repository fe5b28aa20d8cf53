#include "bench/agent_memory/worker.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "bench/agent_memory/json_codec.h"
#include "bench/agent_memory/oracle.h"
#include "bench/agent_memory/stores.h"
#include "bench/clock.h"
#include "bench/fatal.h"
#include "bench/stats.h"

namespace kvsql::bench::agent_memory {
namespace {

// Streams of Mix for what is asked; the round is added, and all variants of a round get the same calls.
constexpr uint64_t kRecallStream = uint64_t{1} << 40;
constexpr uint64_t kLatestStream = uint64_t{2} << 40;
constexpr uint64_t kUpdateStream = uint64_t{3} << 40;
constexpr uint64_t kMixedStream = uint64_t{4} << 40;

class Timer {
 public:
  template <class Call>
  void Time(Call&& call) {
    const int64_t begin = NowNanos();
    call();
    const int64_t nanos = NowNanos() - begin;
    histogram_.Add(nanos);
    total_ += nanos;
    max_ = std::max(max_, nanos);
  }

  Latencies Result() const {
    if (histogram_.count() == 0) return {};
    const auto micros = [this](double percent) { return histogram_.Percentile(percent) / 1e3; };
    return {.calls = histogram_.count(),
            .p50 = micros(50),
            .p99 = micros(99),
            .p999 = micros(99.9),
            .max = static_cast<double>(max_) / 1e3,
            .mean = static_cast<double>(total_) / 1e3 / static_cast<double>(histogram_.count())};
  }

 private:
  LatencyHistogram histogram_;
  int64_t total_ = 0;
  int64_t max_ = 0;
};

// The most memory this process has had: of its own and of mapped files.
uint64_t PeakRssBytes() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    if (word != "VmHWM:") continue;
    uint64_t kib = 0;
    file >> kib;
    return kib * 1024;
  }
  Fatal("/proc/self/status has no VmHWM: peak_rss cannot be measured here");
}

class Worker {
 public:
  explicit Worker(const Task& task)
      : task_(task),
        json_(task.mode == ValueMode::kJson),
        store_(VariantOf(task.variant).make()),
        oracle_(task.text, task.command == Command::kLoad && task.layout == Layout::kNormal
                               ? 0
                               : task.records) {}

  TaskResult Run() {
    switch (task_.command) {
      case Command::kLoad:
        Load();
        break;
      case Command::kRead:
        Read();
        break;
      case Command::kWrite:
        Write();
        break;
    }
    result_.peak_rss_bytes = PeakRssBytes();
    return result_;
  }

 private:
  void Load() {
    store_->Open(task_.path, task_.sync);
    if (task_.layout == Layout::kBulk) {
      const Population population(oracle_.model(), task_.records, store_->order());
      const Stopwatch watch;
      store_->BulkLoad(population);
      result_.load_seconds = watch.seconds();
    } else {
      store_->MakeIndex();
      Timer insert;
      for (uint32_t i = 0; i < task_.records; ++i) InsertOne(insert, /*read_back=*/false);
      result_.operations["insert"] = insert.Result();
    }
    store_->AfterLoad();
    oracle_.CheckAll(*store_);
    if (task_.check_integrity) store_->CheckIntegrity();
    Finish();
  }

  void Read() {
    store_->Open(task_.path, task_.sync);
    oracle_.CheckAll(*store_);
    Timer recall;
    for (uint32_t i = 0; i < task_.calls; ++i) RecallOne(recall, Drawn(kRecallStream, i));
    result_.operations["recall"] = recall.Result();
    Timer latest;
    for (uint32_t i = 0; i < task_.calls; ++i) LatestOne(latest, i);
    result_.operations["latest10"] = latest.Result();
    if (store_->has_recall_row()) {
      Timer row;
      for (uint32_t i = 0; i < task_.calls; ++i) {
        const uint32_t sequence = Drawn(kRecallStream, i);
        row.Time([&] {
          store_->RecallRow(IdOf(sequence), &value_);
          Decode(value_, &memory_);
        });
        CheckOne(sequence);
      }
      result_.operations["recall_row"] = row.Result();
    }
    oracle_.CheckAll(*store_);
    Finish();
  }

  void Write() {
    store_->Open(task_.path, task_.sync);
    oracle_.CheckAll(*store_);
    Timer insert, recall, latest, update, mixed;
    for (uint32_t i = 0; i < task_.calls; ++i) InsertOne(insert, /*read_back=*/true);
    for (uint32_t i = 0; i < task_.calls; ++i) RecallOne(recall, Drawn(kRecallStream, i));
    for (uint32_t i = 0; i < task_.calls; ++i) LatestOne(latest, i);
    for (uint32_t i = 0; i < task_.calls; ++i) UpdateOne(update, Drawn(kUpdateStream, i));
    for (uint32_t i = 0; i < task_.calls; ++i) {
      const uint32_t sequence = Drawn(kMixedStream, i);
      i % 10 == 9 ? UpdateOne(mixed, sequence) : RecallOne(mixed, sequence);
    }
    result_.operations["insert"] = insert.Result();
    result_.operations["recall"] = recall.Result();
    result_.operations["latest10"] = latest.Result();
    result_.operations["update"] = update.Result();
    result_.operations["mixed"] = mixed.Result();
    oracle_.CheckAll(*store_);
    Finish();
    store_->Open(task_.path, task_.sync);
    oracle_.CheckAll(*store_);
    store_->CheckIntegrity();
    store_->Close();
  }

  void Finish() {
    const Stopwatch watch;
    store_->Close();
    result_.finish_seconds = watch.seconds();
  }

  uint32_t Drawn(uint64_t stream, uint32_t i) const {
    return 1 + static_cast<uint32_t>(Mix(stream + task_.round, i) % oracle_.records());
  }

  void Decode(const ValueBuffer& value, Memory* memory) {
    if (json_) codec_.Decode(value, memory);
  }

  void CheckOne(uint32_t sequence) {
    oracle_.CheckValue(sequence, value_.view());
    if (json_) oracle_.CheckMemory(sequence, memory_);
  }

  void RecallOne(Timer& timer, uint32_t sequence) {
    const MemoryId id = IdOf(sequence);
    timer.Time([&] {
      store_->Recall(id, &value_);
      Decode(value_, &memory_);
    });
    CheckOne(sequence);
  }

  void LatestOne(Timer& timer, uint32_t i) {
    const auto agent = static_cast<uint32_t>(Mix(kLatestStream + task_.round, i) % kAgents);
    timer.Time([&] {
      store_->Latest(agent, &latest_);
      for (size_t k = 0; k < latest_.count; ++k) Decode(latest_.values[k], &memories_[k]);
    });
    oracle_.CheckLatest(agent, latest_);
    if (!json_) return;
    const std::vector<uint32_t> expected = oracle_.LatestOf(agent);
    for (size_t k = 0; k < expected.size(); ++k) oracle_.CheckMemory(expected[k], memories_[k]);
  }

  // Runs write(value) in the timer, after encoding the value there if the mode says so.
  template <class Call>
  void TimeWrite(Timer& timer, uint32_t sequence, Call&& write) {
    if (json_) {
      oracle_.Expected(sequence, &memory_);
      timer.Time([&] {
        JsonCodec::Encode(memory_, &encoded_);
        write(encoded_);
      });
    } else {
      oracle_.ExpectedValue(sequence, &value_);
      timer.Time([&] { write(value_.view()); });
    }
  }

  void InsertOne(Timer& timer, bool read_back) {
    const uint32_t sequence = oracle_.Insert();
    const MemoryId id = IdOf(sequence);
    TimeWrite(timer, sequence, [&](std::string_view value) { store_->Insert(id, value); });
    if (read_back) ReadBack(id);
  }

  void UpdateOne(Timer& timer, uint32_t sequence) {
    oracle_.Update(sequence);
    const MemoryId id = IdOf(sequence);
    TimeWrite(timer, sequence, [&](std::string_view value) { store_->Update(id, value); });
    ReadBack(id);
  }

  void ReadBack(MemoryId id) {
    store_->Recall(id, &value_);
    oracle_.CheckValue(id.sequence, value_.view());
  }

  const Task& task_;
  const bool json_;
  const std::unique_ptr<Store> store_;
  Oracle oracle_;
  JsonCodec codec_;
  TaskResult result_;
  ValueBuffer value_;
  LatestBuffer latest_;
  Memory memory_;
  std::array<Memory, kLatest> memories_;
  std::string encoded_;
};

}  // namespace

TaskResult DoTask(const Task& task) { return Worker(task).Run(); }

}  // namespace kvsql::bench::agent_memory
