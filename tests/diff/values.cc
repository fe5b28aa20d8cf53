#include "tests/diff/values.h"

namespace kvsql::diff {

std::string SmallNumber(Random* random) {
  switch (random->Weighted({60, 15, 5})) {
    case 0:
      return std::to_string(random->Between(-6, 12));
    case 1:
      return random->Pick({"0.25", "1.5", "2.0", "-3.75", "-1.0", "10.5", "4.0"});
    default:
      return random->Pick({"100", "-100", "1000"});
  }
}

// No real that equals the smallest integer: it could stand beside it in a numeric column.
std::string WildNumber(Random* random) {
  return random->Pick({"9007199254740991",
                       "9007199254740992",
                       "9007199254740993",
                       "-9007199254740993",
                       "9007199254740992.0",
                       "9223372036854775806",
                       "9223372036854775807",
                       "-9223372036854775807",
                       "-9223372036854775808",
                       "9223372036854775808",
                       "4611686018427387904",
                       "1e308",
                       "-1e308",
                       "1e-308",
                       "1e18",
                       "1e19",
                       "2147483647",
                       "2147483648",
                       "-2147483649",
                       "4294967296",
                       "0.1",
                       "1e15",
                       "0",
                       "0.0",
                       "1",
                       "1.0",
                       "-1"});
}

std::string TextLiteral(Random* random) {
  return random->Pick({"''",
                       "'a'",
                       "'A'",
                       "'b'",
                       "'B'",
                       "'ab'",
                       "'Ab'",
                       "'abc'",
                       "'a '",
                       "'a  '",
                       "' a'",
                       "'abcdef'",
                       "'it''s'",
                       "'x%y'",
                       "'a_c'",
                       "'0'",
                       "'1'",
                       "'12'",
                       "'1.0'",
                       "'-3'",
                       "'1e2'",
                       "'12abc'",
                       "' 7'",
                       "'zzz'",
                       "'NULL'",
                       "'\xc3\xa9t\xc3\xa9'",
                       "'9223372036854775807'",
                       "'0x10'"});
}

std::string BlobLiteral(Random* random) {
  return random->Pick({"x''", "x'61'", "x'41'", "x'6162'", "x'3132'", "x'616263'", "x'31'"});
}

std::string LiteralFor(Profile profile, Random* random) {
  if (random->Percent(12)) return "NULL";
  switch (profile) {
    case Profile::kSmall:
      return SmallNumber(random);
    case Profile::kWild:
      return random->Percent(75) ? WildNumber(random) : SmallNumber(random);
    case Profile::kText:
      return random->Percent(90) ? TextLiteral(random) : SmallNumber(random);
    case Profile::kBlob:
      return random->Percent(80) ? BlobLiteral(random) : TextLiteral(random);
    default:
      break;
  }
  switch (random->Weighted({4, 2, 4, 2})) {
    case 0:
      return SmallNumber(random);
    case 1:
      return WildNumber(random);
    case 2:
      return TextLiteral(random);
    default:
      return BlobLiteral(random);
  }
}

std::string LikePattern(Random* random) {
  return random->Pick({"'a%'", "'%b'", "'%b%'", "'a_c'", "'_'", "'%'", "''", "'A%'", "'1%'",
                       "'%c%d%'", "'abc'", "'_b%'", "'x\\%y'", "'\xc3\x89%'"});
}

std::string GlobPattern(Random* random) {
  return random->Pick({"'a*'", "'*b'", "'?'", "'[ab]*'", "'[^a]*'", "'A*'", "'*'", "'a?c'",
                       "'[0-9]*'", "''", "'abc'"});
}

}  // namespace kvsql::diff
