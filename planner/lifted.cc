#include "planner/lifted.h"

namespace kvsql::planner {

using kv::ValueView;
using parser::LiteralType;
using parser::LiteralValue;

void LiftedValues::Assign(const parser::Normaliser& normaliser) {
  matrix_rows = normaliser.matrix_rows();
  slots.assign(normaliser.slots().begin(), normaliser.slots().end());
  size_t size = 0;
  for (const LiteralValue& value : normaliser.values()) size += value.bytes.size();
  bytes.clear();
  bytes.reserve(size);  // so that views into it stay
  values.clear();
  values.reserve(normaliser.values().size());
  for (const LiteralValue& value : normaliser.values()) {
    switch (value.type) {
      case LiteralType::kNull:
        values.push_back(ValueView::Null());
        break;
      case LiteralType::kInteger:
        values.push_back(ValueView::Integer(value.integer));
        break;
      case LiteralType::kReal:
        values.push_back(ValueView::Real(value.real));
        break;
      case LiteralType::kText:
      case LiteralType::kBlob: {
        const size_t start = bytes.size();
        bytes.append(value.bytes);
        const std::string_view copy(bytes.data() + start, value.bytes.size());
        values.push_back(value.type == LiteralType::kText ? ValueView::Text(copy)
                                                          : ValueView::Blob(copy));
        break;
      }
    }
  }
}

void LiftedValues::Clear() {
  values.clear();
  slots.clear();
  bytes.clear();
  matrix_rows = 0;
}

}  // namespace kvsql::planner
