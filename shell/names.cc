#include "shell/names.h"

#include <algorithm>
#include <cstdint>

namespace kvsql::shell {
namespace {

constexpr std::string_view kKeywords[] = {"ABORT",
                                          "ACTION",
                                          "ADD",
                                          "AFTER",
                                          "ALL",
                                          "ALTER",
                                          "ALWAYS",
                                          "ANALYZE",
                                          "AND",
                                          "AS",
                                          "ASC",
                                          "ATTACH",
                                          "AUTOINCREMENT",
                                          "BEFORE",
                                          "BEGIN",
                                          "BETWEEN",
                                          "BY",
                                          "CASCADE",
                                          "CASE",
                                          "CAST",
                                          "CHECK",
                                          "COLLATE",
                                          "COLUMN",
                                          "COMMIT",
                                          "CONFLICT",
                                          "CONSTRAINT",
                                          "CREATE",
                                          "CROSS",
                                          "CURRENT",
                                          "CURRENT_DATE",
                                          "CURRENT_TIME",
                                          "CURRENT_TIMESTAMP",
                                          "DATABASE",
                                          "DEFAULT",
                                          "DEFERRABLE",
                                          "DEFERRED",
                                          "DELETE",
                                          "DESC",
                                          "DETACH",
                                          "DISTINCT",
                                          "DO",
                                          "DROP",
                                          "EACH",
                                          "ELSE",
                                          "END",
                                          "ESCAPE",
                                          "EXCEPT",
                                          "EXCLUDE",
                                          "EXCLUSIVE",
                                          "EXISTS",
                                          "EXPLAIN",
                                          "FAIL",
                                          "FILTER",
                                          "FIRST",
                                          "FOLLOWING",
                                          "FOR",
                                          "FOREIGN",
                                          "FROM",
                                          "FULL",
                                          "GENERATED",
                                          "GLOB",
                                          "GROUP",
                                          "GROUPS",
                                          "HAVING",
                                          "IF",
                                          "IGNORE",
                                          "IMMEDIATE",
                                          "IN",
                                          "INDEX",
                                          "INDEXED",
                                          "INITIALLY",
                                          "INNER",
                                          "INSERT",
                                          "INSTEAD",
                                          "INTERSECT",
                                          "INTO",
                                          "IS",
                                          "ISNULL",
                                          "JOIN",
                                          "KEY",
                                          "LAST",
                                          "LEFT",
                                          "LIKE",
                                          "LIMIT",
                                          "MATCH",
                                          "MATERIALIZED",
                                          "NATURAL",
                                          "NO",
                                          "NOT",
                                          "NOTHING",
                                          "NOTNULL",
                                          "NULL",
                                          "NULLS",
                                          "OF",
                                          "OFFSET",
                                          "ON",
                                          "OR",
                                          "ORDER",
                                          "OTHERS",
                                          "OUTER",
                                          "OVER",
                                          "PARTITION",
                                          "PLAN",
                                          "PRAGMA",
                                          "PRECEDING",
                                          "PRIMARY",
                                          "QUERY",
                                          "RAISE",
                                          "RANGE",
                                          "RECURSIVE",
                                          "REFERENCES",
                                          "REGEXP",
                                          "REINDEX",
                                          "RELEASE",
                                          "RENAME",
                                          "REPLACE",
                                          "RESTRICT",
                                          "RETURNING",
                                          "RIGHT",
                                          "ROLLBACK",
                                          "ROW",
                                          "ROWS",
                                          "SAVEPOINT",
                                          "SELECT",
                                          "SET",
                                          "TABLE",
                                          "TEMP",
                                          "TEMPORARY",
                                          "THEN",
                                          "TIES",
                                          "TO",
                                          "TRANSACTION",
                                          "TRIGGER",
                                          "UNBOUNDED",
                                          "UNION",
                                          "UNIQUE",
                                          "UPDATE",
                                          "USING",
                                          "VACUUM",
                                          "VALUES",
                                          "VIEW",
                                          "VIRTUAL",
                                          "WHEN",
                                          "WHERE",
                                          "WINDOW",
                                          "WITH",
                                          "WITHOUT"};

constexpr char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
constexpr bool IsNameStart(char c) { return (Upper(c) >= 'A' && Upper(c) <= 'Z') || c == '_'; }

bool IsKeyword(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), Upper);
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), std::string_view(upper));
}

std::string Between(char quote, std::string_view text) {
  std::string result(1, quote);
  for (const char c : text) {
    result += c;
    if (c == quote) result += c;
  }
  return result += quote;
}

}  // namespace

std::span<const std::string_view> Keywords() { return kKeywords; }

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Upper(x) == Upper(y); });
}

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}

std::string Quoted(std::string_view name) { return Between('"', name); }

std::string TextLiteral(std::string_view text) { return Between('\'', text); }

std::string QuotedWhereNeeded(std::string_view name) {
  bool plain = !name.empty() && IsNameStart(name.front());
  for (const char c : name) plain = plain && (IsNameStart(c) || (c >= '0' && c <= '9'));
  return plain && !IsKeyword(name) ? std::string(name) : Quoted(name);
}

bool MeansTrue(std::string_view word) {
  if (EqualsIgnoreCase(word, "on") || EqualsIgnoreCase(word, "yes") ||
      EqualsIgnoreCase(word, "true")) {
    return true;
  }
  return !word.empty() && word.front() >= '1' && word.front() <= '9';
}

}  // namespace kvsql::shell
