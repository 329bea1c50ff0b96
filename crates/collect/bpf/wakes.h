/*
 * This file finds out who ends a wait. The kernel executes `on_waking` in the context of the waker:
 *
 *   waiter ── futex ── sched_switch ··············· wait ··············· sched_switch ── the call returns: its stack
 *   waker  ────────────────────────────── futex ── sched_waking ── the call returns: its stack
 *
 * If an interrupt ends the wait, the current thread has nothing to do with the wait, and must not be named. Timers are seen when
 * their functions begin and end. For other interrupts, no flag exists on all kernels. So the current thread is the waker only if
 * it is in a system call that can end such a wait. Only a call for a futex, the end of a thread, a signal or a timer ends a wait
 * for a futex.
 */
#ifndef WHITTLE_WAKES_H
#define WHITTLE_WAKES_H

#include "waits.h"

/* True if the call can end a wait for a pipe, a socket or an event, also in `poll`. */
static __always_inline u32 can_wake_file_waits(struct settings *s, s32 call, s32 waiters_call) {
    u8 facts = s->calls[call & (MAX_CALLS - 1)];
    if (facts & (CALL_SENDS_BYTES | CALL_CHANGES_FILES))
        return 1;
    if (call == CALL_SHUTDOWN || call == CALL_SPLICE || call == CALL_VMSPLICE || call == CALL_TEE ||
        call == CALL_SEND_MESSAGES || call == CALL_EPOLL_CONTROL)
        return 1;
    /* A reader makes room for a writer. */
    return (facts & CALL_MOVES_BYTES) && (s->calls[waiters_call & (MAX_CALLS - 1)] & CALL_SENDS_BYTES);
}

/* True if the current thread, which is in this call, can end the wait. */
static __always_inline u32 can_wake(struct settings *s, struct task_struct *task, struct thread *thread, s32 call) {
    u8 facts = s->calls[call & (MAX_CALLS - 1)];
    u32 reason = thread->state, own_wait = facts & CALL_WAIT_MASK;
    if (is_last_call(call) || call == CALL_KILL || call == CALL_KILL_THREAD || call == CALL_KILL_THREAD_IN_GROUP)
        return 1;
    if (reason == STATE_FUTEX)
        return own_wait == STATE_FUTEX;
    if (reason == STATE_SLEEP)
        return 0;
    /* The thread waits for a disk, or for a lock of a file that another thread holds. */
    if (reason == STATE_FILE)
        return !BPF_CORE_READ_BITFIELD(task, in_iowait) && (facts & CALL_HAS_DESCRIPTOR);
    /* Such as the lock of the address space. */
    if (reason == STATE_OTHER && own_wait == STATE_OTHER)
        return 1;
    return can_wake_file_waits(s, call, thread->call);
}

/* The call of a thread that is not observed, from its registers; -1: no call. */
static __always_inline s32 call_of_other(struct task_struct *task) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    if ((task->flags & PF_KTHREAD) || !task->pid || !regs || !REGS_IS_OF_CALL(regs))
        return -1;
    return REGS_CALL(regs) & (MAX_CALLS - 1);
}

/* Who ends a wait, if it is neither a timer nor an observed thread. */
static __always_inline u32 other_waker(struct settings *s, struct task_struct *current, u32 is_own, struct task_struct *task,
                                       struct thread *thread) {
    s32 call = is_own ? -1 : call_of_other(current);
    u32 reason = thread->state;
    if (call >= 0 && can_wake(s, task, thread, call))
        return WAKER_OTHER_PROCESS;
    return reason == STATE_SOCKET || reason == STATE_POLL ? WAKER_NETWORK : WAKER_DEVICE;
}

/* Requests the stack of the current thread, which ends a wait: when its call returns, because a signal would interrupt the call. A
 * thread that ends has no such moment. */
static __always_inline u32 ask_for_waker(struct live *live) {
    if (live->handler_depth)
        return REQUEST_FAILED;
    if (!is_last_call(live->call)) {
        live->is_stack_wanted = 1;
        return REQUEST_DEFERRED;
    }
    /* A tick cannot use its room at the same time, because interrupts are disabled here. */
    return copy_stack(live->epoch, 1, RECORD_USER_STACK);
}

/* Emits the end of a sampled wait of `task`, which the current thread, or an interrupt, ends. */
static __noinline int tell_wake(struct settings *s, struct cpu *cpu, struct task_struct *task, struct thread *thread, u64 now) {
    struct task_struct *current = bpf_get_current_task_btf();
    if (!s || !cpu || !task || !thread)
        return 0;
    struct wake *wake = bpf_ringbuf_reserve(&records, sizeof(*wake), 0);
    if (!wake) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    u32 is_own = is_current_observed(s, cpu, current);
    struct live *live = is_own ? known_live(cpu) : 0;
    u32 is_timer = cpu->in_precise_timer == (u64)current || cpu->in_timer == (u64)current;
    u32 is_thread = !is_timer && live && live->is_in_call && can_wake(s, task, thread, live->call);
    clear_details(&wake->event);
    wake->event.weight = thread->waking_weight;
    wake->event.reason = thread->state;
    wake->waited_ns = now - thread->state_since_ns;
    wake->process_id = task->tgid;
    wake->thread_id = task->pid;
    wake->reserved = 0;
    u32 is_copied = 0;
    if (is_thread) {
        fill(&wake->event.record, current, live->epoch, RECORD_WAKE);
        wake->event.call = live->call;
        u32 request = ask_for_waker(live);
        wake->event.record.request = request;
        wake->waker = WAKER_THREAD;
        is_copied = request == REQUEST_COPIED;
    } else {
        fill(&wake->event.record, task, thread->epoch, RECORD_WAKE);
        wake->waker = is_timer ? WAKER_TIMER : other_waker(s, current, is_own, task, thread);
    }
    bpf_ringbuf_submit(wake, 0);
    if (is_copied)
        live->epoch += 1;
    return 0;
}

/* True if the thread waits in a system call. Other waits have no waker. */
static __always_inline u32 waits_in_call(struct thread *thread) {
    u32 state = thread->state;
    return thread->is_in_call && state != STATE_ON_CPU && state != STATE_PREEMPTION && state != STATE_RUN_QUEUE &&
           state != STATE_STOPPED;
}

/*
 * A thread is woken. Before its `sched_switch`, its state is that of a thread on a CPU, and there is no wait. The kernel holds a lock
 * of the thread here, and interrupts are disabled.
 */
SEC("tp_btf/sched_waking")
int on_waking(u64 *context) {
    struct task_struct *task = (struct task_struct *)context[0];
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    if (!s || !cpu || !is_observed(s, task->tgid))
        return 0;
    struct thread *thread = find_thread(task->pid);
    if (!thread || !s->intervals[RECORD_BLOCKED] || !waits_in_call(thread))
        return 0;
    u64 now = bpf_ktime_get_ns(), since = thread->state_since_ns;
    struct live *waiter = bpf_task_storage_get(&lives, task, 0, 0);
    if (!waiter || waiter->handler_depth || now <= since || thread->waking_since_ns == since)
        return 0;
    thread->waking_weight = sample_wait(s, task, waiter, now - since, now);
    thread->waking_since_ns = since;
    if (thread->waking_weight)
        tell_wake(s, cpu, task, thread, now);
    return 0;
}

/* The functions of timers. Those of precise timers (`hrtimer`) can interrupt the others. */

SEC("tp_btf/hrtimer_expire_entry")
int on_precise_timer(u64 *context) {
    struct cpu *cpu = this_cpu();
    if (cpu)
        cpu->in_precise_timer = (u64)bpf_get_current_task_btf();
    return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int on_precise_timer_end(u64 *context) {
    struct cpu *cpu = this_cpu();
    if (cpu)
        cpu->in_precise_timer = 0;
    return 0;
}

SEC("tp_btf/timer_expire_entry")
int on_timer(u64 *context) {
    struct cpu *cpu = this_cpu();
    if (cpu)
        cpu->in_timer = (u64)bpf_get_current_task_btf();
    return 0;
}

SEC("tp_btf/timer_expire_exit")
int on_timer_end(u64 *context) {
    struct cpu *cpu = this_cpu();
    if (cpu)
        cpu->in_timer = 0;
    return 0;
}

#endif
