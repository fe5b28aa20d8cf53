#include "kv/column_decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kv/row_codec.h"
#include "tests/kv/value_samples.h"

namespace kvsql::kv {
namespace {

// Cells as they stand in a page: something in front, and an end behind which nobody may read.
class Cells {
 public:
  void Add(const std::string& row) {
    constexpr size_t kBefore = 8;
    auto& bytes = bytes_.emplace_back(std::make_unique<uint8_t[]>(kBefore + row.size()));
    std::memcpy(bytes.get() + kBefore, row.data(), row.size());
    refs_.push_back({bytes.get() + kBefore, static_cast<uint32_t>(row.size()), false});
  }
  CellRows rows(const std::vector<uint16_t>* chosen = nullptr) const {
    if (chosen == nullptr) return {refs_.data(), nullptr, static_cast<uint32_t>(refs_.size())};
    return {refs_.data(), chosen->data(), static_cast<uint32_t>(chosen->size())};
  }
  const btree::ValueRef& ref(size_t i) const { return refs_[i]; }
  size_t size() const { return refs_.size(); }

 private:
  std::vector<std::unique_ptr<uint8_t[]>> bytes_;
  std::vector<btree::ValueRef> refs_;
};

std::string RowOf(const std::vector<ValueView>& values) {
  std::string row;
  EncodeRow(values, &row);
  return row;
}

TEST(ColumnDecodeTest, EveryColumnIsWhatRowViewSays) {
  std::mt19937_64 random(2);
  std::vector<Value> samples = CornerValues();
  for (int i = 0; i < 300; ++i) samples.push_back(RandomValue(random));
  samples.emplace_back(ValueView::Text(std::string(300, 'm')));
  samples.emplace_back(ValueView::Text(std::string(70'000, 'l')));
  const Value missing(ValueView::Text("default"));
  for (int round = 0; round < 300; ++round) {
    const auto stored = static_cast<uint32_t>(random() % 40 + 1);
    const uint64_t kind = random() % 4;  // integers, reals, or a mixture
    Cells cells;
    for (int i = 0; i < 60; ++i) {
      std::vector<ValueView> values(round % 3 == 0 ? random() % (stored + 1) : stored);
      for (ValueView& value : values) {
        const auto number = static_cast<int64_t>(random()) >> (random() % 64);
        value = kind == 0   ? ValueView::Integer(number)
                : kind == 1 ? ValueView::Real(static_cast<double>(number) / 3)
                            : samples[random() % samples.size()].view();
      }
      cells.Add(RowOf(values));
    }
    std::vector<uint16_t> chosen;
    for (uint16_t i = 0; i < cells.size(); ++i) {
      if (random() % 2 == 0) chosen.push_back(i);
    }
    for (const auto* rows : {static_cast<std::vector<uint16_t>*>(nullptr), &chosen}) {
      const CellRows which = cells.rows(rows);
      for (uint32_t position = 0; position < stored; ++position) {
        std::vector<ValueView> expected(cells.size());
        uint32_t integers = 0;
        uint32_t reals = 0;
        for (uint32_t i = 0; i < which.count; ++i) {
          const uint32_t at = which.rows == nullptr ? i : which.rows[i];
          RowView view;
          ASSERT_TRUE(view.Parse(cells.ref(at).view()));
          expected[at] = position < view.count() ? view.column(position) : missing.view();
          integers += expected[at].type == ValueType::kInteger;
          reals += expected[at].type == ValueType::kReal;
        }
        std::vector<ValueView> values(cells.size());
        ValueCounts counts;
        ASSERT_TRUE(
            DecodeValues(which, {position, stored}, missing.view(), values.data(), &counts));
        EXPECT_EQ(counts.integers, integers);
        EXPECT_EQ(counts.reals, reals);
        for (uint32_t i = 0; i < which.count; ++i) {
          const uint32_t at = which.rows == nullptr ? i : which.rows[i];
          ASSERT_EQ(Describe(values[at]), Describe(expected[at]));
        }
        // Rows of more than 31 columns are left to DecodeValues.
        std::vector<int64_t> as_integers(cells.size());
        if (DecodeIntegers(which, {position, stored}, as_integers.data())) {
          ASSERT_EQ(integers, which.count);
          for (uint32_t i = 0; i < which.count; ++i) {
            const uint32_t at = which.rows == nullptr ? i : which.rows[i];
            ASSERT_EQ(as_integers[at], expected[at].integer);
          }
        } else {
          EXPECT_TRUE(integers != which.count || stored > 31);
        }
        std::vector<double> as_reals(cells.size());
        if (DecodeReals(which, {position, stored}, as_reals.data())) {
          ASSERT_EQ(reals, which.count);
          for (uint32_t i = 0; i < which.count; ++i) {
            const uint32_t at = which.rows == nullptr ? i : which.rows[i];
            ASSERT_EQ(as_reals[at], expected[at].real);
          }
        } else {
          EXPECT_TRUE(reals != which.count || stored > 31);
        }
      }
    }
  }
}

// Under the address sanitizer: no byte behind a cell is read, and no text reaches beyond it.
TEST(ColumnDecodeTest, DamagedRowsStayInTheirCells) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<ValueView> values(random() % 6 + 1);
    for (ValueView& value : values) {
      value = random() % 2 == 0
                  ? ValueView::Integer(static_cast<int64_t>(random()) >> (random() % 64))
                  : ValueView::Text(std::string_view("some text").substr(random() % 9));
    }
    std::string row = RowOf(values);
    for (uint64_t flips = random() % 3; flips > 0; --flips) {
      row[random() % row.size()] = static_cast<char>(random());
    }
    row.resize(random() % (row.size() + 1));
    Cells cells;
    cells.Add(row);
    for (uint32_t position = 0; position < 8; ++position) {
      int64_t integer = 0;
      double real = 0;
      ValueView value;
      ValueCounts counts;
      DecodeIntegers(cells.rows(), {position, 8}, &integer);
      DecodeReals(cells.rows(), {position, 8}, &real);
      if (!DecodeValues(cells.rows(), {position, 8}, ValueView(), &value, &counts)) continue;
      if (value.type == ValueType::kText || value.type == ValueType::kBlob) {
        const auto* data = reinterpret_cast<const uint8_t*>(value.data);
        ASSERT_GE(data, cells.ref(0).data);
        ASSERT_LE(data + value.size, cells.ref(0).data + cells.ref(0).size);
      }
    }
  }
}

TEST(PatchNumberTest, PutsANumberInThePlaceOfAnother) {
  std::mt19937_64 random(4);
  int patched = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto number = [&]() -> ValueView {
      if (random() % 4 == 0) return ValueView::Real(static_cast<double>(random() % 1000) / 7);
      return ValueView::Integer(static_cast<int64_t>(random()) >> (random() % 64));
    };
    std::vector<ValueView> values = {number(), ValueView::Text("text"), number(), ValueView()};
    std::string row = RowOf(values);
    const auto column = static_cast<uint32_t>(random() % 5);
    const ValueView value = number();
    RowPatch patch;
    if (!PatchNumber(row, column, value, &patch)) continue;
    ++patched;
    ASSERT_LT(column, 4u);
    std::memcpy(row.data() + patch.offset, &patch.bits, patch.size);
    values[column] = value;
    ASSERT_EQ(row, RowOf(values));
  }
  EXPECT_GT(patched, 500);
}

}  // namespace
}  // namespace kvsql::kv
