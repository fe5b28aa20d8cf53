#include <gtest/gtest.h>

#include <random>
#include <string>

#include "kv/analyze.h"
#include "kv/catalog_codec.h"
#include "kv/log_record.h"
#include "kv/table_ops.h"
#include "tests/kv/store_fixture.h"
#include "tests/kv/table_defs.h"

namespace kvsql::kv {
namespace {

class CatalogTest : public StoreFixture {};

TEST_F(CatalogTest, ATableComesBackWithAllItsParts) {
  TableDef def = MakeTable("Things", {{"id", "INTEGER"}, {"name", "TEXT"}, {"x", "REAL"}});
  def.rowid_alias = 0;
  def.primary_key = {{0, Collation::kBinary, false}};
  def.columns[1].collation = Collation::kNocase;
  def.columns[1].not_null = true;
  def.columns[2].default_value = ValueView::Real(1.5);
  def.columns[2].default_sql = "1.5";
  def.sql = "CREATE TABLE Things(...)";
  def.strict = true;
  AddIndex(&def, "sqlite_autoindex_Things_1", {{1, Collation::kNocase, true}}, true,
           IndexOrigin::kUnique);
  auto txn = Begin();
  const TableDef* table = Take(txn->CreateTable(def));
  ASSERT_NE(table, nullptr);
  IndexDef index;
  index.name = "by_x";
  index.table = "things";
  index.columns = {{2, Collation::kBinary, false}};
  index.sql = "CREATE INDEX by_x ON Things(x)";
  EXPECT_EQ(Take(txn->CreateIndex(index))->name, "by_x");
  EXPECT_OK(txn->Commit());
  for (int round = 0; round < 2; ++round) {
    ReadTxn read = Read();
    const TableDef* found = Take(read.FindTable("THINGS"));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->name, "Things");
    EXPECT_EQ(found->sql, def.sql);
    EXPECT_TRUE(found->strict);
    EXPECT_EQ(found->rowid_alias, 0u);
    ASSERT_EQ(found->columns.size(), 3u);
    EXPECT_EQ(found->columns[1].collation, Collation::kNocase);
    EXPECT_TRUE(found->columns[1].not_null);
    EXPECT_EQ(found->columns[2].affinity, Affinity::kReal);
    EXPECT_EQ(found->columns[2].default_value.view().real, 1.5);
    EXPECT_EQ(found->columns[2].default_sql, "1.5");
    ASSERT_EQ(found->indexes.size(), 2u);
    EXPECT_TRUE(found->indexes[0].unique);
    EXPECT_TRUE(found->indexes[0].columns[0].descending);
    EXPECT_EQ(found->indexes[1].sql, index.sql);
    EXPECT_EQ(Take(read.FindTableOfIndex("BY_X")), found);
    EXPECT_EQ(Take(read.FindTable("other")), nullptr);
    EXPECT_EQ(Take(read.Tables()).size(), 1u);
    read.End();
    Reopen();
  }
}

TEST_F(CatalogTest, ExpressionsAndConflictClausesComeBack) {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", "TEXT"}});
  def.columns[0].not_null = true;
  def.columns[0].not_null_conflict = OnConflict::kIgnore;
  def.columns[1].default_sql = "1 + 2";
  def.columns[1].default_expression = true;
  def.checks = {{"positive", "a > 0"}, {"", "b <> a"}};
  def.key_conflict = OnConflict::kReplace;
  AddIndex(&def, "i",
           {{kExpressionColumn, Collation::kNocase, true}, {0, Collation::kBinary, false}}, true,
           IndexOrigin::kCreateIndex);
  def.indexes[0].where_sql = "a IS NOT NULL";
  def.indexes[0].expressions = {"lower(b)", ""};
  def.indexes[0].conflict = OnConflict::kFail;
  const TableDef found = Take(DecodeTable(EncodeTable(def)));
  EXPECT_EQ(found.columns[0].not_null_conflict, OnConflict::kIgnore);
  EXPECT_TRUE(found.columns[1].default_expression);
  EXPECT_FALSE(found.columns[0].default_expression);
  ASSERT_EQ(found.checks.size(), 2u);
  EXPECT_EQ(found.checks[0].label(), "positive");
  EXPECT_EQ(found.checks[1].label(), "b <> a");
  EXPECT_EQ(found.key_conflict, OnConflict::kReplace);
  EXPECT_EQ(found.indexes[0].columns, def.indexes[0].columns);
  EXPECT_EQ(found.indexes[0].where_sql, "a IS NOT NULL");
  EXPECT_EQ(found.indexes[0].expressions, def.indexes[0].expressions);
  EXPECT_EQ(found.indexes[0].conflict, OnConflict::kFail);
  EXPECT_TRUE(found.indexes[0].has_expressions);
  EXPECT_TRUE(found.index_rules);
}

// Nothing is written that somebody who knows the expressions would have refused.
TEST_F(CatalogTest, ExpressionsThatNobodyEvaluatesKeepRowsOut) {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}});
  def.checks = {{"", "a > 0"}};
  auto txn = Begin();
  const TableDef* table = Take(txn->CreateTable(def));
  const ValueView one = ValueView::Integer(1);
  EXPECT_TRUE(absl::IsFailedPrecondition(InsertRow(*txn, *table, {&one, 1}).status()));
  txn->Rollback();
}

TEST_F(CatalogTest, ViewsComeAndGo) {
  auto txn = Begin();
  Take(txn->CreateTable(MakeTable("t", {{"a", "INTEGER"}})));
  ViewDef view;
  view.name = "Seen";
  view.columns = {"x"};
  view.sql = "CREATE VIEW Seen(x) AS SELECT a FROM t";
  const uint64_t before = txn->schema_generation();
  Take(txn->CreateView(view));
  EXPECT_NE(txn->schema_generation(), before);
  EXPECT_EQ(txn->CreateView(view).status().message(), "view Seen already exists");
  EXPECT_EQ(txn->CreateTable(MakeTable("SEEN", {{"a", ""}})).status().message(),
            "view SEEN already exists");
  view.name = "t";
  EXPECT_EQ(txn->CreateView(view).status().message(), "table t already exists");
  EXPECT_OK(txn->Commit());
  Reopen();
  {
    ReadTxn read = Read();
    const ViewDef* found = Take(read.FindView("sEEN"));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->name, "Seen");
    EXPECT_EQ(found->columns, std::vector<std::string>{"x"});
    EXPECT_EQ(found->sql, "CREATE VIEW Seen(x) AS SELECT a FROM t");
    EXPECT_EQ(Take(read.Views()).size(), 1u);
  }
  txn = Begin();
  EXPECT_OK(txn->SetSavepoint("s"));
  EXPECT_OK(txn->DropView("seen"));
  EXPECT_EQ(Take(txn->FindView("seen")), nullptr);
  EXPECT_OK(txn->RollbackTo("s"));
  EXPECT_NE(Take(txn->FindView("seen")), nullptr);
  EXPECT_OK(txn->DropView("seen"));
  EXPECT_TRUE(absl::IsNotFound(txn->DropView("seen")));
  EXPECT_OK(txn->Commit());
  EXPECT_EQ(Take(Read().FindView("seen")), nullptr);
}

TEST_F(CatalogTest, PropertiesAndStatistics) {
  auto txn = Begin();
  EXPECT_EQ(Take(Reader(*txn).ReadProperty("user_version")), 0);
  EXPECT_OK(txn->WriteProperty("user_version", -3));
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", ""}});
  AddIndex(&def, "ab", {{0, Collation::kBinary, false}, {1, Collation::kBinary, false}}, false,
           IndexOrigin::kCreateIndex);
  const TableDef* table = Take(txn->CreateTable(def));
  for (int64_t i = 0; i < 30; ++i) {
    const ValueView row[] = {ValueView::Integer(i % 3), ValueView::Integer(i % 15)};
    Take(InsertRow(*txn, *table, row));
  }
  EXPECT_OK(Analyze(*txn, *table));
  EXPECT_OK(txn->Commit());
  Reopen();
  ReadTxn read = Read();
  EXPECT_EQ(Take(Reader(read).ReadProperty("USER_VERSION")), -3);
  EXPECT_EQ(Take(Reader(read).ReadProperty("schema_version")), 2);
  const TableDef* found = Take(read.FindTable("t"));
  EXPECT_EQ(found->analyzed_rows, 30u);
  EXPECT_EQ(found->indexes[0].statistics, (std::vector<uint64_t>{30, 10, 2}));
}

TEST_F(CatalogTest, NamesAreTakenOnce) {
  auto txn = Begin();
  const TableDef def = MakeTable("t", {{"a", ""}});
  ASSERT_OK(txn->CreateTable(def).status());
  EXPECT_EQ(txn->CreateTable(MakeTable("T", {{"a", ""}})).status().message(),
            "table T already exists");
  IndexDef index;
  index.name = "i";
  index.table = "t";
  index.columns = {{0, Collation::kBinary, false}};
  ASSERT_OK(txn->CreateIndex(index).status());
  EXPECT_EQ(txn->CreateIndex(index).status().message(), "index i already exists");
  EXPECT_EQ(txn->CreateTable(MakeTable("I", {{"a", ""}})).status().message(),
            "there is already an index named I");
  index.name = "T";
  EXPECT_EQ(txn->CreateIndex(index).status().message(), "there is already a table named T");
  EXPECT_EQ(txn->DropTable("nope").message(), "no such table: nope");
  EXPECT_EQ(txn->DropIndex("nope").message(), "no such index: nope");
  EXPECT_EQ(txn->CreateTable(MakeTable("d", {{"a", ""}, {"A", ""}})).status().message(),
            "duplicate column name: A");
  ASSERT_OK(txn->CreateKeyspace("t").status());  // keyspaces have names of their own
  EXPECT_TRUE(absl::IsAlreadyExists(txn->CreateKeyspace("T").status()));
  EXPECT_OK(txn->Commit());
}

TEST_F(CatalogTest, ReadersSeeTheSchemaOfTheirSnapshot) {
  auto txn = Begin();
  ASSERT_OK(txn->CreateTable(MakeTable("t", {{"a", ""}})).status());
  ASSERT_OK(txn->Commit());
  ReadTxn before = Read();
  const uint64_t generation = before.schema_generation();
  txn = Begin();
  EXPECT_EQ(txn->schema_generation(), generation);
  EXPECT_FALSE(txn->has_private_schema());
  ASSERT_OK(txn->DropTable("t"));
  EXPECT_TRUE(txn->has_private_schema());
  EXPECT_EQ(Take(txn->FindTable("t")), nullptr);
  ASSERT_OK(txn->CreateTable(MakeTable("u", {{"b", ""}})).status());
  const uint64_t private_generation = txn->schema_generation();
  EXPECT_NE(private_generation, generation);
  ASSERT_OK(txn->Commit());
  EXPECT_NE(Take(before.FindTable("t")), nullptr);
  EXPECT_EQ(Take(before.FindTable("u")), nullptr);
  EXPECT_EQ(before.schema_generation(), generation);
  ReadTxn after = Read();
  EXPECT_EQ(after.schema_generation(), private_generation);
  EXPECT_EQ(Take(after.FindTable("t")), nullptr);
  EXPECT_NE(Take(after.FindTable("u")), nullptr);
}

TEST_F(CatalogTest, GenerationsThatWereRolledBackNeverComeBack) {
  const TreeId keyspace = NewKeyspace("k");
  auto txn = Begin();
  const uint64_t base = txn->schema_generation();
  ASSERT_OK(txn->SetSavepoint("s"));
  ASSERT_OK(txn->CreateTable(MakeTable("t", {{"a", ""}})).status());
  const uint64_t first = txn->schema_generation();
  ASSERT_OK(txn->SetSavepoint("inner"));
  ASSERT_OK(txn->CreateTable(MakeTable("u", {{"a", ""}})).status());
  const uint64_t second = txn->schema_generation();
  ASSERT_OK(txn->RollbackTo("inner"));
  const uint64_t third = txn->schema_generation();
  EXPECT_EQ(Take(txn->FindTable("u")), nullptr);
  EXPECT_NE(Take(txn->FindTable("t")), nullptr);
  EXPECT_EQ(std::set<uint64_t>({base, first, second, third}).size(), 4u);
  ASSERT_OK(txn->RollbackTo("s"));
  EXPECT_FALSE(txn->has_private_schema());
  EXPECT_EQ(txn->schema_generation(), base);
  EXPECT_EQ(Take(txn->FindTable("t")), nullptr);
  EXPECT_OK(PutValue(*txn, keyspace, "a", "1"));
  ASSERT_OK(txn->Commit());
  EXPECT_EQ(Read().schema_generation(), base);
}

TEST_F(CatalogTest, ADroppedTableGivesItsPagesBack) {
  auto txn = Begin();
  const TableDef* table = Take(txn->CreateTable(MakeTable("t", {{"a", ""}, {"b", ""}})));
  for (int i = 0; i < 3000; ++i) {
    const ValueView values[] = {ValueView::Integer(i), ValueView::Text("some text in a row")};
    ASSERT_OK(InsertRow(*txn, *table, values).status());
  }
  ASSERT_OK(txn->Commit());
  txn = Begin();
  ASSERT_OK(txn->DropTable("t"));
  ASSERT_OK(txn->CreateTable(MakeTable("t", {{"c", ""}})).status());
  ASSERT_OK(txn->Commit());
  CheckSound();  // finds pages that belong to nothing
  EXPECT_EQ(Take(Read().FindTable("t"))->columns.size(), 1u);
}

TEST_F(CatalogTest, DropAndCreateInOneTransactionAreReplayed) {
  // The log is what a reopen after a crash reads; here it is applied to another database.
  std::string record;
  LogCreateTree(1, KeyKind::kBytes, &record);
  LogPut(1, std::string_view("a"), "1", &record);
  LogPut(2, int64_t{-5}, "five", &record);
  LogDelete(1, std::string_view("a"), &record);
  LogDelete(2, int64_t{7}, &record);
  LogDeleteRange(1, std::string_view("b"), std::nullopt, &record);
  LogDeleteRange(2, std::optional<int64_t>(), std::optional<int64_t>(9), &record);
  LogDropTree(2, &record);
  RecordReader reader(record);
  LoggedOperation op;
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.op, LogOp::kCreateTree);
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.value, "1");
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.int_key, -5);
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.key, "a");
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.int_key, 7);
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.lo, "b");
  EXPECT_FALSE(op.hi.has_value());
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.int_hi, 9);
  EXPECT_FALSE(op.int_lo.has_value());
  ASSERT_TRUE(reader.Next(&op));
  EXPECT_EQ(op.op, LogOp::kDropTree);
  EXPECT_TRUE(reader.done());
}

TEST_F(CatalogTest, DamagedLogRecordsAreRefusedOrReadInside) {
  std::string record;
  LogPut(3, std::string_view("some key"), "some value", &record);
  LogDeleteRange(3, std::string_view("lo"), std::string_view("hi"), &record);
  LogPut(4, int64_t{5}, "value", &record);
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<char> damaged(record.begin(), record.end());
    damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.resize(random() % (damaged.size() + 1));
    RecordReader reader({damaged.data(), damaged.size()});
    LoggedOperation op;
    size_t operations = 0;
    while (!reader.done() && reader.Next(&op)) ++operations;
    ASSERT_LE(operations, damaged.size());
  }
}

TEST_F(CatalogTest, DamagedRecordsAreRefused) {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", "TEXT"}});
  AddIndex(&def, "i", {{1, Collation::kNocase, false}}, true, IndexOrigin::kCreateIndex);
  const std::string record = EncodeTable(def);
  ASSERT_OK(DecodeTable(record).status());
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<char> damaged(record.begin(), record.end());
    damaged[random() % damaged.size()] = static_cast<char>(random());
    if (random() % 2 == 0) damaged.resize(random() % damaged.size());
    const StatusOr<TableDef> decoded = DecodeTable({damaged.data(), damaged.size()});
    if (!decoded.ok()) continue;
    for (const IndexDef& index : decoded->indexes) {
      for (const IndexColumn& column : index.columns) {
        ASSERT_TRUE(column.column == kRowidColumn || column.column < decoded->columns.size());
      }
    }
  }
  for (size_t size = 0; size < record.size(); ++size) {
    EXPECT_FALSE(DecodeTable(record.substr(0, size)).ok());
  }
}

}  // namespace
}  // namespace kvsql::kv
