/*
 * Busy threads on one CPU whose control group has a CPU quota of 20 ms in 50 ms. The last lines have each thread's time on
 * and off the CPU, and the time for which the kernel stopped the group on this CPU (`cpu.stat`).
 *
 * --group PATH: an existing control group, of version 1 with the controller cpu or of version 2. The program ends in it.
 * --threads N (3), --seconds S (3).
 */
#include "arguments.h"
#include "clocks.h"
#include "control_groups.h"
#include <pthread.h>
#include <sched.h>

enum { MAX_THREADS = 64 };
static const uint64_t STEPS = 20000;

static volatile uint64_t sink;
static pthread_barrier_t barrier;
static uint64_t end_ns, wall_of[MAX_THREADS], cpu_of[MAX_THREADS];

static void limit(const char *folder)
{
	if (write_to(folder, "cpu.max", "20000 50000"))
		return;
	if (!write_to(folder, "cpu.cfs_period_us", "50000") || !write_to(folder, "cpu.cfs_quota_us", "20000"))
		fail(folder);
}

/* The time for which the quota stopped the group, over all CPUs. */
static uint64_t stopped_ns(const char *folder)
{
	char path[4096], key[64];
	unsigned long long value;
	snprintf(path, sizeof(path), "%s/cpu.stat", folder);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		fail(path);
	while (fscanf(file, "%63s %llu", key, &value) == 2) {
		uint64_t unit_ns = strcmp(key, "throttled_time") == 0 ? 1 : strcmp(key, "throttled_usec") == 0 ? 1000 : 0;
		if (unit_ns != 0) {
			fclose(file);
			return value * unit_ns;
		}
	}
	fail("no time of stops in cpu.stat");
}

static void *spin(void *argument)
{
	uint64_t number = (uint64_t)argument;
	char name[16];
	snprintf(name, sizeof(name), "quota-%d", (int)number);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&barrier);
	uint64_t wall = wall_ns(), cpu = thread_cpu_ns();
	while (wall_ns() < end_ns)
		sink = steps_from(1, STEPS);
	wall_of[number] = wall_ns() - wall;
	cpu_of[number] = thread_cpu_ns() - cpu;
	return NULL;
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--group", "--threads", "--seconds", NULL});
	const char *folder = text_argument(argc, argv, "--group", NULL);
	uint64_t threads = (uint64_t)number_argument(argc, argv, "--threads", 3, 1, MAX_THREADS);
	double seconds = number_argument(argc, argv, "--seconds", 3, 0.1, 1000);
	if (folder == NULL)
		fail("--group is missing");
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
		fail("sched_setaffinity");
	pthread_t ids[MAX_THREADS];
	pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
	for (uint64_t number = 0; number < threads; number++)
		pthread_create(&ids[number], NULL, spin, (void *)number);
	limit(folder);
	join_group(folder, getpid());
	uint64_t stopped = stopped_ns(folder);
	end_ns = wall_ns() + (uint64_t)(seconds * 1e9);
	pthread_barrier_wait(&barrier);
	for (uint64_t number = 0; number < threads; number++)
		pthread_join(ids[number], NULL);
	stopped = stopped_ns(folder) - stopped;
	for (uint64_t number = 0; number < threads; number++)
		printf("thread=quota-%d wall_ns=%llu cpu_ns=%llu stopped_ns=%llu\n", (int)number,
			(unsigned long long)wall_of[number], (unsigned long long)cpu_of[number], (unsigned long long)stopped);
	return 0;
}
