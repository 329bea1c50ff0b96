/* How much CPU time a tick represents. This code does not call the kernel, so tick_weight_test.c can execute it. */
#ifndef WHITTLE_TICK_WEIGHT_H
#define WHITTLE_TICK_WEIGHT_H

/* The account of one CPU. */
struct tick_account {
    /* CPU time of observed threads on this CPU that no tick represents yet. Negative: ticks represent more time. */
    s64 unsampled_ns;
    /* Until when `unsampled_ns` is up to date: on the clock (0: no thread executes), and in the thread's CPU time. */
    u64 marked_ns;
    u64 marked_cpu_ns;
    /* The scheduler's value of the thread's CPU time at the last tick, or when the thread came to this CPU. */
    u64 scheduled_ns;
    /* The thread with these CPU times. On some kernels, not every switch is seen. */
    u32 thread_id;
};

/*
 * The weight of a tick is the CPU time of observed threads on this CPU since the previous tick. On a
 * busy machine, this varies less than a count of whole periods. A tick represents at most a few
 * periods. So missing ticks appear as CPU time without samples. If other threads have the CPU most
 * of the time, the CPU time until a tick hits an observed thread is distributed exponentially around
 * one period. A limit of 4 would cut off 2 % of this time. This limit cuts off a thousandth of that.
 */
#define MAX_PERIODS 11

static __always_inline void mark(struct tick_account *account, u32 thread_id, u64 scheduled_ns, u64 now) {
    account->marked_ns = now;
    account->marked_cpu_ns = account->scheduled_ns = scheduled_ns;
    account->thread_id = thread_id;
}

/*
 * CPU time of the thread since the previous tick. While one thread executes, ticks are one period apart. The
 * clock continues while the hypervisor has the CPU. The scheduler's value excludes that time if the hypervisor
 * reports it, but is as old as the scheduler's last tick. So the clock is used, up to two periods. If the
 * scheduler's value is larger, the thread did execute for longer. If this value was updated since the previous
 * tick, but is still smaller than the time counted up to that tick, the thread executed for less time.
 */
static __always_inline s64 ran_since_tick(struct tick_account *account, u64 scheduled_ns, s64 clock_ns, s64 period) {
    s64 ran = clock_ns < 2 * period ? clock_ns : 2 * period;
    s64 ahead = scheduled_ns - account->marked_cpu_ns;
    if (ahead > ran)
        ran = ahead;
    else if (ahead < 0 && scheduled_ns != account->scheduled_ns)
        ran += ahead;
    return ran;
}

/* Returns the weight of a tick that hits an executing thread, or 0 if earlier ticks already represent the time. */
static __always_inline u64 weigh_tick(struct tick_account *account, u32 thread_id, u64 scheduled_ns, u64 now,
                                      u64 period) {
    s64 most = MAX_PERIODS * period, ran = period;
    if (account->marked_ns && account->thread_id == thread_id) {
        ran = ran_since_tick(account, scheduled_ns, now - account->marked_ns, period);
        account->marked_ns = now;
        account->marked_cpu_ns += ran;
        account->scheduled_ns = scheduled_ns;
    } else {
        /* The switch to this thread was not seen, or was before observation began. */
        mark(account, thread_id, scheduled_ns, now);
    }
    s64 weight = account->unsampled_ns + ran;
    account->unsampled_ns = weight > 0 ? 0 : weight < -most ? -most : weight;
    if (weight <= 0)
        return 0;
    return weight < most ? weight : most;
}

/* The thread leaves the CPU. A switch updates the scheduler's value. */
static __always_inline void leave_cpu(struct tick_account *account, u32 thread_id, u64 scheduled_ns) {
    if (account->marked_ns && account->thread_id == thread_id)
        account->unsampled_ns += (s64)(scheduled_ns - account->marked_cpu_ns);
    account->marked_ns = 0;
}

#endif
