#include "kv/key_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/kv/value_samples.h"

namespace kvsql::kv {
namespace {

int Sign(int64_t v) { return v < 0 ? -1 : (v > 0 ? 1 : 0); }

std::string KeyOf(const ValueView& value, KeyPart part) {
  std::string key;
  AppendKeyElement(value, part, &key);
  return key;
}

std::vector<KeyPart> AllParts() {
  std::vector<KeyPart> parts;
  for (const Collation collation : {Collation::kBinary, Collation::kNocase, Collation::kRtrim}) {
    for (const bool descending : {false, true}) parts.push_back({collation, descending, false});
  }
  return parts;
}

std::vector<Value> Samples(size_t random_values, uint64_t seed) {
  std::vector<Value> values = CornerValues();
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < random_values; ++i) values.push_back(RandomValue(random));
  return values;
}

TEST(KeyCodecTest, OrderOfKeysIsOrderOfValues) {
  const std::vector<Value> values = Samples(300, 1);
  for (const KeyPart part : AllParts()) {
    std::vector<std::string> keys;
    for (const Value& value : values) keys.push_back(KeyOf(value.view(), part));
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j < values.size(); ++j) {
        const int order = CompareValues(values[i].view(), values[j].view(), part.collation);
        ASSERT_EQ(Sign(keys[i].compare(keys[j])), part.descending ? -Sign(order) : Sign(order))
            << Describe(values[i].view()) << " and " << Describe(values[j].view()) << " under "
            << CollationName(part.collation) << (part.descending ? " DESC" : "");
      }
    }
  }
}

TEST(KeyCodecTest, OrderOfTuplesIsLexicographic) {
  std::mt19937_64 random(2);
  const std::vector<Value> values = CornerValues();
  const std::vector<KeyPart> all = AllParts();
  for (int round = 0; round < 200'000; ++round) {
    const size_t columns = 1 + random() % 3;
    std::vector<KeyPart> parts;
    std::vector<ValueView> a;
    std::vector<ValueView> b;
    for (size_t i = 0; i < columns; ++i) {
      parts.push_back(all[random() % all.size()]);
      a.push_back(values[random() % values.size()].view());
      b.push_back(random() % 2 == 0 ? a.back() : values[random() % values.size()].view());
    }
    int expected = 0;
    for (size_t i = 0; i < columns && expected == 0; ++i) {
      expected = Sign(CompareValues(a[i], b[i], parts[i].collation));
      if (parts[i].descending) expected = -expected;
    }
    std::string key_a;
    std::string key_b;
    AppendTuple(a, parts, &key_a);
    AppendTuple(b, parts, &key_b);
    ASSERT_EQ(Sign(key_a.compare(key_b)), expected);
  }
}

TEST(KeyCodecTest, KeysThatBeginWithATupleAreInItsRange) {
  const std::vector<Value> values = Samples(100, 3);
  for (const KeyPart part : AllParts()) {
    for (const Value& first : values) {
      std::string lo = KeyOf(first.view(), part);
      std::string hi = lo;
      AppendTupleEnd(&hi);
      for (const Value& other : values) {
        const bool same = CompareValues(first.view(), other.view(), part.collation) == 0;
        const std::string alone = KeyOf(other.view(), part);
        ASSERT_EQ(alone >= lo && alone < hi, same);
        for (const KeyPart next : {KeyPart{}, KeyPart{Collation::kBinary, true, false}}) {
          std::string longer = alone;
          AppendKeyElement(values[values.size() / 2].view(), next, &longer);
          ASSERT_EQ(longer >= lo && longer < hi, same)
              << Describe(first.view()) << " and " << Describe(other.view());
        }
      }
    }
  }
}

TEST(KeyCodecTest, DecodesWhatItEncodedWithItsLoss) {
  const std::vector<Value> values = Samples(3000, 4);
  std::mt19937_64 random(5);
  for (KeyPart part : AllParts()) {
    for (const bool real : {false, true}) {
      part.real = real;
      const std::vector<KeyPart> parts = {part, part, KeyPart{}};
      for (const Value& value : values) {
        const ValueView second = values[random() % values.size()].view();
        const ValueView tuple[] = {value.view(), second, ValueView::Integer(7)};
        if (real && (tuple[0].type == ValueType::kInteger || second.type == ValueType::kInteger)) {
          continue;  // a REAL column holds no integer
        }
        std::string key;
        std::string loss;
        AppendTuple(tuple, parts, &key);
        AppendLoss(tuple, parts, &loss);
        key += "tail";
        DecodedTuple decoded;
        std::string_view rest;
        ASSERT_TRUE(DecodeTuple(key, parts, loss, &decoded, &rest)) << Describe(tuple[0]);
        EXPECT_EQ(rest, "tail");
        for (size_t i = 0; i < 3; ++i) {
          ASSERT_EQ(Describe(decoded.values[i]), Describe(tuple[i]));
        }
      }
    }
  }
}

TEST(KeyCodecTest, LosesNothingWhereNothingIsLost) {
  const KeyPart real{Collation::kBinary, false, true};
  std::string loss;
  const ValueView values[] = {ValueView::Integer(5), ValueView::Text("Text "), ValueView::Real(1.5),
                              ValueView::Real(2.0)};
  const KeyPart parts[] = {KeyPart{}, KeyPart{}, KeyPart{}, real};
  AppendLoss(values, parts, &loss);
  EXPECT_EQ(loss, "");
}

TEST(KeyCodecTest, SmallIntegersAreShort) {
  EXPECT_EQ(KeyOf(ValueView::Integer(0), {}).size(), 1u);
  EXPECT_EQ(KeyOf(ValueView::Integer(100), {}).size(), 2u);
  EXPECT_EQ(KeyOf(ValueView::Integer(-100), {}).size(), 2u);
  EXPECT_EQ(KeyOf(ValueView::Integer(30'000), {}).size(), 3u);
  EXPECT_EQ(KeyOf(ValueView::Integer(INT64_MIN), {}).size(), 10u);
  EXPECT_EQ(KeyOf(ValueView::Text("abc"), {}).size(), 5u);
}

TEST(KeyCodecTest, CutsLongTuplesAndSaysSo) {
  const std::string text(100'000, 'x');
  const ValueView values[] = {ValueView::Text(text), ValueView::Null()};
  const KeyPart parts[] = {KeyPart{}, KeyPart{}};
  std::string key = "before";
  const TupleShape shape = AppendTuple(values, parts, &key);
  EXPECT_TRUE(shape.truncated);
  EXPECT_TRUE(shape.has_null);
  EXPECT_EQ(key.size(), 6 + kMaxTupleBytes);
}

TEST(KeyCodecTest, RandomBytesNeverLeadOutside) {
  std::mt19937_64 random(6);
  const std::vector<KeyPart> all = AllParts();
  std::vector<Value> values = CornerValues();
  size_t decoded_count = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::vector<KeyPart> parts = {all[random() % all.size()], all[random() % all.size()]};
    const ValueView tuple[] = {values[random() % values.size()].view(),
                               values[random() % values.size()].view()};
    std::string key;
    std::string loss;
    AppendTuple(tuple, parts, &key);
    AppendLoss(tuple, parts, &loss);
    std::string& target = random() % 2 == 0 && !loss.empty() ? loss : key;
    target[random() % target.size()] = static_cast<char>(random());
    if (random() % 2 == 0) target.resize(random() % (target.size() + 1));
    // Buffers of exactly this size, so that the sanitizer sees a read beyond.
    const std::vector<char> exact_key(key.begin(), key.end());
    const std::vector<char> exact_loss(loss.begin(), loss.end());
    DecodedTuple decoded;
    std::string_view rest;
    if (DecodeTuple({exact_key.data(), exact_key.size()}, parts,
                    {exact_loss.data(), exact_loss.size()}, &decoded, &rest)) {
      ++decoded_count;
      for (const ValueView& value : decoded.values) Describe(value);
    }
  }
  EXPECT_GT(decoded_count, 0u);
}

}  // namespace
}  // namespace kvsql::kv
