// SQL values: one of NULL, a 64-bit integer, a double, UTF-8 text, bytes.
//
// ValueView does not own text and bytes; Value does. Both are plain values: copy them freely, use one
// object from one thread at a time.
#ifndef KVSQL_VALUE_H_
#define KVSQL_VALUE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <kvsql/export.h>

namespace kvsql {

// The storage classes of SQL. The numbers do not change.
enum class ValueType : uint8_t { kNull = 0, kInteger = 1, kReal = 2, kText = 3, kBlob = 4 };

// "NULL", "INTEGER", "REAL", "TEXT", "BLOB".
KVSQL_EXPORT std::string_view value_type_name(ValueType type);

// A value whose text or bytes belong to somebody else: to the caller where it is a parameter, to a row,
// statement, snapshot or transaction where kvsql returns it. Converts from what one would pass:
//
//   table.get_row("alice");  statement.bind(1, 42);  connection.execute(sql, {1, 2.5, "x", nullptr});
class ValueView {
 public:
  constexpr ValueView() : integer_(0) {}
  constexpr ValueView(std::nullptr_t) : integer_(0) {}
  constexpr ValueView(std::nullopt_t) : integer_(0) {}
  // An unsigned number above 2^63-1 becomes REAL, as a literal of that size does in SQL. bool is 0 or 1.
  template <std::integral T>
  constexpr ValueView(T value) : integer_(static_cast<int64_t>(value)), type_(ValueType::kInteger) {
    if (!InRange(value)) {
      real_ = static_cast<double>(value);
      type_ = ValueType::kReal;
    }
  }
  // NaN becomes NULL, as in SQLite.
  template <std::floating_point T>
  constexpr ValueView(T value) : integer_(0) {
    if (value >= -std::numeric_limits<T>::infinity()) {
      real_ = static_cast<double>(value);
      type_ = ValueType::kReal;
    }
  }
  // Text is taken as it is; kvsql stores bytes that are not UTF-8 unchanged.
  constexpr ValueView(std::string_view text)
      : data_(text.data()), size_(Size(text.size())), type_(ValueType::kText) {}
  constexpr ValueView(const char* text) : ValueView(std::string_view(text)) {}
  ValueView(const std::string& text) : ValueView(std::string_view(text)) {}
  // Bytes.
  ValueView(std::span<const std::byte> blob)
      : data_(reinterpret_cast<const char*>(blob.data())),
        size_(Size(blob.size())),
        type_(ValueType::kBlob) {}
  // The same for bytes that stand in a string.
  static constexpr ValueView Blob(std::string_view blob) {
    ValueView view(blob);
    view.type_ = ValueType::kBlob;
    return view;
  }

  constexpr ValueType type() const { return type_; }
  constexpr bool is_null() const { return type_ == ValueType::kNull; }

  // The value as a number: an INTEGER as it is, a REAL cut towards zero and clamped to 64 bits (integer)
  // or rounded to the nearest double (real); 0 for everything else, text that looks like a number
  // included. Look at type() where the difference matters.
  constexpr int64_t integer() const {
    if (type_ == ValueType::kInteger) [[likely]]
      return integer_;
    return type_ == ValueType::kReal ? Truncated(real_) : 0;
  }
  constexpr double real() const {
    if (type_ == ValueType::kReal) [[likely]]
      return real_;
    return type_ == ValueType::kInteger ? static_cast<double>(integer_) : 0;
  }
  // The bytes of TEXT and BLOB alike; empty for everything else. Not zero-terminated.
  constexpr std::string_view text() const {
    return type_ >= ValueType::kText ? std::string_view(data_, size_) : std::string_view();
  }
  std::span<const std::byte> blob() const {
    return std::as_bytes(std::span<const char>(text().data(), text().size()));
  }

  // Same type and same value. REAL 1.0 and INTEGER 1 differ here, unlike in SQL.
  friend bool operator==(const ValueView& a, const ValueView& b) {
    if (a.type_ != b.type_) return false;
    switch (a.type_) {
      case ValueType::kNull:
        return true;
      case ValueType::kInteger:
        return a.integer_ == b.integer_;
      case ValueType::kReal:
        return a.real_ == b.real_;
      default:
        return a.text() == b.text();
    }
  }

  // As an SQL literal: NULL, 12, 1.5, 'it''s', x'00ff'. For messages and shells.
  KVSQL_EXPORT std::string to_string() const;

 private:
  template <typename T>
  static constexpr bool InRange(T value) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) == 8) {
      return value <= static_cast<T>(std::numeric_limits<int64_t>::max());
    } else {
      return true;
    }
  }
  // More than 4 GiB are far more than a value may have: the call that gets it answers INVALID_ARGUMENT.
  static constexpr uint32_t Size(size_t size) {
    constexpr size_t kMax = std::numeric_limits<uint32_t>::max();
    return static_cast<uint32_t>(size < kMax ? size : kMax);
  }
  static constexpr int64_t Truncated(double value) {
    if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
    if (value <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
    return static_cast<int64_t>(value);
  }

  union {
    int64_t integer_;
    double real_;
    const char* data_;
  };
  uint32_t size_ = 0;
  ValueType type_ = ValueType::kNull;
};

static_assert(sizeof(ValueView) == 16, "it is passed in two registers");

// A value that owns its text or bytes.
class Value {
 public:
  Value() = default;
  explicit Value(const ValueView& view) : view_(view) { Adopt(); }
  Value(const Value& other) : view_(other.view_) { Adopt(); }
  Value(Value&& other) noexcept : view_(other.view_), bytes_(std::move(other.bytes_)) { Rebind(); }
  Value& operator=(const Value& other) {
    if (this != &other) {
      view_ = other.view_;
      Adopt();
    }
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    view_ = other.view_;
    bytes_ = std::move(other.bytes_);
    Rebind();
    return *this;
  }

  // Valid as long as this object is neither changed nor moved from.
  const ValueView& view() const { return view_; }
  operator const ValueView&() const { return view_; }

  ValueType type() const { return view_.type(); }
  bool is_null() const { return view_.is_null(); }
  int64_t integer() const { return view_.integer(); }
  double real() const { return view_.real(); }
  std::string_view text() const { return view_.text(); }
  std::span<const std::byte> blob() const { return view_.blob(); }
  std::string to_string() const { return view_.to_string(); }

  friend bool operator==(const Value& a, const Value& b) { return a.view_ == b.view_; }

 private:
  void Adopt() {
    bytes_.assign(view_.text());
    Rebind();
  }
  void Rebind() {
    if (view_.type() == ValueType::kText) view_ = ValueView(std::string_view(bytes_));
    if (view_.type() == ValueType::kBlob) view_ = ValueView::Blob(bytes_);
  }

  ValueView view_;
  std::string bytes_;
};

}  // namespace kvsql

#endif  // KVSQL_VALUE_H_
