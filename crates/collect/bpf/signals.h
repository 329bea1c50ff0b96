/* This file observes when signal handlers begin to run. */
#ifndef WHITTLE_SIGNALS_H
#define WHITTLE_SIGNALS_H

#include "calls.h"

/* True if a handler with these flags makes the program see EINTR. Otherwise the kernel repeats the call after the
 * handler, and the repeated call is counted. */
static __always_inline u32 ends_call(u32 repeat, u64 flags) {
    u32 code = repeat + REPEAT_BASE;
    return code == ERESTARTNOHAND || code == ERESTART_RESTARTBLOCK || (code == ERESTARTSYS && !(flags & SA_RESTART));
}

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
    u64 flags = action->sa.sa_flags;
    u32 repeat = live->repeat;
    live->repeat = 0;
    if (repeat && ends_call(repeat, flags))
        end_call(s, cpu, live, -EINTR);
    u32 is_profilers = (int)context[0] == SIGPROF && handler == process->handler;
    if (live->handler_depth && !is_profilers) {
        enter_handler(live, task, flags);
        return 0;
    }
    if (!is_profilers)
        return 0;
    live->is_pending = 0;
    /* The kernel blocks the signal while the handler runs. So an earlier handler was left with a jump. */
    live->handler_depth = 0;
    live->handler_start_ns = bpf_ktime_get_ns();
    /* If system calls are not observed, the end of the handler is not seen. */
    if (s->has_calls)
        enter_handler(live, task, flags);
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
