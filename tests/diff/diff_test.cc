// difftest's own parts: that cases repeat, that a wrong answer is noticed, and that it is made small.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/diff/case.h"
#include "tests/diff/compare.h"
#include "tests/diff/shrink.h"
#include "tests/engines/engine.h"

namespace kvsql::diff {
namespace {

std::unique_ptr<engines::Engine> Sqlite() {
  std::string error;
  return engines::OpenSqlite("", &error);
}

// SQLite with a mistake: statements with a certain word lose their last row.
class WrongEngine : public engines::Engine {
 public:
  explicit WrongEngine(std::string word) : engine_(Sqlite()), word_(std::move(word)) {}
  engines::Outcome Run(std::string_view sql, engines::Result* result) override {
    const engines::Outcome outcome = engine_->Run(sql, result);
    if (result != nullptr && result->rows() > 0 && sql.find(word_) != std::string_view::npos) {
      result->values.resize(result->values.size() - result->columns);
    }
    return outcome;
  }

 private:
  std::unique_ptr<engines::Engine> engine_;
  const std::string word_;
};

TEST(CaseTest, TheSameSeedGivesTheSameCase) {
  EXPECT_EQ(MakeCase(7).Text(), MakeCase(7).Text());
  EXPECT_NE(MakeCase(7).Text(), MakeCase(8).Text());
}

TEST(NodeTest, TextOfListsAndOptionalParts) {
  const Node node = Node::Of("SELECT ", Node::List(", ", {Node::Expr("1"), Node::Expr("2")}),
                             Node::Optional(" ORDER BY 1").Orders());
  EXPECT_EQ(node.Text(), "SELECT 1, 2 ORDER BY 1");
  EXPECT_TRUE(node.HasOrder());
}

TEST(CompareTest, OrderCountsWhereThereIsOne) {
  engines::Result result;
  result.columns = 1;
  result.values = {Value(2), Value(1)};
  EXPECT_EQ(RowsText(result, true), "2\n1\n");
  EXPECT_EQ(RowsText(result, false), "1\n2\n");
}

TEST(CompareTest, TypesCount) {
  engines::Result result;
  result.columns = 2;
  result.values = {Value(1), Value(1.0)};
  EXPECT_EQ(RowsText(result, false), "1, real 1\n");
}

TEST(ShrinkTest, AMistakeIsFoundAndMadeSmall) {
  size_t found = 0;
  for (uint64_t seed = 1; seed < 200 && found < 3; ++seed) {
    const Case made = MakeCase(seed);
    const MakeEngine wrong = [] { return std::make_unique<WrongEngine>("LEFT JOIN"); };
    const auto fails = [&](const Case& candidate) {
      return CompareCase(candidate, Sqlite, wrong).difference.has_value();
    };
    if (!fails(made)) continue;
    ++found;
    const Case small = Shrink(made, fails, 4000);
    EXPECT_LE(small.statements.size(), 6u) << small.Text();
    EXPECT_LT(small.Text().size(), 700u) << small.Text();
    EXPECT_TRUE(fails(small));
  }
  EXPECT_EQ(found, 3u);
}

}  // namespace
}  // namespace kvsql::diff
