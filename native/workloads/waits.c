/*
 * Each thread waits again and again, always in the same way: in nanosleep (which a JVM never calls), in poll, for a pipe, for
 * a socket or for a semaphore. The thread wait-answer ends the waits for pipe, socket and semaphore.
 *
 * --seconds S (2), --wait-ms W (20). Prints how long each thread waited.
 */
#include "arguments.h"
#include "clocks.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t duration_ns;
static long pause_ms;
static int pipe_ends[2], socket_ends[2];
static sem_t semaphore;

static void sleep_once(void)
{
	struct timespec pause = {.tv_sec = pause_ms / 1000, .tv_nsec = pause_ms % 1000 * 1000000};
	nanosleep(&pause, NULL);
}

static void poll_once(void)
{
	poll(NULL, 0, (int)pause_ms);
}

static void read_byte(int file)
{
	char byte;
	if (read(file, &byte, 1) != 1)
		fail("read");
}

static void read_pipe_once(void)
{
	read_byte(pipe_ends[0]);
}

static void read_socket_once(void)
{
	read_byte(socket_ends[0]);
}

static void take_semaphore_once(void)
{
	while (sem_wait(&semaphore) != 0 && errno == EINTR)
		;
}

static void *answer(void *unused)
{
	for (;;) {
		sleep_once();
		if (write(pipe_ends[1], "", 1) != 1 || write(socket_ends[1], "", 1) != 1)
			fail("write");
		sem_post(&semaphore);
	}
	return unused;
}

struct waiter {
	const char *name, *reason;
	void (*wait_once)(void);
	pthread_t thread;
	uint64_t waits, waited_ns, wall_ns, cpu_ns, run_queue_ns;
};

static struct waiter waiters[] = {
	{.name = "wait-sleep", .reason = "sleep", .wait_once = sleep_once},
	{.name = "wait-poll", .reason = "poll", .wait_once = poll_once},
	{.name = "wait-pipe", .reason = "pipe", .wait_once = read_pipe_once},
	{.name = "wait-socket", .reason = "socket", .wait_once = read_socket_once},
	{.name = "wait-semaphore", .reason = "futex", .wait_once = take_semaphore_once},
};
enum { WAITERS = sizeof waiters / sizeof waiters[0] };

static void *run(void *of_thread)
{
	struct waiter *waiter = of_thread;
	uint64_t queued_ns = run_queue_ns(), start_ns = wall_ns();
	for (uint64_t now_ns = start_ns; now_ns - start_ns < duration_ns; waiter->waits++) {
		waiter->wait_once();
		uint64_t end_ns = wall_ns();
		waiter->waited_ns += end_ns - now_ns;
		now_ns = end_ns;
	}
	waiter->wall_ns = wall_ns() - start_ns;
	waiter->cpu_ns = thread_cpu_ns();
	waiter->run_queue_ns = run_queue_ns() - queued_ns;
	return NULL;
}

static pthread_t start(const char *name, void *(*function)(void *), void *argument)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, function, argument) != 0)
		fail("pthread_create");
	pthread_setname_np(thread, name);
	return thread;
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *[]){"--seconds", "--wait-ms", NULL});
	duration_ns = (uint64_t)(number_argument(argc, argv, "--seconds", 2, 0.01, 86400) * 1e9);
	pause_ms = (long)number_argument(argc, argv, "--wait-ms", 20, 1, 10000);
	if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) != 0
		|| sem_init(&semaphore, 0, 0) != 0)
		fail("pipe, socket and semaphore");
	start("wait-answer", answer, NULL);
	for (int i = 0; i < WAITERS; i++)
		waiters[i].thread = start(waiters[i].name, run, &waiters[i]);
	for (int i = 0; i < WAITERS; i++) {
		struct waiter *waiter = &waiters[i];
		pthread_join(waiter->thread, NULL);
		printf("thread=%s reason=%s waits=%llu waited_ns=%llu wall_ns=%llu cpu_ns=%llu run_queue_ns=%llu\n",
			waiter->name, waiter->reason, (unsigned long long)waiter->waits,
			(unsigned long long)waiter->waited_ns, (unsigned long long)waiter->wall_ns,
			(unsigned long long)waiter->cpu_ns, (unsigned long long)waiter->run_queue_ns);
	}
	return 0;
}
