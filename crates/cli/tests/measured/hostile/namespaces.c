/* Starts a program in a user namespace and a mount namespace, and mounts a folder of another user where whittle is about
 * to work.
 *
 *   cc namespaces.c -o namespaces                             namespaces MODE FOLDER TMP PROGRAM [ARGUMENT...]
 *
 * The program sees the folder TMP as its /tmp. It is no new tmpfs, because root cannot create a file in a file system
 * that belongs to another user namespace. Modes:
 *   cover     mounts FOLDER over the folders of the profiler's library, of root and of the program's user
 *   swap      mounts FOLDER over each folder with whittle's prefix, as soon as the folder is created
 *
 * The exit status is 77 if the machine does not allow user namespaces.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(int result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(77);
    }
}

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    check(file, path);
    check(write(file, text, strlen(text)), path);
    close(file);
}

static void enter(int user, const char *tmp) {
    char map[40];
    snprintf(map, sizeof map, "0 %d 1", user);
    check(unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", map);
    write_file("/proc/self/gid_map", map);
    check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "make mounts private");
    check(mount(tmp, "/tmp", NULL, MS_BIND, NULL), "mount /tmp");
}

static void cover(const char *victim, int user) {
    char path[60];
    snprintf(path, sizeof path, "/tmp/.whittle-%d", user);
    check(mkdir(path, 0755), path);
    check(mount(victim, path, NULL, MS_BIND, NULL), path);
}

static void swap(const char *victim, int watch) {
    char events[4096] __attribute__((aligned(8))), path[300];
    for (;;) {
        ssize_t length = read(watch, events, sizeof events);
        for (char *next = events; next < events + length;) {
            struct inotify_event *event = (struct inotify_event *)next;
            snprintf(path, sizeof path, "/tmp/%s", event->name);
            if (!strncmp(event->name, "whittle-", 8))
                mount(victim, path, NULL, MS_BIND, NULL);
            next += sizeof *event + event->len;
        }
    }
}

int main(int count, char **arguments) {
    if (count < 5)
        return 2;
    int user = (int)getuid();
    enter(user, arguments[3]);
    if (!strcmp(arguments[1], "cover")) {
        cover(arguments[2], 0);
        if (user)
            cover(arguments[2], user);
    } else {
        int watch = inotify_init();
        check(inotify_add_watch(watch, "/tmp", IN_CREATE), "watch /tmp");
        int child = fork();
        check(child, "fork");
        if (!child) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            swap(arguments[2], watch);
        }
    }
    execv(arguments[4], arguments + 4);
    perror(arguments[4]);
    return 1;
}
