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
static __always_inline u64 advance(struct trigger *trigger, u64 mean, u64 amount) {
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
    return advance(&triggers->of_kind[kind], s->intervals[kind], amount);
}

/* The thread's stack pointer in a call; 0: unknown. */
static __always_inline u64 stack_in_call(struct task_struct *task) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    return regs ? REGS_STACK(regs) : 0;
}

/*
 * True if the thread has never waited further out. A worker waits for tasks further out than for anything else, so this wait
 * probably means that the thread has no work. The first wait of a new thread tells nothing. Stacks grow downwards.
 */
static __always_inline u32 is_outermost(struct live *live, struct task_struct *task) {
    return live->outermost_wait && stack_in_call(task) >= live->outermost_wait;
}

static __always_inline void note_outermost(struct live *live, struct task_struct *task) {
    u64 stack = stack_in_call(task);
    if (stack > live->outermost_wait)
        live->outermost_wait = stack;
}

/* The place in the program where a thread calls the kernel: a hash of the instruction, the depth of the stack, and the call. The
 * lowest bit tells whether this wait is the outermost one. Each thread has a stack of its own, so the depth is the position of the
 * stack pointer in its page. */
static __always_inline u32 place_of(struct task_struct *task, s32 call, u32 is_outermost) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    u64 place = regs ? (REGS_STACK(regs) & (PAGE_BYTES - 1)) >> 3 : 0;
    if (regs)
        place += REGS_INSTRUCTION(regs) << 9;
    place = (place + (u32)call) * GOLDEN_RATIO;
    return ((place >> 40) << 1 | is_outermost) & (PLACES - 1);
}

/*
 * Samples by the amounts of one place. A place that has many samples gets fewer. Otherwise threads without work, which all
 * wait at the same few places, would take nearly all samples of waits. The kinds are waits and time in calls.
 */
static __noinline u64 reach_at_place(u32 place_number, u32 kind, u64 mean, u64 amount, u64 now) {
    u32 index = (place_number & (PLACES - 1)) + (kind == RECORD_CALL_TIME ? PLACES : 0);
    struct place *place = bpf_map_lookup_elem(&places, &index);
    struct place_total *total = bpf_map_lookup_elem(&place_totals, &index);
    if (!place || !total || !mean)
        return 0;
    halve(total, now);
    u64 distance = distance_of(total->samples, mean, place_number & 1), progress = progress_of(place, amount, distance);
    /* An event is at most one record. */
    place->not_in_total += progress < WHOLE_DISTANCE ? progress : WHOLE_DISTANCE;
    if (place->not_in_total >= WHOLE_DISTANCE / 4) {
        __sync_fetch_and_add(&total->samples, place->not_in_total);
        place->not_in_total = 0;
    }
    if (progress < place->left) {
        place->left -= progress;
        return 0;
    }
    u32 random[2] = {bpf_get_prandom_u32(), bpf_get_prandom_u32()};
    return samples_due(place, progress, random) * distance;
}

/*
 * Samples a wait or a long call of a thread: by its place, or like other events if the user set the distance. Whether the wait is
 * the outermost one does not depend on its length, so the weight is right for both distances.
 */
static __always_inline u64 reach_long(struct settings *s, struct live *live, struct task_struct *task, u32 kind, u64 amount,
                                      u64 now) {
    u32 zero = 0;
    u64 mean = s->intervals[kind];
    if (!mean)
        return 0;
    if (s->by_place & (1 << kind))
        return reach_at_place(place_of(task, live->call, is_outermost(live, task)), kind, mean, amount, now);
    struct triggers *on_cpu = bpf_map_lookup_elem(&triggers, &zero);
    return on_cpu ? reach(s, on_cpu, kind, amount) : 0;
}

#endif
