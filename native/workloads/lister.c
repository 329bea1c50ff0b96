/*
 * A process lister, like ps. It prints the size and the resident memory of each process.
 *
 * --how slow adds up the sizes of all mappings from the lines of /proc/PID/smaps, for which the kernel walks all mappings.
 * --how fast reads the two numbers that the kernel keeps in /proc/PID/statm. Both print the same sizes.
 * --pids A,B,... , --rounds N (or --seconds S, 2): the list is made again and again, and printed once at the end.
 */
#include "arguments.h"
#include "clocks.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_PROCESSES = 1000, LINE_BYTES = 512 };
/* The stdio of a C library reads this many bytes at once, and so do listers that use stdio. */
enum { READ_BYTES = 4096 };

struct process_size {
	int pid;
	unsigned long long size_kb, resident_kb;
};

/* A file that is read line by line: `buffer` has `bytes` bytes, and the bytes before `next` were already returned. */
struct line_reader {
	int file;
	size_t bytes, next;
	char buffer[READ_BYTES];
};

static int open_process_file(int pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		fail(path);
	return file;
}

/* Fills the empty buffer. Returns 0 at the end of the file. */
static int fill(struct line_reader *reader)
{
	ssize_t bytes = read(reader->file, reader->buffer, READ_BYTES);
	if (bytes < 0)
		fail("reading a process's file");
	reader->bytes = (size_t)bytes;
	reader->next = 0;
	return bytes > 0;
}

/* Reads the next line without its line end, cut to LINE_BYTES. Returns 0 at the end of the file. */
static int read_line(struct line_reader *reader, char *line)
{
	size_t length = 0;
	const char *end = NULL;
	while (end == NULL) {
		if (reader->next == reader->bytes && !fill(reader))
			return 0;
		const char *start = reader->buffer + reader->next;
		size_t left = reader->bytes - reader->next;
		end = memchr(start, '\n', left);
		size_t part = end == NULL ? left : (size_t)(end - start);
		size_t kept = part < LINE_BYTES - 1 - length ? part : LINE_BYTES - 1 - length;
		memcpy(line + length, start, kept);
		length += kept;
		reader->next += part + (end != NULL);
	}
	line[length] = '\0';
	return 1;
}

/* The number after `key` if the line starts with `key`, otherwise 0. */
static unsigned long long value_of(const char *line, const char *key)
{
	size_t length = strlen(key);
	return strncmp(line, key, length) == 0 ? strtoull(line + length, NULL, 10) : 0;
}

/* The first line of a mapping starts with a lower-case address. Its other lines start with an upper-case word. */
static int is_first_line(const char *line)
{
	return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f');
}

/* The slow way. All processes share [vsyscall], the page of system calls: it is left out here, as in statm. */
__attribute__((noinline)) void add_up_mappings(struct process_size *process)
{
	struct line_reader reader = {.file = open_process_file(process->pid, "smaps")};
	char line[LINE_BYTES];
	int is_own = 1;
	process->size_kb = process->resident_kb = 0;
	while (read_line(&reader, line)) {
		if (is_first_line(line)) {
			is_own = strstr(line, "[vsyscall]") == NULL;
		} else if (is_own) {
			process->size_kb += value_of(line, "Size:");
			process->resident_kb += value_of(line, "Rss:");
		}
	}
	close(reader.file);
}

/* The fast way. */
__attribute__((noinline)) void read_stored_size(struct process_size *process)
{
	char text[128];
	unsigned long long pages, resident_pages;
	unsigned long long page_kb = (unsigned long long)sysconf(_SC_PAGESIZE) / 1024;
	int file = open_process_file(process->pid, "statm");
	ssize_t bytes = read(file, text, sizeof text - 1);
	text[bytes < 0 ? 0 : bytes] = '\0';
	if (sscanf(text, "%llu %llu", &pages, &resident_pages) != 2)
		fail("statm");
	process->size_kb = pages * page_kb;
	process->resident_kb = resident_pages * page_kb;
	close(file);
}

static int read_pids(const char *text, struct process_size *processes)
{
	int count = 0;
	for (char *rest = (char *)text; *rest != '\0' && count < MAX_PROCESSES; rest += *rest == ',') {
		processes[count].pid = (int)strtol(rest, &rest, 10);
		if (processes[count++].pid <= 0 || (*rest != ',' && *rest != '\0'))
			count = MAX_PROCESSES + 1;
	}
	if (count == 0 || count > MAX_PROCESSES) {
		fprintf(stderr, "--pids wants up to %d process ids, separated by commas\n", MAX_PROCESSES);
		exit(EXIT_STATUS_USAGE);
	}
	return count;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void print_results(const struct process_size *processes, int process_count, long rounds, double real_seconds)
{
	for (int i = 0; i < process_count; i++)
		printf("pid=%d size_kb=%llu resident_kb=%llu\n", processes[i].pid, processes[i].size_kb,
			processes[i].resident_kb);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	double listed = (double)rounds * process_count;
	printf("rounds=%ld processes=%d real_seconds=%.3f user_seconds=%.3f system_seconds=%.3f\n", rounds, process_count,
		real_seconds, seconds_of(usage.ru_utime), seconds_of(usage.ru_stime));
	printf("us_per_process=%.1f processes_per_second=%.0f\n", real_seconds * 1e6 / listed, listed / real_seconds);
}

int main(int argc, char **argv)
{
	static struct process_size processes[MAX_PROCESSES + 1];
	check_arguments(argc, argv, (const char *[]){"--how", "--pids", "--rounds", "--seconds", NULL});
	const char *how = text_argument(argc, argv, "--how", "slow");
	int is_slow = strcmp(how, "slow") == 0;
	if (!is_slow && strcmp(how, "fast") != 0) {
		fprintf(stderr, "--how wants slow or fast, found '%s'\n", how);
		return EXIT_STATUS_USAGE;
	}
	int process_count = read_pids(text_argument(argc, argv, "--pids", ""), processes);
	long round_limit = (long)number_argument(argc, argv, "--rounds", 0, 1, 1e12);
	uint64_t duration_ns = (uint64_t)(number_argument(argc, argv, "--seconds", 2, 0.01, 86400) * 1e9);
	uint64_t start_ns = wall_ns();
	long rounds = 0;
	while (round_limit > 0 ? rounds < round_limit : wall_ns() - start_ns < duration_ns) {
		for (int i = 0; i < process_count; i++) {
			if (is_slow)
				add_up_mappings(&processes[i]);
			else
				read_stored_size(&processes[i]);
		}
		rounds++;
	}
	print_results(processes, process_count, rounds, (double)(wall_ns() - start_ns) / 1e9);
	return 0;
}
