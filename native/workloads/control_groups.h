/* Control groups of the native workloads. */
#ifndef WHITTLE_CONTROL_GROUPS_H
#define WHITTLE_CONTROL_GROUPS_H

#include "arguments.h"
#include <fcntl.h>
#include <unistd.h>

/* Writes a text into a file of a group. Returns 0 if the group has no such file. */
static inline int write_to(const char *group, const char *name, const char *text)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", group, name);
	int file = open(path, O_WRONLY);
	if (file < 0)
		return 0;
	if (write(file, text, strlen(text)) < 0)
		fail(path);
	close(file);
	return 1;
}

/* Moves a process into a group. */
static inline void join_group(const char *group, pid_t process)
{
	char id[32];
	snprintf(id, sizeof(id), "%d", process);
	if (!write_to(group, "cgroup.procs", id))
		fail(group);
}

#endif
