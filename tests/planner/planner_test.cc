#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kv/store.h"
#include "planner/plan.h"
#include "planner/prepare.h"

namespace kvsql::planner {
namespace {

class PlannerTest : public ::testing::Test {
 protected:
  PlannerTest() : store_(kv::Store::Open(kv::StoreOptions()).value()), read_(store_) {
    EXPECT_TRUE(read_.Begin());
    Create(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b, c COLLATE nocase, UNIQUE (b, "
        "c))");
    Create("CREATE TABLE w(x, y, z, PRIMARY KEY (y, x)) WITHOUT ROWID");
    Create("CREATE TABLE r(a, b)");
  }

  StatusOr<std::shared_ptr<const Plan>> Plan_(std::string_view sql) {
    size_t consumed = 0;
    return Prepare(sql, {}, kv::Reader(read_), &consumed);
  }

  kv::TableDef Table(std::string_view sql) {
    StatusOr<std::shared_ptr<const Plan>> plan = Plan_(sql);
    if (!plan.ok()) {
      ADD_FAILURE() << sql << ": " << plan.status();
      return {};
    }
    return As<CreateTablePlan>(**plan).table;
  }

  void Create(std::string_view sql) {
    std::unique_ptr<kv::WriteTxn> txn = store_->BeginWrite().value();
    ASSERT_TRUE(txn->CreateTable(Table(sql)).ok());
    ASSERT_TRUE(txn->Commit().ok());
    ASSERT_TRUE(read_.Begin());
  }

  // How a query finds its row: "rowid", "primary key", an index's name; or the error.
  std::string Access(std::string_view sql) {
    StatusOr<std::shared_ptr<const Plan>> plan = Plan_(sql);
    if (!plan.ok()) return std::string(plan.status().message());
    if ((*plan)->kind == PlanKind::kCount) return "count";
    if ((*plan)->kind != PlanKind::kGet) return "another plan";
    const KeyLookup& lookup = As<GetPlan>(**plan).lookup;
    const std::string filter = lookup.filter.has_value() ? " + filter" : "";
    switch (lookup.by) {
      case KeyLookup::By::kRowid:
        return "rowid" + filter;
      case KeyLookup::By::kPrimaryKey:
        return "primary key" + filter;
      case KeyLookup::By::kUniqueIndex:
        return lookup.index->name + filter;
    }
    return "?";
  }

  std::shared_ptr<kv::Store> store_;
  kv::ReadTxn read_;
};

// What a query without a lookup by key is left to: operators over batches.
constexpr char kNoKey[] = "another plan";

TEST_F(PlannerTest, ChoosesTheKey) {
  EXPECT_EQ(Access("SELECT * FROM t WHERE id = ?"), "rowid");
  EXPECT_EQ(Access("SELECT * FROM t WHERE ? = rowid"), "rowid");
  EXPECT_EQ(Access("SELECT * FROM t WHERE a = ? AND id = 1"), "rowid + filter");
  EXPECT_EQ(Access("SELECT * FROM t WHERE id = 1 AND a > 'x' AND b < 5"), "rowid + filter");
  EXPECT_EQ(Access("SELECT * FROM t WHERE a = 'x'"), "sqlite_autoindex_t_1");
  EXPECT_EQ(Access("SELECT * FROM t WHERE c = 1 AND b = 2"), "sqlite_autoindex_t_2");
  EXPECT_EQ(Access("SELECT * FROM w WHERE x = 1 AND y = 2 AND z = 3"), "primary key + filter");
  EXPECT_EQ(Access("SELECT * FROM r WHERE oid = 5"), "rowid");
  EXPECT_EQ(Access("SELECT count(*) FROM r"), "count");
}

TEST_F(PlannerTest, LeavesAKeyAloneThatWouldFindOtherRows) {
  const auto no_key = [&](std::string_view sql) { return Access(sql); };
  EXPECT_EQ(no_key("SELECT * FROM t WHERE b = 1"), kNoKey);
  EXPECT_EQ(no_key("SELECT * FROM w WHERE x = 1"), kNoKey);
  EXPECT_EQ(no_key("SELECT * FROM t WHERE id = 1 OR a = 'x'"), kNoKey);
  EXPECT_EQ(no_key("SELECT * FROM t WHERE id > 1"), kNoKey);
  EXPECT_EQ(no_key("SELECT * FROM t WHERE id = b"), kNoKey);
  // Another collation than the index's.
  EXPECT_EQ(no_key("SELECT * FROM t WHERE a = 'x' COLLATE nocase"), kNoKey);
  EXPECT_EQ(no_key("SELECT * FROM t WHERE b = 1 AND c = 'x' COLLATE binary"), kNoKey);
  EXPECT_EQ(Access("SELECT * FROM t WHERE id = 5 COLLATE nocase"), "rowid");
  // Comparisons that convert the column.
  EXPECT_EQ(no_key("SELECT * FROM t WHERE a = CAST(? AS INTEGER)"), kNoKey);
  EXPECT_EQ(Access("SELECT * FROM t WHERE id = CAST(? AS TEXT)"), "rowid");
}

TEST_F(PlannerTest, DecidesWhatIsTheRowid) {
  EXPECT_EQ(Table("CREATE TABLE q(a, id INTEGER PRIMARY KEY)").rowid_alias, 1u);
  EXPECT_EQ(Table("CREATE TABLE q(id INTEGER, PRIMARY KEY (id DESC))").rowid_alias, 0u);
  EXPECT_FALSE(Table("CREATE TABLE q(id INT PRIMARY KEY)").rowid_alias.has_value());
  EXPECT_FALSE(Table("CREATE TABLE q(id INTEGER PRIMARY KEY DESC)").rowid_alias.has_value());
  EXPECT_FALSE(
      Table("CREATE TABLE q(id INTEGER PRIMARY KEY) WITHOUT ROWID").rowid_alias.has_value());
  EXPECT_FALSE(Table("CREATE TABLE q(id INTEGER, b, PRIMARY KEY (id, b))").rowid_alias.has_value());
}

TEST_F(PlannerTest, MakesIndexesOfKeys) {
  const kv::TableDef table = Table(
      "CREATE TABLE q(a UNIQUE, b TEXT COLLATE nocase UNIQUE, c, PRIMARY KEY (c, a DESC), UNIQUE "
      "(a), "
      "UNIQUE (b COLLATE binary))");
  ASSERT_EQ(table.indexes.size(), 4u);
  EXPECT_EQ(table.indexes[0].name, "sqlite_autoindex_q_1");
  EXPECT_EQ(table.indexes[1].columns[0].collation, kv::Collation::kNocase);
  EXPECT_EQ(table.indexes[2].origin, kv::IndexOrigin::kPrimaryKey);
  EXPECT_TRUE(table.indexes[2].columns[1].descending);
  EXPECT_EQ(table.indexes[3].columns[0].collation, kv::Collation::kBinary);
  EXPECT_EQ(table.sql.substr(0, 22), "CREATE TABLE q(a UNIQU");

  const kv::TableDef without =
      Table("CREATE TABLE q(a, b UNIQUE, PRIMARY KEY (b, a, b)) WITHOUT ROWID");
  EXPECT_EQ(without.shape, kv::TableShape::kWithoutRowid);
  EXPECT_EQ(without.primary_key.size(), 2u);
  EXPECT_TRUE(without.columns[0].not_null);
  ASSERT_EQ(without.indexes.size(), 1u);
}

TEST_F(PlannerTest, ReadsDefaults) {
  const kv::TableDef table = Table(
      "CREATE TABLE q(a DEFAULT -5, b TEXT DEFAULT 'it''s', c DEFAULT (1.5), d DEFAULT true, e "
      "DEFAULT word, "
      "f DEFAULT NULL, g)");
  EXPECT_EQ(table.columns[0].default_value.view().integer, -5);
  EXPECT_EQ(table.columns[0].default_sql, "-5");
  EXPECT_EQ(table.columns[1].default_value.view().bytes(), "it's");
  EXPECT_EQ(table.columns[1].default_sql, "'it''s'");
  EXPECT_EQ(table.columns[2].default_value.view().real, 1.5);
  EXPECT_EQ(table.columns[2].default_sql, "1.5");
  EXPECT_EQ(table.columns[3].default_value.view().integer, 1);
  EXPECT_EQ(table.columns[4].default_value.view().bytes(), "word");
  EXPECT_EQ(table.columns[5].default_sql, "NULL");
  EXPECT_EQ(table.columns[6].default_sql, "");
}

TEST_F(PlannerTest, NotesTheSchemaItIsValidFor) {
  const std::shared_ptr<const Plan> get = Plan_("SELECT a FROM t WHERE id = 1").value();
  EXPECT_TRUE(get->uses_schema);
  EXPECT_EQ(get->schema_generation, read_.schema_generation());
  const std::shared_ptr<const Plan> constant = Plan_("SELECT 1").value();
  EXPECT_FALSE(constant->uses_schema);
  Create("CREATE TABLE more(a)");
  EXPECT_NE(get->schema_generation, read_.schema_generation());
  const std::shared_ptr<const Plan> again = Replan(*get, kv::Reader(read_)).value();
  EXPECT_EQ(again->schema_generation, read_.schema_generation());
  EXPECT_EQ(again->text.sql, get->text.sql);
}

TEST_F(PlannerTest, AnswersEveryOtherStatementWithNotSupported) {
  for (const char* sql : {
           "INSERT INTO t DEFAULT VALUES RETURNING id",
           "INSERT INTO t(id) VALUES (1) ON CONFLICT DO NOTHING",
           "CREATE TABLE q(a AS (1))",
           "ALTER TABLE t RENAME TO u",
           "VACUUM INTO 'x'",
           "ATTACH 'x' AS y",
           "EXPLAIN SELECT 1",
           "CREATE TRIGGER g INSERT ON t BEGIN SELECT 1; END",
           "SELECT row_number() OVER ()",
       }) {
    const Status status = Plan_(sql).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << sql << ": " << status;
    EXPECT_NE(std::string(status.message()).find(" at line 1, column "), std::string::npos) << sql;
  }
}

}  // namespace
}  // namespace kvsql::planner
