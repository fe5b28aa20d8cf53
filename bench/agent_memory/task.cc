#include "bench/agent_memory/task.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {
namespace {

using Object = nlohmann::ordered_json;

// The enum of that name, all of whose values begin at 0 and follow each other.
template <class Enum>
Enum EnumOf(std::string_view name, int count) {
  for (int i = 0; i < count; ++i) {
    if (NameOf(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  Fatal(absl::StrCat("a task names '", std::string(name), "', which is not known"));
}

Object Parse(const std::string& text) {
  Object object = Object::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) Fatal(absl::StrCat("not a task or result: ", text.substr(0, 200)));
  return object;
}

}  // namespace

const char* NameOf(Command command) {
  constexpr const char* kNames[] = {"load", "read", "write"};
  return kNames[static_cast<int>(command)];
}
const char* NameOf(TextKind text) { return text == TextKind::kLetters ? "letters" : "vocabulary"; }
const char* NameOf(Layout layout) { return layout == Layout::kBulk ? "bulk" : "normal"; }
const char* NameOf(ValueMode mode) { return mode == ValueMode::kRaw ? "raw" : "json"; }
const char* NameOf(Sync sync) {
  constexpr const char* kNames[] = {"off", "normal", "full"};
  return kNames[static_cast<int>(sync)];
}

std::string ToJson(const Task& task) {
  return Object{{"command", NameOf(task.command)},
                {"variant", task.variant},
                {"path", task.path},
                {"records", task.records},
                {"calls", task.calls},
                {"round", task.round},
                {"text", NameOf(task.text)},
                {"layout", NameOf(task.layout)},
                {"mode", NameOf(task.mode)},
                {"sync", NameOf(task.sync)},
                {"check_integrity", task.check_integrity}}
      .dump();
}

Task TaskFromJson(const std::string& text) {
  const Object object = Parse(text);
  const auto name = [&](const char* key) { return object.value(key, std::string()); };
  Task task;
  task.command = EnumOf<Command>(name("command"), 3);
  task.variant = name("variant");
  task.path = name("path");
  task.records = object.value("records", 0u);
  task.calls = object.value("calls", 0u);
  task.round = object.value("round", 0u);
  task.text = EnumOf<TextKind>(name("text"), 2);
  task.layout = EnumOf<Layout>(name("layout"), 2);
  task.mode = EnumOf<ValueMode>(name("mode"), 2);
  task.sync = EnumOf<Sync>(name("sync"), 3);
  task.check_integrity = object.value("check_integrity", false);
  return task;
}

std::string ToJson(const TaskResult& result) {
  Object operations = Object::object();
  for (const auto& [name, latencies] : result.operations) {
    operations[name] = {{"calls", latencies.calls}, {"p50", latencies.p50},
                        {"p99", latencies.p99},     {"p999", latencies.p999},
                        {"max", latencies.max},     {"mean", latencies.mean}};
  }
  return Object{{"operations", operations},
                {"load_seconds", result.load_seconds},
                {"finish_seconds", result.finish_seconds},
                {"peak_rss_bytes", result.peak_rss_bytes}}
      .dump();
}

TaskResult TaskResultFromJson(const std::string& text) {
  const Object object = Parse(text);
  TaskResult result;
  for (const auto& [name, latencies] : object["operations"].items()) {
    result.operations[name] = {.calls = latencies.value("calls", uint64_t{0}),
                               .p50 = latencies.value("p50", 0.0),
                               .p99 = latencies.value("p99", 0.0),
                               .p999 = latencies.value("p999", 0.0),
                               .max = latencies.value("max", 0.0),
                               .mean = latencies.value("mean", 0.0)};
  }
  result.load_seconds = object.value("load_seconds", 0.0);
  result.finish_seconds = object.value("finish_seconds", 0.0);
  result.peak_rss_bytes = object.value("peak_rss_bytes", uint64_t{0});
  return result;
}

}  // namespace kvsql::bench::agent_memory
