/* This file gets the current thread's user stack, with a signal to the profiler or as a copy. */
#ifndef WHITTLE_STACKS_H
#define WHITTLE_STACKS_H

#include "emit.h"
#include "handlers.h"

/* Copies the current thread's registers and the live part of its stack. `place` is 1 in a tick, otherwise
 * 0. The function is not static, so the kernel verifies it once, and not again for each path that calls it. */
__noinline u32 copy_stack(u32 epoch, u32 place, u32 kind) {
    u32 index = bpf_get_smp_processor_id() * 2 + (place & 1);
    struct user_stack *copy = bpf_map_lookup_elem(&stacks, &index);
    struct task_struct *task = bpf_get_current_task_btf();
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    if (!copy || !regs)
        return REQUEST_NO_HANDLER;
    fill(&copy->record, task, epoch, kind);
    bpf_probe_read_kernel(copy->registers, REGISTERS * sizeof(u64), regs);
    copy->reserved = 0;
    u64 stack = REGS_STACK(regs) - RED_ZONE_BYTES;
    u32 first = PAGE_BYTES - (stack & (PAGE_BYTES - 1));
    if (first > PAGE_BYTES)
        return REQUEST_NO_HANDLER;
    /* Some stacks have untouched pages in the middle (in large buffers that were not used yet). Such a
     * page is copied as zeros, and the copy continues after it. The copy ends at the last page in memory. */
    u32 size = 0, next = first;
    if (bpf_probe_read_user(copy->stack, first, (void *)stack) == 0)
        size = first;
#pragma unroll
    for (int page = 0; page < STACK_PAGES; page++) {
        if (next > MAX_STACK_BYTES - PAGE_BYTES)
            break;
        if (bpf_probe_read_user(copy->stack + next, PAGE_BYTES, (void *)(stack + next)) == 0)
            size = next + PAGE_BYTES;
        next += PAGE_BYTES;
    }
    if (size > MAX_STACK_BYTES)
        return REQUEST_NO_HANDLER;
    copy->stack_byte_count = size;
    u32 total = __builtin_offsetof(struct user_stack, stack) + size;
    if (bpf_ringbuf_output(&records, copy, total, 0) != 0)
        add_count(COUNT_DROPPED_RECORDS, 1);
    return REQUEST_COPIED;
}

/* The current process's handler for SIGPROF at this moment. */
static __always_inline u64 current_handler(struct task_struct *task) {
    return (u64)task->sighand->action[SIGPROF - 1].sa.sa_handler;
}

/* Requests the current thread's user stack, at most once per epoch. */
static __always_inline u32 ask_for_stack(struct settings *s, struct live *live, u32 place) {
    if (live->is_pending && live->pending_epoch == live->epoch)
        return REQUEST_SENT;
    struct task_struct *task = bpf_get_current_task_btf();
    struct process *process = find_process(task->tgid);
    if (!process)
        return REQUEST_FAILED;
    u64 handler = current_handler(task);
    process->seen_handler = handler;
    if (!process->handler || process->handler != handler)
        return copy_stack(live->epoch, place, RECORD_USER_STACK);
    if (live->handler_depth)
        /* The handler that is already running answers this epoch. */
        return REQUEST_SENT;
    if (is_profiling_signal_blocked(task))
        return copy_stack(live->epoch, place, RECORD_USER_STACK);
    live->is_pending = 1;
    live->pending_epoch = live->epoch;
    if (s->drop_every && bpf_get_prandom_u32() % s->drop_every == 0)
        return REQUEST_SENT;
    if (bpf_send_signal_thread(SIGPROF) != 0) {
        live->is_pending = 0;
        return REQUEST_FAILED;
    }
    return REQUEST_SENT;
}

#endif
