#include "shell/real_text.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

namespace kvsql::shell {
namespace {

std::string Ours(double value, int precision) {
  RealBuffer buffer;
  return std::string(RealText(value, precision, &buffer));
}

std::string Theirs(double value, int precision) {
  char* const text = sqlite3_mprintf(precision == 15 ? "%!.15g" : "%!.20g", value);
  std::string result(text);
  sqlite3_free(text);
  return result;
}

TEST(RealTextTest, IsSqlitesForAnyDouble) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    double value = std::bit_cast<double>(random());
    if (i % 3 == 1) value = static_cast<double>(random() >> (random() % 60)) / 1024.0;
    if (i % 3 == 2) value = static_cast<double>(random() % 1'000'000) / 1000.0;
    if (std::isnan(value)) continue;
    ASSERT_EQ(Ours(value, 15), Theirs(value, 15)) << i;
    ASSERT_EQ(Ours(value, 20), Theirs(value, 20)) << i;
  }
}

TEST(RealTextTest, IsSqlitesAtTheEdges) {
  for (const double value : {0.0,
                             -0.0,
                             0.5,
                             1.0,
                             -1.0,
                             1e15,
                             1e16,
                             999999999999999.9,
                             9999999999999995.0,
                             1e-4,
                             9.9e-5,
                             1e100,
                             1e308,
                             1.7976931348623157e308,
                             4.9e-324,
                             2.2250738585072014e-308,
                             1000000000000.125,
                             9007199254740993.0,
                             0.1,
                             1.0 / 3}) {
    EXPECT_EQ(Ours(value, 15), Theirs(value, 15));
    EXPECT_EQ(Ours(value, 20), Theirs(value, 20));
  }
}

TEST(RealTextTest, NamesInfinity) {
  EXPECT_EQ(Ours(HUGE_VAL, 15), "Inf");
  EXPECT_EQ(Ours(-HUGE_VAL, 20), "-Inf");
}

}  // namespace
}  // namespace kvsql::shell
