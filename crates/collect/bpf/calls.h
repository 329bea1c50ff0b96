/* This file keeps exact accounts of system calls, and samples calls when they end. */
#ifndef WHITTLE_CALLS_H
#define WHITTLE_CALLS_H

#include "entry.h"
#include "files.h"
#include "marks.h"
#include "requests.h"
#include "handlers.h"
#include "stacks.h"

/* Positions of the highest bit. The index is the top six bits of a product: the number with all
 * lower bits set, times the constant below (a de Bruijn sequence). The code has no branches. The
 * kernel's verifier follows every path to its end, and 64 paths made loading take 0.2 s longer. */
#define HIGHEST_BIT_SEQUENCE 0x03f79d71b4cb0a89ULL
static const u8 highest_bits[64] = {
    0,  47, 1,  56, 48, 27, 2,  60, 57, 49, 41, 37, 28, 16, 3,  61, 54, 58, 35, 52, 50, 42,
    21, 44, 38, 32, 29, 23, 17, 11, 4,  62, 46, 55, 26, 59, 40, 36, 15, 53, 34, 51, 20, 43,
    31, 22, 10, 45, 25, 39, 14, 33, 19, 30, 9,  24, 13, 18, 8,  12, 7,  6,  5,  63,
};

static __always_inline u32 bucket_of(u64 duration_ns) {
    u64 bits = duration_ns | duration_ns >> 1;
    bits |= bits >> 2;
    bits |= bits >> 4;
    bits |= bits >> 8;
    bits |= bits >> 16;
    bits |= bits >> 32;
    u32 bucket = highest_bits[(bits * HIGHEST_BIT_SEQUENCE) >> 58];
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

/* Returns a free row for a new account, or 0 if no row is free. */
static __always_inline u32 new_row(void) {
    u32 row = 0;
    if (bpf_map_pop_elem(&free_rows, &row) == 0)
        return row;
    /* This check comes first, so the counter cannot overflow. */
    if (unused_row >= MAX_ACCOUNTS)
        return 0;
    row = __sync_fetch_and_add(&unused_row, 1);
    return row < MAX_ACCOUNTS ? row : 0;
}

/* Returns the row of an account. Creates the account if it does not exist. Returns 0 if there is no room.
 * Only the current thread looks up its own accounts, so no other thread creates the same account meanwhile. */
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
    else if (key->file_kind && key->inode) {
        live->file_rows += 1;
        tell_file(live->descriptor, &live->file);
    }
    return row;
}

static __always_inline struct account *unlisted_account(u32 call) {
    return bpf_map_lookup_elem(&unlisted, &call);
}

/* Emits an event for a call that has just returned. */
static __always_inline void emit_call(u32 epoch, u16 kind, u64 weight, struct event *details, u32 request) {
    struct event *event = bpf_ringbuf_reserve(&records, sizeof(*event), 0);
    if (!event) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return;
    }
    *event = *details;
    fill(&event->record, bpf_get_current_task_btf(), epoch, kind);
    event->record.time_ns = details->record.time_ns;
    event->record.request = request;
    event->weight = weight;
    bpf_ringbuf_submit(event, 0);
}

/* The weights of a call's events by kind; 0: the call has no event of this kind. */
struct reached {
    u64 calls;
    u64 bytes;
    u64 time;
    /* When the call ended. */
    u64 end_ns;
};

/* The function is not static, so the kernel verifies it once, and not again for each path that calls it. */
__noinline int sample_call(struct live *live, struct reached *reached, s64 result, u64 duration_ns) {
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
    details.record.time_ns = reached->end_ns;
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
    /* A copied stack answers earlier events, but not later events. */
    live->epoch += request == REQUEST_COPIED;
    return 0;
}

/* Finds the account of the call that has ended, and notes its row in `recent`. */
static __noinline u32 look_up_row(struct cpu *cpu, struct recent_row *recent, struct open_file *file) {
    if (!cpu || !recent || !file)
        return 0;
    struct live *live = &cpu->live;
    struct account_key key = {.thread_id = cpu->thread_id, .call = live->call};
    key.inode = file->inode;
    key.device = file->device;
    key.file_kind = file->kind;
    if (key.inode && live->file_rows >= MAX_FILE_ROWS && !bpf_map_lookup_elem(&accounts, &key)) {
        key.inode = 0;
        key.device = 0;
    }
    u32 row = find_row(&key, live);
    recent->thread = cpu->thread;
    recent->inode = file->inode;
    recent->device = file->device;
    recent->kind = file->kind;
    recent->call = live->call;
    recent->row = row;
    return row;
}

/* Returns the account of the call. Most calls are repeated soon by the same thread. */
static __always_inline struct account *account_of(struct cpu *cpu, struct live *live, u32 has_file) {
    struct open_file none = {};
    if (has_file)
        refresh_file(live);
    struct open_file *file = has_file ? &live->file : &none;
    u64 number = (((u64)cpu->thread_id << 32) + ((u64)file->device << 10) + (u32)live->call) * GOLDEN_RATIO ^ file->inode;
    u32 index = ((number * GOLDEN_RATIO) >> 40) & (RECENT_ROWS - 1);
    struct recent_row *recent = bpf_map_lookup_elem(&recent_rows, &index);
    if (!recent)
        return unlisted_account(live->call);
    u32 row = recent->row;
    if (!row || recent->thread != cpu->thread || recent->call != (u32)live->call || recent->inode != file->inode ||
        recent->device != file->device || recent->kind != file->kind)
        row = look_up_row(cpu, recent, file);
    return row ? bpf_map_lookup_elem(&account_rows, &row) : unlisted_account(live->call);
}

/* The call changes to which file a descriptor refers. */
static __always_inline void change_files(struct live *live) {
    if (live->call == CALL_CLOSE || live->call == CALL_BIND || live->call == CALL_CONNECT || live->call == CALL_LISTEN)
        __sync_fetch_and_add(&descriptor_generations[live->descriptor & (DESCRIPTOR_GROUPS - 1)], 1);
    else
        __sync_fetch_and_add(&files_generation, 1);
}

/* Adds a call that has ended to its exact account. Requests a stack if an event of the call needs a stack. */
static __always_inline void end_call(struct settings *s, struct cpu *cpu, struct live *live, s64 result) {
    u64 now = bpf_ktime_get_ns();
    u64 duration_ns = now - live->call_start_ns;
    u32 zero = 0;
    u8 facts = s->calls[live->call & (MAX_CALLS - 1)];
    u64 bytes = (facts & CALL_MOVES_BYTES) && result > 0 ? result : 0;
    if (s->has_accounts && !live->is_mark) {
        struct account *account = account_of(cpu, live, facts & CALL_HAS_DESCRIPTOR);
        if (account)
            add_call(account, duration_ns, bytes, result < 0 && result >= -MAX_ERRNO);
        if (bytes && (facts & CALL_HAS_DESCRIPTOR) && is_of_client(&live->file))
            follow_request(s, live, bytes, now);
        if (is_accept(live->call) && result >= 0)
            end_connection(live, result);
    }
    if (facts & CALL_CHANGES_FILES)
        change_files(live);
    struct triggers *on_cpu = bpf_map_lookup_elem(&triggers, &zero);
    if (!on_cpu || (live->is_mark && !live->is_stack_wanted))
        return;
    if (live->is_mark) {
        struct reached nothing = {.end_ns = now};
        sample_call(live, &nothing, result, duration_ns);
        return;
    }
    struct reached reached = {
        .end_ns = now,
        .calls = reach(s, on_cpu, RECORD_CALLS, 1),
        .bytes = reach(s, on_cpu, RECORD_BYTES, bytes),
        /* Most of the time of long calls is the waiting of threads without work. */
        .time = duration_ns < LONG_CALL_NS
                    ? reach(s, on_cpu, RECORD_CALL_TIME, duration_ns)
                    : reach_long(s, live, bpf_get_current_task_btf(), RECORD_CALL_TIME, duration_ns, now),
    };
    if (reached.calls | reached.bytes | reached.time | live->is_stack_wanted)
        sample_call(live, &reached, result, duration_ns);
}

/*
 * A signal can end a call with a request to repeat it. The program does not see this result. If a handler runs for the
 * signal, the result can become EINTR (`on_signal`). If no handler runs, the kernel repeats the call: both are one call
 * of the program.
 */
static __always_inline u32 is_request_to_repeat(s64 result) {
    return result == -ERESTARTSYS || result == -ERESTARTNOINTR || result == -ERESTARTNOHAND ||
           result == -ERESTART_RESTARTBLOCK;
}

/* True if the call that begins is the repetition of the last call. */
static __always_inline u32 is_repeated(struct live *live, s32 call) {
    u32 was_requested = live->repeat != 0;
    live->repeat = 0;
    return was_requested && (call == live->call || call == CALL_RESTART);
}

/* A call of a 32-bit program. Its number means another call, so it is only counted. */
static __always_inline void count_compat_call(struct cpu *cpu) {
    struct live *live = live_of_current(cpu);
    add_count(COUNT_COMPAT_CALLS, 1);
    if (!live)
        return;
    live->is_in_call = 0;
    live->entry = 0;
    live->repeat = 0;
    live->epoch += 1;
}

/* The current thread, which is observed, starts a call. */
static __always_inline void start_call(struct settings *s, struct cpu *cpu, struct pt_regs *regs, s32 call, u32 descriptor) {
    struct live *live = live_of_current(cpu);
    if (!live)
        return;
    if (live->handler_depth)
        end_left_handler(live);
    /* The tick was on the way into this call, also if the kernel repeats the call. It says nothing about later calls. */
    u32 was_entering = live->entry && live->entry == entry_of(regs);
    live->entry = 0;
    if (is_repeated(live, call)) {
        live->is_in_call = 1;
        return;
    }
    live->call = call;
    live->descriptor = descriptor;
    live->request_number += leaves_request(call);
    if (!live->handler_depth && !was_entering) {
        live->epoch += 1;
        live->is_stack_wanted = 0;
    }
    live->is_in_call = 1;
    /* The descriptor becomes free before the call returns, and another thread can get it. */
    if (s->calls[live->call & (MAX_CALLS - 1)] & CALL_CHANGES_FILES) {
        if (s->has_accounts)
            end_connection_of_call(live, regs);
        change_files(live);
    }
    live->call_start_ns = bpf_ktime_get_ns();
    live->is_mark = call == CALL_PROCESS_CONTROL && s->has_marks && REGS_FIRST(regs) == MARK;
    if (live->is_mark)
        follow_mark(s, live, regs, live->call_start_ns);
}

/* Only the ends of calls are observed, and a tick has marked a call of the current thread. A call of this thread returns. */
static __noinline int end_marked_call(struct settings *s, struct live *live, s64 result) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    if (!s || !live || !regs || is_request_to_repeat(result))
        return 0;
    u32 is_marked = live->entry == call_place(regs);
    live->entry = 0;
    live->is_stack_wanted = 0;
    if (!is_marked || ask_for_stack(s, live, 0) == REQUEST_COPIED)
        live->epoch += 1;
    return 0;
}

/* A call of the current thread, which is observed, returns. */
static __always_inline void return_from_call(struct settings *s, struct cpu *cpu, s64 result) {
    struct live *live = known_live(cpu);
    if (!live)
        return;
    if (!s->has_calls) {
        if (live->entry)
            end_marked_call(s, live, result);
        return;
    }
    if (!live->is_in_call)
        return;
    live->is_in_call = 0;
    live->entry = 0;
    if (live->handler_depth) {
        if (live->call == CALL_SIGNAL_RETURN)
            return_from_handler(live);
        return;
    }
    if (is_request_to_repeat(result)) {
        live->repeat = -result - REPEAT_BASE;
        return;
    }
    /* This call does not return. The result is the register that the signal interrupted. */
    end_call(s, cpu, live, live->call == CALL_SIGNAL_RETURN ? 0 : result);
}

/*
 * Two pairs of programs observe calls, and only one pair is attached. Raw tracepoints cost less. But from Linux 7.2 on,
 * a program at a raw tracepoint of a system call can be preempted, and the kernel does not run the same program for
 * another thread on this CPU meanwhile. Classic tracepoints run their programs without preemption. The kernel never
 * runs a classic program and a tick's program at the same time on one CPU, so it skips a tick inside such a program.
 * The CPU's next tick then has the weight of both.
 */

SEC("tp_btf/sys_enter")
int on_call_start(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    if (!s || !cpu || !is_caller_observed(s, cpu, context[0]))
        return 0;
    struct pt_regs *regs = (struct pt_regs *)context[0];
    if (REGS_IS_COMPAT(regs))
        count_compat_call(cpu);
    else
        start_call(s, cpu, regs, context[1], REGS_DESCRIPTOR(regs));
    return 0;
}

SEC("tp_btf/sys_exit")
int on_call_end(u64 *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    if (s && cpu && is_caller_observed(s, cpu, context[0]))
        return_from_call(s, cpu, context[1]);
    return 0;
}

/* The data of the classic tracepoints, as in `events/raw_syscalls` of tracefs. */
struct classic_start {
    u64 common;
    s64 call;
    u64 arguments[6];
};

struct classic_end {
    u64 common;
    s64 call;
    s64 result;
};

/* A classic tracepoint does not give the address of the registers, so the thread's address identifies the thread. */
SEC("tracepoint/raw_syscalls/sys_enter")
int on_classic_start(struct classic_start *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    struct task_struct *task = bpf_get_current_task_btf();
    if (!s || !cpu || !is_caller_observed(s, cpu, (u64)task))
        return 0;
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    if (!regs)
        return 0;
    if (REGS_IS_COMPAT(regs))
        count_compat_call(cpu);
    else
        start_call(s, cpu, regs, context->call, context->arguments[0]);
    return 0;
}

SEC("tracepoint/raw_syscalls/sys_exit")
int on_classic_end(struct classic_end *context) {
    struct settings *s = the_settings();
    struct cpu *cpu = this_cpu();
    if (s && cpu && is_caller_observed(s, cpu, (u64)bpf_get_current_task_btf()))
        return_from_call(s, cpu, context->result);
    return 0;
}

#endif
