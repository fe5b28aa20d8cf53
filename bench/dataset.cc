#include "bench/dataset.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <string>

namespace kvsql::bench {

Probe MakeProbe(uint32_t id) {
  Probe probe;
  probe.id = id;
  std::memcpy(probe.key, "key:00000000", sizeof(probe.key));
  for (int at = sizeof(probe.key) - 1; id != 0; --at, id /= 10) {
    probe.key[at] = static_cast<char>('0' + id % 10);
  }
  return probe;
}

void ShortText::AppendNumber(uint64_t number) {
  const auto result = std::to_chars(bytes_ + size_, bytes_ + sizeof(bytes_), number);
  size_ = static_cast<uint32_t>(result.ptr - bytes_);
}

ShortText ValueOf(uint32_t id, uint32_t version) {
  // Eight digits that change with the version, then letters up to a length of 16 + id % 16.
  uint64_t mixed = (uint64_t{id} << 32 | version) * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 32;
  ShortText text;
  text.AppendNumber(10'000'000 + mixed % 90'000'000);
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  text.Append(kLetters.substr(0, 8 + id % 16));
  return text;
}

ShortText NameOf(uint32_t id) {
  ShortText text;
  text.Append("name-");
  text.AppendNumber(id);
  return text;
}

void TextColumn::Append(std::string_view text) {
  bytes_ += text;
  begins_.push_back(bytes_.size());
}

TextColumn TextColumn::Values(std::span<const Probe> probes) {
  TextColumn column;
  for (const Probe& probe : probes) column.Append(ValueOf(probe.id, 0).view());
  return column;
}

TextColumn TextColumn::Names(std::span<const Probe> probes) {
  TextColumn column;
  for (const Probe& probe : probes) column.Append(NameOf(probe.id).view());
  return column;
}

Dataset::Dataset(uint32_t rows) {
  in_order_.reserve(rows);
  for (uint32_t id = 0; id < rows; ++id) in_order_.push_back(MakeProbe(id));
}

std::vector<Probe> Dataset::Shuffled(uint32_t seed) const {
  std::vector<Probe> probes = in_order_;
  std::mt19937_64 random(seed);
  // Not std::shuffle: its result differs between standard libraries.
  for (size_t left = probes.size(); left > 1; --left) {
    std::swap(probes[left - 1], probes[random() % left]);
  }
  return probes;
}

}  // namespace kvsql::bench
