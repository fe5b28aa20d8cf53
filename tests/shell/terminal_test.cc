// The shell at a terminal: prompts, continuation, completion, interruption, history.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kvsql::shell {
namespace {

class TerminalTest : public testing::Test {
 protected:
  TerminalTest() : home_(testing::TempDir() + "kvsql_terminal_" + std::to_string(getpid())) {
    std::filesystem::create_directories(home_);
  }
  ~TerminalTest() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);  // of a test that failed half-way
      waitpid(child_, nullptr, 0);
    }
    if (terminal_ >= 0) close(terminal_);
    std::filesystem::remove_all(home_);
  }

  void Start() {
    child_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      setenv("HOME", home_.c_str(), 1);
      setenv("TERM", "xterm", 1);
      execl(KVSQL_SHELL_PROGRAM, KVSQL_SHELL_PROGRAM, ":memory:", nullptr);
      _exit(127);
    }
    ASSERT_GT(child_, 0);
  }

  // Reads until `text` has come; what came behind it is kept for the next call.
  bool Sees(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      const size_t at = seen_.find(text);
      if (at != std::string::npos) {
        seen_.erase(0, at + text.size());
        return true;
      }
      pollfd waiting = {terminal_, POLLIN, 0};
      char buffer[4096];
      if (std::chrono::steady_clock::now() > end || poll(&waiting, 1, 1000) < 0) return false;
      if (waiting.revents == 0) continue;
      const ssize_t count = read(terminal_, buffer, sizeof(buffer));
      if (count <= 0) return false;
      seen_.append(buffer, static_cast<size_t>(count));
    }
  }
  void Type(const std::string& keys) {
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  const std::string home_;
  pid_t child_ = -1;
  int terminal_ = -1;
  std::string seen_;
};

TEST_F(TerminalTest, EditsCompletesAndRemembers) {
  Start();
  ASSERT_TRUE(Sees("kvsql> ")) << seen_;
  Type("SELECT 10 + 1\n");
  ASSERT_TRUE(Sees("...> ")) << seen_;
  Type("AS eleven;\n");
  EXPECT_TRUE(Sees("\u2502 eleven \u2502")) << seen_;
  EXPECT_TRUE(Sees("\u2502 11     \u2502")) << seen_;
  ASSERT_TRUE(Sees("kvsql> ")) << seen_;
  // The tab key completes the keyword.
  Type("sele\t 20 + 2;\n");
  EXPECT_TRUE(Sees("\u2502 22")) << seen_;
  ASSERT_TRUE(Sees("kvsql> ")) << seen_;
  // Ctrl-C gives up the statement, not the shell, at whatever moment it is hit.
  for (int hit = 0; hit < 20; ++hit) {
    Type("SELECT (\n");
    ASSERT_TRUE(Sees("...> ")) << seen_;
    usleep(static_cast<useconds_t>(hit * 20));
    Type("\x03");
    ASSERT_TRUE(Sees("kvsql> ")) << hit << seen_;
  }
  // Text beyond ASCII, in whatever language the person's environment is.
  Type("SELECT 'na\u00efve \u2192 ' || length('\u00ef\u2192') AS text;\n");
  EXPECT_TRUE(Sees("na\u00efve \u2192 2")) << seen_;
  ASSERT_TRUE(Sees("kvsql> ")) << seen_;
  Type("SELECT 30 + 3;\n");
  EXPECT_TRUE(Sees("\u2502 33")) << seen_;
  ASSERT_TRUE(Sees("kvsql> ")) << seen_;
  // An error does not make it exit with 1, and counts lines from the statement.
  Type("SELECT\n  FROM;\n");
  EXPECT_TRUE(Sees("Error at line 2, column 3: near \"FROM\": syntax error")) << seen_;
  ASSERT_TRUE(Sees("kvsql> ")) << seen_;
  Type(".quit\n");
  int status = 0;
  // Its terminal must be emptied before it can leave.
  Sees("never");
  ASSERT_EQ(waitpid(child_, &status, 0), child_);
  child_ = -1;
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::ifstream history(home_ + "/.kvsql_history");
  const std::string text((std::istreambuf_iterator<char>(history)),
                         std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("eleven;"), std::string::npos) << text;
}

}  // namespace
}  // namespace kvsql::shell
