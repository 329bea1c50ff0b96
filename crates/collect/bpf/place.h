/* How waits and long calls are sampled by place. This code does not call the kernel, so place_test.c can execute it. */
#ifndef WHITTLE_PLACE_H
#define WHITTLE_PLACE_H

/* A whole distance between two samples. Progress is a part of it. */
#define WHOLE_DISTANCE (1ULL << 20)
/* This many samples of a place double its distance. */
#define SAMPLES_THAT_DOUBLE 8
/* Half of the samples are forgotten after 2^33 ns: nine seconds. */
#define HALVING_BITS 33
#define LARGEST_DISTANCE (1ULL << 42)

/* A place on all CPUs. */
struct place_total {
    /* The samples that the place would have had if all distances were equal, times WHOLE_DISTANCE. */
    u64 samples;
    /* When the samples were last halved. */
    u64 halved_ns;
};

/* A place on one CPU. */
struct place {
    /* Progress until the next sample; 0: not drawn yet. */
    u64 left;
    /* Part of the samples that the total does not contain yet. Writing the total for each event would be slow with many CPUs. */
    u64 untold;
};

/* Random progress between two samples: from a half to one and a half. */
static __always_inline u64 draw_progress(u64 random) {
    return WHOLE_DISTANCE / 2 + (random & (WHOLE_DISTANCE - 1));
}

/* Random progress until the first sample, as if the place had been there forever. Its density is even up to a half, and then
 * decreases to 0 at one and a half. */
static __always_inline u64 draw_first(u64 random, u64 other) {
    u64 half = WHOLE_DISTANCE / 2, a = random & (WHOLE_DISTANCE - 1), b = other & (WHOLE_DISTANCE - 1);
    if (random >> 31)
        return 1 + a / 2;
    return half + (a < b ? a : b);
}

/* The distance at a place with these samples, if the mean distance of all places is `mean`. It is known before the event. */
static __always_inline u64 distance_of(u64 samples, u64 mean) {
    u64 count = samples / WHOLE_DISTANCE;
    if (mean >= LARGEST_DISTANCE || count >= WHOLE_DISTANCE)
        return LARGEST_DISTANCE;
    u64 distance = mean + mean * count / SAMPLES_THAT_DOUBLE;
    return distance < LARGEST_DISTANCE ? distance : LARGEST_DISTANCE;
}

/* The part of a distance that an amount is. */
static __always_inline u64 progress_of(u64 amount, u64 distance) {
    if (amount < LARGEST_DISTANCE)
        return amount * WHOLE_DISTANCE / distance;
    return amount / (distance / WHOLE_DISTANCE + 1);
}

/*
 * Adds an event's progress. Returns the number of samples that are due. On average, this is the progress in whole distances.
 * So the expected weight, this number times the distance, is the event's amount. `random` has two random numbers.
 */
static __always_inline u64 samples_due(struct place *place, u64 progress, const u32 random[2]) {
    if (!place->left)
        place->left = draw_first(random[0], random[1]);
    if (progress < place->left) {
        place->left -= progress;
        return 0;
    }
    progress -= place->left;
    u64 due = 1 + progress / WHOLE_DISTANCE, next = draw_progress(random[1] >> 8);
    progress %= WHOLE_DISTANCE;
    if (progress >= next) {
        due += 1;
        next += draw_progress(random[0] >> 8);
    }
    place->left = next - progress;
    return due;
}

/* Forgets samples of the past. */
static __always_inline void halve(struct place_total *total, u64 now) {
    u64 halvings = (now - total->halved_ns) >> HALVING_BITS;
    if (!halvings)
        return;
    total->samples = halvings < 32 ? total->samples >> halvings : 0;
    total->halved_ns += halvings << HALVING_BITS;
}

#endif
