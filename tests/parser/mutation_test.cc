// Statements with tokens taken out, doubled and exchanged: the parser answers, and lifting literals never
// changes what it answers.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "parser/lexer.h"
#include "parser/normaliser.h"
#include "parser/parser.h"

namespace kvsql::parser {
namespace {

constexpr const char* kStatements[] = {
    "SELECT a, b + 1 AS c FROM t AS x JOIN u USING (id) WHERE x.a = 5 AND b BETWEEN 'x' AND 'y' OR "
    "NOT c < 1.5",
    "SELECT * FROM t WHERE a IN (1, 'two', -3.0) AND (b = x'00' OR c LIKE 'q%' ESCAPE '!') ORDER "
    "BY 1 LIMIT 5",
    "SELECT CASE WHEN a = 1 THEN 'x' ELSE b END, count(*) FILTER (WHERE c > 1) FROM t GROUP BY a "
    "HAVING b = 2",
    "INSERT OR REPLACE INTO t (a, b) VALUES (1, 'x'), (-2, NULL), (3.5, x'ff') ON CONFLICT DO "
    "NOTHING",
    "INSERT INTO t VALUES (1, ?, a + 2, f(3), (4)), (:a, 'it''s', 5, 6, 7) RETURNING a",
    "UPDATE t SET a = 1, b = b || 'x', c = NULL FROM u WHERE t.id = 5 AND u.b >= -2",
    "DELETE FROM t WHERE a = 1 AND EXISTS (SELECT 1 FROM u WHERE u.b = 2) AND c <> 'z';",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x' CHECK (b > 1), UNIQUE (a, b)) "
    "WITHOUT ROWID",
    "CREATE TRIGGER g AFTER UPDATE OF a ON t WHEN new.a = 1 BEGIN UPDATE t SET a = 2; SELECT 1; "
    "END",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT n FROM c",
    "SELECT sum(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM "
    "t",
};

TEST(MutationTest, LiftingNeverChangesTheAnswer) {
  std::mt19937 random(5);
  std::vector<std::vector<std::string>> statements;
  std::vector<std::string> words;
  for (const std::string_view sql : kStatements) {
    Lexer lexer(sql);
    std::vector<std::string>& tokens = statements.emplace_back();
    for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
      tokens.emplace_back(token.In(sql));
      words.emplace_back(token.In(sql));
    }
  }
  words.insert(words.end(), {"'open", "9223372036854775808", "0xffffffffffffffffff", "1x", "\x01",
                             "\x02", "\x03i", "--", "/*", "\"q\"", "(", ")", ";"});
  Normaliser normaliser;
  int lifted = 0;
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::string> tokens = statements[random() % statements.size()];
    for (size_t edits = random() % 4; edits > 0; --edits) {
      const size_t at = random() % tokens.size();
      switch (random() % 4) {
        case 0:
          tokens[at].clear();
          break;
        case 1:
          tokens[at] = words[random() % words.size()];
          break;
        case 2:
          tokens[at] += " " + words[random() % words.size()];
          break;
        default:
          std::swap(tokens[at], tokens[random() % tokens.size()]);
          break;
      }
    }
    std::string sql;
    for (const std::string& token : tokens) sql += token + (random() % 8 == 0 ? "\n" : " ");
    const StatusOr<ParsedStatement> plain = Parse(sql);
    accepted += plain.ok() ? 1 : 0;
    if (!plain.ok()) {
      EXPECT_NE(std::string(plain.status().message()).find(" at line "), std::string::npos) << sql;
    }
    if (!normaliser.Run(sql)) continue;
    ++lifted;
    const StatusOr<ParsedStatement> with_ranges = Parse(sql, normaliser.ranges());
    EXPECT_EQ(with_ranges.ok(), plain.ok()) << sql << "\n"
                                            << plain.status() << "\n"
                                            << with_ranges.status();
    if (with_ranges.ok() && plain.ok()) {
      EXPECT_EQ(with_ranges->consumed(), plain->consumed()) << sql;
      EXPECT_EQ(with_ranges->lifted_slots(), normaliser.slots().size()) << sql;
      EXPECT_EQ(normaliser.statement_end(), plain->consumed()) << sql;
    }
  }
  EXPECT_GT(lifted, 800);
  EXPECT_GT(accepted, 600);
}

}  // namespace
}  // namespace kvsql::parser
