/*
 * This file follows the work items that the code inside a program marks (`collect --instrument`): requests, tasks and messages, and the
 * threads that work for them. See `marks.h`.
 *
 *   thread 1   begin ────────── leave                       the item's worker is thread 1
 *   thread 2          enter ─────────────── leave           first a helper; the worker when thread 1 leaves
 *   thread 1                                   enter ── end
 *
 * At each time, an item has at most one worker. The times of its workers are the item's times. The time without a worker is the rest
 * of its length. A helper is a thread that works for the item at the same time as its worker; usually, the worker waits for it.
 *
 * Threads on several CPUs can change an item at the same moment, so a change has the item's lock. The kernel's own locks allow no
 * functions and no helpers inside. The lock is held for less than a microsecond, unless a host takes the CPU away. A CPU that does not
 * get the lock gives up: the item then has no times of this part, which is counted.
 */
#ifndef WHITTLE_ITEMS_H
#define WHITTLE_ITEMS_H

#include "emit.h"
#include "states.h"

/* The kind of an item, as far as the kernel side needs it. The user side knows all kinds. */
enum item_kind {
    ITEM_HTTP = 1,
};

/* The items that have begun and not ended. Some never end, so the oldest one gives its place to a new one. The user side makes this
 * map and `virtual_threads` small if there are no marks. */
struct {
    __uint(type, MAP_LRU_HASH);
    __uint(max_entries, 16384);
    __type(key, struct item_key);
    __type(value, struct item);
} items SEC(".maps");

/* What a thread works for. */
struct part {
    u64 id;
    u64 start_ns;
    /* Set if the thread is the item's worker. Then `before_ns` are the thread's times when it became the worker. */
    u64 is_worker;
    u64 before_ns[STATE_COUNT];
};

/* The present part of each thread, by thread id. */
struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 16384);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, u32);
    __type(value, struct part);
} parts SEC(".maps");

/* A statement of JDBC that a thread executes. See `statements.h`. */
struct statement {
    u64 start_ns;
    /* The item that the thread worked for at the begin; 0: none. */
    u64 item;
    u32 thread_id;
    /* `thread.parks` at the begin. */
    u32 parks;
    /* Set if `before_ns` are the times of the item. Otherwise, they are those of the thread. */
    u64 is_of_item;
    u64 before_ns[STATE_COUNT];
};

/* Space for making an item, a part or a statement. */
struct item_room {
    struct item item;
    struct part part;
    struct statement statement;
    u64 times[STATE_COUNT];
};

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct item_room);
} item_rooms SEC(".maps");

/* How often a CPU tries to get a lock. A try takes about 20 ns. */
#define LOCK_TRIES 256

/* Returns 1 if this CPU may change the item. Then it must call `unlock_item`. */
static __noinline int lock_item(struct item *item) {
    if (!item)
        return 0;
    for (int attempt = 0; attempt < LOCK_TRIES; attempt++) {
        if (__sync_val_compare_and_swap(&item->lock, 0, 1) == 0)
            return 1;
    }
    add_count(COUNT_UNSURE_ITEMS, 1);
    return 0;
}

static __always_inline void unlock_item(struct item *item) {
    __sync_val_compare_and_swap(&item->lock, 1, 0);
}

static __always_inline struct item *find_item(u64 id) {
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    return bpf_map_lookup_elem(&items, &key);
}

/* Adds the times of the thread since it became the worker to the item. */
static __noinline int add_times(struct item *item, struct part *part, u32 thread_id, u64 now) {
    u32 zero = 0;
    struct item_room *room = bpf_map_lookup_elem(&item_rooms, &zero);
    struct thread *thread = find_thread(thread_id);
    if (!item || !part || !room || !thread || !part->is_worker)
        return 0;
    times_until(thread, now, room->times);
#pragma unroll
    for (int state = 0; state < STATE_COUNT; state++)
        item->spent_ns[state] += room->times[state] - part->before_ns[state];
    part->is_worker = 0;
    return 0;
}

/* The thread is the item's worker from now on. */
static __noinline int make_worker(struct item *item, struct part *part, u32 thread_id, u64 now) {
    struct thread *thread = find_thread(thread_id);
    if (!item || !part || !thread)
        return 0;
    times_until(thread, now, part->before_ns);
    part->is_worker = 1;
    item->worker = thread_id;
    return 0;
}

static __noinline int fill_part(struct part_seen *seen, u64 id, u64 start_ns, u64 now) {
    if (!seen)
        return 0;
    __builtin_memset(seen, 0, sizeof(*seen));
    fill(&seen->record, bpf_get_current_task_btf(), 0, RECORD_PART);
    seen->record.time_ns = now;
    seen->id = id;
    seen->start_ns = start_ns;
    return 0;
}

static __noinline int emit_part(u64 id, u64 start_ns, u64 now) {
    struct part_seen *seen = bpf_ringbuf_reserve(&records, sizeof(*seen), 0);
    if (!seen) {
        add_count(COUNT_UNSEEN_REQUESTS, 1);
        return 0;
    }
    fill_part(seen, id, start_ns, now);
    bpf_ringbuf_submit(seen, 0);
    return 0;
}

/* One of the helpers becomes the worker. The item has no worker, and is locked. */
static __always_inline void promote_helper(struct item *item, u64 id, u64 now) {
    for (int each = 0; each < KNOWN_HELPERS; each++) {
        u32 helper = item->helpers[each];
        item->helpers[each] = 0;
        struct part *part = helper ? bpf_map_lookup_elem(&parts, &helper) : 0;
        /* A helper that has ended, or that began to work for something else, is forgotten. */
        if (part && part->id == id) {
            make_worker(item, part, helper, now);
            return;
        }
    }
}

/* The thread becomes one of the known helpers. The item is locked. */
static __noinline int add_helper(struct item *item, u32 thread_id) {
    if (!item)
        return 0;
    for (int each = 0; each < KNOWN_HELPERS; each++) {
        if (!item->helpers[each]) {
            item->helpers[each] = thread_id;
            return 0;
        }
    }
    add_count(COUNT_UNSURE_ITEMS, 1);
    return 0;
}

/* Forgets a helper. Returns 1 if the item has other helpers. The item is locked. */
static __noinline int remove_helper(struct item *item, u32 thread_id) {
    u32 others = 0;
    if (!item)
        return 0;
    for (int each = 0; each < KNOWN_HELPERS; each++) {
        if (item->helpers[each] == thread_id)
            item->helpers[each] = 0;
        others |= item->helpers[each];
    }
    return others != 0;
}

/* The current thread stops to work for the item. Returns 1 if it has worked for the whole item alone, and the item ends. */
static __always_inline u32 leave_locked(struct item *item, struct part *part, u32 is_end, u64 now) {
    u32 thread_id = bpf_get_current_task_btf()->pid;
    add_times(item, part, thread_id, now);
    u32 has_helpers = remove_helper(item, thread_id);
    u32 is_whole = is_end && !item->part_count && !has_helpers && part->start_ns == item->start_ns;
    item->part_count += !is_whole;
    if (item->worker == thread_id) {
        item->worker = 0;
        promote_helper(item, part->id, now);
    }
    return is_whole;
}

/* The current thread does not work for the item any more. `id` 0: whatever it works for. */
static __noinline int leave_item(u64 id, u32 is_end, u64 now) {
    u32 thread_id = bpf_get_current_task_btf()->pid;
    struct part *part = bpf_map_lookup_elem(&parts, &thread_id);
    if (!part || (id && part->id != id))
        return 0;
    struct item *item = find_item(part->id);
    u32 is_whole = 0;
    if (item && lock_item(item)) {
        is_whole = leave_locked(item, part, is_end, now);
        unlock_item(item);
    }
    if (!is_whole)
        emit_part(part->id, part->start_ns, now);
    bpf_map_delete_elem(&parts, &thread_id);
    return 0;
}

/* Forgets a worker that has ended, or that began to work for something else. The item is locked. */
static __noinline int check_worker(struct item *item, u64 id) {
    if (!item || !item->worker)
        return 0;
    u32 worker = item->worker;
    struct part *part = bpf_map_lookup_elem(&parts, &worker);
    if (!part || part->id != id)
        item->worker = 0;
    return 0;
}

/* The current thread becomes the item's worker, or a helper. The item is locked. */
static __always_inline void enter_locked(struct item *item, struct part *part, u64 now) {
    u32 thread_id = bpf_get_current_task_btf()->pid;
    check_worker(item, part->id);
    if (!item->worker)
        make_worker(item, part, thread_id, now);
    else
        add_helper(item, thread_id);
    if (bpf_map_update_elem(&parts, &thread_id, part, MAP_ANY) != 0) {
        item->worker = part->is_worker ? 0 : item->worker;
        add_count(COUNT_UNSEEN_REQUESTS, 1);
    }
}

/* The current thread works for an item from now on. */
static __noinline int enter_item(u64 id, u64 now) {
    u32 zero = 0;
    leave_item(0, 0, now);
    struct item_room *room = bpf_map_lookup_elem(&item_rooms, &zero);
    struct item *item = find_item(id);
    if (!room || !item)
        return 0;
    room->part.id = id;
    room->part.start_ns = now;
    room->part.is_worker = 0;
    if (lock_item(item)) {
        enter_locked(item, &room->part, now);
        unlock_item(item);
    }
    return 0;
}

/* Reads the text of a mark. Returns its length. */
static __noinline u32 read_text(u8 *text, u64 word, u64 address) {
    u32 size = (word >> 16) & 0xffff;
    if (!text)
        return 0;
    if (size > REQUEST_TEXT_BYTES)
        size = REQUEST_TEXT_BYTES;
    /* The verifier of Linux 6.1 knows the limit only if the checked register is the one that is used. */
    barrier_var(size);
    if (size > REQUEST_TEXT_BYTES)
        return 0;
    return bpf_probe_read_user(text, size, (void *)address) == 0 ? size : 0;
}

/* The item's span has this name. */
static __noinline int name_item(u64 id, u64 word, u64 name) {
    u32 zero = 0;
    struct item_room *room = bpf_map_lookup_elem(&item_rooms, &zero);
    struct item *item = find_item(id);
    if (!room || !item)
        return 0;
    /* A name that cannot be read leaves the old one. */
    u32 size = read_text(room->item.text, word, name);
    if (!size)
        return 0;
    __builtin_memcpy(item->text, room->item.text, sizeof(item->text));
    item->text_bytes = size;
    item->is_named_by_span = 1;
    return 0;
}

/* The item belongs to this trace. */
static __noinline int trace_item(u64 id, u64 word, u64 trace) {
    struct item *item = find_item(id);
    if (item && ((word >> 16) & 0xffff) == TRACE_BYTES)
        bpf_probe_read_user(item->trace, TRACE_BYTES, (void *)trace);
    return 0;
}

static __noinline int begin_item(struct live *live, u64 word, u64 id, u64 name, u64 now) {
    u32 zero = 0;
    struct item_room *room = bpf_map_lookup_elem(&item_rooms, &zero);
    if (!live || !room)
        return 0;
    struct item *item = &room->item;
    __builtin_memset(item, 0, sizeof(*item));
    fill(&item->record, bpf_get_current_task_btf(), 0, RECORD_ITEM);
    item->id = id;
    item->start_ns = now;
    item->kind = (word >> 8) & 0xff;
    item->text_bytes = read_text(item->text, word, name);
    struct item_key key = {.id = id, .process_id = item->record.process_id};
    if (bpf_map_update_elem(&items, &key, item, MAP_ANY) != 0) {
        add_count(COUNT_UNSEEN_REQUESTS, 1);
        return 0;
    }
    live->item_number += item->kind == ITEM_HTTP;
    enter_item(id, now);
    return 0;
}

/* Another thread ends the item, and its worker does not know it yet. The item is locked. */
static __always_inline void end_worker(struct item *item, u64 id, u64 now) {
    u32 worker = item->worker;
    struct part *part = worker ? bpf_map_lookup_elem(&parts, &worker) : 0;
    if (part && part->id == id) {
        add_times(item, part, worker, now);
        item->part_count += 1;
    }
}

static __noinline int end_item(u64 id, u32 status, u64 now) {
    struct task_struct *task = bpf_get_current_task_btf();
    u32 thread_id = task->pid;
    struct part *own = bpf_map_lookup_elem(&parts, &thread_id);
    if (own && own->id == id)
        leave_item(id, 1, now);
    struct item *item = find_item(id);
    if (!item) {
        /* It began before the collection, or had no room. */
        add_count(COUNT_UNSEEN_REQUESTS, 1);
        return 0;
    }
    if (lock_item(item)) {
        end_worker(item, id, now);
        unlock_item(item);
    }
    item->end_ns = now;
    item->record.time_ns = now;
    item->ending_thread_id = thread_id;
    item->status = status;
    if (bpf_ringbuf_output(&records, item, sizeof(*item), 0) != 0)
        add_count(COUNT_UNSEEN_REQUESTS, 1);
    struct item_key key = {.id = id, .process_id = task->tgid};
    bpf_map_delete_elem(&items, &key);
    return 0;
}

#endif
