/* This file keeps the states of threads, and samples waits. */
#ifndef WHITTLE_WAITS_H
#define WHITTLE_WAITS_H

#include "amounts.h"
#include "files.h"
#include "items.h"
#include "states.h"
#include "stacks.h"
#include "ticks.h"
#include "virtual.h"

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

/* True if a signal, a debugger or a freezer stops the thread. */
static __always_inline u32 is_stopped(struct task_struct *task, u32 task_state) {
    if (task_state & (TASK_STOPPED | TASK_TRACED | TASK_FROZEN))
        return 1;
    return (task_state & TASK_INTERRUPTIBLE) && (task->jobctl & JOBCTL_TRAP_FREEZE);
}

/*
 * Returns why a thread waits outside of system calls. The wait is for a page, unless the kernel finishes a call or ends
 * the thread, or delays the thread at the limit memory.high. This delay ends at once if the thread is killed, and it is
 * not for a device. The kernel marks it only if it measures pressure (PSI), which can be off (`psi=0`). Without PSI it cannot
 * be told from a wait for the lock of the address space.
 */
static __always_inline u32 wait_outside_calls(struct settings *s, struct task_struct *task, u32 task_state) {
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    u32 is_delay = (task_state & TASK_WAKEKILL) && !BPF_CORE_READ_BITFIELD(task, in_iowait);
    if (is_delay && (!s->has_pressure || !bpf_core_field_exists(task->in_memstall)))
        return STATE_OTHER;
    if (is_delay && BPF_CORE_READ_BITFIELD(task, in_memstall))
        return STATE_MEMORY_LIMIT;
    if ((task->flags & PF_EXITING) || (regs && REGS_IS_OF_CALL(regs)))
        return STATE_OTHER;
    return STATE_PAGE_FAULT;
}

/* Looks up the file that the current thread, which stops executing, waits for. */
static __always_inline void look_up_wait_file(struct live *live, u32 descriptor) {
    live->descriptor = descriptor;
    refresh_file(live);
    live->has_wait_file = 1;
}

/* `poll` is often called for one descriptor, such as the JVM's reads with a timeout. */
static __noinline int look_up_polled_file(struct live *live) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
    u32 descriptor = 0;
    if (!live || !regs || REGS_SECOND(regs) != 1)
        return 0;
    if (bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)REGS_FIRST(regs)) == 0)
        look_up_wait_file(live, descriptor);
    return 0;
}

/* Returns why a thread stops executing, if the thread was not preempted. Notes the file that the thread waits for. */
static __always_inline u32 wait_of(struct settings *s, struct live *live, struct task_struct *task, u32 task_state) {
    live->has_wait_file = 0;
    if (is_stopped(task, task_state))
        return STATE_STOPPED;
    /* If system calls are not observed, the reason for the wait is unknown. */
    if (!s->has_calls)
        return STATE_OTHER;
    if (!live->is_in_call)
        return wait_outside_calls(s, task, task_state);
    u8 facts = s->calls[live->call & (MAX_CALLS - 1)];
    u32 wait = facts & CALL_WAIT_MASK;
    if (live->call == CALL_POLL)
        look_up_polled_file(live);
    if (wait)
        return wait;
    if (!(facts & CALL_HAS_DESCRIPTOR))
        return STATE_OTHER;
    look_up_wait_file(live, live->descriptor);
    return state_of_file(live->file.kind);
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

/* A thread is about to wait for a page. Only this wait is not followed by the end of a system call, so whittle
 * decides now whether to sample the wait. The probability is proportional to the mean length of such waits. */
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

/* A thread is about to stop. Its user stack does not change until it continues. If the kernel will repeat a call then,
 * a signal would make the program see an interrupted call. A debugger would see the signal. */
static __always_inline void begin_stop(struct settings *s, struct thread *thread, struct live *live, u32 task_state) {
    thread->fault_wait_multiple = 0;
    if (!s->intervals[RECORD_BLOCKED] || live->is_in_call)
        return;
    if (live->repeat || (task_state & TASK_TRACED)) {
        /* A later stack of this epoch is not the stack of the stop. */
        live->epoch += !live->is_pending;
        return;
    }
    thread->fault_wait_multiple = 1;
    live->epoch += ask_for_stack(s, live, 0) == REQUEST_COPIED;
}

/* Saves the `live` values of the thread that stops executing on this CPU. */
static __always_inline void keep(struct cpu *cpu, struct task_struct *task) {
    struct live *kept = cpu->is_known ? bpf_task_storage_get(&lives, task, 0, 0) : 0;
    if (kept)
        *kept = cpu->live;
}

/* Forgets a process that was observed from its start, if its last thread has ended. Its id is then free. */
static __always_inline void forget_if_last(u32 process_id) {
    struct process *process = find_process(process_id);
    if (process && process->thread_count && __sync_fetch_and_sub(&process->thread_count, 1) == 1)
        bpf_map_delete_elem(&processes, &process_id);
}

static __always_inline void switch_out(struct settings *s, struct cpu *cpu, u64 *context, u64 now) {
    struct task_struct *task = (struct task_struct *)context[1];
    u64 is_preempted = context[0];
    u32 thread_id = task->pid;
    leave_cpu(&cpu->ticks, task->pid, task->se.sum_exec_runtime);
    struct thread *thread = find_thread(thread_id);
    if (!thread)
        return;
    u32 task_state = task->__state;
    leave_state(thread, task, now);
    if (task_state & TASK_DEAD) {
        tell_life(task, thread, RECORD_THREAD_END);
        bpf_map_delete_elem(&threads, &thread_id);
        if (s->has_marks)
            bpf_map_delete_elem(&parts, &thread_id);
        forget_if_last(task->tgid);
        return;
    }
    struct live *live = known_live(cpu);
    if (live) {
        thread->epoch = live->epoch;
        thread->is_in_call = live->is_in_call;
        thread->call = live->call;
    }
    if (is_preempted || task_state == 0) {
        enter_state(thread, STATE_PREEMPTION, now);
        enter_queue(thread, task);
        return;
    }
    if (!live) {
        enter_state(thread, STATE_OTHER, now);
        return;
    }
    u32 state = wait_of(s, live, task, task_state);
    enter_state(thread, state, now);
    if (state == STATE_STOPPED)
        begin_stop(s, thread, live, task_state);
    else if (!live->is_in_call && !(task_state & TASK_INTERRUPTIBLE))
        begin_fault_wait(s, thread, live, task->tgid);
}

/* Emits the wait of `task`, which is about to continue. Another thread is still the current one. */
static __noinline int tell_wait(struct task_struct *task, struct thread *thread, struct live *live, u64 weight) {
    struct event_with_stack *with_stack = bpf_ringbuf_reserve(&records, sizeof(*with_stack), 0);
    if (!with_stack || !task || !thread || !live) {
        if (with_stack)
            bpf_ringbuf_discard(with_stack, 0);
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    struct event *event = &with_stack->event;
    clear_details(event);
    fill(&event->record, task, thread->epoch, RECORD_BLOCKED);
    event->record.request = thread->is_in_call ? REQUEST_DEFERRED : REQUEST_SENT;
    if (thread->state == STATE_STOPPED && !thread->is_in_call && !thread->fault_wait_multiple)
        event->record.request = REQUEST_FAILED;
    event->weight = weight;
    event->reason = thread->state;
    event->call = thread->is_in_call ? thread->call : -1;
    if (thread->is_in_call && live->has_wait_file) {
        event->inode = live->file.inode;
        event->device = live->file.device;
        event->file_kind = live->file.kind;
    }
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

/*
 * The amount that decides whether a wait is sampled. It is the wait's length, but each doubling of a long wait adds the same
 * amount. Otherwise, threads without work, which wait long, would take nearly all samples.
 */
static __always_inline u64 amount_of_wait(u64 waited) {
    u64 ratio = waited / PROPORTIONAL_WAIT_NS, doublings = 0;
    if (!ratio)
        return waited;
#pragma unroll
    for (int bits = 16; bits; bits >>= 1) {
        if (ratio >> bits) {
            ratio >>= bits;
            doublings += bits;
        }
    }
    return PROPORTIONAL_WAIT_NS * (1 + doublings);
}

/* The weight of a wait that is sampled with the probability of its amount: its expected value is the wait's length. */
static __always_inline u64 sample_wait(struct settings *s, struct task_struct *task, struct live *live, u64 waited, u64 now) {
    u64 amount = amount_of_wait(waited);
    u64 reached = reach_long(s, live, task, RECORD_BLOCKED, amount, now);
    /* A short wait can be for a lock inside the C library's function that waits for tasks. */
    if (waited >= LONG_CALL_NS && live->is_in_call)
        note_outermost(live, task);
    if (amount == waited)
        return reached;
    /* The factor is in steps of 1/1024. The order avoids a product of more than 64 bits. */
    u64 factor = waited / (amount >> 10);
    return reached >> 30 ? (reached >> 10) * factor : (reached * factor) >> 10;
}

/* Returns the weight of the wait that ends now, or 0 if the wait is not sampled. */
static __always_inline u64 wait_weight(struct settings *s, struct task_struct *task, struct thread *thread, struct live *live,
                                       u64 now) {
    u32 state = thread->state;
    u64 since = thread->state_since_ns;
    if (state == STATE_ON_CPU || state == STATE_PREEMPTION || state == STATE_RUN_QUEUE || now <= since)
        return 0;
    /* The weight was computed when the thread was woken. */
    if (thread->waking_since_ns == since)
        return thread->waking_weight;
    u64 until = thread->woken_ns >= since && thread->woken_ns <= now ? thread->woken_ns : now;
    if (!thread->is_in_call && state != STATE_STOPPED)
        return fault_wait_weight(thread, until - since);
    return sample_wait(s, task, live, until - since, now);
}

static __always_inline void switch_in(struct settings *s, struct cpu *cpu, struct task_struct *task, u64 now) {
    take_in(cpu, task);
    mark(&cpu->ticks, task->pid, task->se.sum_exec_runtime, now);
    struct thread *thread = find_thread(task->pid);
    if (!thread)
        return;
    leave_state(thread, task, now);
    struct live *live = known_live(cpu);
    /* The profiler's handler does not work while another thread has the CPU. */
    if (live && live->handler_depth && thread->state != STATE_ON_CPU && now > thread->state_since_ns)
        live->handler_start_ns += now - thread->state_since_ns;
    /* Waits of the profiler's handler are not waits of the program. */
    u64 weight = live && !live->handler_depth ? wait_weight(s, task, thread, live, now) : 0;
    if (weight) {
        if (live->is_in_call) {
            live->is_stack_wanted = 1;
            live->is_copy_wanted = now - thread->state_since_ns > LONG_WAIT_NS;
        }
        if (live->virtual_thread)
            tell_pinned(task, thread, live);
        tell_wait(task, thread, live, weight);
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
    if (!thread)
        return 0;
    /* The thread is in a queue from now on: the kernel counts the time since now as time in the run queue, too. If its CPU was idle,
     * this is some microseconds after `sched_waking`, which belong to the wait. */
    if (thread->woken_ns < thread->state_since_ns)
        thread->woken_ns = bpf_ktime_get_ns();
    enter_queue(thread, task);
    return 0;
}

SEC("tp_btf/sched_wakeup")
int on_wakeup(u64 *context) {
    return wake((struct task_struct *)context[0]);
}

#endif
