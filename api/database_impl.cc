#include "api/database_impl.h"

#include <bit>
#include <filesystem>
#include <system_error>
#include <utility>

#include "api/errors.h"
#include "base/status.h"
#include "exec/row_rules.h"

namespace kvsql::internal {
namespace {

constexpr uint32_t kMinPageSize = 4096;
constexpr uint32_t kMaxPageSize = 65536;
constexpr uint64_t kMinLogLimit = uint64_t{64} << 10;
constexpr size_t kMaxKeyspaceName = 255;
constexpr int kZstdLevel = 1;  // higher ones cost a commit more than they save it

Status CheckOptions(const Options& options, bool in_memory) {
  if (!std::has_single_bit(options.page_size) || options.page_size < kMinPageSize ||
      options.page_size > kMaxPageSize) {
    return absl::InvalidArgumentError(absl::StrCat("Options::page_size is ", options.page_size,
                                                   "; it must be a power of two from ",
                                                   kMinPageSize, " to ", kMaxPageSize));
  }
  if (options.log_limit < kMinLogLimit) {
    return absl::InvalidArgumentError(absl::StrCat("Options::log_limit is ", options.log_limit,
                                                   "; it must be at least ", kMinLogLimit));
  }
  if (options.busy_timeout.count() < 0) {
    return absl::InvalidArgumentError("Options::busy_timeout is negative");
  }
  if (options.read_only && in_memory) {
    return absl::InvalidArgumentError(
        "Options::read_only: a new database in memory would stay empty");
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<DatabaseImpl>> DatabaseImpl::Open(const std::string& path,
                                                           const Options& options,
                                                           const OpenExtras& extras) {
  const bool in_memory = path.empty() || path == ":memory:";
  KV_RETURN_IF_ERROR(CheckOptions(options, in_memory));
  kv::StoreOptions store_options;
  store_options.path = in_memory ? "" : path;
  store_options.read_only = options.read_only;
  store_options.create_if_missing = options.create_if_missing && !options.read_only;
  store_options.page_size = options.page_size;
  store_options.durability = ToKv(options.durability);
  store_options.busy_timeout = options.busy_timeout;
  store_options.map_size = options.map_size;
  store_options.log_limit = options.log_limit;
  store_options.dirty_budget = options.transaction_memory;
  store_options.query_memory = options.query_memory;
  store_options.background = options.background_threads;
  store_options.compression_level = options.compression == Compression::kZstd ? kZstdLevel : 0;
  store_options.verify_checksums = options.verify_checksums;
  store_options.accept_missing_log = options.accept_missing_log;
  store_options.file_system = extras.file_system;
  store_options.make_row_rules = &exec::MakeRowRules;
  KV_ASSIGN_OR_RETURN(std::shared_ptr<kv::Store> store, kv::Store::Open(store_options));

  std::string shown = ":memory:";
  if (!in_memory) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::canonical(path, error);
    shown = error ? path : absolute.string();
  }
  return std::shared_ptr<DatabaseImpl>(
      new DatabaseImpl(std::move(shown), options, std::move(store)));
}

DatabaseImpl::DatabaseImpl(std::string path, const Options& options,
                           std::shared_ptr<kv::Store> store)
    : path_(std::move(path)),
      options_(options),
      store_(std::move(store)),
      identity_(store_->pager().get()),
      statement_cache_(options_.statement_cache_bytes) {}

Status DatabaseImpl::Close() {
  std::lock_guard lock(close_mutex_);
  if (closed()) return ClosedError();
  if (const int open = open_transactions_.load(std::memory_order_acquire); open > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("close: a write transaction of ", path_, " is open"));
  }
  Status status = store_->Close();
  // Refused, because something is being read; any other answer ends the store.
  if (absl::IsFailedPrecondition(status) && store_->health().ok()) return status;
  closed_.store(true, std::memory_order_release);
  return status;
}

StatusOr<std::unique_ptr<kv::WriteTxn>> DatabaseImpl::BeginWrite() {
  if (closed()) [[unlikely]]
    return ClosedError();
  return store_->BeginWrite(options_.busy_timeout);
}

Status CheckKeyspaceName(std::string_view name) {
  if (!name.empty() && name.size() <= kMaxKeyspaceName) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a keyspace's name has 1 to ", kMaxKeyspaceName,
                                                 " bytes; this one has ", name.size()));
}

}  // namespace kvsql::internal
