#include "tests/sql/pool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "kv/value.h"

namespace kvsql::slt {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(2);
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch())
      .count();
}

// What a child tells its parent without a system call.
struct Live {
  std::atomic<uint64_t> passed;
  std::atomic<uint64_t> skipped;
  std::atomic<uint64_t> index;  // of the record that began last
  std::atomic<uint64_t> line;
  std::atomic<bool> inside;    // it has not ended
  std::atomic<int64_t> began;  // milliseconds
};

void PutText(const std::string& text, std::string* frame) {
  const auto size = static_cast<uint32_t>(text.size());
  frame->append(reinterpret_cast<const char*>(&size), sizeof(size));
  frame->append(text);
}

std::string TakeText(const std::string& frame, size_t* at) {
  uint32_t size = 0;
  std::memcpy(&size, frame.data() + *at, sizeof(size));
  *at += sizeof(size) + size;
  return frame.substr(*at - size, size);
}

class ChildListener : public Listener {
 public:
  ChildListener(Live* live, int pipe, size_t max_failures)
      : live_(live), pipe_(pipe), full_left_(max_failures) {}

  void Begin(size_t index, size_t line) override {
    live_->index = index;
    live_->line = line;
    live_->began = NowMs();
    live_->inside = true;
  }
  void Passed() override { Count(&live_->passed); }
  void Skipped() override { Count(&live_->skipped); }
  void Failed(const Failure& failure) override {
    const bool full = full_left_ > 0;
    if (full) --full_left_;
    const uint64_t line = failure.line;
    std::string body(reinterpret_cast<const char*>(&line), sizeof(line));
    PutText(failure.what, &body);
    PutText(full ? failure.sql : "", &body);
    PutText(full ? failure.detail : "", &body);
    std::string frame;
    PutText(body, &frame);
    for (size_t sent = 0; sent < frame.size();) {
      const ssize_t n = write(pipe_, frame.data() + sent, frame.size() - sent);
      if (n < 0 && errno != EINTR) _exit(2);
      if (n > 0) sent += static_cast<size_t>(n);
    }
    live_->inside = false;
  }

 private:
  void Count(std::atomic<uint64_t>* counter) {
    counter->store(counter->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    live_->inside = false;
  }

  Live* const live_;
  const int pipe_;
  size_t full_left_;
};

// One place in the pool: the child at work on a file, or nobody.
class Worker {
 public:
  Worker(const PoolOptions& options, size_t number) : options_(options) {
    void* shared =
        mmap(nullptr, sizeof(Live), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) Die("mmap");
    live_ = new (shared) Live();
    database_ = options.database;
    if (!database_.empty() && options.jobs > 1) database_ += "." + std::to_string(number);
    std::string scratch = (std::filesystem::temp_directory_path() / "slt_runner.XXXXXX").string();
    if (mkdtemp(scratch.data()) == nullptr) Die("mkdtemp");
    scratch_ = scratch;
  }
  ~Worker() {
    munmap(live_, sizeof(Live));
    std::error_code ignored;
    std::filesystem::remove_all(scratch_, ignored);
    if (!database_.empty()) engines::RemoveDatabase(database_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool busy() const { return pid_ > 0; }
  int pipe() const { return pipe_; }
  const FileReport& report() const { return report_; }
  uint64_t passed() const { return report_.passed + live_->passed; }

  void Start(const std::string& path) {
    report_ = FileReport();
    report_.path = path;
    started_ = Clock::now();
    Fork(0, "");
  }

  // Ends a child whose record takes too long.
  void Watch() {
    if (!live_->inside || killed_) return;
    const auto limit = std::chrono::milliseconds(options_.record_timeout).count();
    if (NowMs() - live_->began < limit) return;
    killed_ = true;
    kill(pid_, SIGKILL);
  }

  // Takes in what the child has sent. True: the file is done.
  bool Receive() {
    char buffer[65536];
    const ssize_t n = read(pipe_, buffer, sizeof(buffer));
    if (n < 0) return false;
    if (n > 0) {
      received_.append(buffer, static_cast<size_t>(n));
      TakeFrames();
      return false;
    }
    return Ended();
  }

 private:
  void Fork(size_t first, const std::string& not_reached) {
    live_->passed = 0;
    live_->skipped = 0;
    live_->index = first;
    live_->line = 0;
    live_->inside = false;
    killed_ = false;
    received_.clear();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) Die("pipe");
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ < 0) Die("fork");
    if (pid_ == 0) {
      close(ends[0]);
      if (chdir(scratch_.c_str()) != 0) _exit(2);
      RunOptions run;
      run.engine = options_.engine;
      run.database = database_;
      run.scratch = scratch_;
      run.first = first;
      run.not_reached = not_reached;
      const size_t shown = std::min(report_.failures.size(), options_.max_failures);
      ChildListener listener(live_, ends[1], options_.max_failures - shown);
      (IsSqltest(report_.path) ? RunSqltestFile : RunSltFile)(report_.path, run, &listener);
      _exit(0);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }

  void TakeFrames() {
    size_t at = 0;
    while (received_.size() - at >= sizeof(uint32_t)) {
      uint32_t size = 0;
      std::memcpy(&size, received_.data() + at, sizeof(size));
      if (received_.size() - at < sizeof(size) + size) break;
      const std::string body = TakeText(received_, &at);
      Failure failure;
      uint64_t line = 0;
      std::memcpy(&line, body.data(), sizeof(line));
      size_t inside = sizeof(line);
      failure.line = line;
      failure.what = TakeText(body, &inside);
      failure.sql = TakeText(body, &inside);
      failure.detail = TakeText(body, &inside);
      Add(std::move(failure));
    }
    received_.erase(0, at);
  }

  void Add(Failure failure) {
    ++report_.failed;
    Reason& reason = report_.reasons[NormaliseReason(failure.what)];
    if (reason.records++ == 0) reason.first_line = failure.line;
    if (report_.failures.size() < options_.max_failures) {
      report_.failures.push_back(std::move(failure));
    }
  }

  // The child has closed its end. True: the file is done; false: another child goes on behind a record
  // that killed this one.
  bool Ended() {
    close(pipe_);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    report_.passed += live_->passed;
    report_.skipped += live_->skipped;
    report_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_, ignored)) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;

    Failure failure;
    failure.line = live_->line;
    if (killed_) {
      failure.what =
          "timeout: it took longer than " + std::to_string(options_.record_timeout.count()) + " s";
    } else if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      failure.what =
          std::string("crash: signal ") + sigabbrev_np(signal) + " (" + strsignal(signal) + ")";
    } else {
      failure.what = "crash: exit status " + std::to_string(WEXITSTATUS(status));
    }
    if (!live_->inside) failure.what += " behind the record";
    const std::string line = std::to_string(failure.line);
    Add(std::move(failure));
    Fork(live_->index + 1,
         IsSqltest(report_.path) ? "" : "not reached: the run ended at line " + line);
    return false;
  }

  const PoolOptions& options_;
  Live* live_ = nullptr;
  std::string database_;
  std::string scratch_;
  pid_t pid_ = 0;
  int pipe_ = -1;
  bool killed_ = false;
  std::string received_;
  FileReport report_;
  Clock::time_point started_;
};

}  // namespace

void RunFiles(const std::vector<std::string>& paths, const PoolOptions& options,
              const std::function<void(const FileReport&)>& done,
              const std::function<void(const Progress&)>& progress) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < std::max<size_t>(1, std::min(options.jobs, paths.size())); ++i) {
    workers.push_back(std::make_unique<Worker>(options, i));
  }
  Progress seen;
  size_t next = 0;
  while (seen.files_done < paths.size()) {
    std::vector<pollfd> polled;
    std::vector<Worker*> owners;
    for (const auto& worker : workers) {
      if (!worker->busy() && next < paths.size()) worker->Start(paths[next++]);
      if (!worker->busy()) continue;
      polled.push_back({worker->pipe(), POLLIN, 0});
      owners.push_back(worker.get());
    }
    if (poll(polled.data(), polled.size(), 250) < 0 && errno != EINTR) Die("poll");
    for (size_t i = 0; i < owners.size(); ++i) {
      Worker& worker = *owners[i];
      worker.Watch();
      if ((polled[i].revents & (POLLIN | POLLHUP)) == 0 || !worker.Receive()) continue;
      ++seen.files_done;
      seen.passed += worker.report().passed;
      seen.failed += worker.report().failed;
      done(worker.report());
    }
    Progress now = seen;
    for (const auto& worker : workers) {
      if (!worker->busy()) continue;
      now.passed += worker->passed();
      now.failed += worker->report().failed;
      now.running = worker->report().path;
    }
    progress(now);
  }
}

std::string NormaliseReason(const std::string& what) {
  // " at line 1, column 8" ends most of kvsql's messages.
  std::string text = what.substr(0, what.find('\n'));
  if (const size_t at = text.find(" at line ");
      at != std::string::npos && std::isdigit(static_cast<unsigned char>(text[at + 9]))) {
    text.resize(at);
  }
  for (const char* named :
       {"no such table: ", "no such column: ", "no such index: ", "no such view: "}) {
    const size_t at = text.find(named);
    if (at != std::string::npos) text.resize(at + std::strlen(named)), text += "*";
  }
  if (text.find("not supported yet: function ") != std::string::npos) text = kv::LowerAscii(text);
  std::string reason;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool word_before =
        !reason.empty() &&
        (std::isalnum(static_cast<unsigned char>(reason.back())) || reason.back() == '_');
    if (std::isdigit(static_cast<unsigned char>(c)) && !word_before) {
      while (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]))) ++i;
      reason += "N";
    } else {
      reason.push_back(c);
    }
  }
  return reason;
}

}  // namespace kvsql::slt
