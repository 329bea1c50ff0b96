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

/* Amounts are shares of the mean distance. */
struct play {
    const char *what;
    double amount, seconds_between;
    int events;
};

/* The total weight of a run, in mean distances. `amount` is the total amount. */
static double weight_of_run(const struct play *play, double *amount, double *sampled) {
    const u64 mean = 10000000;
    struct place places[CPUS] = {{0}};
    struct place_total total = {0};
    u64 now = (u64)lrand48() << 8, weight = 0;
    *amount = *sampled = 0;
    for (int event = 0; event < play->events; event++) {
        struct place *place = &places[lrand48() % CPUS];
        u64 size = (u64)(mean * play->amount * (0.2 + 1.6 * drand48()));
        u64 distance = distance_of(total.samples, mean), progress = progress_of(size, distance);
        place->untold += progress_of(size, mean);
        if (place->untold >= WHOLE_DISTANCE / 4) {
            halve(&total, now);
            total.samples += place->untold;
            place->untold = 0;
        }
        const u32 random[2] = {(u32)mrand48(), (u32)mrand48()};
        u64 due = samples_due(place, progress, random);
        weight += due * distance;
        *sampled += due > 0;
        *amount += size / (double)mean;
        now += (u64)(play->seconds_between * 2e9 * drand48());
    }
    return weight / (double)mean;
}

int main(void) {
    const struct play plays[] = {
        {"few small events", 0.1, 0.1, 20},      {"some events", 0.5, 0.1, 20},       {"many small events", 0.05, 0.001, 2000},
        {"many events", 0.5, 0.01, 1000},        {"large events", 3, 0.1, 50},        {"rare events", 0.5, 20, 50},
        {"one event", 0.4, 1, 1},
    };
    int is_wrong = 0;
    for (size_t i = 0; i < sizeof(plays) / sizeof(*plays); i++) {
        double sum = 0, squares = 0, samples = 0, amounts = 0;
        for (int run = 0; run < RUNS; run++) {
            double amount, sampled, weight = weight_of_run(&plays[i], &amount, &sampled);
            sum += weight - amount, squares += (weight - amount) * (weight - amount);
            samples += sampled, amounts += amount;
        }
        /* The mean error of this many runs has this standard deviation. Four of them happen by chance once in 16,000 tries. */
        double mean = sum / RUNS, deviation = sqrt(squares / RUNS - mean * mean) / sqrt(RUNS);
        int is_biased = fabs(mean) > 4 * deviation;
        is_wrong |= is_biased;
        printf("%-20s weight/amount %.4f, %.1f samples of %.1f%s\n", plays[i].what, 1 + sum / amounts, samples / RUNS,
               amounts / RUNS, is_biased ? ", BIASED" : "");
    }
    return is_wrong;
}
