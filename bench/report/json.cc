// bench.json.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/report/report.h"

namespace kvsql::bench {
namespace {

using Object = nlohmann::ordered_json;

constexpr EngineId kOthers[] = {EngineId::kSqlite, EngineId::kSqliteMmap, EngineId::kLmdb};

const char* KindText(BarKind kind) {
  switch (kind) {
    case BarKind::kRatioAtLeast:
      return "ratio_at_least";
    case BarKind::kSizeAtMost:
      return "size_at_most";
    case BarKind::kFigureAtMost:
      return "figure_at_most";
  }
  return "";
}

Object BarObject(const BarResult& result) {
  Object bar;
  bar["bar"] = BarText(*result.bar);
  bar["kind"] = KindText(result.bar->kind);
  bar["against"] = KeyOf(result.bar->against);
  bar["statistic"] = result.bar->statistic == Statistic::kMean ? "mean" : "figure";
  bar["limit"] = result.bar->limit;
  if (result.reached) bar["reached"] = *result.reached;
  if (result.verdict != Verdict::kNotMeasured) bar["met"] = result.verdict == Verdict::kMet;
  return bar;
}

template <class Getter>
Object PerEngine(Getter getter) {
  Object object = Object::object();
  for (EngineId engine : kAllEngines) {
    if (const std::optional<double> value = getter(engine)) object[KeyOf(engine)] = *value;
  }
  return object;
}

Object RowObject(const RowResult& row) {
  Object object;
  object["id"] = row.info().id;
  object["title"] = row.info().title;
  object["unit"] = row.info().unit;
  object["better"] = row.info().better == Better::kLower ? "lower" : "higher";
  object.update(PerEngine([&](EngineId engine) { return row.Figure(engine); }));
  if (!row.refused().empty()) object["refused"] = row.refused();
  for (EngineId engine : kOthers) {
    if (const auto ratio = row.Ratio(engine)) {
      object[absl::StrCat("ratio_", KeyOf(engine))] = *ratio;
    }
  }
  const Object p99 = PerEngine([&](EngineId engine) { return row.P99(engine); });
  if (!p99.empty()) object["p99"] = p99;
  const Object mean = PerEngine([&](EngineId engine) { return row.MeanOf(engine); });
  if (!mean.empty()) {
    object["mean"] = mean;
    for (EngineId engine : kOthers) {
      if (const auto ratio = row.Ratio(engine, Statistic::kMean)) {
        object[absl::StrCat("ratio_mean_", KeyOf(engine))] = *ratio;
      }
    }
  }
  object["bars"] = Object::array();
  for (const BarResult& bar : Judge(row)) object["bars"].push_back(BarObject(bar));
  return object;
}

}  // namespace

nlohmann::ordered_json JsonObject(const Results& results) {
  Object root;
  root["conditions"] = Object::object();
  for (const auto& [name, value] : results.conditions) root["conditions"][name] = value;
  root["rows"] = Object::array();
  for (const RowResult& row : results.rows) root["rows"].push_back(RowObject(row));
  return root;
}

std::string JsonText(const nlohmann::ordered_json& object) {
  // Bytes that are not UTF-8 (a mount's name can hold any) are replaced, not thrown at.
  return object.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

std::string Json(const Results& results) { return JsonText(JsonObject(results)); }

}  // namespace kvsql::bench
