/*
 * User CPU in one leaf function without a stack frame. Two functions call it in a known ratio. A profiler that finds
 * callers by frame pointers skips the direct caller of such a leaf.
 *
 * --seconds S (2), --heavy-ratio R (0.72, of the loop steps). Prints the CPU time that was spent below each caller.
 */
#include "arguments.h"
#include "clocks.h"

/* Mean number of loop steps of a round: 2 to 4 ms, which is much longer than the clock readings around each call. */
static const uint64_t STEPS_PER_ROUND = 2000000;

/* Never read. It keeps the compiler from removing the loops. */
static volatile uint64_t sink;

/* Has no stack frame, because all values are in registers and no function is called. */
__attribute__((noinline)) uint64_t leaf(uint64_t x, uint64_t steps)
{
	return steps_from(x, steps);
}

/* Stores a value after the call, so the call does not become a jump. */
__attribute__((noinline)) void heavy_caller(uint64_t steps)
{
	sink = leaf(steps | 1, steps);
}

__attribute__((noinline)) void light_caller(uint64_t steps)
{
	sink = leaf(steps | 1, steps);
}

/* A random length from 0.2 to 1.8 of a mean round: equal rounds could run in step with a profiler's clock. */
static uint64_t steps_of_next_round(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	double part = 0.2 + 1.6 * (double)(*random >> 11) / 9007199254740992.0;
	return (uint64_t)(part * (double)STEPS_PER_ROUND);
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--seconds", "--heavy-ratio", NULL});
	double seconds = number_argument(argc, argv, "--seconds", 2, 0.01, 86400);
	double heavy_ratio = number_argument(argc, argv, "--heavy-ratio", 0.72, 0, 1);
	uint64_t end_ns = wall_ns() + (uint64_t)(seconds * 1e9);
	uint64_t heavy_ns = 0, light_ns = 0, random = 1;

	while (wall_ns() < end_ns) {
		uint64_t steps = steps_of_next_round(&random);
		uint64_t heavy_steps = (uint64_t)((double)steps * heavy_ratio);
		uint64_t start_ns = thread_cpu_ns();
		heavy_caller(heavy_steps);
		uint64_t between_ns = thread_cpu_ns();
		light_caller(steps - heavy_steps);
		heavy_ns += between_ns - start_ns;
		light_ns += thread_cpu_ns() - between_ns;
	}
	printf("caller=heavy_caller cpu_ns=%llu\n", (unsigned long long)heavy_ns);
	printf("caller=light_caller cpu_ns=%llu\n", (unsigned long long)light_ns);
	printf("total cpu_ns=%llu heavy_ratio=%.4f\n", (unsigned long long)process_cpu_ns(),
		(double)heavy_ns / (double)(heavy_ns + light_ns));
	return 0;
}
