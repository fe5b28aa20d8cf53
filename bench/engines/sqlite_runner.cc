// SQL on SQLite.
#include "absl/strings/str_cat.h"
#include "bench/engines/sql_runner.h"
#include "bench/engines/sqlite_engine.h"

namespace kvsql::bench {
namespace {

class SqliteRunner : public SqlRunner {
 public:
  SqliteRunner(const std::string& path, const SqliteSettings& settings) : db_(path, settings) {}

  void Execute(const std::string& sql) override { db_.Execute(sql.c_str()); }

  absl::Status Prepare(const SqlText& text) override {
    text_ = text;
    statement_ = std::make_unique<SqliteStatement>(db_, text.sql);
    return absl::OkStatus();
  }

  uint64_t Run(std::span<const SqlParameter> parameters, Digest digest) override {
    return digest == Digest::kFast ? RunInto<Digest::kFast>(parameters)
                                   : RunInto<Digest::kExact>(parameters);
  }

 private:
  template <Digest kDigest>
  uint64_t RunInto(std::span<const SqlParameter> parameters) {
    sqlite3_stmt* statement = statement_->get();
    for (size_t i = 0; i < parameters.size(); ++i) {
      const int place = static_cast<int>(i) + 1;
      if (const auto* integer = std::get_if<int64_t>(&parameters[i])) {
        sqlite3_bind_int64(statement, place, *integer);
      } else {
        const std::string_view bytes = std::get<std::string_view>(parameters[i]);
        sqlite3_bind_text(statement, place, bytes.data(), static_cast<int>(bytes.size()),
                          SQLITE_STATIC);
      }
    }
    RowSink<kDigest> sink(text_.ordered);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      for (int i = 0; text_.columns[i] != '\0'; ++i) {
        if (text_.columns[i] == 'i') {
          sink.Integer(sqlite3_column_int64(statement, i));
        } else {
          const unsigned char* bytes = sqlite3_column_text(statement, i);
          sink.Text(bytes, static_cast<size_t>(sqlite3_column_bytes(statement, i)));
        }
      }
      sink.EndRow();
    }
    db_.Expect(code, SQLITE_DONE, text_.sql);
    sqlite3_reset(statement);
    return sink.sum();
  }

  SqliteConnection db_;
  SqlText text_{};
  std::unique_ptr<SqliteStatement> statement_;
};

}  // namespace

std::unique_ptr<SqlRunner> SqliteEngine::NewRunner() {
  return std::make_unique<SqliteRunner>(path_, settings_);
}

}  // namespace kvsql::bench
