#include "planner/explain.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "planner/query/query_plan.h"

namespace kvsql::planner {
namespace {

std::string_view KindName(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      return "";
    case JoinKind::kLeft:
      return "LEFT ";
    case JoinKind::kRight:
      return "RIGHT ";
    case JoinKind::kFull:
      return "FULL ";
    case JoinKind::kSemi:
      return "SEMI ";
    case JoinKind::kAnti:
      return "ANTI ";
  }
  return "";
}

std::string_view MethodName(JoinMethod method) {
  switch (method) {
    case JoinMethod::kNestedLoop:
      return "NESTED LOOP JOIN";
    case JoinMethod::kHash:
      return "HASH JOIN";
    case JoinMethod::kIndex:
      return "INDEX JOIN";
  }
  return "";
}

std::string_view OperationName(SetOperation operation) {
  switch (operation) {
    case SetOperation::kUnionAll:
      return "UNION ALL";
    case SetOperation::kUnion:
      return "UNION";
    case SetOperation::kExcept:
      return "EXCEPT";
    case SetOperation::kIntersect:
      return "INTERSECT";
  }
  return "";
}

class Explainer {
 public:
  explicit Explainer(const Plan& plan) : plan_(plan) {}

  std::vector<ExplainPlan::Row> Run() {
    switch (plan_.kind) {
      case PlanKind::kQuery:
        Query(0);
        break;
      case PlanKind::kGet:
        Add(0, Lookup(static_cast<const GetPlan&>(plan_).lookup));
        break;
      case PlanKind::kValues: {
        const size_t rows = static_cast<const ValuesPlan&>(plan_).rows.size();
        Add(0, rows == 1 ? "SCAN CONSTANT ROW" : absl::StrCat("SCAN ", rows, " CONSTANT ROWS"));
        break;
      }
      case PlanKind::kCount:
        Add(0, absl::StrCat("COUNT ROWS OF ", static_cast<const CountPlan&>(plan_).table->name));
        break;
      case PlanKind::kInsert:
        Add(0, absl::StrCat("INSERT INTO ", static_cast<const InsertPlan&>(plan_).table->name));
        break;
      case PlanKind::kUpdate: {
        const KeyLookup& lookup = static_cast<const UpdatePlan&>(plan_).lookup;
        Add(Add(0, absl::StrCat("UPDATE ", lookup.table->name)), Lookup(lookup));
        break;
      }
      case PlanKind::kDelete: {
        const auto& plan = static_cast<const DeletePlan&>(plan_);
        const int64_t id = Add(0, absl::StrCat(plan.all ? "DELETE ALL ROWS OF " : "DELETE FROM ",
                                               plan.lookup.table->name));
        if (!plan.all) Add(id, Lookup(plan.lookup));
        break;
      }
      case PlanKind::kQueryCreate:
        Query(Add(0, "CREATE TABLE " + static_cast<const QueryCreatePlan&>(plan_).definition.name));
        break;
      case PlanKind::kQueryInsert:
        Query(Add(0, absl::StrCat("INSERT INTO ",
                                  static_cast<const QueryInsertPlan&>(plan_).table->name)));
        break;
      case PlanKind::kQueryUpdate:
        Query(Add(0,
                  absl::StrCat("UPDATE ", static_cast<const QueryUpdatePlan&>(plan_).table->name)));
        break;
      case PlanKind::kQueryDelete:
        Query(Add(0, absl::StrCat("DELETE FROM ",
                                  static_cast<const QueryDeletePlan&>(plan_).table->name)));
        break;
      default:
        break;
    }
    return std::move(rows_);
  }

 private:
  int64_t Add(int64_t parent, std::string detail) {
    const auto id = static_cast<int64_t>(rows_.size()) + 1;
    rows_.push_back({id, parent, std::move(detail)});
    return id;
  }

  void Query(int64_t parent) {
    const auto& plan = static_cast<const QueryPlan&>(plan_);
    for (const std::unique_ptr<SharedQuery>& shared : plan.shared) {
      Operator(*shared->root, Add(parent, "MATERIALIZE " + shared->name));
    }
    Operator(*plan.root, parent);
    size_t number = 0;
    for (size_t i = 0; i < plan.subqueries.size(); ++i) {
      const Subquery& subquery = *plan.subqueries[i];
      if (subquery.root == nullptr) continue;
      std::string_view kind = "SCALAR";
      for (const ExprNode& node : plan.nodes) {
        if (node.index != i) continue;
        if (node.Is(NodeKind::kExists)) kind = "EXISTS";
        if (node.Is(NodeKind::kInSubquery)) kind = "LIST";
      }
      Operator(*subquery.root,
               Add(parent, absl::StrCat(subquery.depends.empty() ? "" : "CORRELATED ",
                                        std::string(kind), " SUBQUERY ", ++number)));
    }
  }

  static std::string Lookup(const KeyLookup& lookup) {
    const kv::TableDef& table = *lookup.table;
    if (lookup.by == KeyLookup::By::kRowid) {
      return absl::StrCat("SEARCH ", table.name, " USING INTEGER PRIMARY KEY (rowid=?)");
    }
    const std::vector<kv::IndexColumn>& key =
        lookup.index != nullptr ? lookup.index->columns : table.primary_key;
    std::vector<std::string> terms;
    for (size_t i = 0; i < lookup.key.size(); ++i) {
      terms.push_back(absl::StrCat(table.columns[key[i].column].name, "=?"));
    }
    return absl::StrCat(
        "SEARCH ", table.name, " USING ",
        lookup.index != nullptr ? absl::StrCat("INDEX ", lookup.index->name) : "PRIMARY KEY", " (",
        absl::StrJoin(terms, " AND "), ")");
  }

  static std::string Scan(const ScanPlan& scan) {
    const kv::TableDef& table = *scan.table;
    const AccessPath& path = scan.access;
    const bool by_index = path.kind == AccessPath::Kind::kIndex;
    const auto name = [&](size_t i) -> std::string {
      uint32_t column = kv::kRowidColumn;
      if (by_index) {
        if (i < path.index->columns.size()) column = path.index->columns[i].column;
      } else if (!table.has_rowid()) {
        column = table.primary_key[i].column;
      }
      if (column == kv::kExpressionColumn) return "<expr>";
      if (column == kv::kRowidColumn || (!by_index && table.has_rowid())) return "rowid";
      return table.columns[column].name;
    };
    std::vector<std::string> terms;
    for (size_t i = 0; i < path.equal.size(); ++i) terms.push_back(name(i) + "=?");
    size_t next = path.equal.size();
    if (path.in_list != nullptr) terms.push_back(name(next++) + "=?");
    if (path.low != nullptr) terms.push_back(name(next) + ">?");
    if (path.high != nullptr) terms.push_back(name(next) + "<?");
    std::string how;
    if (by_index) {
      how = absl::StrCat(" USING ", path.covering ? "COVERING " : "", "INDEX ", path.index->name);
    } else if (!terms.empty()) {
      how = table.has_rowid() ? " USING INTEGER PRIMARY KEY" : " USING PRIMARY KEY";
    }
    if (!terms.empty()) absl::StrAppend(&how, " (", absl::StrJoin(terms, " AND "), ")");
    return absl::StrCat(terms.empty() ? "SCAN " : "SEARCH ", scan.name, how);
  }

  std::string Constant(const ExprNode* node) const {
    if (node == nullptr || !node->Is(NodeKind::kConstant)) return "?";
    const kv::ValueView value = plan_.constants[node->index].view();
    return value.type == kv::ValueType::kInteger ? std::to_string(value.integer) : "?";
  }

  void Inputs(const OperatorPlan& plan, int64_t parent) {
    for (const std::unique_ptr<OperatorPlan>& input : plan.inputs) Operator(*input, parent);
  }

  void Operator(const OperatorPlan& plan, int64_t parent) {
    switch (plan.kind) {
      case OperatorKind::kRows: {
        const size_t rows = static_cast<const RowsPlan&>(plan).rows_exprs.size();
        Add(parent,
            rows == 1 ? "SCAN CONSTANT ROW" : absl::StrCat("SCAN ", rows, " CONSTANT ROWS"));
        return;
      }
      case OperatorKind::kScan:
        Add(parent, Scan(static_cast<const ScanPlan&>(plan)));
        return;
      case OperatorKind::kShared: {
        const auto& query = static_cast<const QueryPlan&>(plan_);
        Add(parent, "SCAN " + query.shared[static_cast<const SharedPlan&>(plan).index]->name);
        return;
      }
      case OperatorKind::kSchemaTable:
        Add(parent, "SCAN sqlite_schema");
        return;
      case OperatorKind::kProject:
        Inputs(plan, parent);
        return;
      case OperatorKind::kFilter:
        Inputs(plan, Add(parent, "FILTER"));
        return;
      case OperatorKind::kAggregate: {
        const auto& aggregate = static_cast<const AggregatePlan&>(plan);
        Inputs(plan, Add(parent, aggregate.keys.empty() ? "AGGREGATE"
                                 : aggregate.ordered    ? "GROUP BY (ordered)"
                                                        : "GROUP BY (hash)"));
        return;
      }
      case OperatorKind::kDistinct:
        Inputs(plan, Add(parent, "DISTINCT"));
        return;
      case OperatorKind::kSort: {
        const auto& sort = static_cast<const SortPlan&>(plan);
        std::string detail = "SORT";
        if (sort.limit != nullptr) {
          absl::StrAppend(&detail, " (top ", Constant(sort.limit),
                          sort.offset != nullptr ? " + " + Constant(sort.offset) : "", ")");
        }
        Inputs(plan, Add(parent, std::move(detail)));
        return;
      }
      case OperatorKind::kLimit:
        Inputs(plan, Add(parent, "LIMIT"));
        return;
      case OperatorKind::kJoin: {
        const auto& join = static_cast<const JoinPlan&>(plan);
        Inputs(plan, Add(parent, absl::StrCat(std::string(KindName(join.join)),
                                              std::string(MethodName(join.method)))));
        return;
      }
      case OperatorKind::kSetOperation:
        Inputs(plan, Add(parent, std::string(OperationName(
                                     static_cast<const SetOperationPlan&>(plan).operation))));
        return;
    }
  }

  const Plan& plan_;
  std::vector<ExplainPlan::Row> rows_;
};

}  // namespace

std::vector<ExplainPlan::Row> Explain(const Plan& plan) { return Explainer(plan).Run(); }

}  // namespace kvsql::planner
