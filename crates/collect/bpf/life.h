/* This file observes starts and ends of processes and threads. */
#ifndef WHITTLE_LIFE_H
#define WHITTLE_LIFE_H

#include "stacks.h"

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
        struct process new = {.thread_count = 1};
        if (bpf_map_update_elem(&processes, &process_id, &new, MAP_ANY) != 0) {
            add_count(COUNT_FULL_TABLES, 1);
            return 0;
        }
    } else {
        struct process *process = find_process(process_id);
        if (process && process->thread_count)
            __sync_fetch_and_add(&process->thread_count, 1);
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
    /* The process executes another program from now on, so its handler is not confirmed. */
    process->handler = 0;
    process->seen_handler = 0;
    __sync_fetch_and_add(&files_generation, 1);
    /* The thread that calls exec gets the id of the process's first thread. The first thread has ended. */
    u32 old_id = (u32)context[1], thread_id = task->pid;
    if (!find_thread(thread_id))
        add_thread(thread_id, task->tgid, namespaced_id(task), STATE_ON_CPU);
    if (old_id != thread_id)
        bpf_map_delete_elem(&threads, &old_id);
    struct cpu *cpu = this_cpu();
    if (!cpu || !is_current_observed(s, cpu, task))
        return 0;
    struct live *live = known_live(cpu);
    identify(cpu, task);
    if (live) {
        live->handler_depth = 0;
        live->is_pending = 0;
        /* The new program has another stack. */
        live->outermost_wait = 0;
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

/* The thread does not return from its call and handles no more signals, but its memory still exists. */
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

#endif
