// CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP: now, in UTC.
#include <cstring>
#include <ctime>

#include "exec/functions/builtins.h"

namespace kvsql::exec::builtin {
namespace {

kv::ValueView Now(FunctionContext& context, const char* format) {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts = {};
  char text[32];
  if (gmtime_r(&seconds, &parts) == nullptr) return {};
  const size_t size = std::strftime(text, sizeof(text), format, &parts);
  char* copy = context.arena->Allocate(size);
  std::memcpy(copy, text, size);
  return kv::ValueView::Text({copy, size});
}

}  // namespace

kv::ValueView CurrentDate(FunctionContext& context, const kv::ValueView*, int) {
  return Now(context, "%Y-%m-%d");
}
kv::ValueView CurrentTime(FunctionContext& context, const kv::ValueView*, int) {
  return Now(context, "%H:%M:%S");
}
kv::ValueView CurrentTimestamp(FunctionContext& context, const kv::ValueView*, int) {
  return Now(context, "%Y-%m-%d %H:%M:%S");
}

}  // namespace kvsql::exec::builtin
