// MD5 (RFC 1321), with which sqllogictest files shorten long results.
#ifndef KVSQL_TESTS_SQL_MD5_H_
#define KVSQL_TESTS_SQL_MD5_H_

#include <string>
#include <string_view>

namespace kvsql::slt {

// 32 lower-case hexadecimal digits.
std::string Md5(std::string_view bytes);

}  // namespace kvsql::slt

#endif  // KVSQL_TESTS_SQL_MD5_H_
