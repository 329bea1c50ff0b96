/*
 * This file samples the waits of virtual threads. A virtual thread that waits leaves its carrier, so the scheduler sees no wait. The code
 * inside the JVM marks when a virtual thread leaves and when it continues. Both marks are made on the stack of the virtual thread.
 *
 *   virtual thread   resume ── executes ── park              resume ── …
 *   carrier          ────────────────────── others ───────── ─────────
 *                                           └─ the wait ───┘
 */
#ifndef WHITTLE_VIRTUAL_H
#define WHITTLE_VIRTUAL_H

#include "amounts.h"
#include "items.h"
#include "stacks.h"

/* What is known of a virtual thread. */
struct virtual_thread {
    /* When it left its carrier; 0: it executes, or this was not seen. */
    u64 parked_ns;
    u8 name[VIRTUAL_NAME_BYTES];
};

struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 131072);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, struct item_key);
    __type(value, struct virtual_thread);
} virtual_threads SEC(".maps");

/* The wait of the virtual thread, which continues on this thread, has reached the distance between two samples. */
static __noinline int tell_virtual_wait(struct settings *s, struct live *live, struct virtual_thread *waiter, u64 weight) {
    if (!s || !live || !waiter)
        return 0;
    u32 request = ask_for_stack(s, live, 0);
    struct virtual_wait *wait = bpf_ringbuf_reserve(&records, sizeof(*wait), 0);
    if (!wait) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    clear_details(&wait->event);
    fill(&wait->event.record, bpf_get_current_task_btf(), live->epoch, RECORD_VIRTUAL_WAIT);
    wait->event.record.request = request;
    wait->event.weight = weight;
    wait->event.reason = STATE_FUTEX;
    wait->event.kernel_frame_count = 0;
    __builtin_memcpy(wait->name, waiter->name, sizeof(wait->name));
    bpf_ringbuf_submit(wait, 0);
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
static __noinline int resume_virtual_thread(struct settings *s, struct live *live, u64 id, u64 now) {
    u32 zero = 0;
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct virtual_thread *waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    struct triggers *on_cpu = bpf_map_lookup_elem(&triggers, &zero);
    if (!s || !live || !on_cpu || !waiter)
        return 0;
    u64 parked_ns = waiter->parked_ns;
    waiter->parked_ns = 0;
    u64 weight = parked_ns && now > parked_ns ? reach(s, on_cpu, RECORD_BLOCKED, now - parked_ns) : 0;
    if (weight)
        tell_virtual_wait(s, live, waiter, weight);
    return 1;
}

static __noinline int park_virtual_thread(u64 id, u64 now) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct virtual_thread *waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    if (waiter) {
        waiter->parked_ns = now;
        return 0;
    }
    /* It began before the collection. */
    struct virtual_thread new = {.parked_ns = now};
    if (bpf_map_update_elem(&virtual_threads, &key, &new, MAP_ANY) != 0)
        add_count(COUNT_FULL_TABLES, 1);
    return 0;
}

static __noinline int end_virtual_thread(u64 id) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    bpf_map_delete_elem(&virtual_threads, &key);
    return 0;
}

#endif
