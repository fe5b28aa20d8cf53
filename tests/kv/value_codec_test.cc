#include "kv/value_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kv/cell_unpacker.h"
#include "kv/row_codec.h"
#include "kv/training.h"
#include "tests/kv/store_fixture.h"

namespace kvsql::kv {
namespace {

// Values that have much in common, and words in another order.
std::vector<std::string> Values(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::string> words(200);
  for (std::string& word : words) {
    for (uint64_t n = 3 + random() % 6; n > 0; --n) word += static_cast<char>('a' + random() % 26);
  }
  std::vector<std::string> values(count);
  for (std::string& value : values) {
    value = "{\"agent\":" + std::to_string(random() % 64) + ",\"text\":\"";
    for (int i = 0; i < 30; ++i) value += words[random() % words.size()] + " ";
    value += "\"}";
  }
  return values;
}

std::shared_ptr<const Dictionary> Trained(uint32_t number, uint64_t seed) {
  Samples samples;
  for (const std::string& value : Values(seed, 2000)) samples.Add(value);
  return Take(Dictionary::Make(number, MakeDictionary(samples).value()));
}

std::string Unpacked(const ValueCodec& codec, std::string_view cell) {
  return std::string(Take(codec.ReadValue(btree::LargeValue(cell))).view());
}

TEST(ValueCodecTest, ValuesRoundTripAndTakeLess) {
  const ValueCodec codec({Trained(1, 1)});
  std::string cell;
  size_t plain_bytes = 0;
  size_t cell_bytes = 0;
  for (const std::string& value : Values(1, 500)) {
    codec.PackValue(value, &cell);
    EXPECT_EQ(Unpacked(codec, cell), value);
    plain_bytes += value.size();
    cell_bytes += cell.size();
  }
  EXPECT_LT(cell_bytes, plain_bytes / 2);
}

TEST(ValueCodecTest, ValuesOfEverySize) {
  const ValueCodec with({Trained(1, 1)});
  const ValueCodec without({});
  std::string all;
  for (const std::string& value : Values(2, 20000)) all += value;
  std::mt19937_64 random(3);
  std::string noise(100'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  std::string cell;
  for (const size_t size : {0u, 1u, 2u, 23u, 24u, 25u, 200u, 255u, 256u, 257u, 511u, 512u, 65535u,
                            65536u, 65791u, 65792u, 100'000u, 2'097'152u, 3'000'000u}) {
    for (const ValueCodec* codec : {&with, &without}) {
      for (const std::string* from : {&all, &noise}) {
        const std::string_view value = std::string_view(*from).substr(0, size);
        codec->PackValue(value, &cell);
        EXPECT_LE(cell.size(), value.size() + 1);
        ASSERT_EQ(Unpacked(*codec, cell), value) << size;
      }
    }
  }
}

TEST(ValueCodecTest, RowsAreTheirOwnCellsWhereNothingIsSaved) {
  const ValueCodec codec({Trained(1, 1)});
  std::string row;
  const ValueView short_row[] = {ValueView::Integer(1), ValueView::Text("ab")};
  EncodeRow(short_row, &row);
  std::string cell;
  EXPECT_FALSE(codec.PackRow(row, &cell));
  PackedValue packed;
  EXPECT_EQ(ReadRowCell(row, &packed), CellForm::kPlain);

  const std::string text = Values(1, 1)[0];
  const ValueView long_row[] = {ValueView::Integer(1), ValueView::Text(text)};
  row.clear();
  EncodeRow(long_row, &row);
  ASSERT_TRUE(codec.PackRow(row, &cell));
  EXPECT_LT(cell.size(), row.size());
  // A packed row is none that RowView takes.
  RowView view;
  EXPECT_FALSE(view.Parse(cell));
  ASSERT_EQ(ReadRowCell(cell, &packed), CellForm::kPacked);
  EXPECT_EQ(packed.dictionary, 1u);
  std::string plain(packed.size, '\0');
  ASSERT_TRUE(codec.Unpack(packed, plain.data()));
  EXPECT_EQ(plain, row);
}

TEST(ValueCodecTest, OldDictionariesAreReadWithBesideNewOnes) {
  const auto first = Trained(1, 1);
  const auto second = Trained(7, 2);
  const ValueCodec before({first});
  const ValueCodec after({first, second});
  const std::string value = Values(1, 1)[0];
  std::string old_cell;
  std::string new_cell;
  before.PackValue(value, &old_cell);
  after.PackValue(value, &new_cell);
  EXPECT_NE(old_cell, new_cell);
  EXPECT_EQ(Unpacked(after, old_cell), value);
  EXPECT_EQ(Unpacked(after, new_cell), value);
  EXPECT_FALSE(before.ReadValue(btree::LargeValue(new_cell)).ok());
}

// Whatever the bytes: an answer of the size that was promised, or an error.
TEST(ValueCodecTest, DamagedCellsAreErrors) {
  const ValueCodec codec({Trained(1, 1)});
  std::string cell;
  codec.PackValue(Values(1, 1)[0], &cell);
  const auto read = [&](std::string_view bytes) {
    const StatusOr<btree::LargeValue> value = codec.ReadValue(btree::LargeValue(bytes));
    if (!value.ok()) {
      EXPECT_EQ(value.status().code(), absl::StatusCode::kDataLoss);
    }
    PackedValue packed;
    (void)ReadRowCell(bytes, &packed);
  };
  for (size_t size = 0; size < cell.size(); ++size) read(std::string_view(cell).substr(0, size));
  std::mt19937_64 random(4);
  for (size_t at = 0; at < cell.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = cell;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
      read(flipped);
    }
  }
  for (int i = 0; i < 20000; ++i) {
    std::string noise = i % 2 == 0 ? cell : std::string(random() % 60, '\0');
    for (char& c : noise) {
      if (i % 2 != 0 || random() % 20 == 0) c = static_cast<char>(random());
    }
    read(noise);
  }
  // A small frame that claims much.
  std::string huge("\x01\xa0\xff\xff\xff\x3f\x01\x00\x00", 9);
  EXPECT_FALSE(codec.ReadValue(btree::LargeValue(huge)).ok());
}

TEST(ValueCodecTest, DamagedDictionariesAreErrors) {
  Samples samples;
  for (const std::string& value : Values(1, 2000)) samples.Add(value);
  const std::string bytes = MakeDictionary(samples).value();
  EXPECT_FALSE(Dictionary::Make(1, "").ok());
  EXPECT_FALSE(Dictionary::Make(1, "no dictionary").ok());
  EXPECT_FALSE(Dictionary::Make(1, bytes.substr(0, 40)).ok());
  EXPECT_FALSE(Dictionary::Make(1, bytes + std::string(kMaxDictionaryBytes, 'x')).ok());
  EXPECT_TRUE(Dictionary::Make(1, bytes).ok());
}

TEST(CellUnpackerTest, LeavesPlainCellsAndReplacesPackedOnes) {
  const ValueCodec codec({Trained(1, 1)});
  std::vector<std::string> rows;
  std::vector<std::string> cells;
  for (const std::string& value : Values(1, 100)) {
    const ValueView columns[] = {
        ValueView::Text(rows.size() % 3 == 0 ? std::string_view("short") : value)};
    EncodeRow(columns, &rows.emplace_back());
    if (!codec.PackRow(rows.back(), &cells.emplace_back())) cells.back() = rows.back();
  }
  std::vector<btree::ValueRef> refs;
  for (const std::string& cell : cells) {
    refs.push_back({AsBytes(cell), static_cast<uint32_t>(cell.size()), false});
  }
  CellUnpacker unpacker;
  EXPECT_TRUE(Take(unpacker.Unpack(codec, refs.data(), static_cast<uint32_t>(refs.size()))));
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(refs[i].view(), rows[i]);
  // Nothing left to do.
  EXPECT_FALSE(Take(unpacker.Unpack(codec, refs.data(), static_cast<uint32_t>(refs.size()))));
}

}  // namespace
}  // namespace kvsql::kv
