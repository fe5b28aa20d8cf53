#include "bench/child.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/clock.h"
#include "bench/fatal.h"

extern char** environ;

namespace kvsql::bench {

std::string FindProgram(const std::string& name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> directories = {self.parent_path().string()};
  const char* path = std::getenv("PATH");
  for (const auto& each : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    directories.emplace_back(each);
  }
  for (const std::string& directory : directories) {
    const std::string candidate = absl::StrCat(directory, "/", name);
    if (!directory.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

ChildResult RunChild(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  int pipes[2];
  if (pipe(pipes) != 0) Fatal("pipe failed");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipes[0]);
  posix_spawn_file_actions_addclose(&actions, pipes[1]);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  ChildResult result;
  pid_t child = 0;
  const Stopwatch watch;
  const int code =
      posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[1]);
  if (code != 0) Fatal(absl::StrCat("cannot start ", command[0], ": ", strerror(code)));
  char buffer[4096];
  ssize_t size;
  while ((size = read(pipes[0], buffer, sizeof(buffer))) > 0) {
    result.output.append(buffer, static_cast<size_t>(size));
  }
  int status = 0;
  waitpid(child, &status, 0);
  result.seconds = watch.seconds();
  close(pipes[0]);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace kvsql::bench
