/* This file takes samples at ticks of the CPU clock and at page faults. */
#ifndef WHITTLE_TICKS_H
#define WHITTLE_TICKS_H

#include "entry.h"
#include "handlers.h"
#include "stacks.h"

/* This call never returns, so no signal can be sent at its end. */
static __always_inline u32 is_last_call(s32 call) {
    return call == CALL_EXIT || call == CALL_EXIT_GROUP;
}

/* Marks the call that the thread's registers show, if only the ends of calls are observed. True if there is one. */
static __always_inline u32 mark_call(struct live *live, struct pt_regs *regs) {
    if ((!REGS_IS_OF_CALL(regs) && !is_entering(regs)) || is_last_call(REGS_CALL(regs)))
        return 0;
    u64 entry = call_place(regs);
    /* The thread has left the call that was marked before. */
    if (live->entry && live->entry != entry)
        live->epoch += 1;
    live->entry = entry;
    return 1;
}

/* True if the current thread, which is in kernel mode, is inside a system call or is entering one. */
static __always_inline u32 is_before_end_of_call(struct settings *s, struct live *live) {
    if (live->is_in_call)
        return !is_last_call(live->call);
    /* The kernel is about to repeat a call. With a handler of a signal, the program could see EINTR instead. */
    if (live->repeat)
        return 1;
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    if (!regs)
        return 0;
    if (!s->has_calls)
        return mark_call(live, regs);
    if (!is_entering(regs))
        return 0;
    live->entry = entry_of(regs);
    return 1;
}

/* The thread is in user mode, so it is not in the call that a tick saw it enter. Later calls do not answer the tick. */
static __always_inline void forget_entry(struct live *live) {
    if (!live->entry)
        return;
    live->entry = 0;
    live->is_stack_wanted = 0;
    live->epoch += 1;
}

static __always_inline int sample_current(struct settings *s, struct task_struct *task, void *context, u16 kind,
                                          u64 weight, u32 place) {
    struct cpu *cpu = this_cpu();
    struct process *process = find_process(task->tgid);
    if (!cpu || !process || !is_current_observed(s, cpu, task))
        return 0;
    struct live *live = live_of_current(cpu);
    if (!live)
        return 0;
    struct event_with_stack *with_stack = bpf_ringbuf_reserve(&records, sizeof(*with_stack), 0);
    if (!with_stack) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        if (kind == RECORD_TICK)
            add_count(COUNT_DROPPED_TICK_NS, weight);
        return 0;
    }
    struct event *event = &with_stack->event;
    clear_details(event);
    s64 size = bpf_get_stack(context, with_stack->kernel_frames, sizeof(with_stack->kernel_frames), 0);
    u32 is_kernel_mode = size > 0;
    if (!is_kernel_mode) {
        forget_entry(live);
        if (live->handler_depth)
            end_left_handler(live);
    }
    /* The thread is in user mode again, and the last signal has not arrived. So its events get no answer. */
    u32 has_moved_on = !is_kernel_mode || !s->has_calls;
    if (has_moved_on && !live->handler_depth && live->is_pending && live->pending_epoch == live->epoch)
        live->epoch += 1;
    u32 is_signalled = process->handler && !live->handler_depth;
    u32 is_deferred = is_kernel_mode && is_signalled && is_before_end_of_call(s, live);
    fill(&event->record, task, live->epoch, kind);
    event->record.is_kernel_mode = is_kernel_mode;
    event->weight = weight;
    event->kernel_frame_count = is_kernel_mode ? (u64)size / 8 : 0;
    if (live->is_in_call)
        event->call = live->call;
    if (is_deferred) {
        live->is_stack_wanted = 1;
        event->record.request = REQUEST_DEFERRED;
    } else if (live->is_in_call && is_last_call(live->call)) {
        event->record.request = copy_stack(live->epoch, place, RECORD_USER_STACK);
        live->epoch += 1;
    } else {
        u32 request = ask_for_stack(s, live, place);
        event->record.request = request;
        live->epoch += request == REQUEST_COPIED;
    }
    bpf_ringbuf_submit(with_stack, 0);
    return 0;
}

static __always_inline u64 take_unsampled(struct task_struct *task, u64 period) {
    struct cpu *cpu = this_cpu();
    if (!cpu)
        return period;
    return weigh_tick(&cpu->ticks, task->pid, task->se.sum_exec_runtime, bpf_ktime_get_ns(), period);
}

SEC("perf_event")
int on_tick(void *context) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct settings *s = the_settings();
    if (!s || !is_observed(s, task->tgid))
        return 0;
    u64 period = *(u64 *)(context + PERIOD_OFFSET);
    u64 weight = take_unsampled(task, period);
    /* With weight 0, earlier ticks, during which the hypervisor had the CPU, already represent the time. */
    return weight ? sample_current(s, task, context, RECORD_TICK, weight, 1) : 0;
}

SEC("perf_event")
int on_fault(void *context) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct settings *s = the_settings();
    if (!s || !is_observed(s, task->tgid))
        return 0;
    return sample_current(s, task, context, RECORD_FAULTS, s->intervals[RECORD_FAULTS], 0);
}

#endif
