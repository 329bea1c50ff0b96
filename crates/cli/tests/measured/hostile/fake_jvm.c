/* A program that looks like a JVM and is hostile to whoever attaches to it.
 *
 *   cc -shared -fPIC -DLIBRARY fake_jvm.c -o libjvm.so        a library with the names that HotSpot exports
 *   cc fake_jvm.c -o fake_jvm -ldl                            fake_jvm LIBRARY MODE [WORD...]
 *
 * The words have no effect. Rules of the agent can match them.
 *
 * Modes:
 *   silent    never opens its attach socket
 *   backlog   has a socket with a full queue, from which it takes no connection
 *   mute      takes connections and never responds
 *   drip      responds with one byte in a second, without end
 *   flood     responds with as many bytes as the reader takes
 *   liar      says that the profiler was loaded, but has no profiler
 *   bomb      the same; its recording is a sparse file with a chunk of one gigabyte
 *   rest      the same; its recording is a sparse file of 256 MiB with a chunk that is not finished
 *   noise     the same; its recording has random bytes
 *   escape    refuses to load the profiler, with control characters for a terminal
 *   killer    the same queue as backlog; kills each process and thread of whittle that it may kill
 *   freezer   the same; stops each of them
 */
#ifdef LIBRARY
int gHotSpotVMStructs;
int JNI_CreateJavaVM(void) { return 0; }
#else
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void on_quit(int number) { (void)number; }

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int open_socket(int queue) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", getpid());
    unlink(address.sun_path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, queue))
        fail("socket");
    return listener;
}

static void fill_queue(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.java_pid%d", getpid());
    for (int i = 0; i < 8; i++) {
        int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(client, (struct sockaddr *)&address, sizeof address);
    }
}

/* Writes the recording that an attach command names. */
static void record(const char *command, size_t length, const char *mode) {
    const char *file = memmem(command, length, "file=", 5);
    if (!file || !memmem(command, length, "start", 5))
        return;
    char path[300];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(file + 5, ","), file + 5);
    int recording = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (!strcmp(mode, "bomb")) {
        /* Magic, version 2.1, size of the chunk, all other fields 0. */
        unsigned char header[68] = {'F', 'L', 'R', 0, 0, 2, 0, 1, 0, 0, 0, 0, 0x40};
        if (pwrite(recording, header, sizeof header, 0) < 0 || ftruncate(recording, 1L << 30))
            fail("recording");
    } else if (!strcmp(mode, "rest")) {
        unsigned char header[68] = {'F', 'L', 'R', 0, 0, 2, 0, 1};
        if (pwrite(recording, header, sizeof header, 0) < 0 || ftruncate(recording, 256L << 20))
            fail("recording");
    } else {
        unsigned char noise[1 << 16];
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (unsigned char)(rand() >> 5);
        memcpy(noise, "FLR\0\0\2\0\1\0\0\0\0\0\1\0\0", 16);
        if (write(recording, noise, sizeof noise) < 0)
            fail("recording");
    }
    close(recording);
}

static void serve(int listener, const char *mode) {
    for (;;) {
        int client = accept(listener, NULL, NULL);
        char command[4096];
        ssize_t length = read(client, command, sizeof command);
        if (length <= 0 || !strcmp(mode, "mute"))
            continue;
        if (!strcmp(mode, "drip"))
            while (send(client, "0", 1, MSG_NOSIGNAL) == 1)
                sleep(1);
        if (!strcmp(mode, "flood")) {
            static char zeros[1 << 16];
            while (send(client, zeros, sizeof zeros, MSG_NOSIGNAL) > 0)
                ;
        }
        if (!strcmp(mode, "bomb") || !strcmp(mode, "rest") || !strcmp(mode, "noise"))
            record(command, (size_t)length, mode);
        const char *refusal = "1\n\033]0;owned\007\033[2Kwhittle: all is well\n";
        const char *answer = strcmp(mode, "escape") ? "0\nreturn code: 0\n" : refusal;
        send(client, answer, strlen(answer), MSG_NOSIGNAL);
        close(client);
    }
}

/* Sends a signal to each thread of a process. Each thread has its own user, which decides whether this is allowed. */
static void hit(int process, int number) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *threads = opendir(path);
    struct dirent *entry;
    while (threads && (entry = readdir(threads)))
        if (atoi(entry->d_name) > 0)
            syscall(SYS_tgkill, process, atoi(entry->d_name), number);
    if (threads)
        closedir(threads);
}

static int is_of_whittle(const char *program) {
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    return !strcmp(name, "whittle") || !strcmp(name, "whittle-hand");
}

/* Sends a signal to each process of whittle, without end. */
static void hunt(int number) {
    for (;;) {
        DIR *processes = opendir("/proc");
        struct dirent *entry;
        while ((entry = readdir(processes))) {
            char path[300], program[300] = "";
            snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
            int file = open(path, O_RDONLY);
            if (file < 0)
                continue;
            if (read(file, program, sizeof program - 1) > 0 && is_of_whittle(program))
                hit(atoi(entry->d_name), number);
            close(file);
        }
        closedir(processes);
        usleep(2000);
    }
}

int main(int count, char **arguments) {
    if (count < 3)
        return 2;
    const char *mode = arguments[2];
    signal(SIGQUIT, on_quit);
    if (!dlopen(arguments[1], RTLD_NOW)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int is_hunter = !strcmp(mode, "killer") || !strcmp(mode, "freezer");
    int listener = -1;
    if (!strcmp(mode, "backlog") || is_hunter) {
        open_socket(0);
        fill_queue();
    } else if (strcmp(mode, "silent")) {
        listener = open_socket(16);
    }
    puts("ready");
    fflush(stdout);
    if (is_hunter)
        hunt(!strcmp(mode, "killer") ? SIGKILL : SIGSTOP);
    if (listener >= 0)
        serve(listener, mode);
    for (;;)
        pause();
}
#endif
