// Every scalar function of the catalog over awkward values: answers and errors are SQLite's. A function
// is tested by being in planner/functions.def.
#include <random>

#include "tests/exec/function_oracle.h"
#include "tests/exec/function_samples.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;
using planner::FunctionId;
using planner::FunctionInfo;

constexpr int kMostArguments = 4;
constexpr int kRandomCalls = 6000;

class ScalarFunctionTest : public FunctionTest {
 protected:
  // All arguments from the samples: each combination of up to two, random ones of more.
  void CompareAll(const FunctionInfo& info, int count) {
    if (count == 0) {
      ExpectSame(info, {});
    } else if (count == 1) {
      for (const ValueView& value : samples_) ExpectSame(info, {value});
    } else if (count == 2) {
      for (const ValueView& first : samples_) {
        for (const ValueView& second : samples_) ExpectSame(info, {first, second});
      }
    } else {
      for (int i = 0; i < kRandomCalls; ++i) {
        Arguments args;
        for (int j = 0; j < count; ++j) args.push_back(Sample());
        ExpectSame(info, args);
      }
    }
  }

  const ValueView& Sample() { return samples_[random_() % samples_.size()]; }

  std::vector<ValueView> samples_ = FunctionSamples();
  std::mt19937 random_{1};
};

TEST_F(ScalarFunctionTest, AnswersAsSqliteDoes) {
  for (uint16_t i = 0; i < planner::kFunctionCount; ++i) {
    const FunctionInfo& info = planner::InfoOf(static_cast<FunctionId>(i));
    if ((info.flags & planner::kAggregate) != 0) {
      EXPECT_EQ(ScalarOf(info.id), nullptr) << info.name;
      continue;
    }
    if (info.id == FunctionId::kRandom || info.id == FunctionId::kRandomblob ||
        info.id == FunctionId::kLikelihood || (info.flags & planner::kKeyword) != 0) {
      continue;
    }
    const int most = info.max_args < 0 ? kMostArguments : info.max_args;
    for (int count = info.min_args; count <= most; ++count) CompareAll(info, count);
  }
}

TEST_F(ScalarFunctionTest, CollationsDecideForMinMaxAndNullif) {
  const std::vector<std::string_view> texts = {"a", "A", "b", "B", "a ", "a  ", "A ", "", " "};
  for (const char* name : {"min", "max", "nullif"}) {
    for (const auto collation :
         {kv::Collation::kBinary, kv::Collation::kNocase, kv::Collation::kRtrim}) {
      for (const std::string_view a : texts) {
        for (const std::string_view b : texts) {
          const Arguments args = {ValueView::Text(a), ValueView::Text(b)};
          bool known = false;
          const FunctionInfo& info = *planner::FindFunction(name, 2, &known);
          const std::string collate = " COLLATE " + std::string(kv::CollationName(collation));
          ExpectSame(name, collate + DescribeAll(args), sqlite_.Call(name, args, collate),
                     ours_.Call(info, args, collation));
        }
      }
    }
  }
}

TEST_F(ScalarFunctionTest, SubstrTakesEveryRange) {
  const std::vector<ValueView> wholes = {
      ValueView::Text("hello world, how are you"), ValueView::Text("\xc3\xa9\xe2\x82\xac\x80z\xff"),
      ValueView::Blob("hello"), ValueView::Text("ab"), ValueView::Integer(12345)};
  for (const ValueView& whole : wholes) {
    for (int64_t start = -28; start <= 28; ++start) {
      ExpectSame("substr", {whole, ValueView::Integer(start)});
      for (int64_t length = -7; length <= 26; ++length) {
        ExpectSame("substr", {whole, ValueView::Integer(start), ValueView::Integer(length)});
      }
    }
  }
}

TEST_F(ScalarFunctionTest, RoundRoundsEveryDigit) {
  std::uniform_real_distribution<double> mantissa(-10, 10);
  for (int i = 0; i < 40000; ++i) {
    double value = mantissa(random_);
    if (i % 2 == 0) value = std::round(value * 1000) / 1000 + 0.0005;
    value *= std::pow(10, static_cast<int>(random_() % 30) - 10);
    const auto places = static_cast<int64_t>(random_() % 34) - 2;
    ExpectSame("round", {ValueView::Real(value), ValueView::Integer(places)});
    ExpectSame("quote", {ValueView::Real(value)});
  }
}

TEST_F(ScalarFunctionTest, ReplaceAndInstrOverRandomTexts) {
  const auto text = [this](int most) {
    std::string made;
    for (int n = static_cast<int>(random_() % most); n > 0; --n) {
      static constexpr std::string_view kParts[] = {"a", "b", "ab", "\xc3\xa9", "\x80", "\xc3"};
      made += kParts[random_() % 6];
    }
    return made;
  };
  for (int i = 0; i < 30000; ++i) {
    const std::string whole = text(40);
    const std::string wanted = text(4);
    const std::string with = text(6);
    ExpectSame("replace", {ValueView::Text(whole), ValueView::Text(wanted), ValueView::Text(with)});
    ExpectSame("instr", {ValueView::Text(whole), ValueView::Text(wanted)});
    ExpectSame("instr", {ValueView::Blob(whole), ValueView::Blob(wanted)});
    ExpectSame("trim", {ValueView::Text(whole), ValueView::Text(with)});
    ExpectSame("length", {ValueView::Text(whole)});
    ExpectSame("unicode", {ValueView::Text(wanted)});
  }
}

TEST_F(ScalarFunctionTest, WhatIsTooBigIsRefused) {
  for (const int64_t size : {int64_t{1'000'000'001}, int64_t{1} << 40}) {
    ExpectSame("zeroblob", {ValueView::Integer(size)});
    ExpectSame("randomblob", {ValueView::Integer(size)});
  }
}

TEST_F(ScalarFunctionTest, RandomIsNeverTheSame) {
  EXPECT_NE(ours_.Call("random", {}), ours_.Call("random", {}));
  for (const int64_t size : {-1, 0, 1, 8, 255, 256, 257, 1000}) {
    const std::string blob = ours_.Call("randomblob", {ValueView::Integer(size)});
    EXPECT_EQ(blob.size(), 3 + 2 * static_cast<size_t>(std::max<int64_t>(size, 1)));
    if (size > 1) {
      EXPECT_NE(blob, ours_.Call("randomblob", {ValueView::Integer(size)}));
    }
  }
}

TEST_F(ScalarFunctionTest, ResultsStayUntilTheArenaIsReset) {
  TextArena arena;
  FunctionContext context;
  context.arena = &arena;
  std::vector<ValueView> results;
  for (int64_t i = 0; i < 5000; ++i) {
    const ValueView args[] = {ValueView::Text("%.*d"), ValueView::Integer(i),
                              ValueView::Integer(7)};
    results.push_back(ScalarOf(FunctionId::kPrintf)(context, args, 3));
  }
  for (size_t i = 1; i < results.size(); ++i) {
    ASSERT_EQ(results[i].bytes(), std::string(i - 1, '0') + "7");
  }
  arena.Reset();
  EXPECT_TRUE(context.status.ok());
}

}  // namespace
}  // namespace kvsql::exec
