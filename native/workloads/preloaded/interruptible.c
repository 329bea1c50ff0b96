/*
 * Loaded into a JVM with LD_PRELOAD. A thread of this library repeats calls that a signal interrupts: they fail with EINTR, also
 * if the handler has SA_RESTART. The calls sleep for a moment, so that most of their CPU time is before the sleep.
 *
 * At the end of the process, the library writes the number of calls and of failures to the file that INTERRUPTED_FILE names.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile long calls, interrupted;

static void *repeat(void *nothing)
{
	struct timespec moment = {0, 1000};
	for (;;) {
		interrupted += syscall(SYS_nanosleep, &moment, NULL) < 0 && errno == EINTR;
		interrupted += ppoll(NULL, 0, &moment, NULL) < 0 && errno == EINTR;
		calls += 2;
	}
	return nothing;
}

/* The program that starts the JVM also loads the library. */
static int is_jvm(void)
{
	return strcmp(program_invocation_short_name, "java") == 0;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;
	if (is_jvm())
		pthread_create(&thread, NULL, repeat, NULL);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("INTERRUPTED_FILE");
	FILE *file = path && is_jvm() ? fopen(path, "w") : NULL;
	if (file) {
		fprintf(file, "calls=%ld interrupted=%ld\n", calls, interrupted);
		fclose(file);
	}
}
