#include "bench/agent_memory/oracle.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {

Oracle::Oracle(TextKind text, uint32_t records) : model_(text), records_(records) {
  size_t full = 0;
  for (uint32_t sequence = records; sequence > 0 && full < kAgents; --sequence) {
    std::vector<uint32_t>& newest = newest_[IdOf(sequence).agent];
    if (newest.size() == kLatest) continue;
    newest.push_back(sequence);
    full += newest.size() == kLatest;
  }
  for (std::vector<uint32_t>& newest : newest_) std::reverse(newest.begin(), newest.end());
}

uint32_t Oracle::Insert() {
  revisions_.resize(++records_);
  newest_[IdOf(records_).agent].push_back(records_);
  return records_;
}

uint32_t Oracle::Update(uint32_t sequence) {
  revisions_.resize(records_);
  return ++revisions_[sequence - 1];
}

void Oracle::Expected(uint32_t sequence, Memory* memory) const {
  char text[kTextBytes];
  model_.Text(sequence, RevisionOf(sequence), text);
  memory->id = memory->sequence = sequence;
  memory->agent = IdOf(sequence).agent;
  memory->revision = RevisionOf(sequence);
  memory->text.assign(text, kTextBytes);
}

void Oracle::CheckValue(uint32_t sequence, std::string_view value) {
  ExpectedValue(sequence, &expected_);
  if (value == expected_.view()) [[likely]]
    return;
  Fatal(absl::StrCat("memory ", sequence, " is wrong: '", std::string(value), "' instead of '",
                     std::string(expected_.view()), "'"));
}

void Oracle::CheckMemory(uint32_t sequence, const Memory& memory) {
  Expected(sequence, &memory_);
  if (!(memory == memory_)) Fatal(absl::StrCat("memory ", sequence, " was decoded wrongly"));
}

std::vector<uint32_t> Oracle::LatestOf(uint32_t agent) const {
  const std::vector<uint32_t>& newest = newest_[agent];
  std::vector<uint32_t> latest(
      newest.rbegin(), newest.rbegin() + static_cast<ptrdiff_t>(std::min(kLatest, newest.size())));
  return latest;
}

void Oracle::CheckLatest(uint32_t agent, const LatestBuffer& latest) {
  const std::vector<uint32_t> expected = LatestOf(agent);
  if (latest.count != expected.size()) {
    Fatal(absl::StrCat("agent ", agent, " has ", latest.count, " latest memories instead of ",
                       expected.size()));
  }
  for (size_t i = 0; i < expected.size(); ++i) CheckValue(expected[i], latest.values[i].view());
}

void Oracle::CheckAll(Store& store) {
  std::vector<bool> seen(records_);
  uint32_t count = 0;
  store.ForEach([&](MemoryId id, std::string_view value) {
    if (id.sequence == 0 || id.sequence > records_ || id != IdOf(id.sequence) ||
        seen[id.sequence - 1]) {
      Fatal(absl::StrCat("memory ", id.sequence, " of agent ", id.agent, " should not be there"));
    }
    seen[id.sequence - 1] = true;
    ++count;
    CheckValue(id.sequence, value);
  });
  if (count != records_) Fatal(absl::StrCat(count, " memories instead of ", records_));
  LatestBuffer latest;
  for (uint32_t agent = 0; agent < kAgents; ++agent) {
    store.Latest(agent, &latest);
    CheckLatest(agent, latest);
  }
}

}  // namespace kvsql::bench::agent_memory
