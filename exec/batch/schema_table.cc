// sqlite_schema: the catalog as a table.
#include <algorithm>
#include <optional>

#include "exec/batch/operator.h"
#include "exec/scalar_ops.h"

namespace kvsql::exec {

using kv::ValueView;

namespace {

const std::string kSequenceSql = "CREATE TABLE sqlite_sequence(name,seq)";
const std::string kStatisticsSql = "CREATE TABLE sqlite_stat1(tbl,idx,stat)";

class SchemaTableOperator : public Operator {
 public:
  SchemaTableOperator(const planner::SchemaTablePlan& plan, QueryContext* context)
      : Operator(context), plan_(plan), vectors_(plan.columns.size()) {}

  Status Open() override {
    rows_.clear();
    next_ = 0;
    const kv::StatementReader& all = *context_.reader;
    reader_ = plan_.temporary ? all.temp() : &all;
    if (reader_ == nullptr) return absl::OkStatus();
    const kv::Reader& reader = *reader_;
    KV_ASSIGN_OR_RETURN(const std::vector<const kv::TableDef*> tables, reader.Tables());
    if (plan_.sequences) return ReadSequences(tables);
    for (const kv::TableDef* table : tables) {
      rows_.push_back(
          {"table", table->name, table->name, table->tree, &table->sql, table->tree * 2 + 1});
      for (const kv::IndexDef& index : table->indexes) {
        rows_.push_back(
            {"index", index.name, table->name, index.tree, &index.sql, index.tree * 2 + 1});
      }
    }
    KV_ASSIGN_OR_RETURN(const std::vector<const kv::ViewDef*> views, reader.Views());
    for (const kv::ViewDef* view : views) {
      rows_.push_back({"view", view->name, view->name, 0, &view->sql, view->trees_before * 2,
                       static_cast<int64_t>(view->made_at)});
    }
    KV_RETURN_IF_ERROR(AddSystemTable(kv::kHasSequences, "sqlite_sequence", &kSequenceSql));
    KV_RETURN_IF_ERROR(AddSystemTable(kv::kHasStatistics, "sqlite_stat1", &kStatisticsSql));
    // In the order in which they were made, as far as their trees tell.
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    });
    return absl::OkStatus();
  }

  Status Next(Batch* batch) override {
    batch->selection = {};
    const auto count = static_cast<uint32_t>(std::min<size_t>(rows_.size() - next_, kBatchRows));
    if (count == 0) return absl::OkStatus();
    batch->columns.clear();
    for (size_t i = 0; i < plan_.columns.size(); ++i) {
      ValueView* to = vectors_[i].MakeValues();
      for (uint32_t row = 0; row < count; ++row) {
        to[row] = At(plan_.columns[i].column, next_ + row);
      }
      batch->columns.push_back(&vectors_[i]);
    }
    next_ += count;
    batch->selection = {nullptr, count};
    return absl::OkStatus();
  }

 private:
  Status ReadSequences(const std::vector<const kv::TableDef*>& tables) {
    for (const kv::TableDef* table : tables) {
      if (!table->autoincrement) continue;
      KV_ASSIGN_OR_RETURN(const std::optional<int64_t> largest, reader_->ReadSequence(*table));
      if (largest.has_value()) rows_.push_back({"", table->name, "", 0, nullptr, 0, *largest});
    }
    return absl::OkStatus();
  }

  Status AddSystemTable(std::string_view property, std::string_view name, const std::string* sql) {
    KV_ASSIGN_OR_RETURN(const int64_t made, reader_->ReadProperty(property));
    if (made == 0) return absl::OkStatus();
    rows_.push_back({"table", name, name, 0, sql, static_cast<kv::TreeId>(made) * 2, made >> 32});
    return absl::OkStatus();
  }

  struct Row {
    std::string_view type;
    std::string_view name;
    std::string_view table;
    kv::TreeId tree = 0;
    const std::string* sql = nullptr;
    kv::TreeId rank = 0;
    int64_t number = 0;  // of a sequence; of the schema version that a view began
  };

  ValueView At(uint32_t column, size_t number) const {
    const Row& row = rows_[number];
    if (plan_.sequences && column < 2) {
      return column == 0 ? ValueView::Text(row.name) : ValueView::Integer(row.number);
    }
    switch (column) {
      case 0:
        return ValueView::Text(row.type);
      case 1:
        return ValueView::Text(row.name);
      case 2:
        return ValueView::Text(row.table);
      case 3:
        return ValueView::Integer(row.tree);
      case 4:
        return row.sql->empty() ? ValueView() : ValueView::Text(*row.sql);
      default:
        return ValueView::Integer(static_cast<int64_t>(number) + 1);
    }
  }

  const planner::SchemaTablePlan& plan_;
  const kv::Reader* reader_ = nullptr;  // while it is opened
  std::vector<Vector> vectors_;
  std::vector<Row> rows_;
  size_t next_ = 0;
};

}  // namespace

StatusOr<OperatorPtr> MakeSchemaTable(const planner::SchemaTablePlan& plan, QueryContext* context) {
  return OperatorPtr(std::make_unique<SchemaTableOperator>(plan, context));
}

}  // namespace kvsql::exec
