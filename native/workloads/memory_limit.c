/*
 * A thread that touches more memory than the soft limit `memory.high` of its control group. The kernel then delays it. The last
 * line has the thread's time on and off the CPU.
 *
 * --group PATH: an existing control group of version 2 with the controller memory and a limit. The program ends in it.
 * --megabytes N (24)
 */
#include "arguments.h"
#include "clocks.h"
#include "control_groups.h"
#include <pthread.h>
#include <sys/mman.h>

enum { MEGABYTE = 1 << 20, PAGE = 4096 };

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--group", "--megabytes", NULL});
	const char *folder = text_argument(argc, argv, "--group", NULL);
	size_t size = (size_t)number_argument(argc, argv, "--megabytes", 24, 1, 1000) * MEGABYTE;
	if (folder == NULL)
		fail("--group is missing");
	join_group(folder, getpid());
	pthread_setname_np(pthread_self(), "memory-limit");
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fail("mmap");
	uint64_t wall = wall_ns(), cpu = thread_cpu_ns();
	for (size_t at = 0; at < size; at += PAGE)
		memory[at] = 1;
	printf("thread=memory-limit reason=memory_limit wall_ns=%llu cpu_ns=%llu\n", (unsigned long long)(wall_ns() - wall),
		(unsigned long long)(thread_cpu_ns() - cpu));
	return 0;
}
