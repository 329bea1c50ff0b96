/* This file samples by amount: one sample per number of calls, bytes or nanoseconds on average. */
#ifndef WHITTLE_AMOUNTS_H
#define WHITTLE_AMOUNTS_H

#include "maps.h"

/* 2^64 divided by the golden ratio. The high bits of a product with this number depend on all bits of the factor. */
#define GOLDEN_RATIO 0x9e3779b97f4a7c15ULL

/* A random distance between half and one and a half of the mean, so no rhythm of the program matches the sampling. */
static __always_inline u64 draw(u64 mean) {
    u64 spread = bpf_get_prandom_u32();
    u64 distance = (mean >> 1) + ((mean * (spread >> 12)) >> 20);
    return distance ? distance : 1;
}

/*
 * Adds `amount` to the trigger's total. Returns the sum of the distances that end inside the amount,
 * or 0 if none ends there. A distance is the weight of the event in which it ends. The probability that a distance
 * ends in an event is proportional to the event's amount. So the expected weight of any event is its amount.
 */
static __always_inline u64 pull(struct trigger *trigger, u64 mean, u64 amount) {
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

/* Samples by the amounts of all threads on this CPU. */
static __always_inline u64 reach(struct settings *s, struct triggers *triggers, u32 kind, u64 amount) {
    return pull(&triggers->of_kind[kind], s->intervals[kind], amount);
}

/* The place in the program where a thread calls the kernel: instruction, depth of the stack, and call. A depth is told by the
 * stack pointer's place in its page, because each thread has a stack of its own. */
static __always_inline u32 place_of(struct task_struct *task, s32 call) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    u64 place = regs ? (REGS_STACK(regs) & (PAGE_BYTES - 1)) >> 3 : 0;
    if (regs)
        place += REGS_INSTRUCTION(regs) << 9;
    place = (place + (u32)call) * GOLDEN_RATIO;
    return (place >> 40) & (PLACES - 1);
}

/* The distance at a place that already has samples: eight samples double it, and half of the samples are forgotten every nine
 * seconds. */
static __always_inline u64 distance_at(struct place *place, u64 mean, u64 now) {
    u64 halvings = (now - place->halved_ns) >> PLACE_HALVING_BITS;
    place->samples = halvings < 32 ? place->samples >> halvings : 0;
    place->halved_ns += halvings << PLACE_HALVING_BITS;
    return mean * (SAMPLES_THAT_DOUBLE + place->samples) / SAMPLES_THAT_DOUBLE;
}

/*
 * Samples by the amounts of one place. A place that has many samples gets fewer. Otherwise threads without work, which all
 * wait at the same few places, would take nearly all samples of waits. The kinds are waits and time in calls.
 */
static __noinline u64 reach_at_place(struct settings *s, u32 place_number, u32 kind, u64 amount, u64 now) {
    u32 zero = 0;
    struct triggers *on_cpu = bpf_map_lookup_elem(&triggers, &zero);
    if (!s || !on_cpu)
        return 0;
    u64 mean = s->intervals[kind & 7];
    if (!(s->by_place & (1 << kind)))
        return pull(&on_cpu->of_kind[kind & 7], mean, amount);
    u32 index = (place_number & (PLACES - 1)) + (kind == RECORD_CALL_TIME ? PLACES : 0);
    struct place *place = bpf_map_lookup_elem(&places, &index);
    if (!place || !mean)
        return 0;
    if (place->trigger.drawn && amount < place->trigger.left) {
        place->trigger.left -= amount;
        return 0;
    }
    u64 weight = pull(&place->trigger, distance_at(place, mean, now), amount);
    place->samples += weight != 0;
    return weight;
}

#endif
