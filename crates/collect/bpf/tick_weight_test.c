/*
 * Simulates a CPU for tick_weight.h, and compares the total weight with the threads' real CPU time. Prints a
 * line per case, and exits with status 1 if a case failed. A test in src/kernel/programs.rs runs this program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
#include "tick_weight.h"

enum { MS = 1000000, THREADS = 3, STEP_NS = 20000 };

/* Times are in ms. Times of random events are means of the drawn values; 0: the event never happens. */
struct play {
    const char *what;
    double period, scheduler_tick;
    double run, idle;                       /* alternately on and off the CPU */
    double between_steals, steal;           /* the hypervisor has the CPU */
    int is_told;                            /* the scheduler excludes the stolen time */
    double between_lost, lost;              /* the thread executes without ticks */
    int unseen_per_mille;                   /* switches that are not reported */
    double least, most;                     /* limits of total weight / the scheduler's CPU time */
    double largest_periods;                 /* limit of a single weight */
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
    /* The CPU times of the threads differ by hours. A value of the wrong thread must not cause an error. */
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
        /* After a gap, either tick can come first. */
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
    /* A tenth of the time is stolen. A tick makes up for at most 13 of the 40 periods of a steal. */
    {"steals that nobody tells",       10, 4,      20000, 0,      3600, 400,     0,    0, 0,      0,    0.900, 0.950, 11},
    /* Ticks are missing for half of the time. They make up for at most as many periods. */
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
