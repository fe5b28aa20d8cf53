#include "kv/row_codec.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/kv/value_samples.h"

namespace kvsql::kv {
namespace {

std::string RowOf(const std::vector<ValueView>& values) {
  std::string row;
  EncodeRow(values, &row);
  return row;
}

TEST(RowCodecTest, EveryColumnComesBack) {
  std::mt19937_64 random(1);
  std::vector<Value> values = CornerValues();
  for (int i = 0; i < 1000; ++i) values.push_back(RandomValue(random));
  values.emplace_back(ValueView::Text(std::string(300, 'm')));
  values.emplace_back(ValueView::Blob(std::string(70'000, 'l')));
  for (int round = 0; round < 3'000; ++round) {
    std::vector<ValueView> columns(random() % 20);
    for (ValueView& column : columns) column = values[random() % values.size()].view();
    const std::string row = RowOf(columns);
    const std::vector<char> exact(row.begin(), row.end());
    RowView view;
    ASSERT_TRUE(view.Parse({exact.data(), exact.size()}));
    ASSERT_EQ(view.count(), columns.size());
    std::vector<ValueView> decoded(columns.size());
    ASSERT_EQ(view.Decode(decoded), columns.size());
    for (uint32_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(Describe(view.column(i)), Describe(columns[i])) << "column " << i;
      ASSERT_EQ(Describe(decoded[i]), Describe(columns[i])) << "column " << i;
    }
  }
}

TEST(RowCodecTest, ASmallRowCostsFourBytesBesidesItsText) {
  // (id INTEGER PRIMARY KEY, name TEXT, score INTEGER) without the id.
  const std::string row = RowOf({ValueView::Text("twelve bytes"), ValueView::Integer(999)});
  EXPECT_EQ(row.size(), 12u + 4);
  EXPECT_EQ(RowOf({ValueView::Null(), ValueView::Integer(0), ValueView::Integer(1)}).size(), 3u);
}

TEST(RowCodecTest, ColumnsElsewhereAreMarked) {
  const std::vector<RowField> fields = {
      {ValueView::Integer(5), RowField::Place::kInKey, 0},
      {ValueView::Text("gone"), RowField::Place::kOverflow, 0xabcdef123456},
      {ValueView::Text("here"), RowField::Place::kHere, 0},
      {ValueView::Blob("gone"), RowField::Place::kOverflow, 1}};
  std::string row;
  EncodeRow(fields, &row);
  RowView view;
  ASSERT_TRUE(view.Parse(row));
  EXPECT_TRUE(view.has_elsewhere());
  EXPECT_EQ(view.code(0), ColumnCode::kFromKey);
  EXPECT_EQ(view.code(1), ColumnCode::kLargeText);
  EXPECT_EQ(view.overflow_key(1), 0xabcdef123456u);
  EXPECT_EQ(view.column(2).bytes(), "here");
  EXPECT_EQ(view.code(3), ColumnCode::kLargeBlob);
  EXPECT_EQ(view.overflow_key(3), 1u);
}

TEST(RowCodecTest, DamagedRowsAreRefusedOrReadInside) {
  std::mt19937_64 random(2);
  const std::vector<Value> values = CornerValues();
  size_t accepted = 0;
  size_t refused = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::vector<ValueView> columns(random() % 9);
    for (ValueView& column : columns) column = values[random() % values.size()].view();
    std::string row = RowOf(columns);
    for (auto left = 1 + random() % 3; left > 0; --left) {
      row[random() % row.size()] = static_cast<char>(random());
    }
    if (random() % 3 == 0) row.resize(random() % (row.size() + 1));
    const std::vector<char> exact(row.begin(), row.end());
    RowView view;
    if (!view.Parse({exact.data(), exact.size()})) {
      ++refused;
      continue;
    }
    ++accepted;
    size_t touched = 0;
    for (uint32_t i = 0; i < view.count(); ++i) touched += Describe(view.column(i)).size();
    EXPECT_GE(touched, view.count());
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace kvsql::kv
