/*
 * Simulates events at places for place.h, and compares the total weight with the total amount. Prints a line per case, and
 * exits with status 1 if a case failed. A test in src/kernel/programs.rs runs this program.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t u32;
typedef uint64_t u64;
#include "place.h"

enum { RUNS = 20000, CPUS = 2 };

/* Amounts are shares of the mean distance. The samples are limits of their number. */
struct test_case {
    const char *what;
    double amount, seconds_between;
    int events, runs;
    double least_samples, most_samples;
    int is_outermost;
};

/* The total weight of a run, in mean distances. `amount` is the total amount. */
static double weight_of_run(const struct test_case *test, u64 mean, double *amount, double *sampled) {
    struct place places[CPUS] = {{0}};
    struct place_total total = {0};
    double weight = 0;
    u64 now = (u64)lrand48() << 8;
    *amount = *sampled = 0;
    for (int event = 0; event < test->events; event++) {
        struct place *place = &places[lrand48() % CPUS];
        u64 size = (u64)(mean * test->amount * (0.2 + 1.6 * drand48()));
        halve(&total, now);
        u64 distance = distance_of(total.samples, mean, test->is_outermost), progress = progress_of(place, size, distance);
        total.samples += progress < WHOLE_DISTANCE ? progress : WHOLE_DISTANCE;
        const u32 random[2] = {(u32)mrand48(), (u32)mrand48()};
        u64 due = samples_due(place, progress, random);
        weight += due * (double)distance;
        *sampled += due > 0;
        *amount += size / (double)mean;
        now += (u64)(test->seconds_between * 2e9 * drand48());
    }
    return weight / mean;
}

int main(void) {
    /* The mean number of samples in 60 s grows with the root of the amount: 1, 16 and 256 mean distances per second. */
    const struct test_case tests[] = {
        {"few small events", 0.1, 0.1, 20, RUNS, 1, 3, 0},
        {"some events", 0.5, 0.1, 20, RUNS, 5, 10, 0},
        {"many small events", 0.05, 0.001, 2000, RUNS, 20, 60, 0},
        {"large events", 3, 0.1, 50, RUNS, 15, 50, 0},
        {"rare events", 0.5, 20, 50, RUNS, 20, 25, 0},
        {"one event", 0.4, 1, 1, RUNS, 0, 1, 0},
        {"one large event", 1.5, 1, 1, RUNS, 0.8, 1.01, 0},
        {"tiny events", 1e-6, 1e-7, 3000000, 10, 2, 4, 0},
        {"1 per second", 0.1, 0.1, 600, 1000, 30, 60, 0},
        {"16 per second", 0.1, 0.1 / 16, 9600, 200, 120, 240, 0},
        {"256 per second", 0.1, 0.1 / 256, 153600, 20, 500, 1000, 0},
        {"an event of months", 1e9, 1, 1, RUNS, 0.99, 1.01, 0},
        /* Outermost waits have their first samples as soon as others, and then fewer. */
        {"rare, outermost", 0.5, 20, 50, RUNS, 10, 25, 1},
        {"1 per second, outermost", 0.1, 0.1, 600, 1000, 8, 30, 1},
        {"256 per second, outermost", 0.1, 0.1 / 256, 153600, 100, 80, 240, 1},
    };
    int is_wrong = 0;
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        const struct test_case *test = &tests[i];
        double sum = 0, squares = 0, samples = 0, amounts = 0;
        for (int run = 0; run < test->runs; run++) {
            double amount, sampled, weight = weight_of_run(test, 10000000, &amount, &sampled);
            sum += weight - amount, squares += (weight - amount) * (weight - amount);
            samples += sampled / test->runs, amounts += amount;
        }
        /* The mean error of all runs has this standard deviation. More than four of them happen by chance once in 16,000 tries. */
        double mean = sum / test->runs, deviation = sqrt((squares / test->runs - mean * mean) / test->runs);
        int is_failed = fabs(mean) > 4 * deviation || samples < test->least_samples || samples > test->most_samples;
        is_wrong |= is_failed;
        printf("%-26s weight/amount %.4f, %.1f samples%s\n", test->what, 1 + sum / amounts, samples, is_failed ? ", WRONG" : "");
    }
    return is_wrong;
}
