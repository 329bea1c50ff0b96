/* Clocks of the native workloads in nanoseconds, and a loop that burns user CPU. */
#ifndef WHITTLE_CLOCKS_H
#define WHITTLE_CLOCKS_H

#include "arguments.h"
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The exact CPU time of the current thread. */
static inline uint64_t thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The exact CPU time of all threads of the process. */
static inline uint64_t process_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* The time in which the current thread could execute but had no CPU. */
static inline uint64_t run_queue_ns(void)
{
	unsigned long long cpu, queued = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	if (file == NULL || fscanf(file, "%llu %llu", &cpu, &queued) != 2)
		fail("schedstat");
	fclose(file);
	return queued;
}

/* Loop steps that use only registers. The result is only returned so that the compiler does not remove the loop. */
static inline uint64_t steps_from(uint64_t x, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

#endif
