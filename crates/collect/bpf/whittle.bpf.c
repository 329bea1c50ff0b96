/*
 * The kernel side of a collection: sees every event of the observed processes, keeps exact accounts,
 * and decides of which events a stack is wanted.
 *
 *   tick, sampled call, bytes, wait, fault ──> event record (what, how much, kernel stack)   ┐ same thread,
 *   the thread's user stack ──> SIGPROF to the profiler in the JVM ──> delivery record       ┘ same epoch
 *                           └─> no such handler: registers and stack are copied
 *
 * Rules that everything here keeps:
 * - An event of another process costs one comparison or one map lookup, and nothing else.
 * - A signal goes only to the current thread, only if its process has the confirmed handler at this
 *   moment, and never while the thread is inside a system call: it is sent when the call returns, so no
 *   call is interrupted by us. (A wait for a page is uninterruptible, so a signal does not shorten it.)
 * - An epoch ends whenever the thread may have left its user stack: at the start of a call, and when the
 *   profiler's handler returns. An answer counts for the events of its own epoch only.
 * - What the profiler's signal handler itself does is no work of the program: its calls are not accounted.
 */
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

/* The helpers for kernel stacks and signals are open to programs under the GPL only; the rest of
 * whittle is no part of the kernel and under its own licence. */
char LICENSE[] SEC("license") = "Dual BSD/GPL";

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
    /* CPU time of observed threads here that no tick has accounted for yet. */
    u64 unsampled_ns;
    /* Until when that is up to date, on the clock and on the running thread's own CPU time. */
    u64 marked_ns;
    u64 marked_cpu_ns;
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

/* ---- threads ---------------------------------------------------------------------------------- */

static __always_inline u32 namespaced_id(struct task_struct *task) {
    struct pid *pid = task->thread_pid;
    u32 level = 0, id = 0;
    if (!pid)
        return 0;
    bpf_probe_read_kernel(&level, sizeof(level), &pid->level);
    bpf_probe_read_kernel(&id, sizeof(id), (char *)&pid->numbers[0] + (level & 31) * 16);
    return id;
}

static __always_inline struct thread *find_thread(u32 thread_id) {
    return bpf_map_lookup_elem(&threads, &thread_id);
}

static __noinline struct thread *add_thread(u32 thread_id, u32 process_id, u32 in_namespace, u32 state) {
    struct thread new = {};
    new.process_id = process_id;
    new.namespaced_id = in_namespace;
    new.state = state;
    new.state_since_ns = bpf_ktime_get_ns();
    bpf_map_update_elem(&threads, &thread_id, &new, MAP_NOEXIST);
    struct thread *thread = find_thread(thread_id);
    if (!thread)
        add_count(COUNT_UNKNOWN_THREADS, 1);
    return thread;
}

static __always_inline struct cpu *this_cpu(void) {
    u32 zero = 0;
    return bpf_map_lookup_elem(&cpus, &zero);
}

/* Puts the thread down as the one that executes on this CPU. */
static __always_inline void take_in(struct cpu *cpu, struct task_struct *task) {
    struct live *kept = bpf_task_storage_get(&lives, task, 0, 0);
    cpu->task = (u64)task;
    cpu->thread_id = task->pid;
    cpu->is_known = kept != 0;
    if (kept)
        cpu->live = *kept;
}

/* Finds out who executes here: after a switch, and when the settings have changed. */
static __noinline int look_again(struct settings *s, struct cpu *cpu, u64 registers) {
    struct task_struct *task = bpf_get_current_task_btf();
    if (!s || !cpu)
        return 0;
    u32 is_noted = cpu->is_observed && cpu->task == (u64)task;
    cpu->is_observed = is_observed(s, task->tgid);
    if (cpu->is_observed && !is_noted)
        take_in(cpu, task);
    cpu->generation = s->generation;
    cpu->registers = registers;
    return 0;
}

/* Whether the current thread is observed: in a system call, and anywhere. */
static __always_inline u32 is_caller_observed(struct settings *s, struct cpu *cpu, u64 registers) {
    if (cpu->registers != registers || cpu->generation != s->generation)
        look_again(s, cpu, registers);
    return cpu->is_observed;
}

static __always_inline u32 is_current_observed(struct settings *s, struct cpu *cpu, struct task_struct *task) {
    if (!is_observed(s, task->tgid))
        return 0;
    if (!cpu->is_observed || cpu->task != (u64)task)
        look_again(s, cpu, 0);
    return cpu->is_observed;
}

/* Gives the current thread its place in `lives`. */
static __noinline int make_known(struct cpu *cpu) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct live nothing = {};
    if (!cpu)
        return 0;
    u32 thread_id = task->pid;
    if (!find_thread(thread_id))
        add_thread(thread_id, task->tgid, namespaced_id(task), STATE_ON_CPU);
    if (!bpf_task_storage_get(&lives, task, 0, STORAGE_CREATE)) {
        add_count(COUNT_UNKNOWN_THREADS, 1);
        return 0;
    }
    cpu->live = nothing;
    cpu->is_known = 1;
    return 0;
}

/* What the current thread, which is observed, does; none if it was not seen before. */
static __always_inline struct live *known_live(struct cpu *cpu) {
    return cpu->is_known ? &cpu->live : 0;
}

/* What the current thread, which is observed, does. */
static __always_inline struct live *live_of_current(struct cpu *cpu) {
    if (!cpu->is_known)
        make_known(cpu);
    return known_live(cpu);
}

/* ---- records ---------------------------------------------------------------------------------- */

static __always_inline void fill(struct record *record, struct task_struct *task, u32 epoch, u16 kind) {
    record->time_ns = bpf_ktime_get_ns();
    record->process_id = task->tgid;
    record->thread_id = task->pid;
    record->epoch = epoch;
    record->kind = kind;
    record->request = REQUEST_NONE;
    record->is_kernel_mode = 1;
}

static __always_inline void clear_details(struct event *event) {
    event->call = -1;
    event->error = 0;
    event->call_bytes = 0;
    event->call_duration_ns = 0;
    event->inode = 0;
    event->device = 0;
    event->file_kind = FILE_NONE;
    event->reason = STATE_ON_CPU;
    event->kernel_frame_count = 0;
}

/* ---- asking for the user stack ---------------------------------------------------------------- */

/* Copies the current thread's registers and the live part of its stack. `place`: 1 in a tick, else 0. */
static __noinline u32 copy_stack(u32 epoch, u32 place, u32 kind) {
    u32 index = bpf_get_smp_processor_id() * 2 + (place & 1);
    struct user_stack *copy = bpf_map_lookup_elem(&stacks, &index);
    struct task_struct *task = bpf_get_current_task_btf();
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    if (!copy || !regs)
        return REQUEST_NO_HANDLER;
    fill(&copy->record, task, epoch, kind);
    bpf_probe_read_kernel(copy->registers, REGISTERS * sizeof(u64), regs);
    copy->reserved = 0;
    u64 stack = REGS_STACK(regs) - RED_ZONE_BYTES;
    u32 first = PAGE_BYTES - (stack & (PAGE_BYTES - 1));
    if (first > PAGE_BYTES)
        return REQUEST_NO_HANDLER;
    /* A page that was never touched lies in the middle of some stacks (in large buffers that were not
     * used yet): it reads as zeros, and the copy goes on behind it. It ends at the last page in memory. */
    u32 size = 0, next = first;
    if (bpf_probe_read_user(copy->stack, first, (void *)stack) == 0)
        size = first;
#pragma unroll
    for (int page = 0; page < STACK_PAGES; page++) {
        if (next > MAX_STACK_BYTES - PAGE_BYTES)
            break;
        if (bpf_probe_read_user(copy->stack + next, PAGE_BYTES, (void *)(stack + next)) == 0)
            size = next + PAGE_BYTES;
        next += PAGE_BYTES;
    }
    if (size > MAX_STACK_BYTES)
        return REQUEST_NO_HANDLER;
    copy->stack_byte_count = size;
    u32 total = __builtin_offsetof(struct user_stack, stack) + size;
    if (bpf_ringbuf_output(&records, copy, total, 0) != 0)
        add_count(COUNT_DROPPED_RECORDS, 1);
    return REQUEST_COPIED;
}

/* The handler of SIGPROF that the current process has at this moment. */
static __always_inline u64 current_handler(struct task_struct *task) {
    return (u64)task->sighand->action[SIGPROF - 1].sa.sa_handler;
}

/* Asks for the current thread's user stack, once an epoch. */
static __always_inline u32 ask_for_stack(struct settings *s, struct live *live, u32 place) {
    if (live->is_pending && live->pending_epoch == live->epoch)
        return REQUEST_SENT;
    struct task_struct *task = bpf_get_current_task_btf();
    struct process *process = find_process(task->tgid);
    if (!process)
        return REQUEST_FAILED;
    u64 handler = current_handler(task);
    process->seen_handler = handler;
    if (!process->handler || process->handler != handler)
        return copy_stack(live->epoch, place, RECORD_USER_STACK);
    if (live->handler_depth)
        /* The handler that runs answers this epoch. */
        return REQUEST_SENT;
    if (task->blocked.sig[0] & (1UL << (SIGPROF - 1)))
        return copy_stack(live->epoch, place, RECORD_USER_STACK);
    add_count(COUNT_REQUESTS, 1);
    live->is_pending = 1;
    live->pending_epoch = live->epoch;
    if (s->drop_every && bpf_get_prandom_u32() % s->drop_every == 0)
        return REQUEST_SENT;
    if (bpf_send_signal_thread(SIGPROF) != 0) {
        live->is_pending = 0;
        return REQUEST_FAILED;
    }
    return REQUEST_SENT;
}

/* ---- sampling by amount ----------------------------------------------------------------------- */

/* A distance between half and one and a half of the mean, so that no rhythm of the program meets ours. */
static __always_inline u64 draw(u64 mean) {
    u64 spread = bpf_get_prandom_u32();
    u64 distance = (mean >> 1) + ((mean * (spread >> 12)) >> 20);
    return distance ? distance : 1;
}

/*
 * Lays `amount` on the axis of all amounts of this kind on this CPU; the sum of the distances that end
 * in it, 0 if none does. A distance is the weight of the event in which it ends: an event is hit in
 * proportion to its amount, so the expected weight of any event is its amount.
 */
static __always_inline u64 reach(struct settings *s, struct triggers *triggers, u32 kind, u64 amount) {
    u64 mean = s->intervals[kind];
    struct trigger *trigger = &triggers->of_kind[kind];
    if (!mean || !amount)
        return 0;
    if (!trigger->drawn) {
        trigger->drawn = draw(mean);
        trigger->left = 1 + bpf_get_prandom_u32() % trigger->drawn;
    }
    if (amount < trigger->left) {
        trigger->left -= amount;
        return 0;
    }
    u64 weight = trigger->drawn;
    amount -= trigger->left;
    /* Whole mean distances at once: the loop below stays short however large the amount. */
    u64 whole = amount / mean;
    weight += whole * mean;
    amount -= whole * mean;
    trigger->drawn = draw(mean);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (amount >= trigger->drawn) {
            amount -= trigger->drawn;
            weight += trigger->drawn;
            trigger->drawn = draw(mean);
        }
    }
    trigger->left = trigger->drawn > amount ? trigger->drawn - amount : 1;
    return weight;
}

/* ---- files ------------------------------------------------------------------------------------ */

static __always_inline u32 kind_of_mode(u16 mode) {
    switch (mode & S_IFMT) {
    case 0100000: return FILE_REGULAR;
    case 0040000: return FILE_DIRECTORY;
    case 0140000: return FILE_SOCKET;
    case 0010000: return FILE_PIPE;
    case 0020000: return FILE_CHAR_DEVICE;
    case 0060000: return FILE_BLOCK_DEVICE;
    default: return FILE_ANONYMOUS;
    }
}

/* What the descriptor of a thread names now. */
static __always_inline void look_up_file(struct task_struct *task, u32 descriptor, struct open_file *found) {
    struct file **slots;
    struct inode *inode = 0;
    struct super_block *block = 0;
    u16 mode = 0;
    found->inode = 0;
    found->device = 0;
    found->kind = FILE_NONE;
    found->file = 0;
    struct files_struct *files = task->files;
    if (!files)
        return;
    struct fdtable *table = files->fdt;
    if (!table || descriptor >= table->max_fds)
        return;
    slots = table->fd;
    bpf_probe_read_kernel(&found->file, sizeof(found->file), slots + descriptor);
    if (!found->file)
        return;
    bpf_probe_read_kernel(&inode, sizeof(inode), &found->file->f_inode);
    bpf_probe_read_kernel(&mode, sizeof(mode), &inode->i_mode);
    bpf_probe_read_kernel(&found->inode, sizeof(found->inode), &inode->i_ino);
    bpf_probe_read_kernel(&block, sizeof(block), &inode->i_sb);
    bpf_probe_read_kernel(&found->device, sizeof(found->device), &block->s_dev);
    found->kind = kind_of_mode(mode);
}

static __noinline int tell_file(u32 descriptor, struct open_file *found) {
    struct file_seen *seen = bpf_ringbuf_reserve(&records, sizeof(*seen), 0);
    if (!seen) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    fill(&seen->record, bpf_get_current_task_btf(), 0, RECORD_FILE);
    seen->inode = found->inode;
    seen->device = found->device;
    seen->file_kind = found->kind;
    seen->descriptor = descriptor;
    seen->reserved = 0;
    seen->name[0] = 0;
    struct dentry *dentry = 0;
    const unsigned char *name = 0;
    bpf_probe_read_kernel(&dentry, sizeof(dentry), &found->file->f_path.dentry);
    if (dentry) {
        bpf_probe_read_kernel(&name, sizeof(name), &dentry->d_name.name);
        bpf_probe_read_kernel_str(seen->name, sizeof(seen->name), name);
    }
    bpf_ringbuf_submit(seen, 0);
    return 0;
}

/* ---- system calls ----------------------------------------------------------------------------- */

static __always_inline u32 bucket_of(u64 duration_ns) {
    u32 bucket = 0;
    if (duration_ns >> 32) { bucket += 32; duration_ns >>= 32; }
    if (duration_ns >> 16) { bucket += 16; duration_ns >>= 16; }
    if (duration_ns >> 8) { bucket += 8; duration_ns >>= 8; }
    if (duration_ns >> 4) { bucket += 4; duration_ns >>= 4; }
    if (duration_ns >> 2) { bucket += 2; duration_ns >>= 2; }
    if (duration_ns >> 1) { bucket += 1; }
    return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

static __always_inline void add_call(struct account *account, u64 duration_ns, u64 bytes, u32 is_error) {
    u32 bucket = bucket_of(duration_ns);
    account->calls += 1;
    account->errors += is_error;
    account->bytes += bytes;
    account->duration_ns += duration_ns;
    if (duration_ns > account->longest_ns)
        account->longest_ns = duration_ns;
    if (bucket < LATENCY_BUCKETS)
        account->latencies[bucket] += 1;
}

/* A row for a new account; 0: there is none left. */
static __always_inline u32 new_row(void) {
    u32 row = 0;
    if (bpf_map_pop_elem(&free_rows, &row) == 0)
        return row;
    /* Compared first, so that the counter does not run over. */
    if (unused_row >= MAX_ACCOUNTS)
        return 0;
    row = __sync_fetch_and_add(&unused_row, 1);
    return row < MAX_ACCOUNTS ? row : 0;
}

/* The row of an account, which is made if there is none; 0: there is no room. Only the current thread
 * looks for its own accounts, so nobody else makes the same one meanwhile. */
static __noinline u32 find_row(struct account_key *key, struct live *live) {
    if (!key || !live)
        return 0;
    u32 *known = bpf_map_lookup_elem(&accounts, key);
    if (known)
        return *known;
    u32 row = new_row();
    if (row && bpf_map_update_elem(&accounts, key, &row, MAP_NOEXIST) != 0)
        row = 0;
    if (!row)
        add_count(COUNT_UNACCOUNTED_CALLS, 1);
    else if (key->file_kind)
        tell_file(live->descriptor, &live->file);
    return row;
}

static __always_inline struct account *unlisted_account(u32 call) {
    return bpf_map_lookup_elem(&unlisted, &call);
}

/* What the thread's descriptor names, looked up again only if that can have changed. */
static __always_inline void refresh_file(struct live *live) {
    if (live->file_descriptor == live->descriptor && live->file_generation == files_generation)
        return;
    live->file_generation = files_generation;
    live->file_descriptor = live->descriptor;
    look_up_file(bpf_get_current_task_btf(), live->descriptor, &live->file);
}

/* Emits an event of a call that has just returned. */
static __always_inline void emit_call(u32 epoch, u16 kind, u64 weight, struct event *details, u32 request) {
    struct event *event = bpf_ringbuf_reserve(&records, sizeof(*event), 0);
    if (!event) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return;
    }
    *event = *details;
    fill(&event->record, bpf_get_current_task_btf(), epoch, kind);
    event->record.request = request;
    event->weight = weight;
    bpf_ringbuf_submit(event, 0);
}

/* Weights of the events that a call has become; 0: none of that kind. */
struct reached {
    u64 calls;
    u64 bytes;
    u64 time;
};

static __noinline int sample_call(struct live *live, struct reached *reached, s64 result, u64 duration_ns) {
    struct settings *s = the_settings();
    if (!s || !live || !reached)
        return 0;
    u32 is_copy_wanted = live->is_copy_wanted;
    live->is_stack_wanted = 0;
    live->is_copy_wanted = 0;
    u32 request = ask_for_stack(s, live, 0);
    if (is_copy_wanted && request == REQUEST_SENT)
        copy_stack(live->epoch, 0, RECORD_SPARE_STACK);
    u32 is_error = result < 0 && result >= -MAX_ERRNO;
    struct event details = {};
    clear_details(&details);
    details.call = live->call;
    details.error = is_error ? -result : 0;
    details.call_bytes = (s->calls[live->call & (MAX_CALLS - 1)] & CALL_MOVES_BYTES) && result > 0 ? result : 0;
    details.call_duration_ns = duration_ns;
    if (s->calls[live->call & (MAX_CALLS - 1)] & CALL_HAS_DESCRIPTOR) {
        refresh_file(live);
        details.inode = live->file.inode;
        details.device = live->file.device;
        details.file_kind = live->file.kind;
    }
    if (reached->calls)
        emit_call(live->epoch, RECORD_CALLS, reached->calls, &details, request);
    if (reached->bytes)
        emit_call(live->epoch, RECORD_BYTES, reached->bytes, &details, request);
    if (reached->time)
        emit_call(live->epoch, RECORD_CALL_TIME, reached->time, &details, request);
    /* A copy answers what came before it, not what comes after. */
    live->epoch += request == REQUEST_COPIED;
    return 0;
}

/* Looks for the account of the call that has ended, and remembers where it is. */
static __noinline u32 look_up_row(struct cpu *cpu, u32 has_file, u32 descriptor) {
    if (!cpu)
        return 0;
    struct live *live = &cpu->live;
    struct account_key key = {.thread_id = cpu->thread_id, .call = live->call};
    if (has_file) {
        refresh_file(live);
        key.inode = live->file.inode;
        key.device = live->file.device;
        key.file_kind = live->file.kind;
    }
    u32 row = find_row(&key, live);
    struct recent_row *recent = &live->recent_rows[((u32)live->call ^ descriptor) % RECENT_ROWS];
    recent->call = live->call;
    recent->descriptor = descriptor;
    recent->file_generation = files_generation;
    recent->row = row;
    return row;
}

/* The account that the call goes to: that of the call before, most of the time. */
static __always_inline struct account *account_of(struct cpu *cpu, struct live *live, u32 has_file) {
    u32 descriptor = has_file ? live->descriptor : 0;
    struct recent_row *recent = &live->recent_rows[((u32)live->call ^ descriptor) % RECENT_ROWS];
    u32 row = recent->row;
    if (!row || recent->call != (u32)live->call || recent->descriptor != descriptor ||
        recent->file_generation != files_generation)
        row = look_up_row(cpu, has_file, descriptor);
    return row ? bpf_map_lookup_elem(&account_rows, &row) : unlisted_account(live->call);
}

/* Keeps the exact account of a call that has ended, and asks for its stack if one is due. */
static __always_inline void end_call(struct settings *s, struct cpu *cpu, struct live *live, s64 result) {
    u64 duration_ns = bpf_ktime_get_ns() - live->call_start_ns;
    u32 zero = 0;
    u8 facts = s->calls[live->call & (MAX_CALLS - 1)];
    u64 bytes = (facts & CALL_MOVES_BYTES) && result > 0 ? result : 0;
    if (s->has_accounts) {
        struct account *account = account_of(cpu, live, facts & CALL_HAS_DESCRIPTOR);
        if (account)
            add_call(account, duration_ns, bytes, result < 0 && result >= -MAX_ERRNO);
    }
    struct triggers *on_cpu = bpf_map_lookup_elem(&triggers, &zero);
    if (!on_cpu)
        return;
    struct reached reached = {
        .calls = reach(s, on_cpu, RECORD_CALLS, 1),
        .bytes = reach(s, on_cpu, RECORD_BYTES, bytes),
        .time = reach(s, on_cpu, RECORD_CALL_TIME, duration_ns),
    };
    if (reached.calls | reached.bytes | reached.time | live->is_stack_wanted)
        sample_call(live, &reached, result, duration_ns);
    if (facts & CALL_CHANGES_FILES)
        files_generation += 1;
}

SEC("tp_btf/sys_enter")
int on_call_start(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    if (!s || !cpu || !is_caller_observed(s, cpu, context[0]))
        return 0;
    struct live *live = live_of_current(cpu);
    if (!live)
        return 0;
    struct pt_regs *regs = (struct pt_regs *)context[0];
    live->call = (s32)context[1];
    live->descriptor = REGS_DESCRIPTOR(regs);
    live->is_in_call = 1;
    if (!live->handler_depth && !live->is_entering) {
        live->epoch += 1;
        live->is_stack_wanted = 0;
    }
    live->is_entering = 0;
    live->call_start_ns = bpf_ktime_get_ns();
    return 0;
}

SEC("tp_btf/sys_exit")
int on_call_end(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    if (!s || !cpu || !is_caller_observed(s, cpu, context[0]))
        return 0;
    struct live *live = known_live(cpu);
    if (!live || !live->is_in_call)
        return 0;
    s64 result = (s64)context[1];
    live->is_in_call = 0;
    if (live->handler_depth) {
        if (live->call == CALL_SIGNAL_RETURN) {
            live->handler_depth -= 1;
            live->epoch += live->handler_depth == 0;
        }
        return 0;
    }
    /* Will be made again after the signal's handler, and counted then. */
    if (result == -ERESTARTSYS || result == -ERESTARTNOINTR)
        return 0;
    end_call(s, cpu, live, result);
    return 0;
}

/* ---- signals ---------------------------------------------------------------------------------- */

SEC("tp_btf/signal_deliver")
int on_signal(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    struct task_struct *task = bpf_get_current_task_btf();
    if (!s || !cpu || !is_current_observed(s, cpu, task))
        return 0;
    struct live *live = known_live(cpu);
    struct process *process = find_process(task->tgid);
    struct k_sigaction *action = (struct k_sigaction *)context[2];
    u64 handler = (u64)action->sa.sa_handler;
    if (!live || !process || handler <= SIG_IGN)
        return 0;
    if (live->handler_depth) {
        live->handler_depth += 1;
        return 0;
    }
    if ((int)context[0] != SIGPROF || handler != process->handler)
        return 0;
    live->is_pending = 0;
    /* Where calls are not seen, the end of the handler is not seen either. */
    live->handler_depth = s->has_calls != 0;
    u32 epoch = live->epoch;
    live->epoch += s->has_calls == 0;
    struct record *record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
    if (!record) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    fill(record, task, epoch, RECORD_DELIVERY);
    bpf_ringbuf_submit(record, 0);
    return 0;
}

/* ---- ticks and faults ------------------------------------------------------------------------- */

/* No end follows this call, and so no signal. */
static __always_inline u32 is_last_call(s32 call) {
    return call == CALL_EXIT || call == CALL_EXIT_GROUP;
}

/* The current thread, in kernel mode, is inside a system call or on its way into one. */
static __always_inline u32 is_before_end_of_call(struct settings *s, struct live *live) {
    if (live->is_in_call)
        return !is_last_call(live->call);
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    if (!s->has_calls || !regs || !REGS_IS_ENTERING(regs))
        return 0;
    live->is_entering = 1;
    return 1;
}

static __always_inline int sample_current(struct settings *s, struct task_struct *task, void *context, u16 kind,
                                          u64 weight, u32 place) {
    struct cpu *cpu = this_cpu();
    struct process *process = find_process(task->tgid);
    if (!cpu || !process || !is_current_observed(s, cpu, task))
        return 0;
    struct live *live = live_of_current(cpu);
    if (!live)
        return 0;
    struct event_with_stack *with_stack = bpf_ringbuf_reserve(&records, sizeof(*with_stack), 0);
    if (!with_stack) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        if (kind == RECORD_TICK)
            add_count(COUNT_DROPPED_TICK_NS, weight);
        return 0;
    }
    struct event *event = &with_stack->event;
    clear_details(event);
    s64 size = bpf_get_stack(context, with_stack->kernel_frames, sizeof(with_stack->kernel_frames), 0);
    u32 is_kernel_mode = size > 0;
    /* In user mode again, and the last signal has not arrived: its events stay without an answer. */
    u32 has_moved_on = !is_kernel_mode || !s->has_calls;
    if (has_moved_on && !live->handler_depth && live->is_pending && live->pending_epoch == live->epoch)
        live->epoch += 1;
    fill(&event->record, task, live->epoch, kind);
    event->record.is_kernel_mode = is_kernel_mode;
    event->weight = weight;
    event->kernel_frame_count = is_kernel_mode ? (u64)size / 8 : 0;
    if (live->is_in_call)
        event->call = live->call;
    u32 is_signalled = process->handler && !live->handler_depth;
    if (is_kernel_mode && is_signalled && is_before_end_of_call(s, live)) {
        live->is_stack_wanted = 1;
        event->record.request = REQUEST_DEFERRED;
    } else if (live->is_in_call && is_last_call(live->call)) {
        event->record.request = copy_stack(live->epoch, place, RECORD_USER_STACK);
        live->epoch += 1;
    } else {
        u32 request = ask_for_stack(s, live, place);
        event->record.request = request;
        live->epoch += request == REQUEST_COPIED;
    }
    bpf_ringbuf_submit(with_stack, 0);
    return 0;
}

/*
 * The weight of a tick: the CPU time of observed threads on this CPU since the tick before. On a busy
 * machine that varies less than counting whole periods. A tick stands for a few periods at most, so
 * that ticks which fail to come show as CPU time that no sample covers. Where others have the CPU most
 * of the time, what gathers until a tick meets an observed thread is spread exponentially around one
 * period: a limit of 4 would cut off 2 % of it, this one a thousandth of that.
 */
#define MAX_PERIODS 11

static __always_inline u64 take_unsampled(u64 period) {
    u32 zero = 0;
    struct cpu *cpu = bpf_map_lookup_elem(&cpus, &zero);
    if (!cpu)
        return period;
    u64 now = bpf_ktime_get_ns();
    if (cpu->marked_ns) {
        cpu->unsampled_ns += now - cpu->marked_ns;
        cpu->marked_cpu_ns += now - cpu->marked_ns;
    } else {
        /* The thread has run here since before we looked. */
        struct task_struct *task = bpf_get_current_task_btf();
        cpu->marked_cpu_ns = task->se.sum_exec_runtime;
        cpu->unsampled_ns += period;
    }
    cpu->marked_ns = now;
    u64 weight = cpu->unsampled_ns < MAX_PERIODS * period ? cpu->unsampled_ns : MAX_PERIODS * period;
    cpu->unsampled_ns = 0;
    return weight;
}

/* A switch gives the scheduler's own figure, which leaves out what the hypervisor took. */
static __always_inline void mark_out(struct task_struct *task) {
    u32 zero = 0;
    struct cpu *cpu = bpf_map_lookup_elem(&cpus, &zero);
    if (!cpu || !cpu->marked_ns)
        return;
    u64 total = cpu->unsampled_ns + task->se.sum_exec_runtime;
    cpu->unsampled_ns = total > cpu->marked_cpu_ns ? total - cpu->marked_cpu_ns : 0;
    cpu->marked_ns = 0;
}

static __always_inline void mark_in(struct task_struct *task, u64 now) {
    u32 zero = 0;
    struct cpu *cpu = bpf_map_lookup_elem(&cpus, &zero);
    if (!cpu)
        return;
    cpu->marked_ns = now;
    cpu->marked_cpu_ns = task->se.sum_exec_runtime;
}

SEC("perf_event")
int on_tick(void *context) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct settings *s = the_settings();
    if (!s || !is_observed(s, task->tgid))
        return 0;
    u64 period = *(u64 *)(context + PERIOD_OFFSET);
    return sample_current(s, task, context, RECORD_TICK, take_unsampled(period), 1);
}

SEC("perf_event")
int on_fault(void *context) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct settings *s = the_settings();
    if (!s || !is_observed(s, task->tgid))
        return 0;
    return sample_current(s, task, context, RECORD_FAULTS, s->intervals[RECORD_FAULTS], 0);
}

/* ---- waiting ---------------------------------------------------------------------------------- */

static __always_inline u32 state_of_file(u32 kind) {
    switch (kind) {
    case FILE_SOCKET: return STATE_SOCKET;
    case FILE_PIPE: return STATE_PIPE;
    case FILE_REGULAR:
    case FILE_DIRECTORY:
    case FILE_BLOCK_DEVICE: return STATE_FILE;
    default: return STATE_OTHER;
    }
}

/* Why a thread stops executing that is not merely preempted. */
static __always_inline u32 wait_of(struct settings *s, struct live *live, struct task_struct *task) {
    /* Where calls are not seen, nothing tells one wait from another. */
    if (!s->has_calls)
        return STATE_OTHER;
    if (!live->is_in_call)
        return STATE_PAGE_FAULT;
    u8 facts = s->calls[live->call & (MAX_CALLS - 1)];
    u32 wait = facts & CALL_WAIT_MASK;
    if (wait)
        return wait;
    if (!(facts & CALL_HAS_DESCRIPTOR))
        return STATE_OTHER;
    struct open_file file = {};
    look_up_file(task, live->descriptor, &file);
    return state_of_file(file.kind);
}

static __always_inline void leave_state(struct thread *thread, u64 now) {
    u32 state = thread->state;
    u64 since = thread->state_since_ns;
    if (state >= STATE_COUNT || now < since)
        return;
    if (state != STATE_ON_CPU && state != STATE_PREEMPTION && thread->woken_ns >= since && thread->woken_ns <= now) {
        thread->state_ns[state] += thread->woken_ns - since;
        thread->state_ns[STATE_RUN_QUEUE] += now - thread->woken_ns;
    } else {
        thread->state_ns[state] += now - since;
    }
}

static __always_inline void enter_state(struct thread *thread, u32 state, u64 now) {
    thread->state = state;
    thread->state_since_ns = now;
}

static __noinline int tell_life(struct task_struct *task, struct thread *thread, u32 kind) {
    struct thread_life *life = bpf_ringbuf_reserve(&records, sizeof(*life), 0);
    if (!life || !task || !thread) {
        if (life)
            bpf_ringbuf_discard(life, 0);
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    fill(&life->record, task, thread->epoch, kind);
    life->namespaced_id = thread->namespaced_id;
    life->parent_process_id = 0;
    life->cpu_ns = task->se.sum_exec_runtime;
    life->user_ns = task->utime;
    life->system_ns = task->stime;
    life->start_ns = task->start_time;
    life->voluntary_switches = task->nvcsw;
    life->involuntary_switches = task->nivcsw;
    life->minor_faults = task->min_flt;
    life->major_faults = task->maj_flt;
#pragma unroll
    for (int state = 0; state < STATE_COUNT; state++)
        life->state_ns[state] = thread->state_ns[state];
    bpf_probe_read_kernel(life->name, sizeof(life->name), task->comm);
    bpf_ringbuf_submit(life, 0);
    return 0;
}

/* A thread is about to wait for a page: the one wait that no system call's end follows. Whether it is
 * sampled is decided now, with a chance in proportion to the mean length of such waits. */
static __always_inline void begin_fault_wait(struct settings *s, struct thread *thread, struct live *live,
                                             u32 process_id) {
    u32 zero = 0;
    struct cpu *cpu = bpf_map_lookup_elem(&cpus, &zero);
    struct process *process = find_process(process_id);
    u64 mean = cpu && cpu->mean_fault_wait_ns ? cpu->mean_fault_wait_ns : 1;
    u64 multiple = s->intervals[RECORD_BLOCKED] / mean;
    thread->fault_wait_multiple = 0;
    if (!s->intervals[RECORD_BLOCKED])
        return;
    if (!multiple)
        multiple = 1;
    if (multiple > 1000)
        multiple = 1000;
    if (bpf_get_prandom_u32() % multiple != 0)
        return;
    thread->fault_wait_multiple = multiple;
    if (process && process->handler)
        ask_for_stack(s, live, 0);
}

/* Who executed here and stops it now keeps its own. */
static __always_inline void keep(struct cpu *cpu, struct task_struct *task) {
    struct live *kept = cpu->is_known ? bpf_task_storage_get(&lives, task, 0, 0) : 0;
    if (kept)
        *kept = cpu->live;
}

static __always_inline void switch_out(struct settings *s, struct cpu *cpu, u64 *context, u64 now) {
    struct task_struct *task = (struct task_struct *)context[1];
    u64 is_preempted = context[0];
    u32 thread_id = task->pid;
    mark_out(task);
    struct thread *thread = find_thread(thread_id);
    if (!thread)
        return;
    u32 task_state = task->__state;
    leave_state(thread, now);
    if (task_state & TASK_DEAD) {
        tell_life(task, thread, RECORD_THREAD_END);
        bpf_map_delete_elem(&threads, &thread_id);
        return;
    }
    struct live *live = known_live(cpu);
    if (live) {
        thread->epoch = live->epoch;
        thread->is_in_call = live->is_in_call;
        thread->call = live->call;
    }
    if (is_preempted || task_state == 0 || !live) {
        enter_state(thread, is_preempted || task_state == 0 ? STATE_PREEMPTION : STATE_OTHER, now);
        return;
    }
    enter_state(thread, wait_of(s, live, task), now);
    if (!live->is_in_call && !(task_state & TASK_INTERRUPTIBLE))
        begin_fault_wait(s, thread, live, task->tgid);
}

static __noinline int tell_wait(struct task_struct *task, struct thread *thread, u64 weight) {
    struct event_with_stack *with_stack = bpf_ringbuf_reserve(&records, sizeof(*with_stack), 0);
    if (!with_stack || !task || !thread) {
        if (with_stack)
            bpf_ringbuf_discard(with_stack, 0);
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    struct event *event = &with_stack->event;
    clear_details(event);
    fill(&event->record, task, thread->epoch, RECORD_BLOCKED);
    event->record.request = thread->is_in_call ? REQUEST_DEFERRED : REQUEST_SENT;
    event->weight = weight;
    event->reason = thread->state;
    event->call = thread->is_in_call ? thread->call : -1;
    s64 size = bpf_get_task_stack(task, with_stack->kernel_frames, sizeof(with_stack->kernel_frames), 0);
    event->kernel_frame_count = size > 0 ? (u64)size / 8 : 0;
    bpf_ringbuf_submit(with_stack, 0);
    return 0;
}

static __always_inline u64 fault_wait_weight(struct thread *thread, u64 waited) {
    u32 zero = 0;
    struct cpu *cpu = bpf_map_lookup_elem(&cpus, &zero);
    if (cpu)
        cpu->mean_fault_wait_ns += (waited >> 4) - (cpu->mean_fault_wait_ns >> 4);
    u64 weight = waited * thread->fault_wait_multiple;
    thread->fault_wait_multiple = 0;
    return weight;
}

/* The weight of the wait that ends now, 0 if it is not sampled. */
static __always_inline u64 wait_weight(struct settings *s, struct thread *thread, u64 now) {
    u32 zero = 0, state = thread->state;
    u64 since = thread->state_since_ns;
    struct triggers *on_cpu = bpf_map_lookup_elem(&triggers, &zero);
    if (!on_cpu || state == STATE_ON_CPU || state == STATE_PREEMPTION || state == STATE_RUN_QUEUE || now <= since)
        return 0;
    u64 until = thread->woken_ns >= since && thread->woken_ns <= now ? thread->woken_ns : now;
    if (!thread->is_in_call)
        return fault_wait_weight(thread, until - since);
    return reach(s, on_cpu, RECORD_BLOCKED, until - since);
}

static __always_inline void switch_in(struct settings *s, struct cpu *cpu, struct task_struct *task, u64 now) {
    take_in(cpu, task);
    mark_in(task, now);
    struct thread *thread = find_thread(task->pid);
    if (!thread)
        return;
    leave_state(thread, now);
    u64 weight = wait_weight(s, thread, now);
    struct live *live = known_live(cpu);
    /* What the profiler's handler waits for is not the program's. */
    if (weight && live && !live->handler_depth) {
        if (live->is_in_call) {
            live->is_stack_wanted = 1;
            live->is_copy_wanted = now - thread->state_since_ns > LONG_WAIT_NS;
        }
        tell_wait(task, thread, weight);
    }
    enter_state(thread, STATE_ON_CPU, now);
}

SEC("tp_btf/sched_switch")
int on_switch(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    struct task_struct *next = (struct task_struct *)context[2];
    if (!s || !cpu)
        return 0;
    u32 was_observed = is_current_observed(s, cpu, (struct task_struct *)context[1]);
    cpu->is_observed = is_observed(s, next->tgid);
    cpu->registers = 0;
    if (!was_observed && !cpu->is_observed)
        return 0;
    u64 now = bpf_ktime_get_ns();
    if (was_observed) {
        switch_out(s, cpu, context, now);
        keep(cpu, (struct task_struct *)context[1]);
    }
    if (cpu->is_observed)
        switch_in(s, cpu, next, now);
    return 0;
}

static __always_inline int wake(struct task_struct *task) {
    struct settings *s = the_settings();
    if (!s || !is_observed(s, task->tgid))
        return 0;
    struct thread *thread = find_thread(task->pid);
    if (thread)
        thread->woken_ns = bpf_ktime_get_ns();
    return 0;
}

SEC("tp_btf/sched_wakeup")
int on_wakeup(u64 *context) {
    return wake((struct task_struct *)context[0]);
}

/* ---- processes and threads come and go --------------------------------------------------------- */

SEC("tp_btf/sched_process_fork")
int on_fork(u64 *context) {
    struct settings *s = the_settings();
    struct task_struct *parent = (struct task_struct *)context[0];
    struct task_struct *child = (struct task_struct *)context[1];
    if (!s || !is_observed(s, parent->tgid))
        return 0;
    u32 process_id = child->tgid;
    u32 is_new_process = child->tgid != parent->tgid;
    if (is_new_process) {
        if (!s->follows)
            return 0;
        struct process new = {};
        bpf_map_update_elem(&processes, &process_id, &new, MAP_ANY);
    }
    struct thread *thread = add_thread(child->pid, process_id, namespaced_id(child), STATE_RUN_QUEUE);
    if (thread) {
        struct thread_life *life = bpf_ringbuf_reserve(&records, sizeof(*life), 0);
        if (!life) {
            add_count(COUNT_DROPPED_RECORDS, 1);
            return 0;
        }
        __builtin_memset(life, 0, sizeof(*life));
        fill(&life->record, child, 0, RECORD_THREAD_START);
        life->namespaced_id = thread->namespaced_id;
        life->parent_process_id = is_new_process ? parent->tgid : 0;
        life->start_ns = child->start_time;
        bpf_probe_read_kernel(life->name, sizeof(life->name), child->comm);
        bpf_ringbuf_submit(life, 0);
    }
    return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(u64 *context) {
    struct settings *s = the_settings();
    struct task_struct *task = bpf_get_current_task_btf();
    if (!s || !is_observed(s, task->tgid))
        return 0;
    struct process *process = find_process(task->tgid);
    if (!process)
        return 0;
    /* Another program now: nothing is confirmed about it. */
    process->handler = 0;
    process->seen_handler = 0;
    files_generation += 1;
    struct cpu *cpu = this_cpu();
    if (!cpu || !is_current_observed(s, cpu, task))
        return 0;
    struct live *live = known_live(cpu);
    /* Whichever thread calls exec takes over the id of the process's first one. */
    cpu->thread_id = task->pid;
    if (live) {
        live->handler_depth = 0;
        live->is_pending = 0;
    }
    struct record *record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
    if (!record) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    fill(record, task, live ? live->epoch : 0, RECORD_EXEC);
    bpf_ringbuf_submit(record, 0);
    return 0;
}

/* Neither the end of its call nor a signal is left to this thread; its memory is still there. */
SEC("tp_btf/sched_process_exit")
int on_exit(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    struct task_struct *task = bpf_get_current_task_btf();
    if (!s || !cpu || !is_observed(s, task->tgid))
        return 0;
    struct live *live = known_live(cpu);
    if (live && live->is_stack_wanted)
        copy_stack(live->epoch, 0, RECORD_USER_STACK);
    return 0;
}
