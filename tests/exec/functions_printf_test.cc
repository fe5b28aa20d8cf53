// printf() over random formats: the answers are SQLite's.
#include <random>

#include "tests/exec/function_oracle.h"
#include "tests/exec/function_samples.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;

class PrintfTest : public FunctionTest {
 protected:
  template <typename T>
  const T& OneOf(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  std::string RandomSpec() {
    static const std::vector<std::string> kConversions = {"d", "i", "u", "x", "X", "o", "p",
                                                          "r", "f", "e", "E", "g", "G", "s",
                                                          "z", "c", "q", "Q", "w", "%", "n"};
    static const std::vector<std::string> kWidths = {"",   "",    "1", "5",  "12",
                                                     "40", "150", "*", "600"};
    static const std::vector<std::string> kPrecisions = {"",    "",    ".",   ".0", ".1",  ".3",
                                                         ".10", ".20", ".60", ".*", ".130"};
    static const std::vector<std::string> kLengths = {"", "", "", "l", "ll"};
    std::string spec = "%";
    for (int n = static_cast<int>(random_() % 3); n > 0; --n) spec += "-+ #!0,"[random_() % 7];
    spec += OneOf(kWidths) + OneOf(kPrecisions) + OneOf(kLengths) + OneOf(kConversions);
    return spec;
  }

  // Nothing comes behind it.
  std::string RandomEnd() {
    if (random_() % 20 != 0) return "";
    return OneOf<std::string>({"%", "%y", "%5", "%T", "%S", "%lll", "%5-d", "%%", "end"});
  }

  // A random real is not made a text: its 15th digit is sometimes another than SQLite's.
  ValueView RandomArgument(bool as_text) {
    switch (random_() % 6 + (as_text ? 4 : 0)) {
      case 0:
        return ValueView::Integer(static_cast<int64_t>(random_() % 2000) - 1000);
      case 1:
        return ValueView::Integer(static_cast<int64_t>(random64_()));
      case 2:
        return ValueView::Real(std::bit_cast<double>(random64_()));
      case 3:
        return ValueView::Real(static_cast<double>(static_cast<int64_t>(random64_() % 2000000)) /
                               1000);
      default:
        return OneOf(samples_);
    }
  }

  // A `*` must not ask for gigabytes.
  ValueView RandomSize() { return ValueView::Integer(static_cast<int64_t>(random_() % 300) - 150); }

  Arguments ArgumentsOf(const std::string& format) {
    Arguments args = {ValueView::Text(format)};
    for (size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '*') args.push_back(RandomSize());
      if (std::string_view("sczqQw").find(format[i]) != std::string_view::npos) {
        args.push_back(RandomArgument(true));
      } else if (std::string_view("diuxXoprfeEgG").find(format[i]) != std::string_view::npos) {
        args.push_back(RandomArgument(false));
      }
    }
    if (random_() % 20 == 0 && args.size() > 1) args.pop_back();
    return args;
  }

  std::vector<ValueView> samples_ = FunctionSamples();
  std::mt19937 random_{3};
  std::mt19937_64 random64_{4};
};

TEST_F(PrintfTest, OneConversion) {
  for (int i = 0; i < 200000; ++i) {
    const std::string format = RandomSpec() + RandomEnd();
    ExpectSame("printf", ArgumentsOf(format));
  }
}

TEST_F(PrintfTest, SeveralConversions) {
  for (int i = 0; i < 20000; ++i) {
    std::string format;
    for (int n = static_cast<int>(random_() % 5); n >= 0; --n) {
      format += OneOf<std::string>({"", "", "| ", "\xc3\xa9", "[]"}) + RandomSpec();
    }
    format += RandomEnd();
    ExpectSame("format", ArgumentsOf(format));
  }
}

TEST_F(PrintfTest, RealsOfEverySize) {
  for (int i = 0; i < 200000; ++i) {
    const double value = i % 2 == 0 ? std::bit_cast<double>(random64_())
                                    : static_cast<double>(random64_() % 100000) /
                                          static_cast<double>(1 + random_() % 1000);
    ExpectSame(
        "printf",
        {ValueView::Text(OneOf<std::string>({"%f", "%.2f", "%g", "%e", "%!.15g", "%!.20e", "%.15g",
                                             "%!f", "%.17g", "%.0f", "%.1f", "%G"})),
         ValueView::Real(value)});
  }
}

TEST_F(PrintfTest, LongWidthsAndPrecisions) {
  for (const char* format :
       {"%100000d",    "%-100000d|", "%.100000d", "%,.100000d", "%0100000d",
        "%100000s",    "%-100000s|", "%.100000f", "%100000.3f", "%-100000.3f|",
        "%0100000.3f", "%100000c",   "%.100000c", "%100000Q",   "%!100000w",
        "%+.5000e",    "%.4090f",    "%.4096f",   "%.5000g",    "%-!100000q|"}) {
    for (const ValueView& value : {ValueView::Integer(-1234567), ValueView::Real(2.0 / 3),
                                   ValueView::Text("a'b\"\xc3\xa9"), ValueView::Null()}) {
      ExpectSame("printf", {ValueView::Text(format), value});
    }
  }
}

// SQLite answers NULL there, and says nothing.
TEST_F(PrintfTest, TooLongIsAnError) {
  for (const char* format :
       {"%.2000000000d", "%2000000000s", "%-2000000000d%d", "%1100000000.5f", "%.1100000000c"}) {
    EXPECT_EQ(ours_.Call("printf", {ValueView::Text(format), ValueView::Text("7")}),
              "error: string or blob too big")
        << format;
  }
}

}  // namespace
}  // namespace kvsql::exec
