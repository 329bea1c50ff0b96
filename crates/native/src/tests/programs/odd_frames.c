/* Unusual frames. The first argument chooses the kind:
 *
 *   signal      a handler that interrupted a leaf function
 *   own-stack   a signal handler that has its own stack
 *   aligned     functions with a variable stack size and a larger alignment than calls provide
 *   thread      a thread other than the first
 *   deep        recursion that is deeper than any copy
 *   vdso        code that the kernel maps into the process
 *   generated   code that was generated at run time; C calls it, and it calls C
 *   assembly    a leaf without unwind table
 *   red-zone    a leaf that saves its caller's stack pointer below its own stack pointer, as OpenSSL's SHA-512 does
 *   register    a leaf that keeps its caller's stack pointer in a register, as OpenSSL's ChaCha20 does
 *   late        a library that is loaded after the start
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

volatile unsigned long sum;

static void ready(void) {
    static int is_said;
    if (!is_said) {
        is_said = 1;
        write(1, "ready\n", 6);
    }
}

__attribute__((noinline)) static void spin(void) {
    ready();
    for (;;)
        sum++;
}

__attribute__((noinline)) static void handler(int number) {
    sum += number;
    spin();
    sum++;
}

__attribute__((noinline)) static void interrupted(void) {
    for (unsigned long i = 1;; i++) {
        sum += i;
        if (sum == 0)
            break;
    }
}

__attribute__((noinline)) static void be_interrupted(int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGALRM, &action, NULL);
    ualarm(50000, 0);
    interrupted();
    sum++;
}

__attribute__((noinline)) static void be_interrupted_on_own_stack(void) {
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    be_interrupted(SA_ONSTACK);
    sum++;
}

__attribute__((noinline)) static void use(volatile char *bytes) {
    bytes[0]++;
    spin();
    sum++;
}

__attribute__((noinline)) static void variable(int size) {
    volatile char *bytes = alloca(size);
    bytes[size - 1] = 1;
    use(bytes);
    sum++;
}

__attribute__((noinline)) static void aligned(int size) {
    volatile char bytes[256] __attribute__((aligned(256)));
    bytes[0] = (char)size;
    variable(size + bytes[0]);
    sum += (unsigned long)bytes;
}

static void *thread(void *argument) {
    spin();
    return argument;
}

__attribute__((noinline)) static void run_thread(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    sum++;
}

__attribute__((noinline)) static void deep(int depth) {
    volatile char bytes[200];
    bytes[depth % 200] = 1;
    if (depth == 0)
        spin();
    deep(depth - 1);
    sum += bytes[0];
}

__attribute__((noinline)) static void read_clock(void) {
    struct timespec time;
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &time);
        sum++;
        ready();
    }
}

#if defined(__x86_64__)
/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
__asm__(".text\n.type without_table, @function\nwithout_table:\n1: incq sum(%rip)\njmp 1b\nret\n"
        ".size without_table, .-without_table\n");
/* The table says: frame = *(rsp - 8) + 8. */
__asm__(".text\n.type in_red_zone, @function\nin_red_zone:\n.cfi_startproc\n"
        "mov %rsp, %rax\n.cfi_def_cfa_register %rax\nsub $264, %rsp\nand $-64, %rsp\nmov %rax, -8(%rsp)\n"
        ".cfi_escape 0x0f, 0x05, 0x77, 0x78, 0x06, 0x23, 0x08\n1: incq sum(%rip)\njmp 1b\n.cfi_endproc\n"
        ".size in_red_zone, .-in_red_zone\n");
__asm__(".text\n.type in_register, @function\nin_register:\n.cfi_startproc\n"
        "mov %rsp, %r9\n.cfi_def_cfa_register %r9\nsub $264, %rsp\nand $-64, %rsp\n"
        "1: incq sum(%rip)\njmp 1b\n.cfi_endproc\n.size in_register, .-in_register\n");
void in_red_zone(void);
void in_register(void);

__attribute__((noinline)) static void call_in_red_zone(void) {
    ready();
    in_red_zone();
    sum++;
}

__attribute__((noinline)) static void call_in_register(void) {
    ready();
    in_register();
    sum++;
}
#elif defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const unsigned int code[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
__asm__(".text\n.type without_table, @function\nwithout_table:\n1: b 1b\nret\n.size without_table, .-without_table\n");
#endif
void without_table(void);

__attribute__((noinline)) static void call_generated(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    __builtin___clear_cache(page, (char *)page + sizeof code);
    ((void (*)(void (*)(void)))page)(spin);
    sum++;
}

__attribute__((noinline)) static void call_assembly(void) {
    ready();
    without_table();
    sum++;
}

__attribute__((noinline)) static void call_late(const char *library) {
    puts("before");
    fflush(stdout);
    getchar();
    void (*run)(void (*)(void)) = dlsym(dlopen(library, RTLD_NOW), "run_in_library");
    run(spin);
    sum++;
}

int main(int count, char **arguments) {
    const char *choice = count > 1 ? arguments[1] : "";
    if (!strcmp(choice, "signal"))
        be_interrupted(0);
    if (!strcmp(choice, "own-stack"))
        be_interrupted_on_own_stack();
    if (!strcmp(choice, "aligned"))
        aligned(300);
    if (!strcmp(choice, "thread"))
        run_thread();
    if (!strcmp(choice, "deep"))
        deep(1000);
    if (!strcmp(choice, "vdso"))
        read_clock();
    if (!strcmp(choice, "generated"))
        call_generated();
    if (!strcmp(choice, "assembly"))
        call_assembly();
#if defined(__x86_64__)
    if (!strcmp(choice, "red-zone"))
        call_in_red_zone();
    if (!strcmp(choice, "register"))
        call_in_register();
#endif
    if (!strcmp(choice, "late"))
        call_late(arguments[2]);
    return 1;
}
