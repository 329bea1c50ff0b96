/*
 * Work items that the program marks itself, as the agent in a JVM does (`collect --instrument`), with their true times.
 *
 *   alone    one thread burns CPU inside a statement of JDBC, and then sleeps
 *   handed   one thread begins the item and stops; a second one works for it 2 ms later and ends it
 *   helped   a thread waits while a second one works for the same item, and then ends it; a span gives it a name and a trace
 *   left     a thread ends the item while a second one still works for it
 *
 * The program reads its clocks before and after each mark. So the true length of an item is between least_ns and most_ns, the CPU time of
 * its threads is between least_cpu_ns and most_cpu_ns, and its time without a thread is between least_away_ns and most_away_ns, also if
 * the thread is preempted at the mark.
 *
 * With --parks N, a thread marks N waits of virtual threads instead: 1000 of them wait at the same time, and continue in order.
 * With --hostile N, a thread makes N marks with random content.
 */
#include "clocks.h"
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MARK = 0x77687474, BEGIN = 1, END = 2, ENTER = 3, LEAVE = 4, PARK = 5, RESUME = 6, FINISH = 7 };
enum { STATEMENT_BEGIN = 8, STATEMENT_END = 9, SPAN_NAME = 10, TRACE = 11 };
enum { HTTP = 1, TASK = 2, MESSAGE = 3, CALL = 5 };
static const uint64_t BURN_NS = 1000000, SLEEP_NS = 1000000, QUEUE_NS = 2000000;

struct truth {
	const char *kind;
	uint64_t count, least_ns, most_ns, least_cpu_ns, most_cpu_ns, least_away_ns, most_away_ns;
};

/* The clocks before and after a mark. */
struct moment {
	uint64_t before_ns, after_ns, cpu_before_ns, cpu_after_ns;
};

static struct truth truths[5] = {
	{.kind = "alone"}, {.kind = "handed"}, {.kind = "helped"}, {.kind = "left"}, {.kind = "statement"}};

/* What the first thread gives to the second one. */
static struct {
	uint64_t id;
	struct moment begun, left;
	int ends;
} given;
static sem_t is_given, is_done;

static void mark(int what, int kind, int status, uint64_t id, const char *name)
{
	uint64_t length = name ? strlen(name) : 0;
	syscall(SYS_prctl, MARK, (uint64_t)status << 32 | length << 16 | (uint64_t)kind << 8 | (uint64_t)what, id, name, 0);
}

static struct moment mark_at(int what, int kind, int status, uint64_t id, const char *name)
{
	struct moment at = {.cpu_before_ns = thread_cpu_ns(), .before_ns = wall_ns()};
	mark(what, kind, status, id, name);
	at.after_ns = wall_ns();
	at.cpu_after_ns = thread_cpu_ns();
	return at;
}

/* A thread worked for the item between these moments. */
static void add_work(struct truth *truth, struct moment from, struct moment to)
{
	truth->least_cpu_ns += to.cpu_before_ns - from.cpu_after_ns;
	truth->most_cpu_ns += to.cpu_after_ns - from.cpu_before_ns;
}

/* The item began and ended at these moments. */
static void add(struct truth *truth, struct moment begun, struct moment ended)
{
	truth->count++;
	truth->least_ns += ended.before_ns - begun.after_ns;
	truth->most_ns += ended.after_ns - begun.before_ns;
}

/* The same for an item that began and ended in one thread. */
static void add_of_thread(struct truth *truth, struct moment begun, struct moment ended)
{
	add(truth, begun, ended);
	add_work(truth, begun, ended);
}

static void burn(void)
{
	uint64_t start = thread_cpu_ns();
	while (thread_cpu_ns() - start < BURN_NS)
		;
}

static void nap(uint64_t ns)
{
	struct timespec time = {0, (long)ns};
	nanosleep(&time, NULL);
}

static void *second_thread(void *count)
{
	for (uint64_t item = 0; item < *(uint64_t *)count; item++) {
		while (sem_wait(&is_given) != 0)
			;
		if (given.ends)
			nap(QUEUE_NS);
		struct moment entered = mark_at(ENTER, 0, 0, given.id, NULL);
		burn();
		if (given.ends) {
			struct moment ended = mark_at(END, 0, 0, given.id, NULL);
			add(&truths[1], given.begun, ended);
			add_work(&truths[1], given.begun, given.left);
			add_work(&truths[1], entered, ended);
			truths[1].least_away_ns += entered.before_ns - given.left.after_ns;
			truths[1].most_away_ns += entered.after_ns - given.left.before_ns;
		} else {
			mark(LEAVE, 0, 0, given.id, NULL);
		}
		sem_post(&is_done);
	}
	return NULL;
}

static void alone(uint64_t id)
{
	char name[64];
	snprintf(name, sizeof(name), "POST /orders/%lu", (unsigned long)id);
	struct moment begun = mark_at(BEGIN, HTTP, 0, id, name);
	struct moment executing = mark_at(STATEMENT_BEGIN, 0, 0, id, NULL);
	burn();
	add_of_thread(&truths[4], executing, mark_at(STATEMENT_END, 0, 0, id, "select ?"));
	nap(SLEEP_NS);
	add_of_thread(&truths[0], begun, mark_at(END, 0, 201, id, NULL));
}

static void shared(uint64_t id, int is_handed)
{
	given.id = id;
	given.ends = is_handed;
	given.begun = mark_at(BEGIN, is_handed ? TASK : MESSAGE, 0, id, is_handed ? "app.Task" : "topic orders");
	burn();
	if (!is_handed) {
		mark(TRACE, 0, 0, id, "16 bytes of ids.");
		mark(SPAN_NAME, 0, 0, id, "orders process");
	}
	if (is_handed)
		given.left = mark_at(LEAVE, 0, 0, id, NULL);
	sem_post(&is_given);
	while (sem_wait(&is_done) != 0)
		;
	if (!is_handed)
		add_of_thread(&truths[2], given.begun, mark_at(END, 0, 0, id, NULL));
}

static void left(uint64_t id)
{
	given.id = id;
	given.ends = 0;
	struct moment begun = mark_at(BEGIN, CALL, 0, id, "/shop.Orders/Place");
	burn();
	sem_post(&is_given);
	nap(BURN_NS / 4);
	add_of_thread(&truths[3], begun, mark_at(END, 0, 0, id, NULL));
	while (sem_wait(&is_done) != 0)
		;
}

/* Each virtual thread waits until all others have begun to wait, so all waits are about equally long. */
static void park_virtual_threads(uint64_t count)
{
	enum { THREADS = 1000 };
	static uint64_t parked_ns[THREADS];
	uint64_t waited_ns = 0, waits = 0;
	for (uint64_t id = 1; id <= THREADS; id++)
		mark(RESUME, 0, 0, id, "job-1");
	while (waits < count) {
		for (uint64_t id = 1; id <= THREADS; id++) {
			parked_ns[id - 1] = wall_ns();
			mark(PARK, 0, 0, id, NULL);
		}
		nap(SLEEP_NS);
		for (uint64_t id = 1; id <= THREADS; id++) {
			mark(RESUME, 0, 0, id, NULL);
			waited_ns += wall_ns() - parked_ns[id - 1];
			waits++;
		}
	}
	for (uint64_t id = 1; id <= THREADS; id++)
		mark(FINISH, 0, 0, id, NULL);
	printf("waits=%lu waited_ns=%lu\n", (unsigned long)waits, (unsigned long)waited_ns);
}

static void make_hostile_marks(uint64_t count)
{
	uint64_t random = 88172645463325252ULL;
	for (uint64_t mark = 0; mark < count; mark++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		syscall(SYS_prctl, MARK, random, random % 5 ? random % 20000 : random, random << 20, 0);
	}
}

int main(int argc, char **argv)
{
	check_arguments(argc, argv, (const char *const[]){"--items", "--parks", "--hostile", NULL});
	uint64_t count = number_argument(argc, argv, "--items", 300, 1, 1e6), shares = 3 * count, id = 1;
	uint64_t parks = number_argument(argc, argv, "--parks", 0, 0, 1e9);
	if (parks) {
		park_virtual_threads(parks);
		return 0;
	}
	uint64_t hostile = number_argument(argc, argv, "--hostile", 0, 0, 1e9);
	if (hostile) {
		uint64_t start = process_cpu_ns();
		make_hostile_marks(hostile);
		printf("marks=%lu cpu_ns=%lu\n", (unsigned long)hostile, (unsigned long)(process_cpu_ns() - start));
		return 0;
	}
	sem_init(&is_given, 0, 0);
	sem_init(&is_done, 0, 0);
	pthread_t second;
	if (pthread_create(&second, NULL, second_thread, &shares) != 0)
		fail("pthread_create");
	for (uint64_t item = 0; item < count; item++) {
		alone(id++);
		shared(id++, 1);
		shared(id++, 0);
		left(id++);
	}
	pthread_join(second, NULL);
	for (int kind = 0; kind < 5; kind++)
		printf("items=%s count=%lu least_ns=%lu most_ns=%lu least_cpu_ns=%lu most_cpu_ns=%lu least_away_ns=%lu most_away_ns=%lu\n",
		       truths[kind].kind, (unsigned long)truths[kind].count, (unsigned long)truths[kind].least_ns,
		       (unsigned long)truths[kind].most_ns, (unsigned long)truths[kind].least_cpu_ns,
		       (unsigned long)truths[kind].most_cpu_ns, (unsigned long)truths[kind].least_away_ns,
		       (unsigned long)truths[kind].most_away_ns);
	return 0;
}
