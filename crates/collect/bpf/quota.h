/*
 * This file finds out how long the CPU quota of a control group (`cpu.max`, `cpu.cfs_quota_us`) kept a runnable thread from
 * executing. If the quota is used up, the kernel stops the group's queue of each CPU. It counts the time for each queue, and
 * adds a stop to the sum when the stop ends. So the sum is read when a thread enters the queue and when it executes.
 */
#ifndef WHITTLE_QUOTA_H
#define WHITTLE_QUOTA_H

#include "threads.h"

/* Total time for which the quota stopped this queue. Before Linux 6.6, only the clock that measures load tells it. That clock
 * can be slow while the CPU executes other threads with a low frequency. */
static __always_inline u64 quota_clock(struct cfs_rq *queue) {
    if (bpf_core_field_exists(queue->throttled_clock_self_time))
        return queue->throttled_clock_self_time;
    return bpf_core_field_exists(queue->throttled_clock_pelt_time) ? queue->throttled_clock_pelt_time : 0;
}

static __always_inline struct cfs_rq *queue_of(struct task_struct *task) {
    return bpf_core_field_exists(task->se.cfs_rq) ? task->se.cfs_rq : 0;
}

/* The thread is able to execute from now on, but does not. */
static __always_inline void enter_queue(struct thread *thread, struct task_struct *task) {
    struct cfs_rq *queue = queue_of(task);
    thread->queue = (u64)queue;
    thread->queue_quota_ns = queue ? quota_clock(queue) : 0;
}

/* Adds the last `queued_ns` to `sum`, but the time for which the quota stopped the queue to STATE_QUOTA. If the thread moved
 * to another queue, that time is unknown. */
static __always_inline void leave_queue(struct thread *thread, struct task_struct *task, u64 *sum, u64 queued_ns) {
    struct cfs_rq *queue = queue_of(task);
    u64 quota_ns = queue && thread->queue == (u64)queue ? quota_clock(queue) - thread->queue_quota_ns : 0;
    if (quota_ns > queued_ns)
        quota_ns = queued_ns;
    *sum += queued_ns - quota_ns;
    thread->state_ns[STATE_QUOTA] += quota_ns;
}

#endif
