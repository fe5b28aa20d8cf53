// SQL on kvsql.
#include <optional>

#include "bench/engines/kvsql_check.h"
#include "bench/engines/kvsql_engine.h"
#include "bench/engines/sql_runner.h"

namespace kvsql::bench {
namespace {

class KvsqlRunner : public SqlRunner {
 public:
  explicit KvsqlRunner(const Database& database)
      : database_(database), connection_(Take(database_.connect(), "connect")) {}

  void Execute(const std::string& sql) override { Expect(connection_.execute(sql), sql.c_str()); }

  absl::Status Prepare(const SqlText& text) override {
    text_ = text;
    StatusOr<Statement> statement = connection_.prepare(text.sql);
    if (statement.status().code() == absl::StatusCode::kUnimplemented) return statement.status();
    statement_ = Take(std::move(statement), text.sql);
    return absl::OkStatus();
  }

  uint64_t Run(std::span<const SqlParameter> parameters, Digest digest) override {
    return digest == Digest::kFast ? RunInto<Digest::kFast>(parameters)
                                   : RunInto<Digest::kExact>(parameters);
  }

 private:
  template <Digest kDigest>
  uint64_t RunInto(std::span<const SqlParameter> parameters) {
    Statement& statement = *statement_;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const int place = static_cast<int>(i) + 1;
      if (const auto* integer = std::get_if<int64_t>(&parameters[i])) {
        Expect(statement.bind(place, *integer), "bind");
      } else {
        Expect(statement.bind(place, std::get<std::string_view>(parameters[i])), "bind");
      }
    }
    RowSink<kDigest> sink(text_.ordered);
    for (;;) {
      const StatusOr<bool> stepped = statement.step();
      if (!stepped.ok()) [[unlikely]]
        FailKvsql(stepped.status(), text_.sql);
      if (!*stepped) break;
      for (int i = 0; text_.columns[i] != '\0'; ++i) {
        if (text_.columns[i] == 'i') {
          sink.Integer(statement.integer(i));
        } else {
          const std::string_view bytes = statement.text(i);
          sink.Text(bytes.data(), bytes.size());
        }
      }
      sink.EndRow();
    }
    statement.reset();
    return sink.sum();
  }

  Database database_;
  Connection connection_;
  SqlText text_{};
  std::optional<Statement> statement_;
};

}  // namespace

std::unique_ptr<SqlRunner> KvsqlEngine::NewRunner() {
  return std::make_unique<KvsqlRunner>(*database_);
}

}  // namespace kvsql::bench
