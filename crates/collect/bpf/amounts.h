/* This file samples by amount: one sample per set number of calls, bytes or nanoseconds on average. */
#ifndef WHITTLE_AMOUNTS_H
#define WHITTLE_AMOUNTS_H

#include "maps.h"

/* A random distance between half and one and a half of the mean, so no rhythm of the program matches the sampling. */
static __always_inline u64 draw(u64 mean) {
    u64 spread = bpf_get_prandom_u32();
    u64 distance = (mean >> 1) + ((mean * (spread >> 12)) >> 20);
    return distance ? distance : 1;
}

/*
 * Adds `amount` to the total of this kind on this CPU. Returns the sum of the distances that end inside the amount,
 * or 0 if none ends there. A distance is the weight of the event in which it ends. The probability that a distance
 * ends in an event is proportional to the event's amount. So the expected weight of any event is its amount.
 */
static __always_inline u64 reach(struct settings *s, struct triggers *triggers, u32 kind, u64 amount) {
    u64 mean = s->intervals[kind];
    struct trigger *trigger = &triggers->of_kind[kind];
    if (!mean || !amount)
        return 0;
    if (!trigger->drawn) {
        trigger->drawn = draw(mean);
        trigger->left = 1 + bpf_get_prandom_u32() % trigger->drawn;
    }
    if (amount < trigger->left) {
        trigger->left -= amount;
        return 0;
    }
    u64 weight = trigger->drawn;
    amount -= trigger->left;
    /* Whole mean distances are subtracted at once. So the loop below is short, even for a large amount. */
    u64 whole = amount / mean;
    weight += whole * mean;
    amount -= whole * mean;
    trigger->drawn = draw(mean);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (amount >= trigger->drawn) {
            amount -= trigger->drawn;
            weight += trigger->drawn;
            trigger->drawn = draw(mean);
        }
    }
    trigger->left = trigger->drawn > amount ? trigger->drawn - amount : 1;
    return weight;
}

#endif
