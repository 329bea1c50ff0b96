/*
 * The kernel side of a collection. It sees every event of the observed
 * processes, keeps exact accounts, and decides which events need a stack.
 *
 *   tick, sampled call, bytes, wait, fault ──> event record (what, how much, kernel stack)   ┐ same thread,
 *   the thread's user stack ──> SIGPROF to the profiler in the JVM ──> delivery record       ┘ same epoch
 *                           └─> no such handler: registers and stack are copied
 *
 * Rules for all code of the kernel side:
 * - An event of another process costs one comparison or one map lookup, and nothing else.
 * - A signal goes only to the current thread, and only if its process has the confirmed handler
 *   at this moment. No signal is sent inside a system call, but when the call returns. So whittle
 *   interrupts no call. (A wait for a page is uninterruptible, so a signal does not shorten it.)
 * - An epoch ends whenever the thread may have left its user stack: at the start of a call, and
 *   when the profiler's handler returns. An answer is valid only for events of its own epoch.
 * - The work of the profiler's signal handler is not work of the program, so its calls are not accounted.
 */
#include "calls.h"
#include "signals.h"
#include "ticks.h"
#include "wakes.h"
#include "life.h"

/* The object's type information (BTF) contains only types that are in use. Because of this pointer, it also contains the
 * records and the enums. A test compares them with the Rust version. */
union shared_types {
    struct event_with_stack event_with_stack;
    struct thread_life thread_life;
    struct file_seen file_seen;
    struct http_request http_request;
    struct wake wake;
    struct pinned pinned;
    struct user_stack user_stack;
    enum record_kind record_kind;
    enum request request;
    enum state state;
    enum file_kind file_kind;
    enum peer peer;
    enum waker waker;
    enum count count;
};
union shared_types *shared_types SEC(".data");

/* Only programs under the GPL can use the helpers for kernel stacks and signals.
 * The rest of whittle is not part of the kernel, and has a different licence. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";
