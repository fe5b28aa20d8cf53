// Switches that break one storage rule each, so that the power-failure harness and the tests can show that
// they notice. They exist in testing builds only; elsewhere KV_BROKEN is the constant false.
//
// Thread safety: any thread.
#ifndef KVSQL_PAGER_TEST_SWITCHES_H_
#define KVSQL_PAGER_TEST_SWITCHES_H_

#include <cstdint>

namespace kvsql::pager {

enum class Rule : uint8_t {
  // Commit log, writing.
  kLogSkipSync,             // a sync of the log does nothing
  kLogFullAsNormal,         // a `full` flush only reaches the page cache
  kLogSyncOwnRangeOnly,     // a `full` flush leaves earlier `normal` records unsynced (S19)
  kLogRewriteDurableBlock,  // a flush goes on in a block that holds durable records (S18)
  kLogOverwriteTail,        // the head may run over the tail
  kLogGrowthSkipSync,       // new blocks are used before their zeros and the length are synced
  kLogIgnorePoison,         // the log goes on after an I/O error (S24)
  // Commit log, creation (S15).
  kLogCreateSkipSync,           // renamed before its bytes are synced
  kLogCreateSkipDirectorySync,  // named by a meta before its name is durable
  // Commit log, reading.
  kLogIgnoreChain,        // a record counts whatever its sequence and predecessor
  kLogIgnoreChecksum,     // a record counts whatever its bytes
  kLogNoGenerationSalt,   // generations share one seed
  kLogAcceptLostRecords,  // the log ends before a durable record that was lost (S17)

  // Space.
  kReuseIgnoresDurable,     // a page of the durable state is handed out again (S9)
  kReuseIgnoresSnapshots,   // a page that a snapshot holds is handed out again (S9)
  kReuseIgnoresCheckpoint,  // a page that a running checkpoint writes is handed out again (S10)
  // Checkpoints and metas.
  kSkipDataSync,         // the meta is written before the pages it names are synced (S28)
  kSkipMetaSync,         // the checkpoint counts as done before its meta is durable (S28)
  kMetaOverDurable,      // the meta goes to the slot that holds the newest durable one (S27)
  kSkipMapUpdate,        // the checkpoint stores the allocation map of the one before (S12)
  kTruncateBeforeMeta,   // the file is cut before the shrunk meta is durable (S30)
  kUnlinkLogBeforeMeta,  // the log goes before the meta that says "no log" is durable (S31)
  kAdvanceTailEarly,     // log space is reused before the checkpoint's meta is durable (S28)
  kAppendWithoutMeta,    // records go to a log that no durable meta names yet (S15)
  kAckBeforeFlush,       // a commit is acknowledged before its record is in the log (S22)
  // Recovery.
  kRecoverySkipSync,        // what recovery chose is not made durable first (S32)
  kRecoveryKeepGeneration,  // new records follow old ones in the same generation (S33)
  kRecoverySkipMeta,        // the new generation is used before its meta is durable (S33)

  kCount,
};

#ifdef KVSQL_TESTING
bool IsBroken(Rule rule);
void Break(Rule rule, bool broken);
#define KV_BROKEN(rule) (::kvsql::pager::IsBroken(::kvsql::pager::Rule::rule))

// Breaks a rule for the time of a scope.
class ScopedBreak {
 public:
  explicit ScopedBreak(Rule rule) : rule_(rule) { Break(rule_, true); }
  ~ScopedBreak() { Break(rule_, false); }
  ScopedBreak(const ScopedBreak&) = delete;
  ScopedBreak& operator=(const ScopedBreak&) = delete;

 private:
  const Rule rule_;
};
#else
#define KV_BROKEN(rule) false
#endif

}  // namespace kvsql::pager

#endif  // KVSQL_PAGER_TEST_SWITCHES_H_
