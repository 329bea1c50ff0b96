/*
 * This file follows the requests that clients send to a server: HTTP/1.x without encryption. One request at a time is open on each
 * connection (no pipelining).
 *
 *   read   "GET /a HTTP/1.1 …"   the request begins when this call returns
 *   read                         more of the request
 *   write  "HTTP/1.1 200 …"      the answer begins
 *   write                        when the last write before the next request returns, the request ends
 *   read   "GET /b HTTP/1.1 …"   the next request: now the last request is complete, and its record is emitted
 *   close                        the same
 */
#ifndef WHITTLE_REQUESTS_H
#define WHITTLE_REQUESTS_H

#include "files.h"
#include "states.h"

/* The position of the parts (`msg_iov`) in a message. The address of a part's bytes is its first field. */
#define MESSAGE_PARTS 16

/* The first characters of the methods, as little-endian numbers. */
#define METHOD_GET 0x20544547
#define METHOD_POST 0x54534f50
#define METHOD_PUT 0x20545550
#define METHOD_HEAD 0x44414548
#define METHOD_DELETE 0x454c4544
#define METHOD_PATCH 0x43544150
#define METHOD_OPTIONS 0x4954504f

/* After this status the connection has another protocol, such as WebSocket. */
#define STATUS_OTHER_PROTOCOL 101

/* The last request of each connection, by the address of the connection's file. */
struct {
    __uint(type, MAP_HASH);
    __uint(max_entries, 65536);
    __uint(map_flags, MAP_NO_PREALLOC);
    __type(key, u64);
    __type(value, struct http_request);
} http_requests SEC(".maps");

/* Space for making a request. */
struct {
    __uint(type, MAP_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, u32);
    __type(value, struct http_request);
} new_request SEC(".maps");

static __always_inline u32 is_of_client(struct open_file *file) {
    return file->kind == FILE_SOCKET && (file->device & ~0xffffU) == (PEER_MARK | PEER_CLIENTS);
}

/* The address of the bytes that a call has moved; of the first ones, if they are at several places. */
static __always_inline u64 buffer_of(s32 call, struct pt_regs *regs) {
    u64 buffer = REGS_SECOND(regs);
    if (call == CALL_RECEIVE_MESSAGE || call == CALL_SEND_MESSAGE)
        bpf_probe_read_user(&buffer, sizeof(buffer), (void *)(buffer + MESSAGE_PARTS));
    else if (call != CALL_READ_PARTS && call != CALL_WRITE_PARTS)
        return buffer;
    bpf_probe_read_user(&buffer, sizeof(buffer), (void *)buffer);
    return buffer;
}

static __always_inline u32 begins_with_method(u64 buffer, u32 moved_bytes) {
    u32 first = 0;
    if (moved_bytes < sizeof(first))
        return 0;
    bpf_probe_read_user(&first, sizeof(first), (void *)buffer);
    return first == METHOD_GET || first == METHOD_POST || first == METHOD_PUT || first == METHOD_HEAD ||
           first == METHOD_DELETE || first == METHOD_PATCH || first == METHOD_OPTIONS;
}

/* The status in `HTTP/1.1 200 OK`; 0: the bytes do not begin like this. */
static __always_inline u32 status_at(u64 buffer, u32 moved_bytes) {
    char text[12] = {};
    if (moved_bytes < sizeof(text))
        return 0;
    bpf_probe_read_user(text, sizeof(text), (void *)buffer);
    u32 hundreds = text[9] - '0', tens = text[10] - '0', ones = text[11] - '0';
    if (text[0] != 'H' || text[3] != 'P' || text[4] != '/' || hundreds > 9 || tens > 9 || ones > 9)
        return 0;
    return hundreds * 100 + tens * 10 + ones;
}

/* Time since the last switch to the thread, which executes now. */
static __always_inline u64 on_cpu_since(struct thread *thread, u64 now) {
    return now > thread->state_since_ns ? now - thread->state_since_ns : 0;
}

static __noinline int emit_request(struct http_request *request) {
    if (!request || !request->end_ns)
        return 0;
    request->record.time_ns = request->end_ns;
    if (bpf_ringbuf_output(&records, request, sizeof(*request), 0) != 0)
        add_count(COUNT_UNSEEN_REQUESTS, 1);
    return 0;
}

/* A request begins at `room->start_ns`. The file of `live` is the connection. `room` is the last request of the connection, or if
 * `is_new` is set, room for a new one. */
static __noinline int begin_request(struct live *live, struct http_request *room, u64 buffer, u32 read_bytes, u32 is_new) {
    struct task_struct *task = bpf_get_current_task_btf();
    if (!live || !room)
        return 0;
    u64 now = room->start_ns;
    u64 file = (u64)live->file.file;
    room->record.process_id = task->tgid;
    room->record.thread_id = task->pid;
    room->record.kind = RECORD_HTTP;
    room->end_ns = 0;
    room->read_bytes = read_bytes;
    room->written_bytes = 0;
    live->request_number += 1;
    room->number = live->request_number;
    room->item_number = live->item_number;
    room->is_marked = 0;
    room->answering_thread_id = 0;
    room->port = live->file.device & 0xffff;
    room->status = 0;
    room->is_over = 0;
    u32 size = read_bytes;
    if (size > sizeof(room->text))
        size = sizeof(room->text);
    /* The verifier of Linux 6.1 knows the limit only if the checked register is the one that is used. */
    barrier_var(size);
    if (size > sizeof(room->text))
        return 0;
    room->text_bytes = bpf_probe_read_user(room->text, size, (void *)buffer) == 0 ? size : 0;
    struct thread *thread = find_thread(room->record.thread_id);
    room->has_times = thread != 0;
    if (thread) {
        note_executing(thread, task, now);
#pragma unroll
        for (int state = 0; state < STATE_COUNT; state++)
            room->before_ns[state] = thread->state_ns[state];
        room->before_ns[STATE_ON_CPU] += on_cpu_since(thread, now);
    }
    if (is_new && bpf_map_update_elem(&http_requests, &file, room, MAP_ANY) != 0)
        add_count(COUNT_UNSEEN_REQUESTS, 1);
    return 0;
}

/* A write of the answer has returned. */
static __noinline int answer_request(struct live *live, struct http_request *request, u64 buffer, u32 written_bytes, u64 now) {
    struct task_struct *task = bpf_get_current_task_btf();
    if (!live || !request || request->is_over)
        return 0;
    request->written_bytes += written_bytes;
    if (request->status < 200)
        request->status = status_at(buffer, written_bytes);
    /* A server can send `100 Continue` before the answer. */
    if (request->status >= 100 && request->status < 200 && request->status != STATUS_OTHER_PROTOCOL)
        return 0;
    request->end_ns = now;
    request->answering_thread_id = task->pid;
    /* The thread has begun no other request meanwhile, so the mark is of this one. */
    if (live->item_number != request->item_number && request->record.thread_id == (u32)task->pid &&
        request->number == live->request_number)
        request->is_marked = 1;
    request->is_over = request->status == STATUS_OTHER_PROTOCOL;
    struct thread *thread = find_thread(request->record.thread_id);
    /* If the thread has worked for another request in the meantime, its time is not the time of this request. The same is true for
     * the request that this thread has begun last, if this is another one. */
    if (!thread || request->record.thread_id != (u32)task->pid || request->number != live->request_number) {
        request->has_times = 0;
        live->request_number += 1;
    }
    if (!thread || !request->has_times)
        return 0;
    note_executing(thread, task, now);
#pragma unroll
    for (int state = 0; state < STATE_COUNT; state++)
        request->spent_ns[state] = thread->state_ns[state] - request->before_ns[state];
    request->spent_ns[STATE_ON_CPU] += on_cpu_since(thread, now);
    return 0;
}

/* A call of the current thread has moved bytes of a connection that a client has opened. */
static __noinline int follow_request(struct settings *s, struct live *live, u32 moved_bytes, u64 now) {
    u32 zero = 0;
    if (!s || !live)
        return 0;
    u64 file = (u64)live->file.file;
    struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    struct http_request *request = bpf_map_lookup_elem(&http_requests, &file);
    u32 is_write = s->calls[live->call & (MAX_CALLS - 1)] & CALL_SENDS_BYTES;
    if (!regs || (is_write && !request))
        return 0;
    u64 buffer = buffer_of(live->call, regs);
    if (is_write)
        return answer_request(live, request, buffer, moved_bytes, now);
    if ((!request || request->end_ns) && begins_with_method(buffer, moved_bytes)) {
        u32 is_new = !request;
        if (is_new)
            request = bpf_map_lookup_elem(&new_request, &zero);
        else
            emit_request(request);
        if (request) {
            request->start_ns = now;
            begin_request(live, request, buffer, moved_bytes, is_new);
        }
    } else if (request) {
        request->read_bytes += moved_bytes;
    }
    return 0;
}

/*
 * The descriptor of the current process will not refer to its file any more, or it is the descriptor of a new connection. The last
 * request of the file is complete. The connection of a client that has left has lost its ports, and its file's place in memory is soon
 * used for another one. A process that inherits descriptors and closes them does not end the connection of its parent.
 */
static __noinline int end_connection(struct live *live, u32 descriptor) {
    if (!live)
        return 0;
    u32 own = live->descriptor;
    live->descriptor = descriptor;
    refresh_file(live);
    live->descriptor = own;
    if (live->file.kind != FILE_SOCKET)
        return 0;
    u64 file = (u64)live->file.file;
    struct http_request *request = bpf_map_lookup_elem(&http_requests, &file);
    if (request && request->record.process_id == (u32)bpf_get_current_task_btf()->tgid) {
        emit_request(request);
        bpf_map_delete_elem(&http_requests, &file);
    }
    return 0;
}

/* A call begins that can change what a descriptor refers to. `dup2` and `dup3` replace the file of their second argument. */
static __always_inline void end_connection_of_call(struct live *live, struct pt_regs *regs) {
    if (live->call == CALL_CLOSE)
        end_connection(live, live->descriptor);
    else if ((live->call == CALL_DUP2 || live->call == CALL_DUP3) && REGS_FIRST(regs) != REGS_SECOND(regs))
        end_connection(live, REGS_SECOND(regs));
}

static __always_inline u32 is_accept(s32 call) {
    return call == CALL_ACCEPT || call == CALL_ACCEPT4;
}

/* A thread that waits for events of many connections has left its request. */
static __always_inline u32 leaves_request(s32 call) {
    return call == CALL_EPOLL_WAIT || call == CALL_EPOLL_PWAIT;
}

#endif
