/* This file fills in the headers of records. */
#ifndef WHITTLE_EMIT_H
#define WHITTLE_EMIT_H

#include "threads.h"

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

#endif
