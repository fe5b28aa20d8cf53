// Dot commands that change how the shell behaves.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "shell/commands.h"
#include "shell/names.h"

namespace kvsql::shell {

Flow ChooseModeCommand(Shell* shell, Arguments args, const Place& place) {
  Settings& settings = shell->settings();
  if (args.size() == 1) {
    shell->output().Write("current output mode: ");
    shell->output().Write(ModeName(settings.mode));
    if (IsTabular(settings.mode)) {
      shell->output().Write(" --wrap " + std::to_string(settings.wrap) + " --wordwrap " +
                            (settings.word_wrap ? "on" : "off") + " --noquote");
    }
    shell->output().Write("\n");
    return Flow::kGoOn;
  }
  // Options may stand anywhere.
  std::vector<std::string> words;
  std::optional<int> wrap;
  std::optional<bool> word_wrap;
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word == "--wrap" && i + 1 < args.size()) {
      const std::string& number = args[++i];
      int width = 0;
      std::from_chars(number.data(), number.data() + number.size(), width);
      wrap = std::clamp(width, 0, 1'000'000);
    } else if (word == "--wordwrap" && i + 1 < args.size()) {
      word_wrap = MeansTrue(args[++i]);
    } else if (word == "--ww") {
      word_wrap = true;
    } else if (word != "--noquote") {
      words.push_back(word);
    }
  }
  if (words.empty()) words.emplace_back(ModeName(settings.mode));
  if (words.size() > 2 || !ChooseMode(words[0], &settings)) {
    shell->Complain(
        "mode should be one of: ascii box column csv insert json line list markdown "
        "quote table tabs",
        &place);
    return shell->flow_after_error();
  }
  if (settings.mode == Mode::kInsert) {
    settings.insert_table = QuotedWhereNeeded(words.size() > 1 ? words[1] : "table");
  }
  if (wrap.has_value()) settings.wrap = *wrap;
  if (word_wrap.has_value()) settings.word_wrap = *word_wrap;
  return Flow::kGoOn;
}

Flow HeadersCommand(Shell* shell, Arguments args, const Place&) {
  shell->settings().headers = MeansTrue(args[1]);
  shell->settings().headers_chosen = true;
  return Flow::kGoOn;
}

Flow SeparatorCommand(Shell* shell, Arguments args, const Place&) {
  shell->settings().column_separator = args[1];
  if (args.size() > 2) shell->settings().row_separator = args[2];
  return Flow::kGoOn;
}

Flow NullValueCommand(Shell* shell, Arguments args, const Place&) {
  shell->settings().null_value = args[1];
  return Flow::kGoOn;
}

Flow WidthCommand(Shell* shell, Arguments args, const Place& place) {
  std::vector<int> widths;
  for (const std::string& word : args.subspan(1)) {
    int width = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), width);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || width < -10000 ||
        width > 10000) {
      shell->Complain("not a width: " + word, &place);
      return shell->flow_after_error();
    }
    widths.push_back(width);
  }
  shell->settings().widths = std::move(widths);
  return Flow::kGoOn;
}

Flow BailCommand(Shell* shell, Arguments args, const Place&) {
  shell->settings().bail = MeansTrue(args[1]);
  return Flow::kGoOn;
}

Flow EchoCommand(Shell* shell, Arguments args, const Place&) {
  shell->settings().echo = MeansTrue(args[1]);
  return Flow::kGoOn;
}

Flow TimerCommand(Shell* shell, Arguments args, const Place&) {
  shell->settings().timer = MeansTrue(args[1]);
  return Flow::kGoOn;
}

Flow OutputCommand(Shell* shell, Arguments args, const Place& place) {
  if (args.size() == 1 || args[1] == "stdout") {
    shell->output().Restore();
    return Flow::kGoOn;
  }
  const std::string file = args[1] == "off" ? "/dev/null" : args[1];
  if (!shell->output().RedirectTo(file)) {
    shell->Complain("cannot open \"" + file + "\": " + std::strerror(errno), &place);
    return shell->flow_after_error();
  }
  return Flow::kGoOn;
}

Flow PrintCommand(Shell* shell, Arguments args, const Place&) {
  for (size_t i = 1; i < args.size(); ++i) {
    if (i > 1) shell->output().Write(' ');
    shell->output().Write(args[i]);
  }
  shell->output().Write('\n');
  return Flow::kGoOn;
}

Flow ShowCommand(Shell* shell, Arguments, const Place&) {
  const Settings& settings = shell->settings();
  const auto line = [&](std::string_view name, std::string_view value) {
    shell->output().Fill(' ', 12 - name.size());
    shell->output().Write(name);
    shell->output().Write(": ");
    shell->output().Write(value);
    shell->output().Write('\n');
  };
  const auto quoted = [](std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '\n') {
        result += "\\n";
      } else if (c == '\r') {
        result += "\\r";
      } else if (c == '\t') {
        result += "\\t";
      } else {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
      }
    }
    return result + "\"";
  };
  const auto on = [](bool value) { return value ? "on" : "off"; };
  line("echo", on(settings.echo));
  line("headers", on(settings.headers));
  line("mode", ModeName(settings.mode));
  line("nullvalue", quoted(settings.null_value));
  line("colseparator", quoted(settings.column_separator));
  line("rowseparator", quoted(settings.row_separator));
  line("bail", on(settings.bail));
  line("timer", on(settings.timer));
  std::string widths;
  for (const int width : settings.widths) widths += std::to_string(width) + " ";
  line("width", widths);
  line("filename", shell->path());
  return Flow::kGoOn;
}

}  // namespace kvsql::shell
