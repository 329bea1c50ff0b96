/*
 * One-byte writes to /dev/null at full speed, on command. They show how much time a tool adds to each system call.
 *
 * No arguments. For each line `N` on standard input, the program makes N writes. It prints how long they took and how much
 * CPU time the thread used meanwhile. The program ends when standard input ends.
 */
#include "arguments.h"
#include "clocks.h"
#include <fcntl.h>
#include <unistd.h>

static void write_bytes(int file, unsigned long calls)
{
	for (unsigned long i = 0; i < calls; i++)
		if (write(file, "", 1) != 1)
			fail("write");
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){NULL});
	int file = open("/dev/null", O_WRONLY);
	if (file < 0)
		fail("/dev/null");
	printf("ready\n");
	fflush(stdout);
	char line[32];
	while (fgets(line, sizeof line, stdin) != NULL) {
		unsigned long calls = strtoul(line, NULL, 10);
		uint64_t start_ns = wall_ns(), start_cpu_ns = thread_cpu_ns();
		write_bytes(file, calls);
		uint64_t cpu_ns = thread_cpu_ns() - start_cpu_ns;
		printf("calls=%lu wall_ns=%llu cpu_ns=%llu\n", calls, (unsigned long long)(wall_ns() - start_ns),
			(unsigned long long)cpu_ns);
		fflush(stdout);
	}
	return 0;
}
