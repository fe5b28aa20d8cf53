#include "bench/agent_memory/details.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/agent_memory/stores.h"
#include "bench/stats.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

bool SameGroup(const Task& a, const Task& b) {
  return a.command == b.command && a.layout == b.layout && a.text == b.text && a.mode == b.mode &&
         a.sync == b.sync && a.variant == b.variant;
}

double CallsPerSecond(const Latencies& latencies) {
  return latencies.mean > 0 ? 1e6 / latencies.mean : 0;
}

}  // namespace

Details::Details(const std::vector<Measurement>& measurements) {
  for (const Measurement& measurement : measurements) {
    auto at = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return SameGroup(group.task, measurement.task);
    });
    if (at == groups_.end()) at = groups_.insert(groups_.end(), Group{measurement.task, {}});
    at->rounds.push_back(&measurement);
  }
}

std::string Details::Group::Scenario() const {
  std::string name = absl::StrCat(NameOf(task.command), ", ", NameOf(task.layout), " layout, ",
                                  NameOf(task.text), ", ", NameOf(task.mode));
  if (task.command == Command::kWrite) {
    name =
        absl::StrCat(NameOf(task.command), ", ", NameOf(task.mode), ", level ", NameOf(task.sync));
  }
  return name;
}

std::vector<std::string> Details::Group::Operations() const {
  std::vector<std::string> names;
  for (const auto& [name, latencies] : rounds[0]->result.operations) names.push_back(name);
  return names;
}

template <class Getter>
double Details::Group::MedianOf(Getter get) const {
  std::vector<double> values;
  for (const Measurement* round : rounds) values.push_back(static_cast<double>(get(*round)));
  return Median(std::move(values));
}

Latencies Details::Group::Of(const std::string& operation) const {
  const auto median = [&](double Latencies::*member) {
    return MedianOf(
        [&](const Measurement& round) { return round.result.operations.at(operation).*member; });
  };
  Latencies latencies{.calls = rounds[0]->result.operations.at(operation).calls,
                      .p50 = median(&Latencies::p50),
                      .p99 = median(&Latencies::p99),
                      .p999 = median(&Latencies::p999),
                      .max = 0,
                      .mean = median(&Latencies::mean)};
  for (const Measurement* round : rounds) {
    latencies.max = std::max(latencies.max, round->result.operations.at(operation).max);
  }
  return latencies;
}

std::string Details::Markdown() const {
  std::string text =
      "## Details\n\nMicroseconds per call: medians of the rounds, of max the largest.\n\n"
      "| scenario | operation | variant | p50 | p99 | p99.9 | max | calls per second |\n"
      "|---|---|---|---:|---:|---:|---:|---:|\n";
  for (const Group& group : groups_) {
    for (const std::string& operation : group.Operations()) {
      const Latencies latencies = group.Of(operation);
      absl::StrAppendFormat(
          &text, "| %s | %s | %s | %s | %s | %s | %s | %.0f |\n", group.Scenario(), operation,
          VariantOf(group.task.variant).label, FigureText(latencies.p50), FigureText(latencies.p99),
          FigureText(latencies.p999), FigureText(latencies.max), CallsPerSecond(latencies));
    }
  }
  text +=
      "\nFile after the clean close (MiB), peak memory of the process that did it, its mapped "
      "files included (MiB), seconds.\n\n"
      "| scenario | variant | file | allocated | peak memory | load | close |\n"
      "|---|---|---:|---:|---:|---:|---:|\n";
  for (const Group& group : groups_) {
    const auto mib = [&](auto get) { return FigureText(group.MedianOf(get) / kMiB); };
    absl::StrAppend(&text, "| ", group.Scenario(), " | ", VariantOf(group.task.variant).label,
                    " | ", mib([](const Measurement& round) { return round.logical_bytes; }), " | ",
                    mib([](const Measurement& round) { return round.allocated_bytes; }), " | ",
                    mib([](const Measurement& round) { return round.result.peak_rss_bytes; }),
                    " | ", FigureText(group.MedianOf([](const Measurement& round) {
                      return round.result.load_seconds;
                    })),
                    " | ", FigureText(group.MedianOf([](const Measurement& round) {
                      return round.result.finish_seconds;
                    })),
                    " |\n");
  }
  return text;
}

nlohmann::ordered_json Details::Json() const {
  using Object = nlohmann::ordered_json;
  Object array = Object::array();
  for (const Group& group : groups_) {
    Object object = {{"command", NameOf(group.task.command)}, {"layout", NameOf(group.task.layout)},
                     {"text", NameOf(group.task.text)},       {"mode", NameOf(group.task.mode)},
                     {"sync", NameOf(group.task.sync)},       {"variant", group.task.variant},
                     {"rounds", group.rounds.size()}};
    object["operations"] = Object::object();
    for (const std::string& operation : group.Operations()) {
      const Latencies latencies = group.Of(operation);
      object["operations"][operation] = {{"calls", latencies.calls},
                                         {"p50", latencies.p50},
                                         {"p99", latencies.p99},
                                         {"p999", latencies.p999},
                                         {"max", latencies.max},
                                         {"mean", latencies.mean},
                                         {"calls_per_second", CallsPerSecond(latencies)}};
    }
    const auto add = [&](const char* name, auto get) { object[name] = group.MedianOf(get); };
    add("load_seconds", [](const Measurement& round) { return round.result.load_seconds; });
    add("finish_seconds", [](const Measurement& round) { return round.result.finish_seconds; });
    add("file_bytes", [](const Measurement& round) { return round.logical_bytes; });
    add("allocated_bytes", [](const Measurement& round) { return round.allocated_bytes; });
    add("peak_rss_bytes", [](const Measurement& round) { return round.result.peak_rss_bytes; });
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace kvsql::bench::agent_memory
