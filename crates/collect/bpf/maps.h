/* The maps: what the kernel side keeps, and what it shares with user space. */
#ifndef WHITTLE_MAPS_H
#define WHITTLE_MAPS_H

#include "records.h"

typedef u16 __u16;
typedef u8 __u8;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;

#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "tick_weight.h"

/* From linux/bpf.h, which needs half of the kernel's headers. */
enum {
    MAP_HASH = 1,
    MAP_ARRAY = 2,
    MAP_PERCPU_ARRAY = 6,
    MAP_QUEUE = 22,
    MAP_RINGBUF = 27,
    MAP_TASK_STORAGE = 29,
    MAP_NO_PREALLOC = 1,
    STORAGE_CREATE = 1,
    MAP_ANY = 0,
    MAP_NOEXIST = 1,
};

struct {
    __uint(type, MAP_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct settings);
} settings SEC(".maps");

struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 4096);
    __type(key, u32);
    __type(value, struct process);
} processes SEC(".maps");

struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 16384);
    __type(key, u32);
    __type(value, struct thread);
} threads SEC(".maps");

struct open_file {
    u64 inode;
    u32 device;
    u32 kind;
    struct file *file;
};

/* Which row of `account_rows` a thread's calls went to lately, while `files_generation` has this value. */
struct recent_row {
    u32 call;
    u32 descriptor;
    u32 file_generation;
    u32 row;
};

/* A program that reads from one file and writes to another, and waits for both, needs three. */
#define RECENT_ROWS 4

/* What a thread does at this moment. */
struct live {
    u32 epoch;
    /* Epoch of the last signal that was sent, if `is_pending`. */
    u32 pending_epoch;
    u8 is_pending;
    u8 is_in_call;
    /* Set when something happened inside the call that a stack is wanted for. */
    u8 is_stack_wanted;
    /* Signal handlers that run on top of each other since the profiler's own was entered. */
    u8 handler_depth;
    /* A tick hit the way into a call, before the call's start was seen: it belongs to that call. */
    u8 is_entering;
    /* The wait was long: the stack is copied as well. */
    u8 is_copy_wanted;
    u8 reserved[2];
    s32 call;
    u32 descriptor;
    u64 call_start_ns;
    /* What the descriptor named when `files_generation` had this value. */
    u32 file_descriptor;
    u32 file_generation;
    struct open_file file;
    struct recent_row recent_rows[RECENT_ROWS];
    /* Rows with a file that the thread has got. */
    u32 file_rows;
    u32 reserved_rows;
};

/* Of threads that do not execute; hangs on the kernel's own structure of the thread. */
struct {
    __uint(type, MAP_TASK_STORAGE);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, int);
    __type(value, struct live);
} lives SEC(".maps");

/* Moves on whenever a descriptor of an observed process can have changed its meaning. */
u32 files_generation = 1;

/* Which row of `account_rows` is whose. */
struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, MAX_ACCOUNTS);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, struct account_key);
    __type(value, u32);
} accounts SEC(".maps");

/* An array, because finding a row by its number takes no call of a helper. */
struct {
    __uint(type, MAP_ARRAY);
    __uint(max_entries, MAX_ACCOUNTS);
    __type(key, u32);
    __type(value, struct account);
} account_rows SEC(".maps");

/* Rows of threads that have ended: given back, and empty. */
struct {
    __uint(type, MAP_QUEUE);
    __uint(max_entries, MAX_ACCOUNTS);
    __uint(value_size, sizeof(u32));
} free_rows SEC(".maps");

/* The first row that nobody has had yet. Row 0 is nobody's. */
u32 unused_row = 1;

/* Calls that found no room in `accounts`, by system call. */
struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, MAX_CALLS);
    __type(key, u32);
    __type(value, struct account);
} unlisted SEC(".maps");

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, COUNT_COUNT);
    __type(key, u32);
    __type(value, u64);
} counts SEC(".maps");

/* When the next event of a kind is due on this CPU. Thresholds stand on the sum of the amounts of all
 * threads, so threads that live too short to reach one themselves are seen as often as others. */
struct trigger {
    u64 left;
    /* The distance of which `left` is left. */
    u64 drawn;
};

/* By record kind. */
struct triggers {
    struct trigger of_kind[8];
};

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct triggers);
} triggers SEC(".maps");

struct cpu {
    struct tick_account ticks;
    /* Mean length of a page fault's wait, slowly moving. */
    u64 mean_fault_wait_ns;
    /*
     * The thread that executes here, so that a system call finds what it needs without any of the
     * kernel's helpers: on processors that guard each return against speculation a helper costs 10 to
     * 20 ns. Not every switch is seen on every kernel. So a system call compares where its registers
     * are kept, which no two threads have in common; 0: not known.
     */
    u64 registers;
    /* Its address in the kernel, and its id. */
    u64 task;
    u32 thread_id;
    /* Of the settings that `is_observed` is as of. */
    u32 generation;
    u32 is_observed;
    /* The thread has a place in `lives`, and `live` counts. */
    u32 is_known;
    struct live live;
};

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct cpu);
} cpus SEC(".maps");

/* Room to put a user stack together: two places a CPU, because a tick can interrupt the other. The
 * loader sets the number of entries. */
struct {
    __uint(type, MAP_ARRAY);
    __uint(max_entries, 2);
    __type(key, u32);
    __type(value, struct user_stack);
} stacks SEC(".maps");

struct {
    __uint(type, MAP_RINGBUF);
    __uint(max_entries, 1 << 24);
} records SEC(".maps");

static __always_inline void add_count(u32 index, u64 amount) {
    u64 *count = bpf_map_lookup_elem(&counts, &index);
    if (count)
        *count += amount;
}

static __always_inline struct settings *the_settings(void) {
    u32 zero = 0;
    return bpf_map_lookup_elem(&settings, &zero);
}

static __always_inline struct process *find_process(u32 process_id) {
    return bpf_map_lookup_elem(&processes, &process_id);
}

/* Whether the process with this id is observed. */
static __always_inline u32 is_observed(struct settings *s, u32 process_id) {
    if (s->only_process)
        return s->only_process == process_id;
    return find_process(process_id) != 0;
}

#endif
