/* Functions that the compiler inlines into each other, two levels deep. */
#include <stdio.h>

volatile unsigned long sum;

static inline __attribute__((always_inline)) void innermost(unsigned long rounds) {
    for (unsigned long i = 0; i < rounds; i++)
        sum += i; /* here: innermost */
}

static inline __attribute__((always_inline)) void between(unsigned long rounds) {
    sum++;
    innermost(rounds); /* here: between */
}

__attribute__((noinline)) static void outer(void) {
    between(1000000); /* here: outer */
    sum++;
}

int main(void) {
    puts("ready");
    fflush(stdout);
    for (;;)
        outer(); /* here: main */
}
