/*
 * What the kernel side and the user side share: records in the ring buffer and values in maps.
 * The Rust mirror is `kernel/records.rs`; a test there compares sizes and offsets with the BTF of the
 * object. All times are CLOCK_MONOTONIC in nanoseconds; process and thread ids are those of the
 * initial pid namespace.
 */
#ifndef WHITTLE_RECORDS_H
#define WHITTLE_RECORDS_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define MAX_KERNEL_FRAMES 64
#define PAGE_BYTES 4096
/* The rest of the stack pointer's own page, then up to eight whole pages. */
#define STACK_PAGES 8
#define MAX_STACK_BYTES ((STACK_PAGES + 1) * PAGE_BYTES)
/* A page more than is ever filled: the verifier's bounds are coarser than ours. */
#define STACK_ROOM_BYTES (MAX_STACK_BYTES + PAGE_BYTES)
/* Functions may use so much below the stack pointer (x86-64); the copy begins there. */
#define RED_ZONE_BYTES 128
#define MAX_CALLS 512
/* Rows with a file that one thread gets, so that a server of short connections does not fill the accounts;
 * calls on further files are told apart by the kind of file only. */
#define MAX_FILE_ROWS 256
/* A wait that was longer is worth a copy of the stack, too: at the end of a program the profiler answers
 * no more. */
#define LONG_WAIT_NS 100000000
/* Accounts of system calls at a time. */
#define MAX_ACCOUNTS 65536
#define NAME_BYTES 16
#define FILE_NAME_BYTES 64
/* Latency bucket k counts calls of 2^k to 2^(k+1) - 1 ns; the last one takes all longer ones. */
#define LATENCY_BUCKETS 40

/* Why a thread does not execute; 0: it executes. The numbers are those of the model's `WaitReason`. */
enum state {
    STATE_ON_CPU = 0,
    STATE_FUTEX = 1,
    STATE_SOCKET = 2,
    STATE_FILE = 3,
    STATE_SLEEP = 4,
    STATE_POLL = 5,
    STATE_RUN_QUEUE = 6,
    STATE_PAGE_FAULT = 7,
    STATE_PREEMPTION = 8,
    STATE_OTHER = 9,
    STATE_PIPE = 10,
    STATE_COUNT = 11,
};

/* What kind of file a descriptor names. The numbers are those of the model's `FileKind`. */
enum file_kind {
    FILE_NONE = 0,
    FILE_REGULAR = 1,
    FILE_DIRECTORY = 2,
    FILE_SOCKET = 3,
    FILE_PIPE = 4,
    FILE_CHAR_DEVICE = 5,
    FILE_BLOCK_DEVICE = 6,
    FILE_ANONYMOUS = 7,
};

/* Facts about a system call, one byte each: the wait class in the low bits (a `state`, 0 for "by the
 * kind of its descriptor"), and two flags. */
#define CALL_WAIT_MASK 0x0f
#define CALL_HAS_DESCRIPTOR 0x10
#define CALL_MOVES_BYTES 0x20
/* A descriptor can name another file afterwards. */
#define CALL_CHANGES_FILES 0x40

enum record_kind {
    /* Events: something that a stack is wanted for. */
    RECORD_TICK = 1,
    RECORD_CALLS = 2,
    RECORD_BYTES = 3,
    RECORD_CALL_TIME = 4,
    RECORD_BLOCKED = 5,
    RECORD_FAULTS = 6,
    /* Answers to events of the same thread and epoch. */
    RECORD_DELIVERY = 16,
    RECORD_USER_STACK = 17,
    /* As that, for the case that the signal which was also sent is not answered. */
    RECORD_SPARE_STACK = 18,
    /* Life of threads and processes. */
    RECORD_THREAD_START = 32,
    RECORD_THREAD_END = 33,
    RECORD_EXEC = 34,
    RECORD_FILE = 35,
};

/* What became of the request for the thread's user stack at the time of the event. */
enum request {
    REQUEST_NONE = 0,
    /* The signal was sent, or another event of the same epoch has sent it already. */
    REQUEST_SENT = 1,
    /* The thread is inside a system call: it is asked when that returns. */
    REQUEST_DEFERRED = 2,
    /* The process has no confirmed handler: the stack was copied instead. */
    REQUEST_COPIED = 3,
    /* The process has no confirmed handler and its stack could not be copied. */
    REQUEST_NO_HANDLER = 4,
    /* The kernel refused, or the thread blocks the signal. */
    REQUEST_FAILED = 5,
};

struct record {
    u64 time_ns;
    u32 process_id;
    u32 thread_id;
    /* Moves on whenever the thread may have left the user stack that a pending request is about. */
    u32 epoch;
    u16 kind;
    u8 request;
    u8 is_kernel_mode;
};

struct event {
    struct record record;
    /* Nanoseconds, calls, bytes or faults that this event stands for. */
    u64 weight;
    /* The system call that the thread was in, or -1. */
    s32 call;
    /* Positive error number of the call, or 0. */
    u32 error;
    /* Of this very call. */
    u64 call_bytes;
    u64 call_duration_ns;
    u64 inode;
    u32 device;
    u8 file_kind;
    u8 reason;
    u16 kernel_frame_count;
};

struct event_with_stack {
    struct event event;
    u64 kernel_frames[MAX_KERNEL_FRAMES];
};

/* The user registers as the kernel keeps them at the start of `pt_regs`: 21 on x86-64, 34 on arm64. */
#define MAX_REGISTERS 34

struct user_stack {
    struct record record;
    u64 registers[MAX_REGISTERS];
    u32 stack_byte_count;
    u32 reserved;
    u8 stack[STACK_ROOM_BYTES];
};

struct thread_life {
    struct record record;
    /* The thread's id in its own pid namespace. */
    u32 namespaced_id;
    /* Who started the process; 0: it is not new. */
    u32 parent_process_id;
    /* The scheduler's own figure. */
    u64 cpu_ns;
    u64 user_ns;
    u64 system_ns;
    u64 start_ns;
    u64 voluntary_switches;
    u64 involuntary_switches;
    u64 minor_faults;
    u64 major_faults;
    u64 state_ns[STATE_COUNT];
    char name[NAME_BYTES];
};

struct file_seen {
    struct record record;
    u64 inode;
    u32 device;
    u32 file_kind;
    u32 descriptor;
    u32 reserved;
    /* Last part of the path. */
    char name[FILE_NAME_BYTES];
};

/* Value of the map `processes`, by process id. */
struct process {
    /* Address of the signal handler that was confirmed to be the profiler's; 0: never send. */
    u64 handler;
    /* Address of the handler that the process was last seen with. */
    u64 seen_handler;
    /* Threads that live, if the process was observed from its beginning; else 0. */
    u64 thread_count;
};

/* Value of the map `threads`, by thread id: what a thread does and did. Written when it is switched. */
struct thread {
    u32 process_id;
    u32 namespaced_id;
    /* The same as in `live`, as of the last switch. */
    u32 epoch;
    s32 call;
    u8 is_in_call;
    u8 state;
    u16 reserved[3];
    u64 state_since_ns;
    u64 woken_ns;
    /* A page fault's wait that is sampled stands for this many such waits; 0: it is not sampled. */
    u64 fault_wait_multiple;
    u64 state_ns[STATE_COUNT];
};

/* Key of the map `accounts`, whose values are rows of `account_rows`. */
struct account_key {
    u32 thread_id;
    u32 call;
    u64 inode;
    u32 device;
    u32 file_kind;
};

/* Exact figures of one system call on one file by one thread. */
struct account {
    u64 calls;
    u64 errors;
    u64 bytes;
    u64 duration_ns;
    u64 longest_ns;
    u32 latencies[LATENCY_BUCKETS];
};

/* Value 0 of the map `settings`. */
struct settings {
    /* The only process that is observed; 0: look into `processes`. */
    u32 only_process;
    /* Whether child processes are observed, too. */
    u32 follows;
    /* Whether exact accounts of system calls are kept. */
    u32 has_accounts;
    /* Whether the start and end of system calls are seen at all. */
    u32 has_calls;
    /* For tests: every so many requests the signal is not sent though the event says so. */
    u32 drop_every;
    /* Another number whenever it changes which processes are observed. */
    u32 generation;
    /* Mean distance between two events by kind (index: record kind); 0: none of that kind. */
    u64 intervals[8];
    u8 calls[MAX_CALLS];
};

/* Index into the per-CPU map `counts`. */
enum count {
    /* Records that found the ring buffer full. */
    COUNT_DROPPED_RECORDS = 0,
    /* Weight of the ticks among them. */
    COUNT_DROPPED_TICK_NS = 1,
    /* System calls that found the accounts table full. */
    COUNT_UNACCOUNTED_CALLS = 2,
    /* Threads that found the threads table full. */
    COUNT_UNKNOWN_THREADS = 3,
    COUNT_REQUESTS = 4,
    COUNT_COUNT = 8,
};

#endif
