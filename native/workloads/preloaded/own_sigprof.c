/* A library that handles SIGPROF itself, as a profiler in the program does. */
#include <signal.h>
#include <stddef.h>

static void on_profiling_signal(int signal)
{
	(void)signal;
}

__attribute__((constructor)) static void take_signal(void)
{
	struct sigaction action = {.sa_handler = on_profiling_signal, .sa_flags = SA_RESTART};
	sigaction(SIGPROF, &action, NULL);
}
