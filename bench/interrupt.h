// Leaving in good order on Ctrl-C: the scratch directory must go.
#ifndef KVSQL_BENCH_INTERRUPT_H_
#define KVSQL_BENCH_INTERRUPT_H_

namespace kvsql::bench {

// From now on SIGINT and SIGTERM are only noted.
void NoteInterrupts();

// Ends the program, by exit, if one has been noted.
void LeaveIfInterrupted();

}  // namespace kvsql::bench

#endif  // KVSQL_BENCH_INTERRUPT_H_
