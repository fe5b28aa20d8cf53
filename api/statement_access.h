// Makes Statements, and runs SQL texts.
#ifndef KVSQL_API_STATEMENT_ACCESS_H_
#define KVSQL_API_STATEMENT_ACCESS_H_

#include <kvsql/connection.h>

#include <optional>
#include <span>
#include <string_view>

#include "api/source.h"
#include "base/status.h"

namespace kvsql::internal {

struct StatementAccess {
  // `owner` has a session: a connection, or an active transaction that was given one.
  static StatusOr<Statement> Prepare(WriteTarget* owner, std::string_view sql);
  // The first statement of *sql, cut off it; nullopt if there is none.
  static StatusOr<std::optional<Statement>> PrepareNext(WriteTarget* owner, std::string_view* sql);
  // Runs all statements of the text; exactly one if there are parameters.
  static Status Execute(WriteTarget* owner, std::string_view sql,
                        std::span<const ValueView> parameters);
};

}  // namespace kvsql::internal

#endif  // KVSQL_API_STATEMENT_ACCESS_H_
