/*
 * The `--name value` arguments of a native workload. A wrong argument ends the program with status 2, because a test
 * that misspells an argument must not run with a default value.
 */
#ifndef WHITTLE_ARGUMENTS_H
#define WHITTLE_ARGUMENTS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_STATUS_USAGE = 2 };

/* Ends the program unless every argument is in `names` and has a value. NULL ends the list of names. */
static inline void check_arguments(int argc, char **argv, const char *const *names)
{
	for (int i = 1; i < argc; i += 2) {
		const char *const *name = names;
		while (*name != NULL && strcmp(argv[i], *name) != 0)
			name++;
		if (*name == NULL || i + 1 == argc) {
			fprintf(stderr, "%s '%s'; known:", *name == NULL ? "unknown argument" : "no value for", argv[i]);
			for (name = names; *name != NULL; name++)
				fprintf(stderr, " %s", *name);
			fprintf(stderr, "\n");
			exit(EXIT_STATUS_USAGE);
		}
	}
}

static inline const char *text_argument(int argc, char **argv, const char *name, const char *default_value)
{
	for (int i = 1; i + 1 < argc; i += 2)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return default_value;
}

/* A number in [minimum, maximum]. */
static inline double number_argument(
	int argc, char **argv, const char *name, double default_value, double minimum, double maximum)
{
	const char *text = text_argument(argc, argv, name, NULL);
	if (text == NULL)
		return default_value;
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end != '\0' || !(value >= minimum && value <= maximum)) {
		fprintf(stderr, "%s wants a number from %g to %g, found '%s'\n", name, minimum, maximum, text);
		exit(EXIT_STATUS_USAGE);
	}
	return value;
}

/* Ends the program, because a system call failed that should not fail. */
_Noreturn static inline void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

#endif
