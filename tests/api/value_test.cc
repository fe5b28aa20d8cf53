#include <kvsql/value.h>

#include <cmath>
#include <limits>

#include "tests/api/api_test_util.h"

namespace kvsql {
namespace {

TEST(ValueViewTest, TakesWhatOneWouldPass) {
  EXPECT_EQ(ValueView().type(), ValueType::kNull);
  EXPECT_EQ(ValueView(nullptr).type(), ValueType::kNull);
  EXPECT_EQ(ValueView(std::nullopt).type(), ValueType::kNull);
  EXPECT_EQ(ValueView(7).integer(), 7);
  EXPECT_EQ(ValueView(true).integer(), 1);
  EXPECT_EQ(ValueView(int64_t{-1}).integer(), -1);
  EXPECT_EQ(ValueView(2.5).real(), 2.5);
  EXPECT_EQ(ValueView(0.5f).type(), ValueType::kReal);
  EXPECT_EQ(ValueView("x").text(), "x");
  EXPECT_EQ(ValueView(std::string("abc")).type(), ValueType::kText);
  EXPECT_EQ(ValueView(std::string_view("abc", 2)).text(), "ab");
  const std::byte bytes[] = {std::byte{1}, std::byte{2}};
  const ValueView blob{std::span<const std::byte>(bytes)};
  EXPECT_EQ(blob.type(), ValueType::kBlob);
  EXPECT_EQ(blob.blob().size(), 2u);
  EXPECT_EQ(ValueView::Blob("ab").type(), ValueType::kBlob);
}

TEST(ValueViewTest, UnsignedAboveInt64IsReal) {
  EXPECT_EQ(ValueView(std::numeric_limits<uint64_t>::max()).type(), ValueType::kReal);
  EXPECT_EQ(ValueView(uint64_t{1} << 63).real(), 9223372036854775808.0);
  EXPECT_EQ(ValueView(uint64_t{9223372036854775807u}).integer(), 9223372036854775807);
}

TEST(ValueViewTest, NanIsNull) {
  EXPECT_TRUE(ValueView(std::nan("")).is_null());
  EXPECT_FALSE(ValueView(std::numeric_limits<double>::infinity()).is_null());
}

TEST(ValueViewTest, ConvertsNumbersOnly) {
  EXPECT_EQ(ValueView(2.9).integer(), 2);
  EXPECT_EQ(ValueView(-2.9).integer(), -2);
  EXPECT_EQ(ValueView(1e300).integer(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ValueView(-1e300).integer(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ValueView(3).real(), 3.0);
  EXPECT_EQ(ValueView("12").integer(), 0);
  EXPECT_EQ(ValueView("12").real(), 0);
  EXPECT_EQ(ValueView(12).text(), "");
}

TEST(ValueViewTest, ComparesTypeAndValue) {
  EXPECT_EQ(ValueView(1), ValueView(1));
  EXPECT_FALSE(ValueView(1) == ValueView(1.0));
  EXPECT_FALSE(ValueView("a") == ValueView::Blob("a"));
  EXPECT_EQ(ValueView(), ValueView(nullptr));
  EXPECT_EQ(ValueView("ab"), ValueView(std::string("ab")));
}

TEST(ValueViewTest, PrintsSqlLiterals) {
  EXPECT_EQ(ValueView().to_string(), "NULL");
  EXPECT_EQ(ValueView(-12).to_string(), "-12");
  EXPECT_EQ(ValueView(1.5).to_string(), "1.5");
  EXPECT_EQ(ValueView("it's").to_string(), "'it''s'");
  EXPECT_EQ(ValueView::Blob(std::string_view("\x00\xff", 2)).to_string(), "x'00ff'");
}

TEST(ValueTest, OwnsItsBytes) {
  std::string source = "short";
  Value value{ValueView(source)};
  source = "gone!";
  EXPECT_EQ(value.text(), "short");
  Value copy = value;
  Value moved = std::move(value);
  EXPECT_EQ(copy.text(), "short");
  EXPECT_EQ(moved.text(), "short");
  EXPECT_EQ(copy, moved);
  copy = Value(ValueView::Blob(std::string(100, 'b')));
  EXPECT_EQ(copy.type(), ValueType::kBlob);
  EXPECT_EQ(copy.text().size(), 100u);
  moved = copy;
  copy = Value();
  EXPECT_EQ(moved.text(), std::string(100, 'b'));
  EXPECT_TRUE(copy.is_null());
}

TEST(ValueTest, NamesTypes) {
  EXPECT_EQ(value_type_name(ValueType::kNull), "NULL");
  EXPECT_EQ(value_type_name(ValueType::kBlob), "BLOB");
}

}  // namespace
}  // namespace kvsql
