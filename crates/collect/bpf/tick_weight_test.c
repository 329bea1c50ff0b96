/*
 * Plays a CPU to tick_weight.h, and compares the sum of all weights with the CPU time that threads really had.
 * Exit status 1, with a line for each, if a case is not as it should be. Executed by tests/tick_weight.rs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
#include "tick_weight.h"

enum { MS = 1000000, THREADS = 3, STEP_NS = 20000 };

/* Times in ms; those of what happens are means of what is drawn; 0: it never happens. */
struct play {
    const char *what;
    double period, scheduler_tick;
    double run, idle;                       /* on and off the CPU in turn */
    double between_steals, steal;           /* the hypervisor has the CPU */
    int is_told;                            /* the scheduler leaves that out */
    double between_lost, lost;              /* the thread executes, and its ticks do not come */
    int unseen_per_mille;                   /* switches that nobody tells of */
    double least, most;                     /* sum of the weights over the CPU time that the scheduler counts */
    double largest_periods;                 /* no weight is larger */
};

struct cpu_played {
    struct tick_account account;
    u64 exact_ns[THREADS], figure_ns[THREADS];
    int thread; /* -1: idle */
};

static u64 drawn(double mean_ms) {
    return mean_ms > 0 ? (u64)((0.5 + drand48()) * mean_ms * MS) : UINT64_MAX / 4;
}

static void switch_to(struct cpu_played *cpu, int next, int is_seen, u64 now) {
    if (cpu->thread >= 0) {
        cpu->figure_ns[cpu->thread] = cpu->exact_ns[cpu->thread];
        if (is_seen)
            leave_cpu(&cpu->account, (u32)cpu->thread + 1, cpu->figure_ns[cpu->thread]);
    }
    cpu->thread = next;
    if (next >= 0 && is_seen)
        mark(&cpu->account, (u32)next + 1, cpu->figure_ns[next], now);
}

static double ratio(const struct play *play, double *largest_periods) {
    /* Threads that differ by hours: a figure of the wrong one must do no harm. */
    struct cpu_played cpu = {.thread = -1, .exact_ns = {5 * MS, 3600000ull * MS, 7200000ull * MS}};
    for (int i = 0; i < THREADS; i++)
        cpu.figure_ns[i] = cpu.exact_ns[i];
    u64 period = (u64)(play->period * MS), scheduler_period = (u64)(play->scheduler_tick * MS);
    u64 sum = 0, exact = 0, largest = 0, now = 1000 * MS, end = now + 60000ull * MS;
    u64 tick = now + period, scheduler_tick = now + scheduler_period, next_switch = now;
    u64 steal = now + drawn(play->between_steals), steal_end = 0;
    u64 lost = now + drawn(play->between_lost), lost_end = 0;
    for (; now < end; now += STEP_NS) {
        if (now >= steal) {
            steal_end = now + drawn(play->steal);
            steal = steal_end + drawn(play->between_steals);
        }
        if (now >= lost) {
            lost_end = now + drawn(play->lost);
            lost = lost_end + drawn(play->between_lost);
        }
        int is_stolen = now < steal_end;
        if (cpu.thread >= 0 && (!is_stolen || !play->is_told)) {
            cpu.exact_ns[cpu.thread] += STEP_NS;
            exact += STEP_NS;
        }
        if (is_stolen)
            continue;
        /* After a gap either of the two may come first. */
        for (int turn = 0, first = now / STEP_NS % 2; turn < 2; turn++) {
            if ((turn ^ first) && now >= scheduler_tick) {
                scheduler_tick = now + scheduler_period;
                if (cpu.thread >= 0)
                    cpu.figure_ns[cpu.thread] = cpu.exact_ns[cpu.thread];
            }
            if (!(turn ^ first) && now >= tick) {
                tick += (now - tick) / period * period + period;
                if (cpu.thread < 0 || now < lost_end)
                    continue;
                u64 weight = weigh_tick(&cpu.account, (u32)cpu.thread + 1, cpu.figure_ns[cpu.thread], now, period);
                sum += weight;
                largest = weight > largest ? weight : largest;
            }
        }
        if (now >= next_switch) {
            int is_idle_next = cpu.thread >= 0 && play->idle > 0, is_seen = drand48() * 1000 >= play->unseen_per_mille;
            switch_to(&cpu, is_idle_next ? -1 : (int)(drand48() * THREADS), is_seen, now);
            next_switch = now + drawn(is_idle_next ? play->idle : play->run);
        }
    }
    *largest_periods = (double)largest / (double)period;
    return (double)sum / (double)exact;
}

static const struct play PLAYS[] = {
    /*                                 ticks       run, idle      steals         told  lost     unseen  wanted, largest */
    {"a spinner",                      10, 4,      20000, 0,      0, 0,          0,    0, 0,      0,    0.999, 1.001, 2},
    {"a spinner, close ticks",         1, 4,       20000, 0,      0, 0,          0,    0, 0,      0,    0.999, 1.001, 2},
    {"short slices",                   10, 4,      0.2, 0.2,      0, 0,          0,    0, 0,      0,    0.995, 1.005, 11},
    {"a scheduler's tick a second",    1, 1000,    3000, 0,       0, 0,          0,    0, 0,      0,    0.999, 1.001, 2},
    {"long steals",                    10, 4,      20000, 0,      3000, 400,     1,    0, 0,      0,    0.995, 1.005, 3},
    {"long steals, close ticks",       1, 4,       20000, 0,      3000, 400,     1,    0, 0,      0,    0.995, 1.005, 3},
    {"short steals",                   10, 4,      500, 5,        12, 6,         1,    0, 0,      0,    0.990, 1.010, 3},
    {"short steals, close ticks",      1, 4,       500, 5,        12, 6,         1,    0, 0,      0,    0.990, 1.010, 3},
    /* A tenth of the time, of which a tick makes up for 13 periods of 40 at most. */
    {"steals that nobody tells",       10, 4,      20000, 0,      3600, 400,     0,    0, 0,      0,    0.900, 0.950, 11},
    /* Half of the time, likewise. */
    {"ticks that fail to come",        10, 4,      20000, 0,      0, 0,          0,    400, 400,  0,    0.500, 0.720, 11},
    {"switches that nobody sees",      10, 4,      30, 0,         0, 0,          0,    0, 0,      20,   0.970, 1.030, 3},
};

int main(void) {
    int wrong = 0;
    srand48(7);
    for (u32 i = 0; i < sizeof PLAYS / sizeof PLAYS[0]; i++) {
        double largest, found = ratio(&PLAYS[i], &largest);
        int is_right = found >= PLAYS[i].least && found <= PLAYS[i].most && largest <= PLAYS[i].largest_periods;
        printf("%s: %.4f, %.3f to %.3f wanted; largest weight %.1f periods%s\n", PLAYS[i].what, found, PLAYS[i].least,
               PLAYS[i].most, largest, is_right ? "" : ": WRONG");
        wrong += !is_right;
    }
    return wrong > 0;
}
