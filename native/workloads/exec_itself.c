/*
 * A busy program that handles SIGPROF and then executes a program that does not handle it: exec resets the handler, so
 * another signal kills the process. The process prints its last line only if no signal killed it.
 *
 * --seconds S (1): the time before the exec, and again after it. Only the program itself uses --stage.
 */
#include "arguments.h"
#include "clocks.h"
#include <signal.h>
#include <unistd.h>

static const uint64_t STEPS = 200000;

static volatile uint64_t sink;
static volatile sig_atomic_t signal_count;

static void count_signal(int number)
{
	(void)number;
	signal_count++;
}

__attribute__((noinline)) void spin_before_exec(uint64_t duration_ns)
{
	for (uint64_t end_ns = wall_ns() + duration_ns; wall_ns() < end_ns;)
		sink = steps_from(1, STEPS);
}

__attribute__((noinline)) void spin_after_exec(uint64_t duration_ns)
{
	for (uint64_t end_ns = wall_ns() + duration_ns; wall_ns() < end_ns;)
		sink = steps_from(1, STEPS);
}

/* Executes the program by its path. With the path /proc/self/exe, the name of the process would become "exe". */
_Noreturn static void exec_second_stage(char *name, double seconds)
{
	char path[4096] = "", seconds_text[32];
	if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
		fail("/proc/self/exe");
	snprintf(seconds_text, sizeof seconds_text, "%g", seconds);
	execl(path, name, "--stage", "second", "--seconds", seconds_text, (char *)NULL);
	fail(path);
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--seconds", "--stage", NULL});
	double seconds = number_argument(argc, argv, "--seconds", 1, 0.01, 86400);
	uint64_t duration_ns = (uint64_t)(seconds * 1e9);
	if (strcmp(text_argument(argc, argv, "--stage", "first"), "second") == 0) {
		spin_after_exec(duration_ns);
		/* The process keeps its CPU time across exec. */
		printf("stage=second pid=%d survived=1 cpu_ns=%llu\n", getpid(), (unsigned long long)process_cpu_ns());
		return 0;
	}
	struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
	if (sigaction(SIGPROF, &action, NULL) != 0)
		fail("sigaction");
	spin_before_exec(duration_ns);
	printf("stage=first pid=%d sigprof_count=%d cpu_ns=%llu\n", getpid(), (int)signal_count,
		(unsigned long long)process_cpu_ns());
	fflush(stdout);
	exec_second_stage(argv[0], seconds);
}
