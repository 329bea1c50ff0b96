/*
 * This file samples the waits of virtual threads. A virtual thread that waits leaves its carrier, so the scheduler sees no wait. The code
 * inside the JVM marks when a virtual thread leaves and when it continues. Both marks are made on the stack of the virtual thread.
 *
 *   virtual thread   resume ── executes ── park              resume ── …
 *   carrier          ────────────────────── others ───────── ─────────
 *                                           └─ the wait ───┘
 *
 * A virtual thread that waits while it cannot leave its carrier is pinned. The scheduler sees this wait, as a wait of the carrier. Its
 * record comes after a record with the virtual thread's name.
 */
#ifndef WHITTLE_VIRTUAL_H
#define WHITTLE_VIRTUAL_H

#include "amounts.h"
#include "items.h"
#include "stacks.h"

#define VIRTUAL_WINDOW_NS 100000000
#define SAMPLES_PER_WINDOW 20

struct {
    __uint(type, MAP_LRU_HASH);
    __uint(max_entries, 131072);
    __type(key, struct item_key);
    __type(value, struct virtual_thread);
} virtual_threads SEC(".maps");

static __noinline int fill_virtual_wait(struct virtual_wait *wait, struct live *live, struct virtual_thread *waiter, u64 weight,
                                       u32 request) {
    if (!wait || !live || !waiter)
        return 0;
    clear_details(&wait->event);
    fill(&wait->event.record, bpf_get_current_task_btf(), live->epoch, weight ? RECORD_VIRTUAL_RESUMED : RECORD_VIRTUAL_PARKED);
    wait->event.record.request = request;
    wait->event.weight = weight;
    wait->event.reason = STATE_FUTEX;
    wait->event.kernel_frame_count = 0;
    wait->wait = waiter->wait;
    __builtin_memcpy(wait->name, waiter->name, sizeof(wait->name));
    return 0;
}

/* Tells the begin of a sampled wait, which needs a stack, or its end. */
static __noinline int tell_virtual_wait(struct live *live, struct virtual_thread *waiter, u64 weight, u32 request) {
    struct virtual_wait *wait = bpf_ringbuf_reserve(&records, sizeof(*wait), 0);
    if (!wait || !live || !waiter) {
        if (wait)
            bpf_ringbuf_discard(wait, 0);
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    fill_virtual_wait(wait, live, waiter, weight, request);
    bpf_ringbuf_submit(wait, 0);
    return 0;
}

/*
 * The number of waits that a sampled wait represents. About SAMPLES_PER_WINDOW waits are sampled on each CPU in each window. At the
 * begin of a window, the last window tells how many waits there are.
 */
static __always_inline u64 virtual_multiple(struct cpu *cpu, u64 now) {
    if (now - cpu->virtual_window_ns > VIRTUAL_WINDOW_NS) {
        cpu->virtual_multiple = cpu->virtual_waits / SAMPLES_PER_WINDOW;
        cpu->virtual_waits = 0;
        cpu->virtual_window_ns = now;
    }
    cpu->virtual_waits += 1;
    u64 least = cpu->virtual_waits / SAMPLES_PER_WINDOW;
    if (cpu->virtual_multiple < least)
        cpu->virtual_multiple = least;
    return cpu->virtual_multiple ? cpu->virtual_multiple : 1;
}

/* Decides whether the wait that begins is sampled. */
static __noinline int begin_virtual_wait(struct settings *s, struct live *live, struct virtual_thread *waiter, u64 now) {
    struct cpu *cpu = this_cpu();
    if (!s || !live || !waiter || !cpu || !s->intervals[RECORD_BLOCKED])
        return 0;
    u64 multiple = virtual_multiple(cpu, now);
    if (bpf_get_prandom_u32() % multiple != 0)
        return 0;
    waiter->multiple = multiple;
    waiter->wait = now * GOLDEN_RATIO ^ (u64)bpf_get_prandom_u32() << 32;
    u32 request = ask_for_stack(s, live, 0);
    tell_virtual_wait(live, waiter, 0, request);
    /* A copied stack answers earlier events, but not later events. */
    live->epoch += request == REQUEST_COPIED;
    return 0;
}

/* A virtual thread that was not seen before executes. */
static __noinline int begin_virtual_thread(u64 id, u64 word, u64 name) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct virtual_thread new = {};
    u32 size = (word >> 16) & 0xffff;
    if (size > sizeof(new.name))
        size = sizeof(new.name);
    /* The verifier of Linux 6.1 knows the limit only if the checked register is the one that is used. */
    barrier_var(size);
    if (size > sizeof(new.name))
        return 0;
    if (size)
        bpf_probe_read_user(new.name, size, (void *)name);
    if (bpf_map_update_elem(&virtual_threads, &key, &new, MAP_ANY) != 0)
        add_count(COUNT_FULL_TABLES, 1);
    return 0;
}

/* A virtual thread continues on the current thread. Returns 0 if it was not seen before. */
static __noinline int resume_virtual_thread(struct live *live, u64 id, u64 now) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct virtual_thread *waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    if (!live || !waiter)
        return 0;
    u64 waited = waiter->parked_ns && now > waiter->parked_ns ? now - waiter->parked_ns : 0;
    if (waited && waiter->multiple)
        tell_virtual_wait(live, waiter, waited * waiter->multiple, REQUEST_NONE);
    waiter->parked_ns = 0;
    waiter->multiple = 0;
    return 1;
}

static __noinline int park_virtual_thread(struct settings *s, struct live *live, struct thread *carrier, u64 id, u64 now) {
    if (!carrier)
        return 0;
    carrier->parks += 1;
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct virtual_thread *waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    if (!waiter) {
        /* It began before the collection. */
        begin_virtual_thread(id, 0, 0);
        waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    }
    if (!s || !live || !waiter)
        return 0;
    begin_virtual_wait(s, live, waiter, now);
    /* The wait does not contain the time for its sample. */
    waiter->parked_ns = waiter->multiple ? bpf_ktime_get_ns() : now;
    return 0;
}

static __noinline int end_virtual_thread(u64 id) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    bpf_map_delete_elem(&virtual_threads, &key);
    return 0;
}

/* Tells that the wait of a carrier, which is told next, is that of the virtual thread that it carries. */
static __noinline int tell_pinned(struct task_struct *task, struct thread *thread, struct live *live) {
    if (!task || !thread || !live) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    struct pinned *pinned = bpf_ringbuf_reserve(&records, sizeof(*pinned), 0);
    if (!pinned) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    struct item_key key = {.id = live->virtual_thread, .process_id = task->tgid};
    struct virtual_thread *waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    __builtin_memset(pinned, 0, sizeof(*pinned));
    fill(&pinned->record, task, thread->epoch, RECORD_PINNED);
    if (waiter)
        __builtin_memcpy(pinned->name, waiter->name, sizeof(pinned->name));
    bpf_ringbuf_submit(pinned, 0);
    return 0;
}

#endif
