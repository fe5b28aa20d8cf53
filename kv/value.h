// SQL values as both doors see them: SQLite's five storage classes, their order, and column
// affinity.
//
// ValueView is a 16-byte non-owning value that is passed by value everywhere; Value owns its bytes.
// A real is never NaN: the constructors turn NaN into NULL, as SQLite does.
//
// Thread safety: plain values; free functions without state.
//
// Invariants:
//  1. CompareValues is a total order: NULL < numbers < text < blob; numbers compare by their exact
//     mathematical value whatever their storage class.
//  2. Values that compare equal under a collation get the same key from key_codec.h, and the other
//     way round.
#ifndef KVSQL_KV_VALUE_H_
#define KVSQL_KV_VALUE_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvsql::kv {

enum class ValueType : uint8_t { kNull, kInteger, kReal, kText, kBlob };

// "null", "integer", "real", "text", "blob": what typeof() answers.
std::string_view ValueTypeName(ValueType type);

// How two texts compare. NOCASE folds the 26 ASCII letters; RTRIM ignores blanks at the end.
enum class Collation : uint8_t { kBinary, kNocase, kRtrim };

// Finds a built-in collation by its name, in any case. False if there is none.
bool ParseCollation(std::string_view name, Collation* out);
std::string_view CollationName(Collation collation);

// What a column does to the values stored in it.
enum class Affinity : uint8_t { kBlob, kText, kNumeric, kInteger, kReal };

// The affinity of a column from its declared type, by SQLite's substring rules; no type is kBlob.
Affinity AffinityOfType(std::string_view declared_type);

struct ValueView {
  union {
    int64_t integer;
    double real;
    const char* data;  // text and blob
  };
  uint32_t size = 0;  // text and blob: bytes
  ValueType type = ValueType::kNull;

  constexpr ValueView() : integer(0) {}
  static constexpr ValueView Null() { return ValueView(); }
  static constexpr ValueView Integer(int64_t v) {
    ValueView value;
    value.integer = v;
    value.type = ValueType::kInteger;
    return value;
  }
  static ValueView Real(double v) {
    ValueView value;
    if (std::isnan(v)) return value;
    value.real = v;
    value.type = ValueType::kReal;
    return value;
  }
  static constexpr ValueView Text(std::string_view v) { return Bytes(v, ValueType::kText); }
  static constexpr ValueView Blob(std::string_view v) { return Bytes(v, ValueType::kBlob); }

  constexpr bool is_null() const { return type == ValueType::kNull; }
  constexpr bool is_number() const {
    return type == ValueType::kInteger || type == ValueType::kReal;
  }
  // Text or blob only.
  constexpr std::string_view bytes() const { return {data, size}; }

 private:
  static constexpr ValueView Bytes(std::string_view v, ValueType type) {
    ValueView value;
    value.data = v.data();
    value.size = static_cast<uint32_t>(v.size());
    value.type = type;
    return value;
  }
};
static_assert(sizeof(ValueView) == 16);

// A value that owns its bytes.
class Value {
 public:
  Value() = default;
  explicit Value(const ValueView& view) { *this = view; }
  Value& operator=(const ValueView& view) {
    scalar_ = view;
    if (view.type == ValueType::kText || view.type == ValueType::kBlob) {
      bytes_.assign(view.data, view.size);
      scalar_.data = nullptr;
    }
    return *this;
  }

  ValueType type() const { return scalar_.type; }
  // Valid until this Value is changed, moved or destroyed.
  ValueView view() const {
    ValueView view = scalar_;
    if (view.type == ValueType::kText || view.type == ValueType::kBlob) view.data = bytes_.data();
    return view;
  }

 private:
  ValueView scalar_;
  std::string bytes_;
};

// <0, 0 or >0 as `a` sorts before, with or after `b`.
int CompareValues(const ValueView& a, const ValueView& b, Collation collation = Collation::kBinary);
int CompareText(std::string_view a, std::string_view b, Collation collation);
// Exact, without rounding the integer.
int CompareIntegerReal(int64_t integer, double real);

// Text that was made from a number; room for the longest.
struct NumberText {
  char data[32];
  uint32_t size = 0;
  std::string_view view() const { return {data, size}; }
};
void FormatInteger(int64_t value, NumberText* out);
// 15 significant digits, always with a point or exponent, as SQLite writes reals: "1.0", "0.1",
// "1.0e+20", "Inf".
void FormatReal(double value, NumberText* out);

// What a text means as a number.
struct ParsedNumber {
  enum class Extent : uint8_t {
    kNone,    // does not begin with a number
    kPrefix,  // begins with a number, and goes on
    kWhole,   // a number with nothing but blanks around it
  };
  Extent extent = Extent::kNone;
  bool is_integer = false;  // written without point and exponent, and fits 64 bits
  int64_t integer = 0;      // if is_integer
  double real = 0;          // always
};
ParsedNumber ParseNumber(std::string_view text);

// The integer equal to `real`, if there is one that SQLite would convert to (strictly within the
// 64-bit range).
bool RealToInteger(double real, int64_t* out);

// What a column of `affinity` stores for `value`. May put text into *text and return a view of it.
ValueView ApplyAffinity(const ValueView& value, Affinity affinity, NumberText* text);

// What CAST(value AS a type of this affinity) answers; may put text into *text.
ValueView CastValue(const ValueView& value, Affinity affinity, NumberText* text);

// ASCII folding, as for names and NOCASE.
constexpr char FoldAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
std::string LowerAscii(std::string_view text);

}  // namespace kvsql::kv

#endif  // KVSQL_KV_VALUE_H_
