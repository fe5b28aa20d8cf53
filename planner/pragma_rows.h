// The rows of PRAGMAs that tell of the schema or of kvsql itself: as statements, and as tables in FROM
// (pragma_table_info('t')).
//
// Thread safety: free functions; the reader is used by the calling thread.
#ifndef KVSQL_PLANNER_PRAGMA_ROWS_H_
#define KVSQL_PLANNER_PRAGMA_ROWS_H_

#include <string_view>
#include <vector>

#include "base/status.h"
#include "kv/statement_reader.h"
#include "kv/value.h"
#include "planner/names.h"

namespace kvsql::planner {

struct PragmaTable {
  std::vector<std::string_view> columns;  // none: there is no such PRAGMA here
  std::vector<std::vector<kv::Value>> rows;
};

// `schema`: what stands before the PRAGMA's name.
StatusOr<PragmaTable> PragmaRows(std::string_view pragma, SchemaKind schema, bool has_argument,
                                 std::string_view argument, const kv::StatementReader& reader);

// All PRAGMAs that kvsql knows.
std::vector<std::string_view> PragmaNames();

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_PRAGMA_ROWS_H_
