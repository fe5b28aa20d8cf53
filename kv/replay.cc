#include "kv/replay.h"

#include <map>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "btree/tree_writer.h"
#include "kv/log_record.h"

namespace kvsql::kv {
namespace {

class Replay {
 public:
  explicit Replay(pager::WriteTransaction* txn) : txn_(txn) {}

  Status Apply(const LoggedOperation& operation) {
    const pager::TreeId tree = operation.tree;
    if (operation.op == LogOp::kCreateTree) return txn_->CreateTreeAs(tree, operation.kind);
    KV_ASSIGN_OR_RETURN(btree::TreeWriter * writer, WriterOf(operation));
    switch (operation.op) {
      case LogOp::kPut:
        return writer->Put(operation.key, operation.value).status();
      case LogOp::kPutInt:
        return writer->Put(operation.int_key, operation.value).status();
      case LogOp::kDelete:
        return writer->Delete(operation.key).status();
      case LogOp::kDeleteInt:
        return writer->Delete(operation.int_key).status();
      case LogOp::kDeleteRange:
        return writer->DeleteRange(operation.lo, operation.hi).status();
      case LogOp::kDeleteRangeInt:
        return writer->DeleteRange(operation.int_lo, operation.int_hi).status();
      case LogOp::kDropTree:
        KV_RETURN_IF_ERROR(writer->Clear().status());
        KV_RETURN_IF_ERROR(writer->Sync());
        writers_.erase(tree);
        txn_->DropTree(tree);
        return absl::OkStatus();
      case LogOp::kCreateTree:
        break;
    }
    return absl::OkStatus();
  }

  Status Finish() {
    for (auto& [tree, writer] : writers_) KV_RETURN_IF_ERROR(writer->Sync());
    return absl::OkStatus();
  }

 private:
  StatusOr<btree::TreeWriter*> WriterOf(const LoggedOperation& operation) {
    const pager::TreeRoot& root = txn_->root(operation.tree);
    const bool ints = operation.op == LogOp::kPutInt || operation.op == LogOp::kDeleteInt ||
                      operation.op == LogOp::kDeleteRangeInt;
    if (!root.exists ||
        (operation.op != LogOp::kDropTree && ints != (root.kind == pager::KeyKind::kInt64))) {
      return DataLoss("commit log: an operation on tree ", operation.tree,
                      root.exists ? ", whose keys are of another kind" : ", which does not exist");
    }
    std::unique_ptr<btree::TreeWriter>& writer = writers_[operation.tree];
    if (writer == nullptr) writer = std::make_unique<btree::TreeWriter>(txn_, operation.tree);
    return writer.get();
  }

  pager::WriteTransaction* txn_;
  std::map<pager::TreeId, std::unique_ptr<btree::TreeWriter>> writers_;
};

}  // namespace

Status ReplayRecord(pager::WriteTransaction& txn, pager::Bytes record) {
  Replay replay(&txn);
  RecordReader reader(AsView(record.data(), record.size()));
  LoggedOperation operation;
  while (!reader.done()) {
    if (!reader.Next(&operation)) {
      return DataLoss("commit log: a record holds an operation that is none");
    }
    KV_RETURN_IF_ERROR(replay.Apply(operation));
  }
  return replay.Finish();
}

}  // namespace kvsql::kv
