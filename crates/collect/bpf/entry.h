/*
 * This file finds out whether a thread is on its way into a system call, before the tracepoint `sys_enter` shows the call's start.
 * A tick can come there. A signal would then interrupt the call that begins. So the tick is marked instead, and its stack is
 * requested when the call returns.
 *
 *   user mode    kernel mode
 *     SVC ──> interrupts are enabled ── tick ── sys_enter ── the call ── sys_exit ── interrupts are disabled ──> user mode
 */
#ifndef WHITTLE_ENTRY_H
#define WHITTLE_ENTRY_H

#include "amounts.h"

#if defined(__TARGET_ARCH_x86)
#define REGS_ARGUMENT(regs) ((regs)->di)

/* Before the call begins, the kernel's entry code stores -ENOSYS in the place of the result. */
static __always_inline u32 is_entering(struct pt_regs *regs) {
    return (long)regs->ax == -38 && REGS_IS_OF_CALL(regs);
}
#else
#define REGS_ARGUMENT(regs) ((regs)->regs[0])
/* The instruction that calls the kernel, and its operand, which Linux ignores. */
#define SVC 0xd4000001
#define SVC_OPERAND 0x001fffe0

/*
 * The first argument and the result of a call share a register, and the kernel keeps a copy of the argument. If both are equal,
 * the call has no result yet, or its result equals the argument. Since Linux 6.7 interrupts are enabled before the kernel notes
 * the call. There the thread's last instruction shows the call. In both cases the thread may also be on its way out of a call. So
 * `start_call` compares the registers.
 */
static __always_inline u32 is_entering(struct pt_regs *regs) {
    u32 last = 0;
    if (REGS_IS_OF_CALL(regs))
        return regs->regs[0] == regs->orig_x0;
    if (bpf_probe_read_user(&last, sizeof(last), (void *)(regs->pc - sizeof(last))) != 0)
        return 0;
    return (last & ~SVC_OPERAND) == SVC;
}
#endif

/* A number for the place where the thread calls the kernel: the instruction and the stack pointer. Never 0. */
static __always_inline u64 call_place(struct pt_regs *regs) {
    return ((REGS_INSTRUCTION(regs) * GOLDEN_RATIO) ^ REGS_STACK(regs)) | 1;
}

/* A number for the call that the thread enters: its place and its first argument. Never 0. */
static __always_inline u64 entry_of(struct pt_regs *regs) {
    return ((call_place(regs) * GOLDEN_RATIO) ^ REGS_ARGUMENT(regs)) | 1;
}

#endif
