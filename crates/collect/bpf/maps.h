/* The maps contain the kernel side's data, and the data that it shares with user space. */
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
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "place.h"
#include "tick_weight.h"

/* These values are from linux/bpf.h. Including that file would require half of the kernel's headers. */
enum {
    MAP_HASH = 1,
    MAP_ARRAY = 2,
    MAP_PERCPU_ARRAY = 6,
    MAP_LRU_HASH = 9,
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

/* `live.repeat` is the kernel's code minus this number, so that it fits in a byte. */
#define REPEAT_BASE 511

/* For this many nested signal handlers, the stack pointers are known. */
#define KNOWN_HANDLERS 4

/* The present activity of a thread. */
struct live {
    u32 epoch;
    /* Epoch of the last signal that was sent, if `is_pending` is set. */
    u32 pending_epoch;
    u8 is_pending;
    u8 is_in_call;
    /* Set if an event inside the call needs a stack. */
    u8 is_stack_wanted;
    /* Number of nested signal handlers, counted from the profiler's handler. See `handlers.h`. */
    u8 handler_depth;
    /* Set if the wait was long, so the stack is also copied. */
    u8 is_copy_wanted;
    /* Set if the last call ended with a request to repeat it: the code of the request, minus 511; 0: no request. */
    u8 repeat;
    /* Set if the profiler's handler may run on a signal stack. */
    u8 is_on_signal_stack;
    /* Set if the call is a mark of the code inside the program, and not a call of the program. */
    u8 is_mark;
    s32 call;
    u32 descriptor;
    u64 call_start_ns;
    /* Set if a tick came on the way into a call, before the call's start was seen: the call that the thread enters. See `entry.h`.
     * The tick is part of the call. If only the ends of calls are observed: the place of the call in which a tick came. */
    u64 entry;
    /* The descriptor, and the file that it referred to when `file_generation` had this value. */
    u32 file_descriptor;
    u32 file_generation;
    struct open_file file;
    /* Number of the thread's rows with a file. */
    u32 file_rows;
    /* Set if the thread waits in a call for `file`. */
    u32 has_wait_file;
    /* Increases when the thread begins to read a request of a client, when it answers another request than the last one, and when it
     * waits for events of many connections. */
    u32 request_number;
    /* Increases with each request that the code inside the program marks on this thread. */
    u32 item_number;
    u32 reserved;
    /* The stack pointer of the outermost wait in a call; 0: there was none; 1: the thread is older than the observation. */
    u64 outermost_wait;
    /* The virtual thread that this thread carries; 0: none, or this was not seen. */
    u64 virtual_thread;
    /* When the profiler's handler began to run. */
    u64 handler_start_ns;
    /* The stack pointers at which the nested signal handlers interrupted the thread. */
    u64 interrupted[KNOWN_HANDLERS];
};

/* The `live` values of threads that do not execute. They are attached to the kernel's own structure of the thread. */
struct {
    __uint(type, MAP_TASK_STORAGE);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, int);
    __type(value, struct live);
} lives SEC(".maps");

/* Increases whenever any descriptor of an observed process may refer to another file. */
u32 files_generation = 1;

/* Like `files_generation`, for the descriptors with the same low bits. A server closes a descriptor with each connection, and
 * the other descriptors still refer to their files. */
#define DESCRIPTOR_GROUPS 1024
u32 descriptor_generations[DESCRIPTOR_GROUPS];

/* Neither number ever decreases, so if the sum is the same as before, the descriptor refers to the same file. */
static __always_inline u32 file_generation(u32 descriptor) {
    return files_generation + descriptor_generations[descriptor & (DESCRIPTOR_GROUPS - 1)];
}

/* A descriptor of a process, and the file that it referred to when `file_generation` had this value. */
struct known_file {
    /* The table of descriptors, and the process that has it. */
    u64 files;
    u32 process_id;
    u32 descriptor;
    u32 generation;
    u32 reserved;
    struct open_file file;
};

/* The number of descriptors whose files are known on each CPU. */
#define KNOWN_FILES 1024

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, KNOWN_FILES);
    __type(key, u32);
    __type(value, struct known_file);
} known_files SEC(".maps");

/* The ports of TCP on which programs in the networks of observed processes listen, one bit for each. */
struct {
    __uint(type, MAP_ARRAY);
    __uint(max_entries, 1024);
    __type(key, u32);
    __type(value, u64);
} listening_ports SEC(".maps");

/* The row in `account_rows` of each account. */
struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, MAX_ACCOUNTS);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, struct account_key);
    __type(value, u32);
} accounts SEC(".maps");

/* This map is an array, because access to a row by its number needs no call of a helper. */
struct {
    __uint(type, MAP_ARRAY);
    __uint(max_entries, MAX_ACCOUNTS);
    __type(key, u32);
    __type(value, struct account);
} account_rows SEC(".maps");

/* The row in `account_rows` of recent calls on this CPU. A row is valid for one thread (`cpu.thread`), call and file. The search in
 * `accounts` costs several times more. */
struct recent_row {
    u64 thread;
    u64 inode;
    u32 device;
    u32 kind;
    u32 call;
    u32 row;
};

/* Room for hundreds of threads with a few calls each. */
#define RECENT_ROWS 2048

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, RECENT_ROWS);
    __type(key, u32);
    __type(value, struct recent_row);
} recent_rows SEC(".maps");

/* Rows of threads that have ended. They are empty, and free for new accounts. */
struct {
    __uint(type, MAP_QUEUE);
    __uint(max_entries, MAX_ACCOUNTS);
    __uint(value_size, sizeof(u32));
} free_rows SEC(".maps");

/* The first row that no account has used yet. No account uses row 0. */
u32 unused_row = 1;

/* Calls that had no room in `accounts`, by system call. */
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

/* When the next event of a kind is due on this CPU, if the event is not sampled by place. The distance applies to the sum of all
 * threads' amounts. So threads that are too short-lived to reach it alone are sampled as often as other threads. */
struct trigger {
    u64 left;
    /* The whole distance. `left` is the rest of this distance. */
    u64 drawn;
};

/* The triggers by record kind. */
struct triggers {
    struct trigger of_kind[8];
};

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct triggers);
} triggers SEC(".maps");

/* Number of places that are distinguished. Different places can share an entry. */
#define PLACES 1024

/* The places of waits, then the places of time in calls. */
struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 2 * PLACES);
    __type(key, u32);
    __type(value, struct place);
} places SEC(".maps");

struct {
    __uint(type, MAP_ARRAY);
    __uint(max_entries, 2 * PLACES);
    __type(key, u32);
    __type(value, struct place_total);
} place_totals SEC(".maps");

struct cpu {
    struct tick_account ticks;
    /* Moving mean of the length of waits for a page. */
    u64 mean_fault_wait_ns;
    /* When the present window began, the waits of virtual threads in it, and how many a sampled wait represents. See `virtual.h`. */
    u64 virtual_window_ns;
    u64 virtual_waits;
    u64 virtual_multiple;
    /*
     * The thread that executes on this CPU. With these fields, a system call needs no helper
     * of the kernel. On processors that guard each return against speculation, a helper costs
     * 10 to 20 ns. On some kernels, not every switch is seen. So a system call compares the
     * address of its registers, which is different for every thread; 0: unknown.
     */
    u64 registers;
    /* The thread's address in the kernel. */
    u64 task;
    /* The thread's id and the low bits of its start time. So a later thread with the same id has another number. */
    u64 thread;
    u32 thread_id;
    /* Generation of the settings from which `is_observed` was computed. */
    u32 generation;
    u32 is_observed;
    /* Set if the thread has a value in `lives`. Then `live` is valid. */
    u32 is_known;
    /* The thread that a timer has interrupted, while the timer's function runs; 0: no such function runs. */
    u64 in_precise_timer;
    u64 in_timer;
    struct live live;
};

struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct cpu);
} cpus SEC(".maps");

/* Space for copying user stacks. Each CPU has two entries, because a tick
 * can interrupt another copy. The loader sets the number of entries. */
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

/* True if the process with this id is observed. */
static __always_inline u32 is_observed(struct settings *s, u32 process_id) {
    if (s->only_process)
        return s->only_process == process_id;
    return find_process(process_id) != 0;
}

#endif
