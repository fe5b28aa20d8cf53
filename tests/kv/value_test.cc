#include "kv/value.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/kv/sqlite_oracle.h"
#include "tests/kv/value_samples.h"

namespace kvsql::kv {
namespace {

int Sign(int64_t v) { return v < 0 ? -1 : (v > 0 ? 1 : 0); }

// Texts that begin like numbers and are, or are not.
std::vector<std::string> NumberTexts() {
  std::vector<std::string> texts = {"",
                                    " ",
                                    "0",
                                    "-0",
                                    "+0",
                                    "1",
                                    "-1",
                                    "+1",
                                    " 1",
                                    "1 ",
                                    "\t1\n",
                                    "1x",
                                    "x1",
                                    "1.",
                                    ".1",
                                    ".",
                                    "-.",
                                    "-.5",
                                    "+.5e1",
                                    "1.0",
                                    "1.50",
                                    "-1.0",
                                    "-0.0",
                                    "1e",
                                    "1e+",
                                    "1e-",
                                    "1e5",
                                    "1E5",
                                    "1e+5",
                                    "1e-5",
                                    "1.5e3x",
                                    "1ee5",
                                    "e5",
                                    ".e5",
                                    "1.e5",
                                    "--1",
                                    "+-1",
                                    "0x10",
                                    "inf",
                                    "nan",
                                    "1_000",
                                    "1 2",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "-9223372036854775808",
                                    "-9223372036854775809",
                                    "9223372036854775806.0",
                                    "9007199254740993",
                                    "9007199254740993.0",
                                    "2251799813685249",
                                    "123456789012345678901234567890",
                                    "1e308",
                                    "1e309",
                                    "-1e309",
                                    "1e-400",
                                    "-1e-400",
                                    "0e999999999999",
                                    "1e99999999999999999999",
                                    "0.1",
                                    "0.30000000000000004",
                                    "00012",
                                    "00012.500",
                                    "1e18",
                                    "1e19",
                                    "9.2e18",
                                    "12abc",
                                    "3.7abc",
                                    "  -7.5  ",
                                    "\v8\f",
                                    "0.000000000000000000000000000000000000000000000000000000001",
                                    "4503599627370496.5"};
  texts.emplace_back("1\0", 2);
  texts.emplace_back(
      "\0"
      "1",
      2);
  return texts;
}

TEST(ValueTest, ComparesAsSqliteDoes) {
  SqliteOracle oracle;
  const std::vector<Value> values = CornerValues();
  for (const Value& a : values) {
    for (const Value& b : values) {
      const ValueView x = a.view();
      const ValueView y = b.view();
      // ORDER BY compares NULLs too, which the operators do not.
      const Value expected = oracle.Query(
          "SELECT CASE WHEN ?1 IS ?2 THEN 0 WHEN ?1 IS NULL THEN -1 WHEN ?2 IS NULL THEN 1 "
          "WHEN ?1 < ?2 THEN -1 ELSE 1 END",
          {x, y});
      ASSERT_EQ(Sign(CompareValues(x, y)), expected.view().integer)
          << Describe(x) << " and " << Describe(y);
    }
  }
}

TEST(ValueTest, ComparesTextsUnderCollationsAsSqliteDoes) {
  SqliteOracle oracle;
  for (const Collation collation : {Collation::kNocase, Collation::kRtrim}) {
    const std::string sql = "SELECT CASE WHEN ?1 = ?2 COLLATE " +
                            std::string(CollationName(collation)) +
                            " THEN 0 WHEN ?1 < ?2 COLLATE " +
                            std::string(CollationName(collation)) + " THEN -1 ELSE 1 END";
    for (const Value& a : CornerValues()) {
      for (const Value& b : CornerValues()) {
        const ValueView x = a.view();
        const ValueView y = b.view();
        if (x.type != ValueType::kText || y.type != ValueType::kText) continue;
        // SQLite's NOCASE stops at a zero byte; ours compares on, as the other collations do.
        if (collation == Collation::kNocase && (x.bytes().find('\0') != std::string_view::npos ||
                                                y.bytes().find('\0') != std::string_view::npos)) {
          continue;
        }
        ASSERT_EQ(Sign(CompareValues(x, y, collation)), oracle.Query(sql, {x, y}).view().integer)
            << Describe(x) << " and " << Describe(y) << " under " << CollationName(collation);
      }
    }
  }
}

TEST(ValueTest, ComparisonOfIntegersWithRealsIsExact) {
  const int64_t big = (int64_t{1} << 53) + 1;
  EXPECT_GT(CompareIntegerReal(big, 9007199254740992.0), 0);
  EXPECT_LT(CompareIntegerReal(big, 9007199254740994.0), 0);
  EXPECT_LT(CompareIntegerReal(INT64_MAX, 9223372036854775808.0), 0);
  EXPECT_EQ(CompareIntegerReal(INT64_MIN, -9223372036854775808.0), 0);
  EXPECT_GT(CompareIntegerReal(INT64_MAX, 9223372036854774784.0), 0);
  EXPECT_GT(CompareIntegerReal(-1, -1.5), 0);
  EXPECT_LT(CompareIntegerReal(-2, -1.5), 0);
  EXPECT_EQ(CompareIntegerReal(0, -0.0), 0);
}

TEST(ValueTest, NanBecomesNull) { EXPECT_TRUE(ValueView::Real(std::nan("")).is_null()); }

TEST(ValueTest, StoresUnderAffinitiesWhatSqliteStores) {
  SqliteOracle oracle;
  oracle.Execute("CREATE TABLE t(b BLOB, t TEXT, n NUMERIC, i INTEGER, r REAL)");
  const std::pair<const char*, Affinity> columns[] = {{"b", Affinity::kBlob},
                                                      {"t", Affinity::kText},
                                                      {"n", Affinity::kNumeric},
                                                      {"i", Affinity::kInteger},
                                                      {"r", Affinity::kReal}};
  std::vector<Value> values = CornerValues();
  for (const std::string& text : NumberTexts()) values.emplace_back(ValueView::Text(text));
  for (const auto& [column, affinity] : columns) {
    for (const Value& value : values) {
      oracle.Query("DELETE FROM t", {});
      oracle.Query(std::string("INSERT INTO t(") + column + ") VALUES (?)", {value.view()});
      const Value expected = oracle.Query(std::string("SELECT ") + column + " FROM t", {});
      NumberText text;
      const ValueView stored = ApplyAffinity(value.view(), affinity, &text);
      ASSERT_EQ(Describe(stored), Describe(expected.view()))
          << Describe(value.view()) << " in column " << column;
    }
  }
}

TEST(ValueTest, CastsAsSqliteDoes) {
  SqliteOracle oracle;
  const std::pair<const char*, Affinity> types[] = {{"BLOB", Affinity::kBlob},
                                                    {"TEXT", Affinity::kText},
                                                    {"NUMERIC", Affinity::kNumeric},
                                                    {"INTEGER", Affinity::kInteger},
                                                    {"REAL", Affinity::kReal}};
  std::vector<Value> values = CornerValues();
  for (const std::string& text : NumberTexts()) {
    values.emplace_back(ValueView::Text(text));
    values.emplace_back(ValueView::Blob(text));
  }
  for (const auto& [type, affinity] : types) {
    for (const Value& value : values) {
      const Value expected =
          oracle.Query(std::string("SELECT CAST(? AS ") + type + ")", {value.view()});
      NumberText text;
      ASSERT_EQ(Describe(CastValue(value.view(), affinity, &text)), Describe(expected.view()))
          << Describe(value.view()) << " as " << type;
    }
  }
}

TEST(ValueTest, WritesNumbersAsSqliteDoes) {
  SqliteOracle oracle;
  std::mt19937_64 random(7);
  std::vector<double> reals = {
      0.0,  -0.0, 1.0,   -1.0,   0.1, 100.0,   1e14,    1e15, 123456789012345.0, 1e16,      1e20,
      1e-4, 1e-5, 1e100, 1e-100, 0.5, 1.0 / 3, 2.0 / 3, 1e21, 99999999999999.9,  12345.678, -1e300};
  for (int i = 0; i < 2000; ++i) {
    const auto digits = static_cast<double>(random() % 1'000'000'000'000'000);
    reals.push_back(digits / std::pow(10.0, static_cast<double>(random() % 20)));
  }
  for (int i = 0; i < 20'000; ++i) {
    // Any bits; and ties in the 16th digit.
    const uint64_t bits = random();
    double real = 0;
    std::memcpy(&real, &bits, sizeof(real));
    if (std::isfinite(real)) reals.push_back(real);
    reals.push_back(static_cast<double>(random() % (uint64_t{1} << 53)) / 4);
  }
  for (const double real : reals) {
    NumberText text;
    FormatReal(real, &text);
    ASSERT_EQ(Describe(ValueView::Text(text.view())),
              Describe(oracle.Query("SELECT CAST(? AS TEXT)", {ValueView::Real(real)}).view()));
  }
  for (const int64_t integer : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    NumberText text;
    FormatInteger(integer, &text);
    EXPECT_EQ(text.view(), std::to_string(integer));
  }
}

TEST(ValueTest, FindsTheAffinityOfDeclaredTypes) {
  const std::pair<const char*, Affinity> types[] = {{"", Affinity::kBlob},
                                                    {"INT", Affinity::kInteger},
                                                    {"bigint", Affinity::kInteger},
                                                    {"CHARINT", Affinity::kInteger},
                                                    {"FLOATING POINT", Affinity::kInteger},
                                                    {"VARCHAR(20)", Affinity::kText},
                                                    {"clob", Affinity::kText},
                                                    {"TextBlob", Affinity::kText},
                                                    {"BLOB", Affinity::kBlob},
                                                    {"BLOBREAL", Affinity::kBlob},
                                                    {"REALBLOB", Affinity::kBlob},
                                                    {"DOUBLE PRECISION", Affinity::kReal},
                                                    {"float", Affinity::kReal},
                                                    {"NUMERIC", Affinity::kNumeric},
                                                    {"DECIMAL(10,5)", Affinity::kNumeric},
                                                    {"BOOLEAN", Affinity::kNumeric},
                                                    {"STRING", Affinity::kNumeric}};
  SqliteOracle oracle;
  for (const auto& [type, affinity] : types) {
    EXPECT_EQ(AffinityOfType(type), affinity) << type;
    // What SQLite makes of '1.0' and 1 tells its affinity, except for INTEGER and NUMERIC.
    oracle.Execute(std::string("CREATE TABLE \"t ") + type + "\"(c " + type + ")");
    oracle.Execute(std::string("INSERT INTO \"t ") + type + "\" VALUES ('1.0')");
    NumberText text;
    EXPECT_EQ(Describe(ApplyAffinity(ValueView::Text("1.0"), affinity, &text)),
              Describe(oracle.Query(std::string("SELECT c FROM \"t ") + type + "\"", {}).view()))
        << type;
  }
}

TEST(ValueTest, OwnedValuesSurviveTheirSource) {
  Value value;
  {
    std::string text = "some text that is not short enough to stand in the object itself";
    value = ValueView::Text(text);
    text.assign(text.size(), 'x');
  }
  EXPECT_EQ(value.view().bytes().substr(0, 9), "some text");
  Value copy = value;
  const Value moved = std::move(value);
  EXPECT_EQ(CompareValues(copy.view(), moved.view()), 0);
}

}  // namespace
}  // namespace kvsql::kv
