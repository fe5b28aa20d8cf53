// SQL text to plan: parse, bind to the schema of one state, choose the operators.
//
// Thread safety: free functions; the reader is used by the calling thread.
//
// Errors: those of parser::Parse; NOT_FOUND "no such table: t" and INVALID_ARGUMENT "no such column: a",
// with line and column; UNIMPLEMENTED "not supported yet: ..." for what the planner cannot do.
#ifndef KVSQL_PLANNER_PREPARE_H_
#define KVSQL_PLANNER_PREPARE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "kv/statement_reader.h"
#include "planner/lifted.h"
#include "planner/plan.h"
#include "planner/plan_options.h"

namespace kvsql::planner {

// The plan of the first statement of `sql` under the reader's schema; null if there is no statement.
// `lifted`: ranges that a Normaliser found in the same text. *consumed: bytes read, semicolon included.
StatusOr<std::shared_ptr<const Plan>> Prepare(std::string_view sql,
                                              std::span<const parser::LiftedRange> lifted,
                                              const kv::StatementReader& reader,
                                              const PlanOptions& options, size_t* consumed);
inline StatusOr<std::shared_ptr<const Plan>> Prepare(std::string_view sql,
                                                     std::span<const parser::LiftedRange> lifted,
                                                     const kv::StatementReader& reader,
                                                     size_t* consumed) {
  return Prepare(sql, lifted, reader, PlanOptions(), consumed);
}

// The same statement under the reader's schema.
StatusOr<std::shared_ptr<const Plan>> Replan(const Plan& plan, const kv::StatementReader& reader);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_PREPARE_H_
