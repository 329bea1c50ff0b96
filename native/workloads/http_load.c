/*
 * Sends requests of HTTP/1.1 to a server on this machine, over connections that it keeps. It counts the answers.
 *
 * --port N, --connections N (16), --seconds S (4), --path PATH (/; `%d` stands for a number), --pause-us N (0): time between an answer
 * and the next request of a connection.
 */
#include "arguments.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 4096, ROOM = 65536, EVENTS = 256 };

struct connection {
	int socket;
	/* Bytes of the answer's body that are still to come; -1: its head is not complete. */
	long left;
	/* When the next request is due; 0: an answer is awaited. */
	uint64_t due_ns;
	size_t head_bytes;
	char head[8192];
};

static struct connection connections[MOST_CONNECTIONS];
static const char *path;
static long sent, answered, failed;

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void open_connection(struct connection *connection, int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int yes = 1;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	connection->socket = socket(AF_INET, SOCK_STREAM, 0);
	if (connection->socket < 0 || connect(connection->socket, (struct sockaddr *)&address, sizeof address) != 0)
		fail("connect");
	setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void send_request(struct connection *connection)
{
	char target[1024], request[2048];
	snprintf(target, sizeof target, path, (int)(sent % 1000));
	int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
	if (write(connection->socket, request, (size_t)size) != size)
		fail("write");
	connection->left = -1;
	connection->head_bytes = 0;
	connection->due_ns = 0;
	sent++;
}

/* Reads a part of an answer. Returns 1 if the answer is complete. */
static int read_answer(struct connection *connection)
{
	static char bytes[ROOM];
	if (connection->left >= 0) {
		ssize_t count = read(connection->socket, bytes, sizeof bytes);
		if (count <= 0)
			fail("read");
		connection->left -= count;
		return connection->left <= 0;
	}
	char *head = connection->head;
	ssize_t count = read(connection->socket, head + connection->head_bytes, sizeof connection->head - 1 - connection->head_bytes);
	if (count <= 0)
		fail("read");
	connection->head_bytes += (size_t)count;
	head[connection->head_bytes] = 0;
	char *end = strstr(head, "\r\n\r\n");
	if (!end)
		return 0;
	char *length = strcasestr(head, "content-length:");
	if (!length || length > end)
		fail("an answer without Content-Length");
	failed += strncmp(head, "HTTP/1.1 200", 12) != 0;
	connection->left = atol(length + 15) - (long)(connection->head_bytes - (size_t)(end + 4 - head));
	return connection->left <= 0;
}

int main(int argc, char **argv)
{
	const char *const names[] = {"--port", "--connections", "--seconds", "--path", "--pause-us", NULL};
	check_arguments(argc, argv, names);
	int port = (int)number_argument(argc, argv, "--port", 8080, 1, 65535);
	int count = (int)number_argument(argc, argv, "--connections", 16, 1, MOST_CONNECTIONS);
	double seconds = number_argument(argc, argv, "--seconds", 4, 0.01, 86400);
	uint64_t pause_ns = (uint64_t)(number_argument(argc, argv, "--pause-us", 0, 0, 1e9) * 1000);
	path = text_argument(argc, argv, "--path", "/");
	int poll = epoll_create1(0), waiting = 0;
	uint64_t end_ns = now_ns() + (uint64_t)(seconds * 1e9);
	for (int number = 0; number < count; number++) {
		struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)number};
		open_connection(&connections[number], port);
		epoll_ctl(poll, EPOLL_CTL_ADD, connections[number].socket, &event);
		send_request(&connections[number]);
		waiting++;
	}
	while (waiting > 0 || now_ns() < end_ns) {
		struct epoll_event events[EVENTS];
		int ready = epoll_wait(poll, events, EVENTS, pause_ns ? 1 : 100);
		uint64_t now = now_ns();
		for (int at = 0; at < ready; at++) {
			struct connection *connection = &connections[events[at].data.u32];
			if (!read_answer(connection))
				continue;
			answered++;
			waiting--;
			connection->due_ns = now + pause_ns;
		}
		for (int number = 0; number < count && now < end_ns; number++) {
			if (connections[number].due_ns && connections[number].due_ns <= now) {
				send_request(&connections[number]);
				waiting++;
			}
		}
	}
	printf("sent=%ld answered=%ld failed=%ld\n", sent, answered, failed);
	return 0;
}
