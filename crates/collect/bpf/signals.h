/* This file observes when the profiler's signal handler begins to run. */
#ifndef WHITTLE_SIGNALS_H
#define WHITTLE_SIGNALS_H

#include "emit.h"

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
    /* If system calls are not observed, the end of the handler is not seen. */
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

#endif
