/**
 * Whittle as a profiler of JMH, {@code -prof whittle}. There is one experiment per fork, with the fork's operations as
 * units of work. The CPU time per operation is shown next to JMH's own results.
 *
 * <pre>
 * JMH ── addJVMInvokeOptions ──> whittle collect -o DIR/BENCHMARK-forkN.whittle -- java … (the fork)
 *                                                                      │ at its end: "whittle: 4711 operations"
 * JMH <── afterTrial: CPU per operation ── whittle functions --filter 'time in …' <── experiment
 * </pre>
 *
 * This package measures nothing: whittle takes the samples.
 */
package dev.whittle.jmh;
