/**
 * Whittle as a profiler of JMH, {@code -prof whittle}: one experiment per fork, with the fork's operations as units of
 * work, and the CPU time per operation beside JMH's own results.
 *
 * <pre>
 * JMH ── addJVMInvokeOptions ──> whittle collect -o DIR/BENCHMARK-forkN.whittle -- java … (the fork)
 *                                                                      │ at its end: "whittle: 4711 operations"
 * JMH <── afterTrial: CPU per operation ── whittle functions --filter 'time in …' <── experiment
 * </pre>
 *
 * Samples are whittle's business; nothing is measured here.
 */
package dev.whittle.jmh;
