/*
 * A busy program that is stopped from outside, while it executes in user mode: by SIGSTOP, by a tracer and, if --freezer
 * names a folder of control groups 2, by its freezer. The last line has the time off the CPU of thread `stopped`.
 *
 * --stop-ms M (700): length of each stop. --freezer PATH: an existing control group, in which the program ends.
 */
#include "arguments.h"
#include "clocks.h"
#include "control_groups.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t STEPS = 200000;
static const useconds_t PAUSE_US = 200000;

static volatile uint64_t sink;

static void freeze(pid_t program, const char *folder, useconds_t stop_us)
{
	join_group(folder, program);
	usleep(PAUSE_US);
	if (!write_to(folder, "cgroup.freeze", "1"))
		fail(folder);
	usleep(stop_us);
	if (!write_to(folder, "cgroup.freeze", "0"))
		fail(folder);
}

static void stop(pid_t program, const char *folder, useconds_t stop_us)
{
	usleep(PAUSE_US);
	kill(program, SIGSTOP);
	usleep(stop_us);
	kill(program, SIGCONT);
	usleep(PAUSE_US);
	if (ptrace(PTRACE_SEIZE, program, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, program, 0, 0) != 0)
		fail("ptrace");
	waitpid(program, NULL, __WALL);
	usleep(stop_us);
	if (ptrace(PTRACE_DETACH, program, 0, 0) != 0)
		fail("ptrace detach");
	usleep(PAUSE_US);
	if (folder != NULL)
		freeze(program, folder, stop_us);
	usleep(PAUSE_US);
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--stop-ms", "--freezer", NULL});
	useconds_t stop_us = (useconds_t)(number_argument(argc, argv, "--stop-ms", 700, 1, 100000) * 1000);
	const char *folder = text_argument(argc, argv, "--freezer", NULL);
	/* The program spins until this is set, so it makes no system call. */
	volatile int *is_over = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_setname_np(pthread_self(), "stopped");
	pid_t program = getpid();
	uint64_t wall = wall_ns(), cpu = thread_cpu_ns(), queued = run_queue_ns();
	pid_t stopper = fork();
	if (stopper == 0) {
		stop(program, folder, stop_us);
		*is_over = 1;
		_exit(0);
	}
	while (!*is_over)
		sink = steps_from(1, STEPS);
	wall = wall_ns() - wall, cpu = thread_cpu_ns() - cpu, queued = run_queue_ns() - queued;
	waitpid(stopper, NULL, 0);
	printf("thread=stopped reason=stopped wall_ns=%llu cpu_ns=%llu run_queue_ns=%llu\n", (unsigned long long)wall,
		(unsigned long long)cpu, (unsigned long long)queued);
	return 0;
}
