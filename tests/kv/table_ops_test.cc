#include "kv/table_ops.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/kv/sqlite_oracle.h"
#include "tests/kv/store_fixture.h"
#include "tests/kv/table_defs.h"
#include "tests/kv/value_samples.h"

namespace kvsql::kv {
namespace {

class TableOpsTest : public StoreFixture {
 protected:
  const TableDef* Create(const TableDef& def) {
    auto txn = Begin();
    EXPECT_OK(txn->CreateTable(def).status());
    EXPECT_OK(txn->Commit());
    return Take(Read().FindTable(def.name));
  }

  static TableDef People() {
    TableDef def = MakeTable("t", {{"id", "INTEGER"}, {"name", "TEXT"}, {"score", "INTEGER"}});
    def.rowid_alias = 0;
    def.primary_key = {{0, Collation::kBinary, false}};
    return def;
  }

  static std::vector<ValueView> Views(const std::vector<Value>& values) {
    std::vector<ValueView> views;
    for (const Value& value : values) views.push_back(value.view());
    return views;
  }

  static std::string Text(const Row& row) {
    std::string text;
    for (uint32_t i = 0; i < row.table().columns.size(); ++i) {
      text += Describe(row.column(i)) + "|";
    }
    return text;
  }
};

TEST_F(TableOpsTest, RowsByTheirIntegerKey) {
  const TableDef* t = Create(People());
  auto txn = Begin();
  const ValueView row[] = {ValueView::Integer(7), ValueView::Text("ann"), ValueView::Integer(99)};
  EXPECT_EQ(Take(InsertRow(*txn, *t, row)).rowid, 7);
  const ValueView next[] = {ValueView::Null(), ValueView::Text("bob"), ValueView::Text("12")};
  EXPECT_EQ(Take(InsertRow(*txn, *t, next)).rowid, 8);
  const StatusOr<WriteResult> again = InsertRow(*txn, *t, row);
  EXPECT_TRUE(absl::IsAlreadyExists(again.status()));
  EXPECT_EQ(again.status().message(), "UNIQUE constraint failed: t.id");
  EXPECT_FALSE(Take(InsertRow(*txn, *t, row, OnConflict::kIgnore)).stored);
  ASSERT_OK(txn->Commit());
  ReadTxn read = Read();
  Row found;
  ASSERT_TRUE(Take(GetByRowid(read, *t, 7, &found)));
  EXPECT_EQ(Text(found), "7|'ann'|99|");
  const ValueView key[] = {ValueView::Text("8")};
  ASSERT_TRUE(Take(GetByPrimaryKey(read, *t, key, &found)));
  EXPECT_EQ(Text(found), "8|'bob'|12|");
  std::vector<ValueView> columns(3);
  found.Columns(columns.data());
  EXPECT_EQ(Describe(columns[0]), "8");
  EXPECT_EQ(Describe(columns[1]), "'bob'");
  EXPECT_FALSE(Take(GetByRowid(read, *t, 9, &found)));
  const ValueView none[] = {ValueView::Real(7.5)};
  EXPECT_FALSE(Take(GetByPrimaryKey(read, *t, none, &found)));
  EXPECT_EQ(Take(CountRows(read, *t)), 2u);
}

TEST_F(TableOpsTest, RowidsAreGivenOutAsSqliteDoes) {
  const TableDef* t = Create(People());
  auto txn = Begin();
  const auto insert = [&](const ValueView& id) {
    const ValueView row[] = {id, ValueView::Null(), ValueView::Null()};
    return Take(InsertRow(*txn, *t, row)).rowid;
  };
  EXPECT_EQ(insert(ValueView::Null()), 1);
  EXPECT_EQ(insert(ValueView::Integer(-5)), -5);
  EXPECT_EQ(insert(ValueView::Null()), 2);
  Row row;
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 2, &row)));
  ASSERT_OK(DeleteRow(*txn, *t, row));
  EXPECT_EQ(insert(ValueView::Null()), 2);  // the top row's number is used again
  EXPECT_EQ(insert(ValueView::Integer(INT64_MAX)), INT64_MAX);
  for (int i = 0; i < 10; ++i) {
    const int64_t random = insert(ValueView::Null());
    EXPECT_GT(random, 2);
    EXPECT_LT(random, INT64_MAX);
  }
  const ValueView bad[] = {ValueView::Text("x"), ValueView::Null(), ValueView::Null()};
  EXPECT_EQ(InsertRow(*txn, *t, bad).status().message(), "datatype mismatch");
  ASSERT_OK(txn->Commit());
}

TEST_F(TableOpsTest, AutoincrementNeverUsesANumberAgain) {
  TableDef def = People();
  def.autoincrement = true;
  const TableDef* t = Create(def);
  auto txn = Begin();
  const auto insert = [&](const ValueView& id) {
    const ValueView row[] = {id, ValueView::Null(), ValueView::Null()};
    return InsertRow(*txn, *t, row);
  };
  EXPECT_EQ(Take(insert(ValueView::Null())).rowid, 1);
  EXPECT_EQ(Take(insert(ValueView::Integer(10))).rowid, 10);
  Row row;
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 10, &row)));
  ASSERT_OK(DeleteRow(*txn, *t, row));
  ASSERT_OK(txn->SetSavepoint("s"));
  EXPECT_EQ(Take(insert(ValueView::Null())).rowid, 11);
  ASSERT_OK(txn->RollbackTo("s"));
  EXPECT_EQ(Take(insert(ValueView::Null())).rowid, 11);
  ASSERT_OK(txn->Commit());
  Reopen();
  txn = Begin();
  t = Take(txn->FindTable("t"));
  EXPECT_EQ(Take(DeleteAllRows(*txn, *t)), 2u);
  EXPECT_EQ(Take(insert(ValueView::Null())).rowid, 12);
  ASSERT_OK(insert(ValueView::Integer(INT64_MAX)).status());
  EXPECT_TRUE(absl::IsResourceExhausted(insert(ValueView::Null()).status()));
  ASSERT_OK(txn->DropTable("t"));
  t = Take(txn->CreateTable(def));
  EXPECT_EQ(Take(insert(ValueView::Null())).rowid, 1);
  ASSERT_OK(txn->Commit());
}

TEST_F(TableOpsTest, NotNullAndStrictTypes) {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", "TEXT"}});
  def.columns[0].not_null = true;
  def.columns[1].not_null = true;
  def.columns[1].default_value = ValueView::Text("d");
  def.strict = true;
  const TableDef* t = Create(def);
  auto txn = Begin();
  const ValueView no_b[] = {ValueView::Integer(1), ValueView::Null()};
  EXPECT_EQ(InsertRow(*txn, *t, no_b).status().message(), "NOT NULL constraint failed: t.b");
  EXPECT_FALSE(Take(InsertRow(*txn, *t, no_b, OnConflict::kIgnore)).stored);
  EXPECT_TRUE(Take(InsertRow(*txn, *t, no_b, OnConflict::kReplace)).stored);
  const ValueView no_a[] = {ValueView::Null(), ValueView::Null()};
  EXPECT_EQ(InsertRow(*txn, *t, no_a, OnConflict::kReplace).status().message(),
            "NOT NULL constraint failed: t.a");
  const ValueView wrong[] = {ValueView::Text("x"), ValueView::Text("y")};
  EXPECT_EQ(InsertRow(*txn, *t, wrong).status().message(),
            "cannot store TEXT value in INTEGER column t.a");
  Row row;
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 1, &row)));
  EXPECT_EQ(Text(row), "1|'d'|");
  ASSERT_OK(txn->Commit());
}

TEST_F(TableOpsTest, UniqueIndexesFindRowsAndGuardThem) {
  TableDef def = People();
  AddIndex(&def, "u", {{1, Collation::kNocase, false}}, true, IndexOrigin::kUnique);
  const TableDef* t = Create(def);
  auto txn = Begin();
  const ValueView ann[] = {ValueView::Integer(1), ValueView::Text("Ann"), ValueView::Integer(1)};
  const ValueView nobody[] = {ValueView::Null(), ValueView::Null(), ValueView::Integer(2)};
  ASSERT_OK(InsertRow(*txn, *t, ann).status());
  ASSERT_OK(InsertRow(*txn, *t, nobody).status());
  ASSERT_OK(InsertRow(*txn, *t, nobody).status());  // NULLs are all different
  const ValueView other[] = {ValueView::Integer(9), ValueView::Text("ANN"), ValueView::Integer(3)};
  EXPECT_EQ(InsertRow(*txn, *t, other).status().message(), "UNIQUE constraint failed: t.name");
  const WriteResult replaced = Take(InsertRow(*txn, *t, other, OnConflict::kReplace));
  EXPECT_TRUE(replaced.stored);
  EXPECT_EQ(replaced.replaced, 1u);
  Row row;
  const ValueView key[] = {ValueView::Text("aNN")};
  ASSERT_TRUE(Take(GetByUniqueIndex(*txn, *t, t->indexes[0], key, &row)));
  EXPECT_EQ(Text(row), "9|'ANN'|3|");
  EXPECT_FALSE(Take(GetByRowid(*txn, *t, 1, &row)));
  const ValueView null_key[] = {ValueView::Null()};
  EXPECT_FALSE(Take(GetByUniqueIndex(*txn, *t, t->indexes[0], null_key, &row)));
  ASSERT_OK(txn->Commit());
}

TEST_F(TableOpsTest, LargeColumnsStandBesideTheRow) {
  TableDef def = MakeTable("t", {{"id", "INTEGER"}, {"big", "BLOB"}, {"small", "TEXT"}});
  def.rowid_alias = 0;
  def.primary_key = {{0, Collation::kBinary, false}};
  const TableDef* t = Create(def);
  const std::string big(200'000, 'B');
  const std::string medium(1500, 'm');
  auto txn = Begin();
  for (int i = 1; i <= 20; ++i) {
    const ValueView row[] = {ValueView::Integer(i),
                             ValueView::Blob(i % 2 == 0 ? std::string_view(big) : medium),
                             ValueView::Text("s")};
    ASSERT_OK(InsertRow(*txn, *t, row).status());
  }
  ASSERT_OK(txn->Commit());
  txn = Begin();
  Row row;
  std::vector<ValueView> values(3);
  // The large column is kept where it does not change, replaced where it does, deleted with the
  // row.
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 2, &row)));
  EXPECT_EQ(row.column(1).bytes(), big);
  const uint64_t before = row.overflow_key(1);
  row.Columns(values.data());
  values[2] = ValueView::Text("changed");
  ASSERT_OK(UpdateRow(*txn, *t, row, values).status());
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 2, &row)));
  EXPECT_EQ(row.overflow_key(1), before);
  EXPECT_EQ(row.column(2).bytes(), "changed");
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 4, &row)));
  row.Columns(values.data());
  values[1] = ValueView::Blob("small now");
  ASSERT_OK(UpdateRow(*txn, *t, row, values).status());
  ASSERT_TRUE(Take(GetByRowid(*txn, *t, 6, &row)));
  ASSERT_OK(DeleteRow(*txn, *t, row));
  ASSERT_OK(txn->Commit());
  Reopen();
  ReadTxn read = Read();
  t = Take(read.FindTable("t"));
  EXPECT_EQ(read.root(t->overflow_tree).count, 18u);
  ASSERT_TRUE(Take(GetByRowid(read, *t, 2, &row)));
  EXPECT_EQ(row.column(1).bytes(), big);
  ASSERT_TRUE(Take(GetByRowid(read, *t, 3, &row)));
  EXPECT_EQ(row.column(1).bytes(), medium);
  ASSERT_TRUE(Take(GetByRowid(read, *t, 4, &row)));
  EXPECT_EQ(row.column(1).bytes(), "small now");
}

TEST_F(TableOpsTest, AddedColumnsReadAsTheirDefault) {
  const TableDef* t = Create(MakeTable("t", {{"a", "INTEGER"}}));
  auto txn = Begin();
  const ValueView row[] = {ValueView::Integer(5)};
  ASSERT_OK(InsertRow(*txn, *t, row).status());
  TableDef wider = *t;
  ColumnDef& added = wider.columns.emplace_back();
  added.name = "b";
  added.default_value = ValueView::Text("default");
  wider.Derive();
  Row found;
  ASSERT_TRUE(Take(GetByRowid(*txn, wider, 1, &found)));
  EXPECT_EQ(Text(found), "5|'default'|");
  std::vector<ValueView> values(2);
  found.Columns(values.data());
  EXPECT_EQ(Describe(values[1]), "'default'");
}

TEST_F(TableOpsTest, KeysLongerThanTheLimitAreToldApart) {
  TableDef def = MakeTable("t", {{"a", "TEXT"}});
  AddIndex(&def, "u", {{0, Collation::kBinary, false}}, true, IndexOrigin::kUnique);
  const TableDef* t = Create(def);
  const std::string base(70'000, 'k');
  auto txn = Begin();
  for (const char last : {'a', 'b', 'c'}) {
    const std::string text = base + last;
    const ValueView row[] = {ValueView::Text(text)};
    ASSERT_OK(InsertRow(*txn, *t, row).status());
    EXPECT_TRUE(absl::IsAlreadyExists(InsertRow(*txn, *t, row).status()));
  }
  Row row;
  const std::string wanted = base + 'b';
  const ValueView key[] = {ValueView::Text(wanted)};
  ASSERT_TRUE(Take(GetByUniqueIndex(*txn, *t, t->indexes[0], key, &row)));
  EXPECT_EQ(row.rowid(), 2);
  ASSERT_OK(DeleteRow(*txn, *t, row));
  EXPECT_FALSE(Take(GetByUniqueIndex(*txn, *t, t->indexes[0], key, &row)));
  ASSERT_OK(txn->Commit());
}

TEST_F(TableOpsTest, AnIndexIsBuiltOverRowsOrRefused) {
  const TableDef* t = Create(People());
  auto txn = Begin();
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "name" + std::to_string(i / 2);
    const ValueView row[] = {ValueView::Null(), ValueView::Text(name), ValueView::Integer(i)};
    ASSERT_OK(InsertRow(*txn, *t, row).status());
  }
  IndexDef index;
  index.name = "by_name";
  index.table = "t";
  index.columns = {{1, Collation::kBinary, false}};
  index.unique = true;
  EXPECT_EQ(txn->CreateIndex(index).status().message(), "UNIQUE constraint failed: t.name");
  index.unique = false;
  ASSERT_OK(txn->CreateIndex(index).status());
  index.name = "by_score";
  index.columns = {{2, Collation::kBinary, true}};
  index.unique = true;
  ASSERT_OK(txn->CreateIndex(index).status());
  ASSERT_OK(txn->Commit());
  ReadTxn read = Read();
  t = Take(read.FindTable("t"));
  Row row;
  const ValueView key[] = {ValueView::Integer(1234)};
  ASSERT_TRUE(Take(GetByUniqueIndex(read, *t, *t->FindIndex("by_score"), key, &row)));
  EXPECT_EQ(row.rowid(), 1235);
  read.End();
  CheckSound();
  txn = Begin();
  ASSERT_OK(txn->DropIndex("by_name"));
  ASSERT_OK(txn->Commit());
}

// The same random statements on the same table in SQLite, which must agree in everything.
struct Shape {
  const char* name;
  const char* sql;
  TableDef (*make)();
};

TableDef RowidShape() {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", "TEXT"}, {"c", ""}, {"d", "REAL"}});
  def.rowid_alias = 0;
  def.primary_key = {{0, Collation::kBinary, false}};
  def.columns[1].collation = Collation::kNocase;
  AddIndex(&def, "u1", {{1, Collation::kNocase, false}}, true, IndexOrigin::kUnique);
  AddIndex(&def, "u2", {{2, Collation::kBinary, true}, {3, Collation::kBinary, false}}, true,
           IndexOrigin::kUnique);
  AddIndex(&def, "i", {{3, Collation::kBinary, false}, {1, Collation::kRtrim, true}}, false,
           IndexOrigin::kCreateIndex);
  return def;
}

TableDef KeyedShape() {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", "TEXT"}, {"c", ""}, {"d", "REAL"}});
  def.shape = TableShape::kWithoutRowid;
  def.columns[1].collation = Collation::kNocase;
  def.columns[1].not_null = true;
  def.columns[2].not_null = true;
  def.primary_key = {{1, Collation::kNocase, false}, {2, Collation::kBinary, true}};
  AddIndex(&def, "u1", {{0, Collation::kBinary, false}}, true, IndexOrigin::kUnique);
  AddIndex(&def, "i", {{3, Collation::kBinary, false}}, false, IndexOrigin::kCreateIndex);
  return def;
}

TableDef PlainShape() {
  TableDef def = MakeTable("t", {{"a", "INTEGER"}, {"b", "TEXT"}, {"c", ""}, {"d", "REAL"}});
  def.primary_key = {{1, Collation::kRtrim, false}};
  def.columns[1].collation = Collation::kRtrim;
  AddIndex(&def, "sqlite_autoindex_t_1", {{1, Collation::kRtrim, false}}, true,
           IndexOrigin::kPrimaryKey);
  return def;
}

const Shape kShapes[] = {
    {"Rowid",
     "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE, c, d REAL, UNIQUE(b), "
     "UNIQUE(c DESC, d)); CREATE INDEX i ON t(d, b COLLATE RTRIM DESC)",
     &RowidShape},
    {"WithoutRowid",
     "CREATE TABLE t(a INTEGER, b TEXT COLLATE NOCASE, c, d REAL, PRIMARY KEY(b, c DESC), "
     "UNIQUE(a)) WITHOUT ROWID; CREATE INDEX i ON t(d)",
     &KeyedShape},
    {"PlainRowid", "CREATE TABLE t(a INTEGER, b TEXT COLLATE RTRIM PRIMARY KEY, c, d REAL)",
     &PlainShape},
};

class RandomRowsTest : public StoreFixture, public ::testing::WithParamInterface<Shape> {
 protected:
  static Value SmallValue(std::mt19937_64& random, uint32_t column) {
    // Few values, so that rows collide often.
    switch (random() % 10) {
      case 0:
        return Value();
      case 1:
        return Value(ValueView::Real(static_cast<double>(random() % 20) / 2));
      case 2:
        return Value(ValueView::Text(std::to_string(random() % 10)));
      case 3:
        return column == 1 ? Value(ValueView::Text(std::string("Ab ") +
                                                   static_cast<char>('a' + random() % 3) + "  "))
                           : Value(ValueView::Integer(static_cast<int64_t>(random() % 40)));
      case 4:
        return column == 0 ? Value() : Value(ValueView::Blob(std::string(1, 'a' + random() % 3)));
      default:
        if (column == 1) {
          std::string text(1 + random() % 2, static_cast<char>((random() % 2 == 0 ? 'a' : 'A') +
                                                               static_cast<int>(random() % 6)));
          if (random() % 4 == 0) text += ' ';
          return Value(ValueView::Text(text));
        }
        return Value(ValueView::Integer(static_cast<int64_t>(random() % 40)));
    }
  }
};

TEST_P(RandomRowsTest, AgreeWithSqlite) {
  const Shape& shape = GetParam();
  SqliteOracle oracle;
  oracle.Execute(shape.sql);
  auto txn = Begin();
  const TableDef* t = Take(txn->CreateTable(shape.make()));
  std::mt19937_64 random(21);
  const char* conflicts[] = {"ABORT", "IGNORE", "REPLACE"};
  int errors = 0;
  for (int step = 0; step < 6000; ++step) {
    std::vector<Value> owned;
    std::vector<ValueView> values;
    for (uint32_t i = 0; i < 4; ++i) owned.push_back(SmallValue(random, i));
    for (const Value& value : owned) values.push_back(value.view());
    constexpr OnConflict kModes[] = {OnConflict::kAbort, OnConflict::kIgnore, OnConflict::kReplace};
    const size_t chosen = random() % 3;
    const OnConflict mode = kModes[chosen];
    const std::string conflict = conflicts[chosen];
    const auto action = random() % 10;
    Row row;
    TableScan scan;
    ASSERT_OK(scan.Start(*txn, *t));
    const uint64_t rows = Take(CountRows(*txn, *t));
    bool picked = false;
    if (action >= 6 && rows > 0) {
      for (auto skip = random() % rows; skip > 0; --skip) ASSERT_OK(scan.Next());
      picked = true;
    }
    std::string failure;
    std::string where;
    std::vector<ValueView> key;
    if (picked) {
      if (t->has_rowid()) {
        where = " WHERE rowid = ?";
        key.push_back(ValueView::Integer(scan.row().rowid()));
      } else {
        where = " WHERE b = ? AND c = ?";
        key.push_back(scan.row().column(1));
        key.push_back(scan.row().column(2));
      }
    }
    const std::vector<Value> owned_key(key.size() > 0 ? std::vector<Value>{Value(key[0])}
                                                      : std::vector<Value>());
    std::string sql;
    std::vector<ValueView> parameters;
    if (!picked) {
      sql = "INSERT OR " + conflict + " INTO t VALUES (?, ?, ?, ?)";
      parameters = values;
    } else if (action < 9) {
      sql = "UPDATE OR " + conflict + " t SET a = ?, b = ?, c = ?, d = ?" + where;
      parameters = values;
      parameters.insert(parameters.end(), key.begin(), key.end());
    } else {
      sql = "DELETE FROM t" + where;
      parameters = key;
    }
    const std::string expected = oracle.Run(sql, parameters);
    if (!picked) {
      const StatusOr<WriteResult> result = InsertRow(*txn, *t, values, mode);
      if (!result.ok()) failure = std::string(result.status().message());
    } else if (action < 9) {
      const StatusOr<WriteResult> result = UpdateRow(*txn, *t, scan.row(), values, mode);
      if (!result.ok()) failure = std::string(result.status().message());
    } else {
      ASSERT_OK(DeleteRow(*txn, *t, scan.row()));
    }
    // Where several constraints fail, which one is named first may differ.
    ASSERT_EQ(failure.empty(), expected.empty()) << sql << ": " << failure << " / " << expected;
    if (!failure.empty()) {
      ++errors;
      ASSERT_EQ(failure.substr(0, 8), expected.substr(0, 8));
    }
    if (step % 500 == 499) {
      std::string ours;
      ASSERT_OK(scan.Start(*txn, *t));
      while (scan.Valid()) {
        ours += (t->has_rowid() ? std::to_string(scan.row().rowid()) : "") + ":";
        for (uint32_t i = 0; i < 4; ++i) ours += Describe(scan.row().column(i)) + "|";
        ours += "\n";
        ASSERT_OK(scan.Next());
      }
      const std::string theirs =
          oracle.Dump(t->has_rowid() ? "SELECT rowid, a, b, c, d FROM t ORDER BY rowid"
                                     : "SELECT a, b, c, d FROM t ORDER BY b, c DESC",
                      t->has_rowid());
      ASSERT_EQ(ours, theirs) << "after step " << step;
      ASSERT_OK(txn->Commit());
      CheckSound();
      txn = Begin();
    }
  }
  EXPECT_GT(errors, 100);
  ASSERT_OK(txn->Commit());
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomRowsTest, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace kvsql::kv
