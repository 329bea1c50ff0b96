/*
 * Loaded into a JVM with -agentpath:LIBRARY=FILE. One thread of this library repeats nanosleep and sleeps nearly all the time. Another
 * thread repeats ppoll, and most of its CPU time is shortly before it sleeps. They count the calls that a signal interrupts. Unlike the
 * JDK, they do not continue such a call. At the end of the JVM, the library writes the numbers to FILE.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { PAUSE_NS = 5000000, MOMENT_NS = 1000 };

struct counts {
	const char *call;
	atomic_long calls, interrupted;
};

static char path[4096];
static struct counts sleeps = {.call = "nanosleep"}, polls = {.call = "ppoll"};

static void count(struct counts *counts, int result)
{
	if (result != 0 && errno == EINTR)
		counts->interrupted++;
	counts->calls++;
}

static void *sleep_repeatedly(void *unused)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	for (;;)
		count(&sleeps, nanosleep(&pause, NULL));
	return unused;
}

static void *poll_repeatedly(void *unused)
{
	const struct timespec moment = {.tv_nsec = MOMENT_NS};
	for (;;)
		count(&polls, ppoll(NULL, 0, &moment, NULL));
	return unused;
}

int Agent_OnLoad(void *jvm, const char *options, void *reserved)
{
	pthread_t thread;
	(void)jvm, (void)reserved;
	snprintf(path, sizeof path, "%s", options ? options : "");
	return pthread_create(&thread, NULL, sleep_repeatedly, NULL) || pthread_create(&thread, NULL, poll_repeatedly, NULL);
}

static void print(FILE *file, struct counts *counts)
{
	fprintf(file, "call=%s calls=%ld interrupted=%ld\n", counts->call, counts->calls, counts->interrupted);
}

void Agent_OnUnload(void *jvm)
{
	FILE *file = fopen(path, "w");
	(void)jvm;
	if (file) {
		print(file, &sleeps);
		print(file, &polls);
		fclose(file);
	}
}
