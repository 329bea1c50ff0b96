/*
 * This file keeps track of the signal handlers that are running in a thread, from the profiler's handler on. A handler
 * usually returns with the call `rt_sigreturn`. But a handler can also leave with `longjmp`: async-profiler jumps from
 * its handler for SIGSEGV back into its handler for SIGPROF, and a program can jump out of all handlers.
 */
#ifndef WHITTLE_HANDLERS_H
#define WHITTLE_HANDLERS_H

#include "threads.h"

static __always_inline u64 stack_pointer(struct task_struct *task) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    return regs ? REGS_STACK(regs) : 0;
}

static __always_inline u32 is_profiling_signal_blocked(struct task_struct *task) {
    return (task->blocked.sig[0] & (1UL << (SIGPROF - 1))) != 0;
}

/* A handler begins. It has interrupted the thread at the present stack pointer. */
static __always_inline void enter_handler(struct live *live, struct task_struct *task, u64 flags) {
    u32 depth = live->handler_depth;
    if (depth < KNOWN_HANDLERS)
        live->interrupted[depth & (KNOWN_HANDLERS - 1)] = stack_pointer(task);
    if (depth == 0)
        live->is_on_signal_stack = (flags & SA_ONSTACK) != 0;
    if (depth < 255)
        live->handler_depth = depth + 1;
}

/*
 * A handler has returned with `rt_sigreturn`. The kernel has restored the stack pointer at which this handler interrupted
 * the thread. So it is known which handler has returned, and that the handlers inside this handler have ended, too.
 */
static __noinline int return_from_handler(struct live *live) {
    if (!live)
        return 0;
    u64 stack = stack_pointer(bpf_get_current_task_btf());
    u32 depth = live->handler_depth - 1;
#pragma unroll
    for (u32 outer = 0; outer < KNOWN_HANDLERS; outer++) {
        if (outer < depth && live->interrupted[outer] == stack) {
            depth = outer;
            break;
        }
    }
    live->handler_depth = depth;
    if (depth == 0) {
        live->epoch += 1;
        u64 now = bpf_ktime_get_ns();
        add_count(COUNT_HANDLERS, 1);
        if (now > live->handler_start_ns)
            add_count(COUNT_HANDLER_NS, now - live->handler_start_ns);
    }
    return 0;
}

/*
 * The thread executes in user mode. If it has left the profiler's handler with a jump, the handler's state ends. While the
 * handler runs, the kernel blocks its signal, and `siglongjmp` unblocks it. `longjmp` does not change blocked signals. But
 * then the thread comes back to a place above the handler in the stack.
 */
static __noinline int end_left_handler(struct live *live) {
    if (!live)
        return 0;
    struct task_struct *task = bpf_get_current_task_btf();
    u32 is_above = !live->is_on_signal_stack && stack_pointer(task) > live->interrupted[0];
    if (is_profiling_signal_blocked(task) && !is_above)
        return 0;
    live->handler_depth = 0;
    live->epoch += 1;
    return 0;
}

#endif
