/* This file finds out which threads are observed, and what each thread does. */
#ifndef WHITTLE_THREADS_H
#define WHITTLE_THREADS_H

#include "maps.h"

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
        add_count(COUNT_FULL_TABLES, 1);
    return thread;
}

static __always_inline struct cpu *this_cpu(void) {
    u32 zero = 0;
    return bpf_map_lookup_elem(&cpus, &zero);
}

/* Notes which thread executes on this CPU. */
static __always_inline void identify(struct cpu *cpu, struct task_struct *task) {
    cpu->thread_id = task->pid;
    cpu->thread = (u64)task->pid << 32 | (u32)task->start_time;
}

/* Records the thread as the thread that executes on this CPU. */
static __always_inline void take_in(struct cpu *cpu, struct task_struct *task) {
    struct live *kept = bpf_task_storage_get(&lives, task, 0, 0);
    cpu->task = (u64)task;
    identify(cpu, task);
    cpu->is_known = kept != 0;
    if (kept)
        cpu->live = *kept;
}

/* Finds the thread that executes on this CPU, after a switch or a change of the settings. */
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

/* True if the current thread is observed. The first function is for system calls, the second for all other places. */
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

/* Gives the current thread a value in `lives`. */
static __noinline int make_known(struct cpu *cpu) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct live nothing = {};
    if (!cpu)
        return 0;
    u32 thread_id = task->pid;
    struct thread *thread = find_thread(thread_id);
    if (!thread) {
        thread = add_thread(thread_id, task->tgid, namespaced_id(task), STATE_ON_CPU);
        if (thread)
            thread->is_old = 1;
    }
    if (thread)
        nothing.outermost_wait = thread->is_old;
    if (!bpf_task_storage_get(&lives, task, 0, STORAGE_CREATE)) {
        add_count(COUNT_UNKNOWN_THREADS, 1);
        return 0;
    }
    cpu->live = nothing;
    cpu->is_known = 1;
    return 0;
}

/* The activity of the current thread, which is observed; 0: the thread was not seen before. */
static __always_inline struct live *known_live(struct cpu *cpu) {
    return cpu->is_known ? &cpu->live : 0;
}

/* The activity of the current thread, which is observed. A new thread becomes known. */
static __always_inline struct live *live_of_current(struct cpu *cpu) {
    if (!cpu->is_known)
        make_known(cpu);
    return known_live(cpu);
}

#endif
