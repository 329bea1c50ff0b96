/*
 * One new thread for each task. It lives for less than a millisecond, so polling the list of threads misses its CPU time.
 *
 * --seconds S (2), --task-us U (300). Tasks run one after the other.
 */
#include "arguments.h"
#include "clocks.h"
#include <pthread.h>

static const uint64_t STEPS = 2000;

static volatile uint64_t sink;
static uint64_t task_ns;

/* Burns at least `task_ns` of the thread's CPU. */
__attribute__((noinline)) void spin_task(void)
{
	while (thread_cpu_ns() < task_ns)
		sink = steps_from(1, STEPS);
}

/* Stores the thread's CPU time in `result`, without the CPU time that the end of the thread needs. */
static void *run(void *result)
{
	spin_task();
	*(uint64_t *)result = thread_cpu_ns();
	return NULL;
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--seconds", "--task-us", NULL});
	uint64_t end_ns = wall_ns() + (uint64_t)(number_argument(argc, argv, "--seconds", 2, 0.01, 86400) * 1e9);
	task_ns = (uint64_t)(number_argument(argc, argv, "--task-us", 300, 1, 1e6) * 1e3);
	uint64_t task_count = 0, under_millisecond_count = 0, cpu_ns = 0;

	while (wall_ns() < end_ns) {
		uint64_t start_ns = wall_ns(), of_task_ns = 0;
		pthread_t thread;
		if (pthread_create(&thread, NULL, run, &of_task_ns) != 0)
			fail("pthread_create");
		pthread_join(thread, NULL);
		under_millisecond_count += wall_ns() - start_ns < 1000000;
		cpu_ns += of_task_ns;
		task_count++;
	}
	printf("tasks=%llu tasks_under_1_ms=%llu\n", (unsigned long long)task_count,
		(unsigned long long)under_millisecond_count);
	printf("tasks_cpu_ns=%llu process_cpu_ns=%llu\n", (unsigned long long)cpu_ns,
		(unsigned long long)process_cpu_ns());
	return 0;
}
