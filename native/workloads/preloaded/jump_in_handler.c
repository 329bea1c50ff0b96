/*
 * Loaded into a JVM with LD_PRELOAD. async-profiler's handler for SIGPROF calls pthread_getspecific. In one of EVERY such
 * calls, this library sends another signal to the thread, and leaves the handler of this signal with longjmp. The profiler
 * does the same when it reads memory that does not exist: it leaves its handler for SIGSEGV with longjmp.
 *
 * At the end of the process, the library writes the number of jumps to the file that JUMPS_FILE names.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVERY = 4, SIGNAL = SIGUSR2 };

static void *(*real_getspecific)(pthread_key_t);
static long calls, jumps;
static __thread jmp_buf before;

static void jump(int signal)
{
	(void)signal;
	longjmp(before, 1);
}

__attribute__((constructor)) static void begin(void)
{
	real_getspecific = (void *(*)(pthread_key_t))dlsym(RTLD_NEXT, "pthread_getspecific");
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("JUMPS_FILE");
	FILE *file = path && jumps ? fopen(path, "w") : NULL;
	if (file) {
		fprintf(file, "jumps=%ld\n", jumps);
		fclose(file);
	}
}

static int is_in_profilers_handler(void)
{
	unsigned long blocked = 0;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof blocked);
	return (blocked >> (SIGPROF - 1)) & 1;
}

void *pthread_getspecific(pthread_key_t key)
{
	if (is_in_profilers_handler() && __sync_add_and_fetch(&calls, 1) % EVERY == 0 && _setjmp(before) == 0) {
		/* The handler can run again although it was left with a jump. */
		struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER};
		sigaction(SIGNAL, &action, NULL);
		__sync_add_and_fetch(&jumps, 1);
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGNAL);
	}
	return real_getspecific ? real_getspecific(key) : NULL;
}
