// Whose tables a name means: the database's ("main"), or the connection's temporary ones ("temp").
#ifndef KVSQL_PLANNER_NAMES_H_
#define KVSQL_PLANNER_NAMES_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "kv/schema.h"
#include "kv/statement_reader.h"
#include "parser/ast.h"

namespace kvsql::planner {

// What stands before the dot of a name; kAny: nothing.
enum class SchemaKind : uint8_t { kAny, kMain, kTemp, kUnknown };

SchemaKind SchemaOf(std::string_view schema);
inline SchemaKind SchemaOf(const parser::Name& schema) { return SchemaOf(schema.text); }

// Whether names of this kind are looked up among the temporary tables, or else in the database.
inline bool Includes(SchemaKind schema, bool temporary) {
  return schema == SchemaKind::kAny ||
         schema == (temporary ? SchemaKind::kTemp : SchemaKind::kMain);
}

// Where those of one kind are read; null: there are no temporary tables.
inline const kv::Reader* ReaderOf(const kv::StatementReader& reader, bool temporary) {
  return temporary ? reader.temp() : &reader;
}

// A table or a view; neither: there is none of the name.
struct NamedObject {
  const kv::TableDef* table = nullptr;
  const kv::ViewDef* view = nullptr;
  bool temporary = false;

  bool found() const { return table != nullptr || view != nullptr; }
};

// Temporary ones hide others of their name.
StatusOr<NamedObject> FindObject(const kv::StatementReader& reader, SchemaKind schema,
                                 std::string_view name);
// The table that has the index.
StatusOr<NamedObject> FindIndexed(const kv::StatementReader& reader, SchemaKind schema,
                                  std::string_view index);

}  // namespace kvsql::planner

#endif  // KVSQL_PLANNER_NAMES_H_
