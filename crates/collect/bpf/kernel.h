/*
 * The fields of kernel structures that whittle reads. The loader adjusts each access to the field's
 * position in the running kernel (CO-RE). So only names and types matter here, but not order or size.
 */
#ifndef WHITTLE_KERNEL_H
#define WHITTLE_KERNEL_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
    unsigned long di, si, dx, r10, sp, ip, ax, orig_ax, cs;
};
/* The code segment of 32-bit programs, from the kernel's segment.h. It is an interface to programs (ABI). */
#define REGS_IS_COMPAT(regs) (((regs)->cs & 0xffff) == 0x23)
/* A fault or an interrupt stores -1 in the place of the call's number. */
#define REGS_IS_OF_CALL(regs) ((long)(regs)->orig_ax >= 0)
#define REGS_CALL(regs) ((regs)->orig_ax)
#define REGS_DESCRIPTOR(regs) ((regs)->di)
#define REGS_FIRST(regs) ((regs)->di)
#define REGS_SECOND(regs) ((regs)->si)
#define REGS_THIRD(regs) ((regs)->dx)
#define REGS_FOURTH(regs) ((regs)->r10)
#define REGS_STACK(regs) ((regs)->sp)
#define REGS_INSTRUCTION(regs) ((regs)->ip)
#define REGISTERS 21
/* Position of the period in `bpf_perf_event_data`: after the registers, which always have the same size. */
#define PERIOD_OFFSET 168
#define CALL_EXIT 60
#define CALL_EXIT_GROUP 231
#define CALL_SIGNAL_RETURN 15
#define CALL_CLOSE 3
#define CALL_POLL 7
#define CALL_CONNECT 42
#define CALL_BIND 49
#define CALL_LISTEN 50
#define CALL_RESTART 219
#define CALL_READ_PARTS 19
#define CALL_WRITE_PARTS 20
#define CALL_SEND_MESSAGE 46
#define CALL_RECEIVE_MESSAGE 47
#define CALL_DUP2 33
#define CALL_DUP3 292
#define CALL_ACCEPT 43
#define CALL_ACCEPT4 288
#define CALL_EPOLL_WAIT 232
#define CALL_EPOLL_PWAIT 281
#define CALL_SHUTDOWN 48
#define CALL_KILL 62
#define CALL_KILL_THREAD 200
#define CALL_KILL_THREAD_IN_GROUP 234
#define CALL_EPOLL_CONTROL 233
#define CALL_SPLICE 275
#define CALL_TEE 276
#define CALL_VMSPLICE 278
#define CALL_SEND_MESSAGES 307
#define CALL_PROCESS_CONTROL 157
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
    unsigned long sp, pc, orig_x0;
    u64 regs[31];
    s32 syscallno;
    u64 pstate;
};
/* The register width, PSR_MODE32_BIT. */
#define REGS_IS_COMPAT(regs) (((regs)->pstate & 0x10) != 0)
#define REGS_IS_OF_CALL(regs) ((regs)->syscallno >= 0)
#define REGS_CALL(regs) ((regs)->regs[8])
#define REGS_DESCRIPTOR(regs) ((regs)->orig_x0)
#define REGS_FIRST(regs) ((regs)->orig_x0)
#define REGS_SECOND(regs) ((regs)->regs[1])
#define REGS_THIRD(regs) ((regs)->regs[2])
#define REGS_FOURTH(regs) ((regs)->regs[3])
#define REGS_STACK(regs) ((regs)->sp)
#define REGS_INSTRUCTION(regs) ((regs)->pc)
#define REGISTERS 34
#define PERIOD_OFFSET 272
#define CALL_EXIT 93
#define CALL_EXIT_GROUP 94
#define CALL_SIGNAL_RETURN 139
#define CALL_CLOSE 57
/* The call `ppoll`. Its first two arguments are those of `poll`, which arm64 does not have. */
#define CALL_POLL 73
#define CALL_CONNECT 203
#define CALL_BIND 200
#define CALL_LISTEN 201
#define CALL_RESTART 128
#define CALL_READ_PARTS 65
#define CALL_WRITE_PARTS 66
#define CALL_SEND_MESSAGE 211
#define CALL_RECEIVE_MESSAGE 212
/* arm64 has no `dup2`. */
#define CALL_DUP2 CALL_DUP3
#define CALL_DUP3 24
#define CALL_ACCEPT 202
#define CALL_ACCEPT4 242
/* arm64 has no `epoll_wait`. */
#define CALL_EPOLL_WAIT CALL_EPOLL_PWAIT
#define CALL_EPOLL_PWAIT 22
#define CALL_SHUTDOWN 210
#define CALL_KILL 129
#define CALL_KILL_THREAD 130
#define CALL_KILL_THREAD_IN_GROUP 131
#define CALL_EPOLL_CONTROL 21
#define CALL_SPLICE 76
#define CALL_TEE 77
#define CALL_VMSPLICE 75
#define CALL_SEND_MESSAGES 269
#define CALL_PROCESS_CONTROL 167
#else
#error "whittle knows x86 and arm64"
#endif

struct upid {
    int nr;
};

struct pid {
    unsigned int level;
    struct upid numbers[1];
};

struct sigaction {
    void *sa_handler;
    unsigned long sa_flags;
};

struct k_sigaction {
    struct sigaction sa;
};

struct sighand_struct {
    struct k_sigaction action[64];
};

typedef struct {
    unsigned long sig[1];
} sigset_t;

struct super_block {
    unsigned int s_dev;
};

struct inode {
    unsigned short i_mode;
    struct super_block *i_sb;
    unsigned long i_ino;
};

struct qstr {
    const unsigned char *name;
};

struct dentry {
    struct qstr d_name;
};

struct path {
    struct dentry *dentry;
};

struct file {
    struct inode *f_inode;
    struct path f_path;
    /* Of a socket: its `struct socket`. */
    void *private_data;
};

struct in6_addr {
    u8 bytes[16];
};

struct sock_common {
    /* Addresses and the remote port are in network order. */
    u32 skc_daddr;
    u16 skc_dport;
    /* The local port. */
    u16 skc_num;
    unsigned short skc_family;
    unsigned char skc_state;
    struct in6_addr skc_v6_daddr;
};

struct sock {
    struct sock_common __sk_common;
    u16 sk_protocol;
};

struct socket {
    struct sock *sk;
};

struct fdtable {
    unsigned int max_fds;
    struct file **fd;
};

struct files_struct {
    struct fdtable *fdt;
};

/* A queue of runnable threads: one for each control group and CPU. */
struct cfs_rq {
    /* Missing without CONFIG_CFS_BANDWIDTH. The first is missing before Linux 6.6. */
    u64 throttled_clock_self_time;
    u64 throttled_clock_pelt_time;
};

struct sched_entity {
    u64 sum_exec_runtime;
    /* Missing without CONFIG_FAIR_GROUP_SCHED. */
    struct cfs_rq *cfs_rq;
};

struct signal_struct {
    u64 min_flt;
};

struct task_struct {
    unsigned int __state;
    unsigned int flags;
    int pid;
    int tgid;
    unsigned long jobctl;
    unsigned in_iowait : 1;
    /* Missing without CONFIG_PSI. */
    unsigned in_memstall : 1;
    struct pid *thread_pid;
    struct sched_entity se;
    struct sighand_struct *sighand;
    struct files_struct *files;
    sigset_t blocked;
    u64 utime;
    u64 stime;
    u64 start_time;
    unsigned long nvcsw;
    unsigned long nivcsw;
    unsigned long min_flt;
    unsigned long maj_flt;
    char comm[16];
};

struct linux_binprm;
struct kernel_siginfo;

#pragma clang attribute pop

/* From the kernel's sched.h. The tracepoints have used these values since Linux 2.6. */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_DEAD 0x80
#define TASK_WAKEKILL 0x100
/* Stopped by a signal, by a debugger, and (since 6.1) by the freezer of control groups 1 or of the system. */
#define TASK_STOPPED 0x4
#define TASK_TRACED 0x8
#define TASK_FROZEN 0x8000
/* The freezer of control groups 2 has told the thread to stop, since 5.2. */
#define JOBCTL_TRAP_FREEZE (1UL << 23)
/* The thread is exiting. */
#define PF_EXITING 0x4
/* A thread of the kernel. It has no registers of a program. */
#define PF_KTHREAD 0x00200000

#define SIGPROF 27
#define SIG_IGN 1
#define SA_RESTART 0x10000000
#define SA_ONSTACK 0x08000000

#define EINTR 4
/* From the kernel's errno.h. User code never sees these results: the kernel repeats the call, or the result is EINTR. */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516
#define MAX_ERRNO 4095

#define S_IFMT 0170000

/* From the kernel's socket.h and tcp_states.h. Both are interfaces to programs (ABI). */
#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT 2
#define TCP_LISTEN 10

#endif
