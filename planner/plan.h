// What the planner makes of a statement: an immutable description of how to run it, which any number of
// executions share.
//
// Thread safety: a Plan does not change once it is made, and may be used from any thread.
//
// Invariants:
//   1. Pointers into the schema (tables, indexes) live as long as the plan: it holds the Schema.
//   2. A plan that looks at the schema is valid for exactly one schema generation; generations are never
//      reused in a process.
//   3. `text` makes the plan again under another schema.
#ifndef KVSQL_PLANNER_PLAN_H_
#define KVSQL_PLANNER_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kv/schema.h"
#include "kv/table_ops.h"
#include "kv/value.h"
#include "parser/normaliser.h"
#include "planner/expression.h"
#include "planner/plan_options.h"

namespace kvsql::planner {

enum class PlanKind : uint8_t {
  kQuery,
  kGet,
  kValues,
  kCount,
  kInsert,
  kUpdate,
  kDelete,
  kQueryInsert,
  kQueryUpdate,
  kQueryDelete,
  kQueryCreate,
  kQuerySequence,
  kCreateTable,
  kCreateIndex,
  kCreateView,
  kDrop,
  kMaintain,
  kControl,
  kPragma,
  kExplain,
};

// What a statement does when a constraint fails.
// kDefault: what the constraint's own clause says.
enum class ConflictMode : uint8_t { kDefault, kAbort, kRollback, kFail, kIgnore, kReplace };

struct OutputColumn {
  std::string name;
  std::string declared_type;  // of a plain column
};

// The statement's text, and which of its literals the normaliser lifted.
struct StatementText {
  std::string sql;
  std::vector<parser::LiftedRange> lifted;
};

struct Plan {
  explicit Plan(PlanKind the_kind) : kind(the_kind) {}

  PlanKind kind;
  bool read_only = true;
  bool uses_schema = false;
  bool writes_temp = false;                        // what it changes is temporary
  ConflictMode conflict = ConflictMode::kDefault;  // of statements that write rows
  uint64_t schema_generation = 0;
  std::shared_ptr<const kv::Schema> schema;
  uint64_t temp_generation = 0;  // of the temporary tables; 0: there were none
  std::shared_ptr<const kv::Schema> temp_schema;
  StatementText text;
  PlanOptions options;
  std::vector<std::string> parameter_names;  // per parameter, "" for those without
  std::vector<OutputColumn> columns;
  std::vector<Operand> outputs;  // per column
  std::vector<kv::Value> constants;
  std::vector<kv::ValueView> constant_views;  // of `constants`
  std::vector<Program> programs;
  uint32_t registers = 0;  // that the largest program needs

  // Rough size, for the cache's budget.
  size_t MemoryBytes() const;
};

template <typename Node>
const Node& As(const Plan& plan) {
  return static_cast<const Node&>(plan);
}

// Finding at most one row.
struct KeyLookup {
  enum class By : uint8_t { kRowid, kPrimaryKey, kUniqueIndex };
  const kv::TableDef* table = nullptr;
  By by = By::kRowid;
  const kv::IndexDef* index = nullptr;  // kUniqueIndex
  std::vector<Operand> key;             // in key order
  // What else the row must satisfy.
  std::optional<Operand> filter;
};

// SELECT ... FROM t WHERE key = ...
struct GetPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kGet;
  GetPlan() : Plan(kKind) {}
  KeyLookup lookup;
};

// SELECT without FROM; VALUES.
struct ValuesPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kValues;
  ValuesPlan() : Plan(kKind) {}
  std::vector<std::vector<Operand>> rows;
  std::optional<Operand> filter;
};

// SELECT count(*) FROM t
struct CountPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kCount;
  CountPlan() : Plan(kKind) {}
  const kv::TableDef* table = nullptr;
};

struct InsertPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kInsert;
  InsertPlan() : Plan(kKind) {}
  const kv::TableDef* table = nullptr;
  std::vector<std::vector<Operand>> rows;  // one operand per column of the table
  std::vector<uint32_t> default_columns;   // that take a default which is an expression
  // With a rowid that is given, but is no column: its operand, per row. Else empty.
  std::vector<Operand> rowids;
  // rows[0] is a template for the matrix of lifted literals.
  bool matrix = false;
};

struct UpdatePlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kUpdate;
  UpdatePlan() : Plan(kKind) {}
  struct Assignment {
    uint32_t column = 0;  // kv::kRowidColumn: the rowid of a table without a column for it
    Operand value;
  };
  KeyLookup lookup;
  std::vector<Assignment> assignments;
};

struct DeletePlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kDelete;
  DeletePlan() : Plan(kKind) {}
  bool all = false;  // no WHERE
  KeyLookup lookup;  // table, and key unless `all`
};

struct CreateTablePlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kCreateTable;
  CreateTablePlan() : Plan(kKind) {}
  kv::TableDef table;
  bool if_not_exists = false;
};

struct CreateIndexPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kCreateIndex;
  CreateIndexPlan() : Plan(kKind) {}
  kv::IndexDef index;
  bool if_not_exists = false;
};

struct CreateViewPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kCreateView;
  CreateViewPlan() : Plan(kKind) {}
  kv::ViewDef view;
  bool if_not_exists = false;
};

enum class MaintainKind : uint8_t { kAnalyze, kReindex, kVacuum };

// ANALYZE, REINDEX, VACUUM.
struct MaintainPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kMaintain;
  MaintainPlan() : Plan(kKind) {}
  MaintainKind action = MaintainKind::kAnalyze;
  std::string name;  // of a table, an index, or (REINDEX) a collation; empty: everything
};

enum class DropKind : uint8_t { kTable, kIndex, kView };

struct DropPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kDrop;
  DropPlan() : Plan(kKind) {}
  DropKind object = DropKind::kTable;
  std::string name;
  bool if_exists = false;
};

enum class ControlAction : uint8_t {
  kBegin,
  kBeginImmediate,
  kBeginExclusive,
  kCommit,
  kRollback,
  kSavepoint,
  kRelease,
  kRollbackTo,
};

struct ControlPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kControl;
  ControlPlan() : Plan(kKind) {}
  ControlAction action = ControlAction::kBegin;
  std::string name;  // of a savepoint
};

// EXPLAIN QUERY PLAN.
struct ExplainPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kExplain;
  ExplainPlan() : Plan(kKind) {}
  struct Row {
    int64_t id = 0;
    int64_t parent = 0;  // 0: none
    std::string detail;
  };
  std::vector<Row> rows;
};

enum class PragmaKind : uint8_t {
  kRows,  // those of the plan: what the schema, or kvsql as it is, says
  kIntegrityCheck,
  kProperty,  // a number kept in the catalog; with an argument: stores it
  kDatabaseList,
  kJournalMode,
  kSynchronous,
  kBusyTimeout,
  kQueryOnly,
  kMmapSize,
  kPageSize,
  kPageCount,
  kFreelistCount,
  kCheckpoint,
  kRules,
  kQueryMemory,
  kTier,
};

struct PragmaPlan : Plan {
  static constexpr PlanKind kKind = PlanKind::kPragma;
  PragmaPlan() : Plan(kKind) {}
  PragmaKind pragma = PragmaKind::kRows;
  std::string property;    // of kProperty
  bool temporary = false;  // kProperty: of the temporary tables
  std::string argument;
  bool has_argument = false;
  std::vector<std::vector<kv::Value>> rows;  // of kRows
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_PLAN_H_
