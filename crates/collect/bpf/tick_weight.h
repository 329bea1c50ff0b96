/* How much CPU time a tick stands for. Nothing here asks the kernel, so that a test can execute it: tick_weight_test.c. */
#ifndef WHITTLE_TICK_WEIGHT_H
#define WHITTLE_TICK_WEIGHT_H

/* Of one CPU. */
struct tick_account {
    /* CPU time of observed threads here that no tick has accounted for yet. Negative: ticks have accounted for more. */
    s64 unsampled_ns;
    /* Until when that is up to date, on the clock and on the thread's own CPU time. On the clock 0: nobody executes. */
    u64 marked_ns;
    u64 marked_cpu_ns;
    /* The scheduler's figure of the thread's CPU time at the last tick, or when it came here. */
    u64 scheduled_ns;
    /* Whose CPU time that is. Not every switch is seen on every kernel. */
    u32 thread_id;
};

/*
 * The weight of a tick: the CPU time of observed threads on this CPU since the tick before. On a busy
 * machine that varies less than counting whole periods. A tick stands for a few periods at most, so
 * that ticks which fail to come show as CPU time that no sample covers. Where others have the CPU most
 * of the time, what gathers until a tick meets an observed thread is spread exponentially around one
 * period: a limit of 4 would cut off 2 % of it, this one a thousandth of that.
 */
#define MAX_PERIODS 11

static __always_inline void mark(struct tick_account *account, u32 thread_id, u64 scheduled_ns, u64 now) {
    account->marked_ns = now;
    account->marked_cpu_ns = account->scheduled_ns = scheduled_ns;
    account->thread_id = thread_id;
}

/*
 * CPU time of the thread since the tick before. While one thread executes, ticks are one period apart. The clock goes on
 * while the hypervisor has the CPU; the scheduler's figure leaves that time out where the hypervisor tells of it, but is as
 * old as the last tick of the scheduler. So the clock counts, up to two periods. If the figure is beyond that, the thread
 * did execute for longer. If it was renewed since the tick before, and still is behind what was counted up to there, the
 * thread did not.
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

/* A tick finds the thread executing: the tick's weight, 0 if ticks before have accounted for it already. */
static __always_inline u64 weigh_tick(struct tick_account *account, u32 thread_id, u64 scheduled_ns, u64 now,
                                      u64 period) {
    s64 most = MAX_PERIODS * period, ran = period;
    if (account->marked_ns && account->thread_id == thread_id) {
        ran = ran_since_tick(account, scheduled_ns, now - account->marked_ns, period);
        account->marked_ns = now;
        account->marked_cpu_ns += ran;
        account->scheduled_ns = scheduled_ns;
    } else {
        /* It came here unseen, or before we looked. */
        mark(account, thread_id, scheduled_ns, now);
    }
    s64 weight = account->unsampled_ns + ran;
    account->unsampled_ns = weight > 0 ? 0 : weight < -most ? -most : weight;
    if (weight <= 0)
        return 0;
    return weight < most ? weight : most;
}

/* The thread leaves the CPU. A switch renews the scheduler's figure. */
static __always_inline void leave_cpu(struct tick_account *account, u32 thread_id, u64 scheduled_ns) {
    if (account->marked_ns && account->thread_id == thread_id)
        account->unsampled_ns += (s64)(scheduled_ns - account->marked_cpu_ns);
    account->marked_ns = 0;
}

#endif
