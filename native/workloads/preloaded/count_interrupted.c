/*
 * Loaded into a JVM with -agentpath:LIBRARY=FILE. A thread of this library repeats nanosleep, and counts the calls that a
 * signal interrupts. Unlike the JDK, it does not continue such a call. At the end of the JVM, the library writes both numbers
 * to FILE.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { PAUSE_NS = 5000000 };

static char path[4096];
static atomic_long calls, interrupted;

static void *sleep_repeatedly(void *unused)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	for (;;) {
		if (nanosleep(&pause, NULL) != 0 && errno == EINTR)
			interrupted++;
		calls++;
	}
	return unused;
}

int Agent_OnLoad(void *jvm, const char *options, void *reserved)
{
	pthread_t thread;
	(void)jvm, (void)reserved;
	snprintf(path, sizeof path, "%s", options ? options : "");
	return pthread_create(&thread, NULL, sleep_repeatedly, NULL);
}

void Agent_OnUnload(void *jvm)
{
	FILE *file = fopen(path, "w");
	(void)jvm;
	if (file) {
		fprintf(file, "call=nanosleep calls=%ld interrupted=%ld\n", calls, interrupted);
		fclose(file);
	}
}
