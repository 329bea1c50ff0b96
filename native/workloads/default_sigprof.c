/*
 * A busy program that does not handle SIGPROF, so the first such signal kills it. If no signal came, it prints its last line.
 *
 * --seconds S (2), --threads N (1).
 */
#include "arguments.h"
#include "clocks.h"
#include <pthread.h>

static const uint64_t STEPS = 200000;

static volatile uint64_t sink;
static uint64_t end_ns;

__attribute__((noinline)) void spin_until_the_end(void)
{
	while (wall_ns() < end_ns)
		sink = steps_from(1, STEPS);
}

static void *run(void *unused)
{
	spin_until_the_end();
	return unused;
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--seconds", "--threads", NULL});
	end_ns = wall_ns() + (uint64_t)(number_argument(argc, argv, "--seconds", 2, 0.01, 86400) * 1e9);
	int more_threads = (int)number_argument(argc, argv, "--threads", 1, 1, 1000) - 1;
	pthread_t threads[more_threads + 1];
	for (int i = 0; i < more_threads; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			fail("pthread_create");
	spin_until_the_end();
	for (int i = 0; i < more_threads; i++)
		pthread_join(threads[i], NULL);
	printf("survived=1 cpu_ns=%llu\n", (unsigned long long)process_cpu_ns());
	return 0;
}
