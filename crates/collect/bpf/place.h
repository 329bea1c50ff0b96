/* How waits and long calls are sampled by place. This code does not call the kernel, so place_test.c can execute it. */
#ifndef WHITTLE_PLACE_H
#define WHITTLE_PLACE_H

/* A whole distance between two samples. Progress is a part of it. */
#define WHOLE_DISTANCE (1ULL << 20)
/* This many samples of a place double its distance. */
#define SAMPLES_THAT_DOUBLE 8
/* Half of the samples are forgotten after 2^33 ns: about nine seconds. */
#define HALVING_BITS 33
/* At places of outermost waits, the distance grows this many times faster. */
#define OUTERMOST_FACTOR 32
/* A distance is at most this many times the mean. */
#define LARGEST_FACTOR 1000
#define LARGEST_MEAN (1ULL << 40)

/* A place on all CPUs. */
struct place_total {
    /* The expected number of recent samples, times WHOLE_DISTANCE. It depends on the amounts, but not on which events were
     * sampled. Otherwise a sample would increase its own place's distance, and the sum of the weights would be too small. */
    u64 samples;
    /* When the samples were last halved. */
    u64 halved_ns;
};

/* A place on one CPU. */
struct place {
    /* Progress until the next sample; 0: not drawn yet. */
    u64 left;
    /* The rest of the last division. It is part of the next event's progress. */
    u64 rest;
    /* Samples that the total does not contain yet. Writing the total for each event would be slow with many CPUs. */
    u64 not_in_total;
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

/* The distance at a place with these samples, if the mean distance of all places is `mean`. It is known before the event. At a
 * place of outermost waits (see `amounts.h`), it grows faster. */
static __always_inline u64 distance_of(u64 samples, u64 mean, u32 is_outermost) {
    u64 count = samples / WHOLE_DISTANCE * (is_outermost ? OUTERMOST_FACTOR : 1), most = LARGEST_FACTOR * SAMPLES_THAT_DOUBLE;
    if (mean > LARGEST_MEAN)
        return mean;
    return mean + mean * (count < most ? count : most) / SAMPLES_THAT_DOUBLE;
}

/* The part of a distance that the event's amount is. */
static __always_inline u64 progress_of(struct place *place, u64 amount, u64 distance) {
    u64 whole = amount / distance, part = amount % distance;
    /* The part is smaller than the distance. If it is too large for the product, the smallest bits do not matter. */
    if (part >> 42)
        return whole * WHOLE_DISTANCE + part / (distance / WHOLE_DISTANCE);
    u64 scaled = part * WHOLE_DISTANCE + place->rest, progress = scaled / distance;
    place->rest = scaled - progress * distance;
    return whole * WHOLE_DISTANCE + progress;
}

/*
 * Adds an event's progress. Returns the number of samples that are due. On average, this is the progress in whole distances.
 * So the expected weight, this number times the distance, is the event's amount. `random` has two random numbers.
 */
static __always_inline u64 samples_due(struct place *place, u64 progress, const u32 random[2]) {
    u64 due = progress / WHOLE_DISTANCE;
    progress %= WHOLE_DISTANCE;
    if (!place->left)
        place->left = draw_first(random[0], random[1]);
    if (progress < place->left) {
        place->left -= progress;
        return due;
    }
    progress -= place->left;
    due += 1;
    u64 next = draw_progress(random[1] >> 8);
    if (progress >= next) {
        due += 1;
        next += draw_progress(random[0] >> 8);
    }
    place->left = next - progress;
    return due;
}

/* Forgets samples of the past. Two CPUs can do this at the same time. Then one time too much is forgotten. */
static __always_inline void halve(struct place_total *total, u64 now) {
    u64 since = total->halved_ns;
    if (now < since + (1ULL << HALVING_BITS))
        return;
    u64 halvings = (now - since) >> HALVING_BITS;
    total->halved_ns = since + (halvings << HALVING_BITS);
    total->samples = halvings < 32 ? total->samples >> halvings : 0;
}

#endif
