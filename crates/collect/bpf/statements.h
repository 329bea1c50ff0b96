/*
 * This file follows the statements of JDBC that the code inside a program marks. The same Java thread begins and ends a statement, and
 * keeps its item in between. See `marks.h`.
 *
 *   item        ├──────────────────────────────────────────┤
 *   statement      ├───────┤          ├──────────┤
 *
 * The times of a statement are those of the item between its begin and its end, if the thread is the item's worker at both ends. So a
 * virtual thread can leave its carrier meanwhile. Otherwise, the times are those of the thread, if it is the same one at both ends and no
 * virtual thread has left it meanwhile.
 */
#ifndef WHITTLE_STATEMENTS_H
#define WHITTLE_STATEMENTS_H

#include "items.h"

/* The statements that are being executed, by their ids. The end of one can be missing, so the oldest one gives its place to a new one.
 * The user side makes this map small if there are no marks. */
struct {
    __uint(type, MAP_LRU_HASH);
    __uint(max_entries, 16384);
    __type(key, struct item_key);
    __type(value, struct statement);
} statements SEC(".maps");

/* The item's times by state until now. The thread is its worker. */
static __noinline int times_of_item(struct item *item, struct part *part, struct thread *thread, u64 now, u64 *times) {
    if (!item || !part || !thread || !times)
        return 0;
    times_until(thread, now, times);
#pragma unroll
    for (int state = 0; state < STATE_COUNT; state++)
        times[state] += item->spent_ns[state] - part->before_ns[state];
    return 0;
}

/* The current thread begins to execute a statement. */
static __noinline int begin_statement(struct thread *thread, u64 id, u64 now) {
    u32 zero = 0, thread_id = bpf_get_current_task_btf()->pid;
    struct item_room *room = bpf_map_lookup_elem(&item_rooms, &zero);
    if (!room || !thread)
        return 0;
    struct part *part = bpf_map_lookup_elem(&parts, &thread_id);
    struct item *item = part ? find_item(part->id) : 0;
    struct statement *new = &room->statement;
    new->start_ns = now;
    new->thread_id = thread_id;
    new->parks = thread->parks;
    new->item = item ? part->id : 0;
    new->is_of_item = item && part->is_worker;
    if (new->is_of_item)
        times_of_item(item, part, thread, now, new->before_ns);
    else
        times_until(thread, now, new->before_ns);
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    if (bpf_map_update_elem(&statements, &key, new, MAP_ANY) != 0)
        add_count(COUNT_UNSEEN_REQUESTS, 1);
    return 0;
}

/* The times between the begin and now, if they are those of the statement. */
static __noinline int fill_times(struct statement_seen *seen, struct statement *ended, struct item *item, struct thread *thread, u64 now) {
    u32 zero = 0, thread_id = bpf_get_current_task_btf()->pid;
    struct item_room *room = bpf_map_lookup_elem(&item_rooms, &zero);
    struct part *part = bpf_map_lookup_elem(&parts, &thread_id);
    if (!seen || !ended || !thread || !room)
        return 0;
    seen->has_times = 0;
    if (ended->is_of_item) {
        if (!item || !part || !part->is_worker || part->id != ended->item)
            return 0;
        times_of_item(item, part, thread, now, room->times);
    } else {
        if (ended->thread_id != thread_id || ended->parks != thread->parks)
            return 0;
        times_until(thread, now, room->times);
    }
#pragma unroll
    for (int state = 0; state < STATE_COUNT; state++)
        seen->spent_ns[state] = room->times[state] - ended->before_ns[state];
    seen->has_times = 1;
    return 0;
}

static __noinline int emit_statement(struct statement *ended, struct item *item, u64 word, u64 text, u64 now) {
    struct thread *thread = find_thread(bpf_get_current_task_btf()->pid);
    if (!ended || !thread) {
        add_count(COUNT_UNSEEN_REQUESTS, 1);
        return 0;
    }
    /* The verifier of 6.1 does not follow a reservation through a condition of several parts. */
    struct statement_seen *seen = bpf_ringbuf_reserve(&records, sizeof(*seen), 0);
    if (!seen) {
        add_count(COUNT_UNSEEN_REQUESTS, 1);
        return 0;
    }
    __builtin_memset(seen, 0, sizeof(*seen));
    fill(&seen->record, bpf_get_current_task_btf(), 0, RECORD_STATEMENT);
    seen->record.time_ns = now;
    seen->start_ns = ended->start_ns;
    seen->beginning_thread_id = ended->thread_id;
    fill_times(seen, ended, item, thread, now);
    seen->text_bytes = read_text(seen->text, word, text);
    bpf_ringbuf_submit(seen, 0);
    return 0;
}

/* The current thread has executed a statement. */
static __noinline int end_statement(u64 word, u64 id, u64 text, u64 now) {
    u32 thread_id = bpf_get_current_task_btf()->pid;
    struct item_key key = {.id = id, .process_id = bpf_get_current_task_btf()->tgid};
    struct statement *ended = bpf_map_lookup_elem(&statements, &key);
    if (!ended) {
        /* It began before the collection, or had no room. */
        add_count(COUNT_UNSEEN_REQUESTS, 1);
        return 0;
    }
    struct part *part = bpf_map_lookup_elem(&parts, &thread_id);
    struct item *item = part ? find_item(part->id) : 0;
    if (item && part->id == ended->item) {
        __sync_fetch_and_add(&item->statement_count, 1);
        __sync_fetch_and_add(&item->statement_ns, now - ended->start_ns);
    }
    emit_statement(ended, item, word, text, now);
    bpf_map_delete_elem(&statements, &key);
    return 0;
}

#endif
