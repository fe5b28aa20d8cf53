// Aggregates over random lists: results and errors are SQLite's, row by row and by vectors.
#include <random>

#include "tests/exec/function_oracle.h"
#include "tests/exec/function_samples.h"

namespace kvsql::exec {
namespace {

using kv::ValueView;
using planner::FunctionId;
using planner::FunctionInfo;

// The memory of one group.
class Group {
 public:
  explicit Group(const AggregateFunction& function)
      : function_(function), memory_(function.state_size / 8 + 1) {
    function_.init(memory_.data());
  }
  ~Group() {
    if (function_.destroy != nullptr) function_.destroy(memory_.data());
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void* state() { return memory_.data(); }

 private:
  const AggregateFunction& function_;
  std::vector<uint64_t> memory_;
};

class AggregateFunctionTest : public FunctionTest {
 protected:
  std::string Result(const AggregateFunction& function, void* state) {
    const StatusOr<ValueView> result = function.result(context_, state);
    return result.ok() ? kv::Describe(*result) : "error: " + std::string(result.status().message());
  }

  std::string Ours(const FunctionInfo& info, const std::vector<Arguments>& rows) {
    const AggregateFunction& function = AggregateOf(info.id);
    Group group(function);
    for (const Arguments& row : rows) {
      EXPECT_TRUE(
          function.step(context_, group.state(), row.data(), static_cast<int>(row.size())).ok());
    }
    const std::string result = Result(function, group.state());
    EXPECT_EQ(Result(function, group.state()), result);
    return result;
  }

  // Over the rows in their order.
  std::string Theirs(const FunctionInfo& info, const std::vector<Arguments>& rows,
                     const std::string& suffix = "") {
    std::string call = std::string(info.name) + "(";
    Arguments bound;
    std::string values;
    for (const Arguments& row : rows) {
      values += values.empty() ? "VALUES (0" : ",(0";
      for (const ValueView& value : row) {
        values += ",?";
        bound.push_back(value);
      }
      values += ")";
    }
    const size_t count = rows.empty() ? 0 : rows[0].size();
    if (count == 0) call += "*";
    for (size_t i = 0; i < count; ++i) {
      call += (i > 0 ? ",column" : "column") + std::to_string(i + 2);
      if (i == 0) call += suffix;
    }
    return sqlite_.Ask("SELECT " + call + ") FROM (" + values + ")", bound);
  }

  void Compare(const FunctionInfo& info, const std::vector<Arguments>& rows) {
    std::string list;
    for (const Arguments& row : rows) list += DescribeAll(row) + " ";
    ExpectSame(std::string(info.name), " over " + list, Theirs(info, rows), Ours(info, rows));
  }

  template <typename Visit>
  void ForEachAggregate(Visit visit) {
    for (uint16_t i = 0; i < planner::kFunctionCount; ++i) {
      const FunctionInfo& info = planner::InfoOf(static_cast<FunctionId>(i));
      if ((info.flags & planner::kAggregate) != 0) visit(info);
    }
  }

  FunctionContext context_;
  std::mt19937 random_{7};
  std::mt19937_64 random64_{8};
};

TEST_F(AggregateFunctionTest, RandomListsAsSqlite) {
  const std::vector<ValueView> samples = FunctionSamples();
  const std::vector<ValueView> numbers = {ValueView::Integer(1),
                                          ValueView::Integer(-7),
                                          ValueView::Integer(INT64_MAX),
                                          ValueView::Integer(INT64_MIN),
                                          ValueView::Integer((int64_t{1} << 53) + 1),
                                          ValueView::Integer(int64_t{1} << 52),
                                          ValueView::Real(0.1),
                                          ValueView::Real(-0.0),
                                          ValueView::Real(1e17),
                                          ValueView::Null(),
                                          ValueView::Text("12"),
                                          ValueView::Text("1.5"),
                                          ValueView::Integer(-(int64_t{1} << 53) - 3)};
  ForEachAggregate([&](const FunctionInfo& info) {
    for (int count = info.min_args; count <= info.max_args; ++count) {
      for (int i = 0; i < 4000; ++i) {
        const std::vector<ValueView>& from = i % 2 == 0 ? samples : numbers;
        std::vector<Arguments> rows(1 + random_() % 7);
        for (Arguments& row : rows) {
          for (int j = 0; j < count; ++j) row.push_back(from[random_() % from.size()]);
        }
        Compare(info, rows);
      }
    }
  });
}

TEST_F(AggregateFunctionTest, NoRows) {
  ForEachAggregate([&](const FunctionInfo& info) {
    const std::string args = info.id == FunctionId::kCount ? "(*)" : "(1)";
    ExpectSame(std::string(info.name), " of nothing",
               sqlite_.Ask("SELECT " + std::string(info.name) + args + " WHERE 0", {}),
               Ours(info, {}));
  });
}

TEST_F(AggregateFunctionTest, CollationsDecideForMinAndMax) {
  const std::vector<std::string_view> texts = {"a", "A", "b", "B", "a ", "B  ", ""};
  for (const char* name : {"min", "max"}) {
    bool known = false;
    const FunctionInfo& info = *planner::FindFunction(name, 1, &known);
    for (const auto collation :
         {kv::Collation::kBinary, kv::Collation::kNocase, kv::Collation::kRtrim}) {
      context_.collation = collation;
      for (int i = 0; i < 500; ++i) {
        std::vector<Arguments> rows;
        std::string list;
        for (int j = 0; j < 4; ++j) {
          rows.push_back({ValueView::Text(texts[random_() % texts.size()])});
          list += DescribeAll(rows.back());
        }
        const std::string collate = " COLLATE " + std::string(kv::CollationName(collation));
        ExpectSame(name, collate + list, Theirs(info, rows, collate), Ours(info, rows));
      }
    }
  }
}

// Vectors are the same as single steps, whatever was added before and after.
TEST_F(AggregateFunctionTest, VectorsAreTheSameAsSteps) {
  ForEachAggregate([&](const FunctionInfo& info) {
    const AggregateFunction& function = AggregateOf(info.id);
    if (function.step_integers == nullptr) return;
    for (int round = 0; round < 400; ++round) {
      Group steps(function);
      Group vectors(function);
      for (int batch = 0; batch < 4; ++batch) {
        const int shift = static_cast<int>(random_() % 64);
        std::vector<int64_t> integers(1 + random_() % 1500);
        for (int64_t& v : integers) v = static_cast<int64_t>(random64_()) >> shift;
        std::vector<double> reals(integers.size());
        for (double& v : reals) v = static_cast<double>(static_cast<int64_t>(random64_())) / 3;
        std::vector<uint16_t> sel;
        for (size_t i = 0; i < integers.size(); ++i) {
          if (random_() % 3 != 0) sel.push_back(static_cast<uint16_t>(i));
        }
        const bool selected = random_() % 2 == 0;
        const bool real = random_() % 4 == 0;
        const auto n = static_cast<int>(selected ? sel.size() : integers.size());
        const uint16_t* const chosen = selected ? sel.data() : nullptr;
        if (real) {
          function.step_reals(vectors.state(), reals.data(), chosen, n);
        } else {
          function.step_integers(vectors.state(), integers.data(), chosen, n);
        }
        for (int i = 0; i < n; ++i) {
          const size_t at = selected ? sel[static_cast<size_t>(i)] : static_cast<size_t>(i);
          const ValueView value =
              real ? ValueView::Real(reals[at]) : ValueView::Integer(integers[at]);
          ASSERT_TRUE(function.step(context_, steps.state(), &value, 1).ok());
        }
        ASSERT_EQ(Result(function, vectors.state()), Result(function, steps.state())) << info.name;
      }
    }
  });
}

// The invariant of the lazy sum of reals, at its edges.
TEST_F(AggregateFunctionTest, SumsNearTheEdgesAsSqlite) {
  const std::vector<int64_t> bases = {0, int64_t{1} << 52, int64_t{1} << 53, int64_t{1} << 62,
                                      INT64_MAX};
  ForEachAggregate([&](const FunctionInfo& info) {
    if (info.id == FunctionId::kGroupConcat || info.max_args != 1) return;
    for (int i = 0; i < 3000; ++i) {
      std::vector<Arguments> rows;
      for (size_t n = 1 + random_() % 6; n > 0; --n) {
        auto value = static_cast<int64_t>(static_cast<uint64_t>(bases[random_() % bases.size()]) +
                                          random_() % 5 - 2);
        if (random_() % 2 == 0) value = static_cast<int64_t>(0 - static_cast<uint64_t>(value));
        rows.push_back({ValueView::Integer(value)});
      }
      if (random_() % 2 == 0) rows.push_back({ValueView::Real(0.5)});
      Compare(info, rows);
    }
  });
}

TEST_F(AggregateFunctionTest, MinAndMaxTellWhichRowTheyTook) {
  bool known = false;
  const AggregateFunction& max = AggregateOf(planner::FindFunction("max", 1, &known)->id);
  Group group(max);
  const auto took = [&](const ValueView& value) {
    EXPECT_TRUE(max.step(context_, group.state(), &value, 1).ok());
    return context_.took_row;
  };
  EXPECT_TRUE(took(ValueView::Null()));
  EXPECT_TRUE(took(ValueView::Null()));
  EXPECT_TRUE(took(ValueView::Integer(3)));
  EXPECT_FALSE(took(ValueView::Integer(3)));
  EXPECT_FALSE(took(ValueView::Null()));
  EXPECT_FALSE(took(ValueView::Integer(2)));
  EXPECT_TRUE(took(ValueView::Text("a text that needs memory of its own")));
  EXPECT_FALSE(took(ValueView::Text("a")));
}

}  // namespace
}  // namespace kvsql::exec
