// The plan of a query that the direct tier does not serve: a tree of operators over batches of rows.
//
// Thread safety: immutable once made; any number of executions share it.
//
// Invariants:
//   1. Every slot is produced by exactly one operator, and passed upward by those above that list it in
//      `outputs`.
//   2. An operator's expressions use only slots of its inputs' outputs, and outer cells.
//   3. Outer cells are filled by the expression that runs the subquery, before it runs it.
#ifndef KVSQL_PLANNER_QUERY_QUERY_PLAN_H_
#define KVSQL_PLANNER_QUERY_QUERY_PLAN_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "planner/plan.h"
#include "planner/query/expr_node.h"

namespace kvsql::planner {

enum class OperatorKind : uint8_t {
  kRows,  // VALUES, or the one row of a SELECT without FROM
  kScan,  // a table or one of its indexes
  kFilter,
  kProject,  // computes slots, passes others on
  kAggregate,
  kDistinct,
  kSort,
  kLimit,
  kJoin,
  kSetOperation,
  kSchemaTable,
  kShared,  // the rows of a query that several read
};

struct OperatorPlan {
  explicit OperatorPlan(OperatorKind the_kind) : kind(the_kind) {}
  virtual ~OperatorPlan() = default;

  OperatorKind kind;
  std::vector<SlotId> outputs;
  std::vector<std::unique_ptr<OperatorPlan>> inputs;
  double rows = 1;  // estimate
  double cost = 0;  // estimate, in reads of a row
  // The order in which its rows come, as far as it is known.
  struct Order {
    SlotId slot = kNoSlot;
    bool descending = false;
    kv::Collation collation = kv::Collation::kBinary;
  };
  std::vector<Order> order;
  bool order_used = false;  // something above relies on it
};

template <typename Node>
const Node& As(const OperatorPlan& plan) {
  return static_cast<const Node&>(plan);
}

struct RowsPlan : OperatorPlan {
  RowsPlan() : OperatorPlan(OperatorKind::kRows) {}
  std::vector<std::vector<ExprNode*>> rows_exprs;  // per row, one per output
};

// Stands for "the bytes of the row's key", of a table without rowids.
inline constexpr uint32_t kKeyColumn = kv::kRowidColumn - 1;

// How a scan finds its rows.
struct AccessPath {
  enum class Kind : uint8_t { kTable, kIndex };
  Kind kind = Kind::kTable;
  const kv::IndexDef* index = nullptr;
  bool descending = false;
  // The key's first columns equal these. Of a table with rowids: at most one, the rowid.
  std::vector<ExprNode*> equal;
  // The last of `equal` may be one of several: a list of values, or the rows of a subquery (kIn, kInLifted or
  // kInSubquery), whose probes come in key order.
  ExprNode* in_list = nullptr;
  // Bounds of the next key column.
  ExprNode* low = nullptr;
  ExprNode* high = nullptr;
  bool low_inclusive = false;
  bool high_inclusive = false;
  // Per key column with a value: comparing it with the column, which is one of texts, does not make it a text first.
  std::vector<uint8_t> as_is;
  // Everything needed stands in the index's entries.
  bool covering = false;
  // The conditions that the path stands for. They are looked at again where a key was too long for its entry.
  std::vector<ExprNode*> recheck;
};

struct ScanPlan : OperatorPlan {
  ScanPlan() : OperatorPlan(OperatorKind::kScan) {}
  struct Column {
    uint32_t column = 0;  // kv::kRowidColumn: the rowid; kKeyColumn: the key's bytes
    SlotId slot = kNoSlot;
  };
  const kv::TableDef* table = nullptr;
  std::string name;  // as the statement calls it
  std::vector<Column> columns;
  AccessPath access;
  std::vector<ExprNode*> filters;  // over its own slots and outer cells
};

struct FilterPlan : OperatorPlan {
  FilterPlan() : OperatorPlan(OperatorKind::kFilter) {}
  std::vector<ExprNode*> filters;
  std::vector<ExprNode*> once;  // need no row: looked at before the input is
};

struct ProjectPlan : OperatorPlan {
  ProjectPlan() : OperatorPlan(OperatorKind::kProject) {}
  struct Item {
    SlotId slot = kNoSlot;
    ExprNode* expr = nullptr;
  };
  std::vector<Item> items;
};

struct AggregateCall {
  const FunctionInfo* function = nullptr;  // null: a bare column, see `bare_of`
  std::vector<ExprNode*> args;             // none for count(*)
  bool distinct = false;
  ExprNode* filter = nullptr;
  kv::Collation collation = kv::Collation::kBinary;  // min, max, DISTINCT
  SlotId slot = kNoSlot;
  // A bare column (args[0]): its value in the first row of the group, or, with a min() or max() in the query, in
  // the row that gave the result of calls[bare_of].
  int bare_of = -1;
};

struct AggregatePlan : OperatorPlan {
  AggregatePlan() : OperatorPlan(OperatorKind::kAggregate) {}
  struct Key {
    ExprNode* expr = nullptr;
    SlotId slot = kNoSlot;
    kv::Collation collation = kv::Collation::kBinary;
  };
  std::vector<Key> keys;  // none: one group, always
  std::vector<AggregateCall> calls;
  bool ordered = false;  // rows of a group come together
};

struct DistinctPlan : OperatorPlan {
  DistinctPlan() : OperatorPlan(OperatorKind::kDistinct) {}
  std::vector<SlotId> keys;
  std::vector<kv::Collation> collations;
};

struct SortKey {
  ExprNode* expr = nullptr;
  kv::Collation collation = kv::Collation::kBinary;
  bool descending = false;
  bool nulls_first = true;
};

struct SortPlan : OperatorPlan {
  SortPlan() : OperatorPlan(OperatorKind::kSort) {}
  std::vector<SortKey> keys;
  // Only the first limit + offset rows are wanted.
  ExprNode* limit = nullptr;
  ExprNode* offset = nullptr;
};

struct LimitPlan : OperatorPlan {
  LimitPlan() : OperatorPlan(OperatorKind::kLimit) {}
  ExprNode* limit = nullptr;  // may be null
  ExprNode* offset = nullptr;
};

enum class JoinKind : uint8_t { kInner, kLeft, kRight, kFull, kSemi, kAnti };
enum class JoinMethod : uint8_t {
  kNestedLoop,  // the right side is kept in memory and met with every left row
  kHash,        // the right side is hashed
  kIndex,       // the right side is a scan that looks up each left row's values
};

struct JoinPlan : OperatorPlan {
  JoinPlan() : OperatorPlan(OperatorKind::kJoin) {}
  JoinKind join = JoinKind::kInner;
  JoinMethod method = JoinMethod::kNestedLoop;
  // Hash: pairs that must be equal; `extra` says how they compare.
  struct Key {
    ExprNode* left = nullptr;
    ExprNode* right = nullptr;
    uint8_t extra = 0;
    bool is = false;  // IS: NULL equals NULL
  };
  std::vector<Key> keys;
  // What else a pair must satisfy, over both sides' slots.
  std::vector<ExprNode*> conditions;
  // kIndex: the left side's slots that the right scan's access path reads are handed over in outer cells.
  struct Handover {
    SlotId slot = kNoSlot;
    uint32_t cell = 0;
  };
  std::vector<Handover> handovers;
};

enum class SetOperation : uint8_t { kUnionAll, kUnion, kExcept, kIntersect };

struct SetOperationPlan : OperatorPlan {
  SetOperationPlan() : OperatorPlan(OperatorKind::kSetOperation) {}
  SetOperation operation = SetOperation::kUnionAll;
  // Columns of the two inputs, one beside the other, and of the result: `outputs`.
  std::vector<SlotId> left;
  std::vector<SlotId> right;
  std::vector<kv::Collation> collations;
};

struct SchemaTablePlan : OperatorPlan {
  SchemaTablePlan() : OperatorPlan(OperatorKind::kSchemaTable) {}
  bool sequences = false;  // sqlite_sequence
  bool temporary = false;  // of the temporary tables
  // type, name, tbl_name, rootpage, sql; or name, seq; and the rowid, as far as they are needed.
  std::vector<ScanPlan::Column> columns;
};

// A common table that is read several times: computed when the first reader needs it, once per execution.
struct SharedQuery {
  std::string name;
  std::unique_ptr<OperatorPlan> root;
  std::vector<SlotId> results;
};

struct SharedPlan : OperatorPlan {
  SharedPlan() : OperatorPlan(OperatorKind::kShared) {}
  uint32_t index = 0;                     // among the plan's shared queries
  std::vector<ScanPlan::Column> columns;  // column: which result
};

// A query inside an expression.
struct Subquery {
  std::unique_ptr<OperatorPlan> root;
  std::vector<SlotId> results;
  // Slots of the query that has the expression, which the subquery (or one inside it) reads: they are put into
  // the cells before it runs.
  struct Input {
    SlotId slot = kNoSlot;
    uint32_t cell = 0;
  };
  std::vector<Input> inputs;
  // All cells that its result depends on. None: it runs once.
  std::vector<uint32_t> depends;
};

struct QueryPlan : Plan {
  explicit QueryPlan(PlanKind the_kind = PlanKind::kQuery) : Plan(the_kind) {}

  std::unique_ptr<OperatorPlan> root;
  std::vector<SlotId> results;  // per output column
  std::vector<std::unique_ptr<Subquery>> subqueries;
  std::vector<std::unique_ptr<SharedQuery>> shared;
  std::deque<ExprNode> nodes;
  uint32_t slots = 0;        // numbers given out
  uint32_t outer_cells = 0;  // numbers given out
};

// Statements that write the rows of a query. The query is run to its end before the first row is written.

// INSERT ... SELECT, and VALUES that the direct tier cannot evaluate.
struct QueryInsertPlan : QueryPlan {
  QueryInsertPlan() : QueryPlan(PlanKind::kQueryInsert) {}
  static constexpr uint32_t kDefault = UINT32_MAX;
  const kv::TableDef* table = nullptr;
  std::vector<uint32_t> value_of;  // per column of the table: which result; kDefault: its default
  uint32_t rowid_of = kDefault;    // of a table without a column for the rowid
};

// CREATE TABLE ... AS: the results are the rows of the table that is made.
struct QueryCreatePlan : QueryPlan {
  QueryCreatePlan() : QueryPlan(PlanKind::kQueryCreate) {}
  kv::TableDef definition;
  bool if_not_exists = false;
};

// UPDATE or DELETE of sqlite_sequence: the results are the table's name and, of an UPDATE, the new number.
struct QuerySequencePlan : QueryPlan {
  QuerySequencePlan() : QueryPlan(PlanKind::kQuerySequence) {}
};

// The results are the row's key (its rowid, or the key's bytes), then one value per assignment.
struct QueryUpdatePlan : QueryPlan {
  QueryUpdatePlan() : QueryPlan(PlanKind::kQueryUpdate) {}
  const kv::TableDef* table = nullptr;
  std::vector<uint32_t> columns;  // per assignment: the column, or kv::kRowidColumn
  bool may_repeat = false;        // FROM: a row may come several times, and is changed once
};

// The results are the row's key.
struct QueryDeletePlan : QueryPlan {
  QueryDeletePlan() : QueryPlan(PlanKind::kQueryDelete) {}
  const kv::TableDef* table = nullptr;
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_QUERY_QUERY_PLAN_H_
