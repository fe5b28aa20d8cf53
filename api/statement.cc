#include "exec/statement.h"

#include <kvsql/connection.h>

#include <string_view>
#include <utility>

#include "api/convert.h"
#include "api/errors.h"
#include "api/statement_access.h"
#include "base/status.h"
#include "exec/session.h"

namespace kvsql {

using internal::ToKv;
using internal::WriteTarget;

namespace {

Status MovedFrom() { return internal::MovedFromError("Statement"); }

void Release(WriteTarget* owner, exec::Statement* statement) {
  if (statement == nullptr) return;
  exec::StatementRecycler()(statement);
  owner->Unref();
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f;") == std::string_view::npos;
}

Status CheckParameterCount(int given, int wanted) {
  if (given == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the statement has ", wanted, " parameters but ", given, " values were given"));
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      statement_(std::exchange(other.statement_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(statement_, other.statement_);
  return *this;
}

Statement::~Statement() { Release(owner_, statement_); }

Status Statement::CheckUsable() const {
  if (statement_ == nullptr) return MovedFrom();
  if (owner_->database->closed()) return internal::ClosedError();
  return absl::OkStatus();
}

// ---- Parameters --------------------------------------------------------------------------------------

Status Statement::bind(int position, const ValueView& value) {
  if (statement_ == nullptr) [[unlikely]]
    return MovedFrom();
  return statement_->Bind(position, ToKv(value));
}

Status Statement::bind(std::string_view name, const ValueView& value) {
  if (statement_ == nullptr) return MovedFrom();
  const std::optional<int> position = statement_->ParameterPosition(name);
  if (position.has_value()) return statement_->Bind(*position, ToKv(value));
  return absl::NotFoundError(
      absl::StrCat("the statement has no parameter ", absl::string_view(name.data(), name.size())));
}

Status Statement::bind_all(std::span<const ValueView> values) {
  if (statement_ == nullptr) return MovedFrom();
  KV_RETURN_IF_ERROR(
      CheckParameterCount(static_cast<int>(values.size()), statement_->ParameterCount()));
  for (size_t i = 0; i < values.size(); ++i) {
    KV_RETURN_IF_ERROR(statement_->Bind(static_cast<int>(i) + 1, ToKv(values[i])));
  }
  return absl::OkStatus();
}

void Statement::clear_bindings() {
  if (statement_ != nullptr) statement_->ClearBindings();
}

int Statement::parameter_count() const {
  return statement_ == nullptr ? 0 : statement_->ParameterCount();
}

std::string_view Statement::parameter_name(int position) const {
  return statement_ == nullptr ? std::string_view() : statement_->ParameterName(position);
}

std::optional<int> Statement::parameter_position(std::string_view name) const {
  if (statement_ == nullptr) return std::nullopt;
  return statement_->ParameterPosition(name);
}

// ---- Running -----------------------------------------------------------------------------------------

StatusOr<bool> Statement::step() {
  KV_RETURN_IF_ERROR(CheckUsable());
  return statement_->Step();
}

Status Statement::execute() {
  KV_RETURN_IF_ERROR(CheckUsable());
  for (;;) {
    KV_ASSIGN_OR_RETURN(const bool at_row, statement_->Step());
    if (!at_row) break;
  }
  statement_->Reset();
  return absl::OkStatus();
}

void Statement::reset() {
  if (statement_ != nullptr) statement_->Reset();
}

// ---- The row -----------------------------------------------------------------------------------------

int Statement::column_count() const {
  return statement_ == nullptr ? 0 : statement_->column_count();
}

std::string_view Statement::column_name(int column) const {
  if (column < 0 || column >= column_count()) return {};
  return statement_->column_name(column);
}

ValueView Statement::at(int column) const {
  if (statement_ == nullptr || column < 0 || !statement_->at_row()) [[unlikely]]
    return ValueView();
  return internal::FromKv(statement_->column(column));
}

// ---- About it ----------------------------------------------------------------------------------------

std::string_view Statement::sql() const {
  return statement_ == nullptr ? std::string_view() : statement_->sql();
}

bool Statement::is_read_only() const { return statement_ != nullptr && statement_->read_only(); }

// ---- Making them -------------------------------------------------------------------------------------

namespace internal {

StatusOr<Statement> StatementAccess::Prepare(WriteTarget* owner, std::string_view sql) {
  if (owner->database->closed()) return ClosedError();
  exec::Session& session = *owner->session;
  size_t consumed = 0;
  KV_ASSIGN_OR_RETURN(exec::StatementPtr statement, session.Prepare(sql, &consumed));
  if (statement == nullptr) {
    return absl::InvalidArgumentError("the SQL text has no statement");
  }
  if (const std::string_view rest = sql.substr(consumed); !IsBlank(rest)) [[unlikely]] {
    size_t ignored = 0;
    const StatusOr<exec::StatementPtr> more = session.Prepare(rest, &ignored);
    if (!more.ok() || *more != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the SQL text has more than one statement; the second begins at byte ", consumed + 1));
    }
  }
  owner->Ref();
  return Statement(owner, statement.release());
}

StatusOr<std::optional<Statement>> StatementAccess::PrepareNext(WriteTarget* owner,
                                                                std::string_view* sql) {
  if (owner->database->closed()) return ClosedError();
  size_t consumed = 0;
  KV_ASSIGN_OR_RETURN(exec::StatementPtr statement, owner->session->Prepare(*sql, &consumed));
  if (statement == nullptr) {
    *sql = {};
    return std::optional<Statement>();
  }
  sql->remove_prefix(consumed);
  owner->Ref();
  return std::optional<Statement>(Statement(owner, statement.release()));
}

Status StatementAccess::Execute(WriteTarget* owner, std::string_view sql,
                                std::span<const ValueView> parameters) {
  if (!parameters.empty()) {
    KV_ASSIGN_OR_RETURN(Statement statement, Prepare(owner, sql));
    KV_RETURN_IF_ERROR(statement.bind_all(parameters));
    return statement.execute();
  }
  exec::Session& session = *owner->session;
  while (!sql.empty()) {
    if (owner->database->closed()) return ClosedError();
    size_t consumed = 0;
    KV_ASSIGN_OR_RETURN(const exec::StatementPtr statement, session.Prepare(sql, &consumed));
    if (statement == nullptr) break;
    for (;;) {
      KV_ASSIGN_OR_RETURN(const bool at_row, statement->Step());
      if (!at_row) break;
    }
    sql.remove_prefix(consumed);
  }
  return absl::OkStatus();
}

}  // namespace internal
}  // namespace kvsql
