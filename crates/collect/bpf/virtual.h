/*
 * This file samples the waits of virtual threads. A virtual thread that waits leaves its carrier, so the scheduler sees no wait. The code
 * inside the JVM marks when a virtual thread leaves and when it continues. Both marks are made on the stack of the virtual thread.
 *
 *   virtual thread   resume ── executes ── park              resume ── …
 *   carrier          ────────────────────── others ───────── ─────────
 *                                           └─ the wait ───┘
 *
 * From JDK 24 on, a virtual thread that waits for a monitor or in Object.wait leaves its carrier inside the JVM. The marks `block` and
 * `return` are made on the carrier, before and after. So each of these waits is told with its length, but without a stack.
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

/* Values of `virtual_thread.again`: the thread has returned to a carrier, and has made no mark since; it has left it again. */
#define AGAIN_RETURNED 1
#define AGAIN_LEFT 2

/* The begin of a sampled wait has no weight. A wait that is told whole represents no others. */
static __always_inline u32 virtual_record(struct virtual_thread *waiter, u64 weight) {
    if (!weight)
        return RECORD_VIRTUAL_PARKED;
    return waiter->multiple ? RECORD_VIRTUAL_RESUMED : RECORD_VIRTUAL_RETURNED;
}

static __noinline int fill_virtual_wait(struct virtual_wait *wait, struct live *live, struct virtual_thread *waiter, u64 weight,
                                       u32 request) {
    if (!wait || !live || !waiter)
        return 0;
    clear_details(&wait->event);
    fill(&wait->event.record, bpf_get_current_task_btf(), live->epoch, virtual_record(waiter, weight));
    wait->event.record.request = request;
    wait->event.weight = weight;
    wait->event.reason = STATE_FUTEX;
    wait->event.error = waiter->again == AGAIN_LEFT;
    wait->event.kernel_frame_count = 0;
    wait->wait = waiter->wait;
    __builtin_memcpy(wait->name, waiter->name, sizeof(wait->name));
    return 0;
}

/* Tells the begin of a sampled wait, which needs a stack, or its end, or a whole wait. */
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
    waiter->again = 0;
    return 1;
}

/* The virtual thread with this id. If it began before the collection, it has no name. */
static __always_inline struct virtual_thread *find_virtual_thread(u64 id) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct virtual_thread *waiter = bpf_map_lookup_elem(&virtual_threads, &key);
    if (waiter)
        return waiter;
    begin_virtual_thread(id, 0, 0);
    return bpf_map_lookup_elem(&virtual_threads, &key);
}

static __noinline int park_virtual_thread(struct settings *s, struct live *live, struct thread *carrier, u64 id, u64 now) {
    if (!carrier)
        return 0;
    carrier->parks += 1;
    struct virtual_thread *waiter = find_virtual_thread(id);
    if (!s || !live || !waiter)
        return 0;
    waiter->again = 0;
    begin_virtual_wait(s, live, waiter, now);
    /* The wait does not contain the time for its sample. */
    waiter->parked_ns = waiter->multiple ? bpf_ktime_get_ns() : now;
    return 0;
}

/* A virtual thread has left its carrier, and makes no more marks until it returns. So its item is kept here. A wait in Object.wait is not
 * told, because nothing tells its stack. */
static __noinline int block_virtual_thread(struct thread *carrier, u64 id, u32 is_object_wait, u64 now) {
    u32 thread_id = bpf_get_current_task_btf()->pid;
    struct virtual_thread *waiter = find_virtual_thread(id);
    if (!carrier || !waiter)
        return 0;
    carrier->parks += 1;
    struct part *part = bpf_map_lookup_elem(&parts, &thread_id);
    waiter->item = part ? part->id : 0;
    waiter->multiple = 0;
    waiter->again = waiter->again == AGAIN_RETURNED ? AGAIN_LEFT : 0;
    waiter->wait = is_object_wait ? 0 : id;
    waiter->parked_ns = now;
    leave_item(0, 0, now);
    return 0;
}

static __noinline int return_virtual_thread(struct live *live, u64 id, u64 now) {
    struct virtual_thread *waiter = find_virtual_thread(id);
    if (!live || !waiter)
        return 0;
    if (waiter->wait && waiter->parked_ns && now > waiter->parked_ns)
        tell_virtual_wait(live, waiter, now - waiter->parked_ns, REQUEST_NONE);
    waiter->parked_ns = 0;
    waiter->again = AGAIN_RETURNED;
    if (waiter->item)
        enter_item(waiter->item, now);
    waiter->item = 0;
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
