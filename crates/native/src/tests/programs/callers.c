/* A leaf function without a frame. Two functions call the leaf. A variable always shows the current caller. */
#include <stdio.h>

volatile int caller_number;
volatile unsigned long sum;

__attribute__((noinline)) static void leaf(unsigned long rounds) {
    for (unsigned long i = 0; i < rounds; i++)
        sum += i; /* here: leaf */
}

__attribute__((noinline)) static void often(void) {
    caller_number = 1;
    leaf(7200); /* here: often */
    caller_number = 0;
}

__attribute__((noinline)) static void seldom(void) {
    caller_number = 2;
    leaf(2800); /* here: seldom */
    caller_number = 0;
}

__attribute__((noinline)) static void work(void) {
    often(); /* here: work often */
    seldom(); /* here: work seldom */
    sum++;
}

int main(void) {
    printf("%p\n", (void *)&caller_number);
    fflush(stdout);
    for (;;)
        work(); /* here: main */
}
