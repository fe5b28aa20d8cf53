// The values that the normaliser took out of a statement's text, for one execution.
//
// Thread safety: none; belongs to the execution it was made for.
#ifndef KVSQL_PLANNER_LIFTED_H_
#define KVSQL_PLANNER_LIFTED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kv/value.h"
#include "parser/normaliser.h"

namespace kvsql::planner {

struct LiftedValues {
  std::vector<kv::ValueView> values;  // texts and blobs point into bytes
  std::vector<parser::LiftedSlot> slots;
  uint32_t matrix_rows = 0;  // 0: no matrix
  std::string bytes;

  // Takes what `normaliser` found, with copies of all bytes. No allocation once the buffers have grown.
  void Assign(const parser::Normaliser& normaliser);
  void Clear();
};

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_LIFTED_H_
