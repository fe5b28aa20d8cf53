#include "planner/names.h"

#include "kv/value.h"

namespace kvsql::planner {

SchemaKind SchemaOf(std::string_view schema) {
  if (schema.empty()) return SchemaKind::kAny;
  if (kv::EqualsIgnoreCase(schema, "main")) return SchemaKind::kMain;
  return kv::EqualsIgnoreCase(schema, "temp") ? SchemaKind::kTemp : SchemaKind::kUnknown;
}

StatusOr<NamedObject> FindObject(const kv::StatementReader& reader, SchemaKind schema,
                                 std::string_view name) {
  NamedObject object;
  for (const bool temporary : {true, false}) {
    const kv::Reader* from = ReaderOf(reader, temporary);
    if (from == nullptr || !Includes(schema, temporary)) continue;
    object.temporary = temporary;
    KV_ASSIGN_OR_RETURN(object.table, from->FindTable(name));
    if (object.table != nullptr) return object;
    KV_ASSIGN_OR_RETURN(object.view, from->FindView(name));
    if (object.view != nullptr) return object;
  }
  return object;
}

StatusOr<NamedObject> FindIndexed(const kv::StatementReader& reader, SchemaKind schema,
                                  std::string_view index) {
  NamedObject object;
  for (const bool temporary : {true, false}) {
    const kv::Reader* from = ReaderOf(reader, temporary);
    if (from == nullptr || !Includes(schema, temporary)) continue;
    object.temporary = temporary;
    KV_ASSIGN_OR_RETURN(object.table, from->FindTableOfIndex(index));
    if (object.table != nullptr) return object;
  }
  return object;
}

}  // namespace kvsql::planner
