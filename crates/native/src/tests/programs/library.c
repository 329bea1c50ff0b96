/* A library that is loaded late. */
volatile int sum_in_library;

void run_in_library(void (*function)(void)) {
    function();
    sum_in_library++;
}
