/*
 * This file reads the marks of the code inside a program (`collect --instrument`). A mark is a system call that only fails:
 *
 *   prctl(MARK, what | kind << 8 | length << 16 | status << 32, id, address of the name)
 */
#ifndef WHITTLE_MARKS_H
#define WHITTLE_MARKS_H

#include "items.h"
#include "statements.h"
#include "virtual.h"

#define MARK 0x77687474

enum mark {
    MARK_BEGIN = 1,
    MARK_END = 2,
    MARK_ENTER = 3,
    MARK_LEAVE = 4,
    /* A virtual thread leaves its carrier, continues, and ends. */
    MARK_PARK = 5,
    MARK_RESUME = 6,
    MARK_FINISH = 7,
    /* The current thread executes a statement of JDBC. The id is that of the statement. */
    MARK_STATEMENT_BEGIN = 8,
    MARK_STATEMENT_END = 9,
    /* The name of the item's span, and the id of its trace. */
    MARK_SPAN_NAME = 10,
    MARK_TRACE = 11,
    /* A virtual thread has left its carrier to wait for a monitor or in Object.wait, and will return to one. */
    MARK_BLOCK = 12,
    MARK_RETURN = 13,
};

/* The current thread has made a mark. */
static __noinline int follow_mark(struct settings *s, struct live *live, struct pt_regs *regs, u64 now) {
    struct task_struct *task = bpf_get_current_task_btf();
    if (!s || !live || !regs)
        return 0;
    u64 word = REGS_SECOND(regs), id = REGS_THIRD(regs);
    struct thread *thread = find_thread(task->pid);
    if (!thread)
        return 0;
    note_executing(thread, task, now);
    u32 what = word & 0xff;
    if ((what >= MARK_PARK && what <= MARK_FINISH) || what == MARK_BLOCK || what == MARK_RETURN)
        live->virtual_thread = what == MARK_RESUME || what == MARK_RETURN ? id : 0;
    if (what == MARK_BEGIN)
        begin_item(live, word, id, REGS_FOURTH(regs), now);
    else if (what == MARK_END)
        end_item(id, word >> 32, now);
    else if (what == MARK_ENTER)
        enter_item(id, now);
    else if (what == MARK_LEAVE)
        leave_item(id, 0, now);
    else if (what == MARK_PARK)
        park_virtual_thread(s, live, thread, id, now);
    else if (what == MARK_RESUME && !resume_virtual_thread(live, id, now))
        begin_virtual_thread(id, word, REGS_FOURTH(regs));
    else if (what == MARK_FINISH)
        end_virtual_thread(id);
    else if (what == MARK_STATEMENT_BEGIN)
        begin_statement(thread, id, now);
    else if (what == MARK_STATEMENT_END)
        end_statement(word, id, REGS_FOURTH(regs), now);
    else if (what == MARK_SPAN_NAME)
        name_item(id, word, REGS_FOURTH(regs));
    else if (what == MARK_TRACE)
        trace_item(id, word, REGS_FOURTH(regs));
    else if (what == MARK_BLOCK)
        block_virtual_thread(thread, id, word >> 32, now);
    else if (what == MARK_RETURN)
        return_virtual_thread(live, id, now);
    return 0;
}

#endif
