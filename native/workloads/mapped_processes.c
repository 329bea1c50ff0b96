/*
 * Processes with tens of thousands of mappings each, as input for the process listers.
 *
 * --processes N (1), --mappings M (30000). Prints the pids when all processes are ready. All processes end when standard
 * input or the parent process ends. A process can have at most /proc/sys/vm/max_map_count mappings.
 */
#include "arguments.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The other mappings of a process: its program, libraries, heap and stack. */
enum { OWN_MAPPINGS = 100, MAX_PROCESSES = 1000 };

static long largest_map_count(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
	long count = 0;
	if (file == NULL || fscanf(file, "%ld", &count) != 1)
		fail("/proc/sys/vm/max_map_count");
	fclose(file);
	return count;
}

/* Mappings of one page. Every second page is writable and in use, because equal neighbours would become one mapping. */
static void make_mappings(long count)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t all_bytes = (size_t)count * page_bytes;
	char *pages = mmap(NULL, all_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED)
		fail("mmap");
	for (long i = 1; i < count; i += 2) {
		char *page = pages + (size_t)i * page_bytes;
		if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
			fail("mprotect");
		*page = 1;
	}
}

static void end_with_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

/* A child already has the mappings of its parent. */
static pid_t start_child(void)
{
	pid_t parent = getpid();
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		end_with_parent(parent);
		for (;;)
			pause();
	}
	return child;
}

static void wait_for_end_of_input(void)
{
	char ignored[256];
	ssize_t bytes;
	do
		bytes = read(STDIN_FILENO, ignored, sizeof ignored);
	while (bytes > 0 || (bytes < 0 && errno == EINTR));
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--processes", "--mappings", NULL});
	int process_count = (int)number_argument(argc, argv, "--processes", 1, 1, MAX_PROCESSES);
	long mapping_count = (long)number_argument(argc, argv, "--mappings", 30000, 1, 1e9);
	long allowed = largest_map_count() - OWN_MAPPINGS;
	if (mapping_count > allowed) {
		fprintf(stderr, "wanted %ld mappings, a process may have about %ld; try: sysctl vm.max_map_count=%ld\n",
			mapping_count, allowed, mapping_count + OWN_MAPPINGS);
		return 1;
	}
	end_with_parent(getppid());
	make_mappings(mapping_count);
	pid_t children[MAX_PROCESSES];
	printf("mappings=%ld pids=%d", mapping_count, getpid());
	fflush(stdout);
	for (int i = 1; i < process_count; i++) {
		children[i] = start_child();
		printf(",%d", children[i]);
		fflush(stdout);
	}
	printf("\n");
	fflush(stdout);
	wait_for_end_of_input();
	for (int i = 1; i < process_count; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return 0;
}
