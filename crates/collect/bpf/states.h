/* This file keeps the sums of a thread's times by state. */
#ifndef WHITTLE_STATES_H
#define WHITTLE_STATES_H

#include "quota.h"

static __always_inline void leave_state(struct thread *thread, struct task_struct *task, u64 now) {
    u32 state = thread->state;
    u64 since = thread->state_since_ns;
    if (state >= STATE_COUNT || now < since)
        return;
    if (state == STATE_PREEMPTION) {
        leave_queue(thread, task, &thread->state_ns[STATE_PREEMPTION], now - since);
    } else if (state != STATE_ON_CPU && thread->woken_ns >= since && thread->woken_ns <= now) {
        thread->state_ns[state] += thread->woken_ns - since;
        leave_queue(thread, task, &thread->state_ns[STATE_RUN_QUEUE], now - thread->woken_ns);
    } else {
        thread->state_ns[state] += now - since;
    }
}

static __always_inline void enter_state(struct thread *thread, u32 state, u64 now) {
    /* A waker on another CPU reads the state first. */
    thread->state_since_ns = now;
    barrier();
    thread->state = state;
}

/* The current thread executes. On some kernels, not every switch to a thread is seen. */
static __always_inline void note_executing(struct thread *thread, struct task_struct *task, u64 now) {
    if (thread->state == STATE_ON_CPU)
        return;
    leave_state(thread, task, now);
    enter_state(thread, STATE_ON_CPU, now);
}

/*
 * The thread's times by state until now, also of the state that has not ended. If the thread is runnable after a wait, the time since
 * its waking is still counted as waiting. So the sum of all times is exact, and the time of a state can be wrong by one waiting
 * for a CPU.
 */
static __noinline int times_until(struct thread *thread, u64 now, u64 *times) {
    if (!thread || !times)
        return 0;
    u32 state = thread->state;
    u64 since = thread->state_since_ns;
#pragma unroll
    for (int each = 0; each < STATE_COUNT; each++)
        times[each] = thread->state_ns[each] + (state == each && now > since ? now - since : 0);
    return 0;
}

#endif
