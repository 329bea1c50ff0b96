/*
 * The data that the kernel side and the user side share: records in the ring buffer, and values in maps.
 * The Rust version is `kernel/layout.rs`, and a test compares both. All times are in nanoseconds on
 * CLOCK_MONOTONIC. Process ids and thread ids are those of the initial pid namespace.
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
/* A copy contains the rest of the stack pointer's page, then up to eight whole pages. */
#define STACK_PAGES 8
#define MAX_STACK_BYTES ((STACK_PAGES + 1) * PAGE_BYTES)
/* The buffer has one page more than is ever filled, because the verifier's bounds are less precise than the code's. */
#define STACK_ROOM_BYTES (MAX_STACK_BYTES + PAGE_BYTES)
/* Functions can use this many bytes below the stack pointer (x86-64), so the copy starts there. */
#define RED_ZONE_BYTES 128
#define MAX_CALLS 512
/* Maximum number of rows with a file per thread. The limit prevents a server with many short connections
 * from filling the accounts. Calls on further files are distinguished only by the kind of file. */
#define MAX_FILE_ROWS 256
/* Up to this length, a wait is sampled with a probability in proportion to its length. */
#define PROPORTIONAL_WAIT_NS 4000000
/* Time in longer calls is sampled by place. */
#define LONG_CALL_NS 1000000
/* After a longer wait, the stack is also copied, because
 * the profiler does not answer at the end of a program. */
#define LONG_WAIT_NS 100000000
/* Maximum number of accounts of system calls at the same time. */
#define MAX_ACCOUNTS 65536
#define NAME_BYTES 16
#define FILE_NAME_BYTES 64
/* The first bytes of a request. They contain its method and path. */
#define REQUEST_TEXT_BYTES 128

/* The id of a trace of OpenTelemetry. */
#define TRACE_BYTES 16
/* Latency bucket k counts calls of 2^k to 2^(k+1) - 1 ns. The last bucket also counts all longer calls. */
#define LATENCY_BUCKETS 40

/* Why a thread does not execute; 0: the thread executes. The numbers are the same as in the model's `WaitReason`. */
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
    STATE_STOPPED = 11,
    STATE_MEMORY_LIMIT = 12,
    STATE_QUOTA = 13,
    STATE_COUNT = 14,
};

/* The kind of file that a descriptor refers to. The numbers are the same as in the model's `FileKind`. */
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

/* Facts about a system call, in one byte per call. The low bits are the reason for waiting in the call
 * (a `state`; 0: the reason depends on the kind of the descriptor's file). The other bits are flags. */
#define CALL_WAIT_MASK 0x0f
#define CALL_HAS_DESCRIPTOR 0x10
#define CALL_MOVES_BYTES 0x20
/* After the call, a descriptor can refer to another file, or a socket has another peer. */
#define CALL_CHANGES_FILES 0x40
/* The call moves bytes from the program to the file. */
#define CALL_SENDS_BYTES 0x80

enum record_kind {
    /* Events that need a stack. */
    RECORD_TICK = 1,
    RECORD_CALLS = 2,
    RECORD_BYTES = 3,
    RECORD_CALL_TIME = 4,
    RECORD_BLOCKED = 5,
    RECORD_FAULTS = 6,
    /* A thread has ended a sampled wait of another thread. Needs a stack, but is not a sample. */
    RECORD_WAKE = 7,
    /* A virtual thread begins a sampled wait on the record's thread. Needs a stack, but is not a sample. */
    RECORD_VIRTUAL_PARKED = 8,
    /* This wait has ended. */
    RECORD_VIRTUAL_RESUMED = 9,
    /* A virtual thread returns to the record's thread after a wait that had no stack. */
    RECORD_VIRTUAL_RETURNED = 10,
    /* Answers to events of the same thread and epoch. */
    RECORD_DELIVERY = 16,
    RECORD_USER_STACK = 17,
    /* A copied stack that is used only if the signal, which was also sent, gets no answer. */
    RECORD_SPARE_STACK = 18,
    /* Starts and ends of threads, and starts of programs. */
    RECORD_THREAD_START = 32,
    RECORD_THREAD_END = 33,
    RECORD_EXEC = 34,
    RECORD_FILE = 35,
    /* A request to a server and its answer. */
    RECORD_HTTP = 36,
    /* A work item that is complete, and a thread's part of one that several threads worked for. */
    RECORD_ITEM = 37,
    RECORD_PART = 38,
    /* The next wait of the record's thread is that of a virtual thread, which keeps its carrier. */
    RECORD_PINNED = 39,
    /* A statement of JDBC that has been executed. */
    RECORD_STATEMENT = 40,
};

/* The state of the request for the thread's user stack at the time of the event. */
enum request {
    REQUEST_NONE = 0,
    /* The signal was sent for this event, or for an earlier event of the same epoch. */
    REQUEST_SENT = 1,
    /* The thread is inside a system call. The request is sent when the call returns. */
    REQUEST_DEFERRED = 2,
    /* The process has no confirmed handler, so the stack was copied. */
    REQUEST_COPIED = 3,
    /* The process has no confirmed handler and its stack could not be copied. */
    REQUEST_NO_HANDLER = 4,
    /* The kernel refused to send the signal, or the thread blocks the signal. */
    REQUEST_FAILED = 5,
};

/* The device of a socket of TCP or UDP: this mark, the flags, and the port in the low 16 bits. Without flags, the port is the
 * peer's, and the inode stands for the peer's address. With flags, it is the port of the program. No device has these high bits. */
enum peer {
    PEER_MARK = 0x7ff00000,
    PEER_UDP = 0x10000,
    /* The socket waits for connections, or (UDP) for packets. */
    PEER_LISTENS = 0x20000,
    /* The connection comes from a client. */
    PEER_CLIENTS = 0x40000,
};

struct record {
    u64 time_ns;
    u32 process_id;
    u32 thread_id;
    /* Increases whenever the thread may have left the user stack of a pending request. */
    u32 epoch;
    u16 kind;
    u8 request;
    u8 is_kernel_mode;
};

struct event {
    struct record record;
    /* Amount that the event represents: nanoseconds, calls, bytes or faults. */
    u64 weight;
    /* The system call of the thread, or -1 if the thread was not in a call. */
    s32 call;
    /* The call's error as a positive number, or 0. */
    u32 error;
    /* Bytes that this single call moved. */
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

/* Who ended a wait. The numbers are the same as in the model's `WakerKind`. */
enum waker {
    WAKER_THREAD = 0,
    WAKER_TIMER = 1,
    WAKER_NETWORK = 2,
    WAKER_DEVICE = 3,
    WAKER_OTHER_PROCESS = 4,
};

/* The end of a sampled wait. The event's thread is the waker, if the waker is known; otherwise, the event's thread is the thread
 * that waited. The event's reason and weight are those of the wait. */
struct wake {
    struct event event;
    u64 waited_ns;
    /* The thread that waited. */
    u32 process_id;
    u32 thread_id;
    u32 waker;
    u32 reserved;
};

/* The first bytes of the name of a virtual thread. */
#define VIRTUAL_NAME_BYTES 32

/* Key of the maps `items` and `virtual_threads`. */
struct item_key {
    u64 id;
    u32 process_id;
    u32 reserved;
};

/*
 * Value of the map `virtual_threads`. The whole stack of a virtual thread is there only when it leaves its carrier: when it continues, the
 * JVM brings back a few frames at a time. So one in some waits is sampled at its begin, and its length is told at its end.
 */
struct virtual_thread {
    /* When it left its carrier; 0: it executes, or this was not seen. */
    u64 parked_ns;
    /* A sampled wait represents this many waits; 0: the wait is not sampled. */
    u64 multiple;
    /* Connects the begin and the end of a sampled wait. */
    u64 wait;
    /* What it worked for when it left its carrier without a mark of its own; 0: nothing. */
    u64 item;
    /* Whether it waits for a monitor that it did not get when it returned. See `virtual.h`. */
    u64 again;
    u8 name[VIRTUAL_NAME_BYTES];
};

/* The virtual thread that the record's thread carries. The thread's next record is that of a wait, and has the same epoch. */
struct pinned {
    struct record record;
    u8 name[VIRTUAL_NAME_BYTES];
};

/* The begin or the end of a sampled wait of a virtual thread. */
struct virtual_wait {
    struct event event;
    /* A number that is the same in both records of a wait. RECORD_VIRTUAL_RETURNED: the id of the virtual thread. Then the event's
     * `error` is 1 if the thread has left right after another return. */
    u64 wait;
    u8 name[VIRTUAL_NAME_BYTES];
};

/* The user registers in the kernel's order at the start of `pt_regs`: 21 registers on x86-64, 34 on arm64. */
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
    /* The parent of the process; 0: the process is not new. */
    u32 parent_process_id;
    /* CPU time from the scheduler. */
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
    /* The remote address of a socket of TCP or UDP, as an IPv6 address. */
    u64 remote[2];
    /* Last part of the file's path. */
    char name[FILE_NAME_BYTES];
};

/* A request to a server, and its answer so far. The record's thread read the first bytes of the request. */
struct http_request {
    struct record record;
    /* When the first bytes had been read. */
    u64 start_ns;
    /* When the last bytes of the answer had been written; 0: there is no answer yet. */
    u64 end_ns;
    u64 read_bytes;
    u64 written_bytes;
    /* The thread's times by state, at the start of the request, and from then to its end. */
    u64 before_ns[STATE_COUNT];
    u64 spent_ns[STATE_COUNT];
    u32 answering_thread_id;
    /* `live.request_number` and `live.item_number` of the thread when it began this request. */
    u32 number;
    u32 item_number;
    u32 text_bytes;
    /* The port on which the server listens. */
    u16 port;
    /* The status of the answer; 0: unknown. */
    u16 status;
    /* Set if `spent_ns` are the times of this request: so far only this thread has answered, and it has worked for no other request. */
    u32 has_times;
    /* Set if the connection has changed to another protocol. */
    u16 is_over;
    /* Set if the code inside the program has marked this request too. */
    u16 is_marked;
    u8 text[REQUEST_TEXT_BYTES];
};

/* This many helpers of an item are known at the same time. */
#define KNOWN_HELPERS 4

/* Something that the code inside a program has marked as a piece of work. The record's thread began it. See `items.h`. */
struct item {
    struct record record;
    u64 id;
    u64 start_ns;
    u64 end_ns;
    /* The times by state of the threads that worked for it one after the other. */
    u64 spent_ns[STATE_COUNT];
    /* The thread that works for it now, and other threads that began to work for it meanwhile; 0: none. */
    u32 worker;
    u32 helpers[KNOWN_HELPERS];
    /* 1: a CPU changes the fields. */
    u32 lock;
    u32 ending_thread_id;
    /* Number of parts that have ended before the item's end. */
    u32 part_count;
    u32 text_bytes;
    /* One of `item_kind`. */
    u16 kind;
    u16 status;
    /* The statements of JDBC that threads executed for it, and the sum of their lengths. */
    u64 statement_count;
    u64 statement_ns;
    /* The trace of OpenTelemetry to which it belongs; 0: unknown. */
    u8 trace[TRACE_BYTES];
    /* Set if the text is the name of a span. */
    u32 is_named_by_span;
    u32 reserved;
    u8 text[REQUEST_TEXT_BYTES];
};

/* The time from `start_ns` to the record's time, in which the record's thread worked for an item. */
struct part_seen {
    struct record record;
    u64 id;
    u64 start_ns;
};

/* A statement of JDBC that has been executed. The record's thread ended it. See `statements.h`. */
struct statement_seen {
    struct record record;
    u64 start_ns;
    /* The times from its begin to its end; see `has_times`. */
    u64 spent_ns[STATE_COUNT];
    /* The thread that began it. */
    u32 beginning_thread_id;
    /* Set if `spent_ns` are the times of this statement: those of its thread, or of the item that the thread worked for. */
    u32 has_times;
    u32 text_bytes;
    u32 reserved;
    u8 text[REQUEST_TEXT_BYTES];
};

/* Value of the map `processes`, by process id. */
struct process {
    /* Address of the confirmed signal handler of the profiler; 0: signals are never sent. */
    u64 handler;
    /* Address of the signal handler at the last check of the process. */
    u64 seen_handler;
    /* Number of live threads, if the process was observed from its start; otherwise 0. */
    u64 thread_count;
};

/* Value of the map `threads`, by thread id: the thread's state and sums. Each switch of the thread updates them. */
struct thread {
    u32 process_id;
    u32 namespaced_id;
    /* The epoch and the call are copied from `live` at the last switch. */
    u32 epoch;
    s32 call;
    u8 is_in_call;
    u8 state;
    /* Set if the thread is older than the observation. */
    u16 is_old;
    /* Number of times that a virtual thread left this thread. */
    u32 parks;
    u64 state_since_ns;
    u64 woken_ns;
    /* The last wait whose waking was seen: when it began, and its weight; 0: the wait is not sampled. */
    u64 waking_since_ns;
    u64 waking_weight;
    /* A sampled wait for a page represents this many such waits; 0: the wait is not sampled. */
    u64 fault_wait_multiple;
    /* The thread's queue of runnable threads when it was last put there, and the queue's `quota_clock` then. */
    u64 queue;
    u64 queue_quota_ns;
    u64 state_ns[STATE_COUNT];
};

/* Key of the map `accounts`. The map's values are row numbers of `account_rows`. */
struct account_key {
    u32 thread_id;
    u32 call;
    u64 inode;
    u32 device;
    u32 file_kind;
};

/* Exact values of one system call on one file by one thread. */
struct account {
    u64 calls;
    u64 errors;
    u64 bytes;
    u64 duration_ns;
    u64 longest_ns;
    u32 latencies[LATENCY_BUCKETS];
};

/* The value with index 0 in the map `settings`. */
struct settings {
    /* The only observed process; 0: the map `processes` contains the observed processes. */
    u32 only_process;
    /* Whether child processes are also observed. */
    u32 follows;
    /* Whether exact accounts of system calls are kept. */
    u32 has_accounts;
    /* Whether the starts of system calls are observed. Their ends always are. */
    u32 has_calls;
    /* For tests: one in this many signals is not sent, although its event reports it as sent. */
    u32 drop_every;
    /* Changes whenever the set of observed processes changes. */
    u32 generation;
    /* Whether the kernel measures pressure (PSI). Then it marks delays at memory limits. */
    u32 has_pressure;
    /* The record kinds whose events are sampled by place, as a set of bits. See `amounts.h`. */
    u32 by_place;
    /* Whether marks are observed. See `items.h`. */
    u32 has_marks;
    u32 reserved;
    /* Mean distance between two events, by record kind; 0: there are no events of this kind. */
    u64 intervals[8];
    u8 calls[MAX_CALLS];
};

/* Indexes of the per-CPU map `counts`. */
enum count {
    /* Records that had no room in the ring buffer. */
    COUNT_DROPPED_RECORDS = 0,
    /* Weight of the ticks among these records. */
    COUNT_DROPPED_TICK_NS = 1,
    /* System calls that had no room in the accounts. */
    COUNT_UNACCOUNTED_CALLS = 2,
    /* Threads to which the kernel attached no data. This happens when a thread is already exiting. */
    COUNT_UNKNOWN_THREADS = 3,
    /* Handlers of the profiler that have returned, and the time for which they executed. */
    COUNT_HANDLERS = 4,
    COUNT_HANDLER_NS = 7,
    /* Threads and processes that had no room in the tables. */
    COUNT_FULL_TABLES = 5,
    /* System calls of 32-bit programs. Their numbers are from another table. */
    COUNT_COMPAT_CALLS = 6,
    /* Requests to servers that had no room. */
    COUNT_UNSEEN_REQUESTS = 8,
    /* Changes of a work item that were not noted: another CPU changed the item for too long, or there were too many helpers. */
    COUNT_UNSURE_ITEMS = 9,
    COUNT_COUNT = 10,
};

#endif
