#include "bench/agent_memory/model.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {
namespace {

constexpr uint64_t kSeed = 20'261'016;

// Streams of Mix that do not meet.
constexpr uint64_t kAgentStream = kSeed;
constexpr uint64_t kTextStream = kSeed + 1;
constexpr uint64_t kWordStream = kSeed + 2;

constexpr std::string_view kSymbols =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ";
static_assert(kSymbols.size() == 63);

constexpr size_t kVocabulary = 2'000;

uint64_t Finalise(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Words of two to four syllables, all different.
std::vector<std::string> MakeWords() {
  static constexpr std::string_view kConsonants = "bcdfghklmnprstvw";
  static constexpr std::string_view kVowels = "aeiouy";
  std::set<std::string> words;
  for (uint64_t i = 0; words.size() < kVocabulary; ++i) {
    uint64_t bits = Mix(kWordStream, i);
    std::string word;
    const size_t syllables = 2 + bits % 3;
    bits /= 3;
    for (size_t s = 0; s < syllables; ++s) {
      word += kConsonants[bits % kConsonants.size()];
      bits /= kConsonants.size();
      word += kVowels[bits % kVowels.size()];
      bits /= kVowels.size();
    }
    if (bits % 2 == 1) word += kConsonants[bits / 2 % kConsonants.size()];
    words.insert(std::move(word));
  }
  return {words.begin(), words.end()};
}

class Writer {
 public:
  explicit Writer(ValueBuffer* value) : value_(*value) { value_.size = 0; }
  void Append(std::string_view text) {
    std::memcpy(value_.bytes + value_.size, text.data(), text.size());
    value_.size += text.size();
  }
  void Append(uint32_t number) {
    char* const end = value_.bytes + value_.size;
    value_.size += static_cast<size_t>(std::to_chars(end, end + 10, number).ptr - end);
  }

 private:
  ValueBuffer& value_;
};

}  // namespace

uint64_t Mix(uint64_t stream, uint64_t number) { return Finalise(Finalise(stream) ^ number); }

MemoryId IdOf(uint32_t sequence) {
  return {sequence, static_cast<uint32_t>(Mix(kAgentStream, sequence) % kAgents)};
}

void ValueBuffer::Assign(const void* data, size_t count) {
  if (count > kCapacity) [[unlikely]]
    Fatal("an engine answered a value that was never stored");
  std::memcpy(bytes, data, count);
  size = count;
}

Model::Model(TextKind kind) : kind_(kind) {
  if (kind == TextKind::kVocabulary) words_ = MakeWords();
}

void Model::Text(uint32_t sequence, uint32_t revision, char (&text)[kTextBytes]) const {
  const uint64_t stream = Mix(kTextStream, uint64_t{revision} << 32 | sequence);
  kind_ == TextKind::kLetters ? Letters(stream, text) : Words(stream, text);
}

void Model::Letters(uint64_t stream, char (&text)[kTextBytes]) const {
  size_t size = 0;
  for (uint64_t i = 0;; ++i) {
    uint64_t bits = Mix(stream, i);
    for (int draw = 0; draw < 10; ++draw, bits >>= 6) {
      const size_t symbol = bits & 63;
      if (symbol == kSymbols.size()) continue;  // drawn again, so that all 63 are equally likely
      text[size++] = kSymbols[symbol];
      if (size == kTextBytes) return;
    }
  }
}

void Model::Words(uint64_t stream, char (&text)[kTextBytes]) const {
  size_t size = 0;
  for (uint64_t i = 0; size < kTextBytes; ++i) {
    const std::string& word = words_[Mix(stream, i) % words_.size()];
    const size_t count = std::min(word.size(), kTextBytes - size);
    std::memcpy(text + size, word.data(), count);
    size += count;
    if (size < kTextBytes) text[size++] = ' ';
  }
}

void Model::Value(uint32_t sequence, uint32_t revision, ValueBuffer* value) const {
  char text[kTextBytes];
  Text(sequence, revision, text);
  Writer writer(value);
  writer.Append("{\"id\":");
  writer.Append(sequence);
  writer.Append(",\"agent\":");
  writer.Append(IdOf(sequence).agent);
  writer.Append(",\"sequence\":");
  writer.Append(sequence);
  writer.Append(",\"revision\":");
  writer.Append(revision);
  writer.Append(",\"text\":\"");
  writer.Append(std::string_view(text, kTextBytes));
  writer.Append("\"}");
}

}  // namespace kvsql::bench::agent_memory
