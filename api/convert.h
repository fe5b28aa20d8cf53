// Between the public types and those of kv.
#ifndef KVSQL_API_CONVERT_H_
#define KVSQL_API_CONVERT_H_

#include <kvsql/options.h>
#include <kvsql/value.h>

#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "kv/store.h"
#include "kv/value.h"

namespace kvsql::internal {

// Both views are the same 16 bytes, so that a conversion costs nothing.
static_assert(sizeof(kvsql::ValueView) == sizeof(kv::ValueView));
static_assert(std::is_trivially_copyable_v<kvsql::ValueView>);
static_assert(std::is_trivially_copyable_v<kv::ValueView>);
static_assert(static_cast<int>(ValueType::kNull) == static_cast<int>(kv::ValueType::kNull));
static_assert(static_cast<int>(ValueType::kInteger) == static_cast<int>(kv::ValueType::kInteger));
static_assert(static_cast<int>(ValueType::kReal) == static_cast<int>(kv::ValueType::kReal));
static_assert(static_cast<int>(ValueType::kText) == static_cast<int>(kv::ValueType::kText));
static_assert(static_cast<int>(ValueType::kBlob) == static_cast<int>(kv::ValueType::kBlob));

inline kv::ValueView ToKv(const kvsql::ValueView& value) {
  return std::bit_cast<kv::ValueView>(value);
}
inline kvsql::ValueView FromKv(const kv::ValueView& value) {
  return std::bit_cast<kvsql::ValueView>(value);
}

// A list of values as kv takes them; in place where they are few.
class KvValues {
 public:
  explicit KvValues(std::span<const kvsql::ValueView> values) : size_(values.size()) {
    if (size_ > kInPlace) more_.resize(size_);
    kv::ValueView* out = data();
    for (const kvsql::ValueView& value : values) *out++ = ToKv(value);
  }
  KvValues(const KvValues&) = delete;
  KvValues& operator=(const KvValues&) = delete;

  std::span<const kv::ValueView> span() { return {data(), size_}; }

 private:
  static constexpr size_t kInPlace = 16;

  kv::ValueView* data() { return size_ > kInPlace ? more_.data() : in_place_; }

  size_t size_;
  kv::ValueView in_place_[kInPlace];
  std::vector<kv::ValueView> more_;
};

inline kv::Durability ToKv(Durability durability) {
  return durability == Durability::kFull ? kv::Durability::kFull : kv::Durability::kNormal;
}

}  // namespace kvsql::internal

#endif  // KVSQL_API_CONVERT_H_
