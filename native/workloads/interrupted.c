/*
 * Calls that signals interrupt. The program counts its calls and the calls that ended with EINTR:
 *
 *   read       the handler has no SA_RESTART, so each read ends with EINTR
 *   poll, nanosleep   the handler has SA_RESTART, but these calls end with EINTR anyway
 *   recvfrom   the handler has SA_RESTART, so the kernel repeats the call, and no call fails
 *   futex      a stop and a continuation interrupt the wait, no handler runs, and the kernel repeats the call
 *
 * --calls N (200): calls of each kind, except 3 of futex.
 */
#include "arguments.h"
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { INTERRUPTION_US = 1000, STOPS = 3 };

static long calls;

static void on_alarm(int signal)
{
	(void)signal;
}

static void interrupt_with(int flags)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
	struct itimerval every = {{0, INTERRUPTION_US}, {0, INTERRUPTION_US}};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void stop_interruptions(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &never, NULL);
}

static void tell(const char *name, long made, long interrupted)
{
	printf("call=%s calls=%ld errors=%ld\n", name, made, interrupted);
}

static void read_without_restart(void)
{
	int ends[2];
	char byte;
	long interrupted = 0;
	if (pipe(ends) != 0)
		fail("pipe");
	interrupt_with(0);
	for (long i = 0; i < calls; i++)
		interrupted += read(ends[0], &byte, 1) < 0 && errno == EINTR;
	stop_interruptions();
	tell("read", calls, interrupted);
}

static void poll_and_sleep(void)
{
	long polls = 0, sleeps = 0;
	struct timespec pause = {0, 5000000};
	interrupt_with(SA_RESTART);
	for (long i = 0; i < calls; i++) {
		polls += poll(NULL, 0, 5) < 0 && errno == EINTR;
		sleeps += syscall(SYS_nanosleep, &pause, NULL) < 0 && errno == EINTR;
	}
	stop_interruptions();
	tell("poll", calls, polls);
	tell("nanosleep", calls, sleeps);
}

static void receive_with_restart(void)
{
	int ends[2];
	char byte;
	long failed = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		fail("socketpair");
	pid_t sender = fork();
	if (sender == 0) {
		for (long i = 0; i < calls; i++) {
			usleep(3000);
			if (sendto(ends[1], "", 1, 0, NULL, 0) != 1)
				_exit(1);
		}
		_exit(0);
	}
	interrupt_with(SA_RESTART);
	for (long i = 0; i < calls; i++)
		failed += recvfrom(ends[0], &byte, 1, 0, NULL, NULL) != 1;
	stop_interruptions();
	waitpid(sender, NULL, 0);
	tell("recvfrom", calls, failed);
}

static void wait_while_stopped(void)
{
	uint32_t word = 0;
	struct timespec limit = {0, 300000000};
	long timeouts = 0;
	pid_t self = getpid();
	pid_t stopper = fork();
	if (stopper == 0) {
		for (int i = 0; i < STOPS; i++) {
			usleep(100000);
			kill(self, SIGSTOP);
			usleep(20000);
			kill(self, SIGCONT);
			usleep(180000);
		}
		_exit(0);
	}
	for (int i = 0; i < STOPS; i++)
		timeouts += syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0) < 0 && errno == ETIMEDOUT;
	waitpid(stopper, NULL, 0);
	tell("futex", STOPS, timeouts);
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--calls", NULL});
	calls = (long)number_argument(argc, argv, "--calls", 200, 1, 100000);
	setvbuf(stdout, NULL, _IOLBF, 0);
	read_without_restart();
	poll_and_sleep();
	receive_with_restart();
	wait_while_stopped();
	return 0;
}
