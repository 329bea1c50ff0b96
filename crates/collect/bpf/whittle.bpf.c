/*
 * The kernel side of a collection: sees every event of the observed processes, keeps exact accounts,
 * and decides of which events a stack is wanted.
 *
 *   tick, sampled call, bytes, wait, fault ──> event record (what, how much, kernel stack)   ┐ same thread,
 *   the thread's user stack ──> SIGPROF to the profiler in the JVM ──> delivery record       ┘ same epoch
 *                           └─> no such handler: registers and stack are copied
 *
 * Rules that everything here keeps:
 * - An event of another process costs one comparison or one map lookup, and nothing else.
 * - A signal goes only to the current thread, only if its process has the confirmed handler at this
 *   moment, and never while the thread is inside a system call: it is sent when the call returns, so no
 *   call is interrupted by us. (A wait for a page is uninterruptible, so a signal does not shorten it.)
 * - An epoch ends whenever the thread may have left its user stack: at the start of a call, and when the
 *   profiler's handler returns. An answer counts for the events of its own epoch only.
 * - What the profiler's signal handler itself does is no work of the program: its calls are not accounted.
 */
#include "calls.h"
#include "signals.h"
#include "ticks.h"
#include "waits.h"
#include "life.h"

/* The helpers for kernel stacks and signals are open to programs under the GPL only; the rest of
 * whittle is no part of the kernel and under its own licence. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
