// Functions that choose among their arguments, or tell of the value's type and of the connection.
#include "exec/functions/arguments.h"
#include "exec/functions/builtins.h"

namespace kvsql::exec::builtin {

using kv::ValueView;

ValueView Coalesce(FunctionContext&, const ValueView* args, int count) {
  for (int i = 0; i < count; ++i) {
    if (!args[i].is_null()) return args[i];
  }
  return {};
}
ValueView Ifnull(FunctionContext& context, const ValueView* args, int count) {
  return Coalesce(context, args, count);
}
ValueView Iif(FunctionContext&, const ValueView* args, int) {
  return IsTrue(args[0]) ? args[1] : args[2];
}
ValueView Nullif(FunctionContext& context, const ValueView* args, int) {
  return kv::CompareValues(args[0], args[1], context.collation) == 0 ? ValueView() : args[0];
}

// Hints to the planner.
ValueView Likelihood(FunctionContext&, const ValueView* args, int) { return args[0]; }
ValueView Likely(FunctionContext&, const ValueView* args, int) { return args[0]; }
ValueView Unlikely(FunctionContext&, const ValueView* args, int) { return args[0]; }

// Of equal arguments the first.
ValueView MaxScalar(FunctionContext& context, const ValueView* args, int count) {
  ValueView best = args[0];
  for (int i = 0; i < count; ++i) {
    if (args[i].is_null()) return {};
    if (kv::CompareValues(best, args[i], context.collation) < 0) best = args[i];
  }
  return best;
}
// Of equal arguments the last.
ValueView MinScalar(FunctionContext& context, const ValueView* args, int count) {
  ValueView best = args[0];
  for (int i = 0; i < count; ++i) {
    if (args[i].is_null()) return {};
    if (kv::CompareValues(best, args[i], context.collation) >= 0) best = args[i];
  }
  return best;
}

ValueView Typeof(FunctionContext&, const ValueView* args, int) {
  return ValueView::Text(kv::ValueTypeName(args[0].type));
}
// The version of SQLite whose answers these functions give: programs ask what they may use.
ValueView SqliteVersion(FunctionContext&, const ValueView*, int) {
  return ValueView::Text("3.40.1");
}

ValueView Changes(FunctionContext& context, const ValueView*, int) {
  return ValueView::Integer(context.changes);
}
ValueView TotalChanges(FunctionContext& context, const ValueView*, int) {
  return ValueView::Integer(context.total_changes);
}
ValueView LastInsertRowid(FunctionContext& context, const ValueView*, int) {
  return ValueView::Integer(context.last_insert_rowid);
}

}  // namespace kvsql::exec::builtin
