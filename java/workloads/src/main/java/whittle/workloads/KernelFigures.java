package whittle.workloads;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What the kernel itself counted for the current thread during a stretch of its work: the known answer that a profiler's
 * figures are checked against.
 *
 * <p>Use: {@link #start()}, the work, {@link #sinceStart()}, all on one thread. What a reading costs is not in the figures.
 * Counts need a kernel with task I/O accounting and scheduler statistics; without them they are {@link #UNAVAILABLE}.
 *
 * @param cpu CPU time
 * @param readCalls system calls read, pread, readv ...; receiving from a socket by recv is none of them
 * @param readBytes what these moved
 * @param writeCalls system calls write, pwrite, writev ..., those that failed included
 * @param writeBytes what these moved
 * @param minorFaults page faults that needed no disk
 * @param majorFaults page faults that did
 * @param runQueueNs time in which the thread could have executed but had no CPU
 */
public record KernelFigures(CpuTime cpu, long readCalls, long readBytes, long writeCalls, long writeBytes,
        long minorFaults, long majorFaults, long runQueueNs) {
    public static final long UNAVAILABLE = -1;

    /** Larger than any of the files read here, so that one system call reads a file. */
    private static final int FILE_BYTES = 4096;
    /** Positions in /proc/PID/stat behind the closing parenthesis of the name, which may hold spaces. */
    private static final int MINOR_FAULTS_FIELD = 7;
    private static final int MAJOR_FAULTS_FIELD = 9;
    private static final int RUN_QUEUE_FIELD = 1;

    static {
        // Loads the classes: reading them from their jar would be counted in the first stretch.
        start().sinceStart();
    }

    /** Figures since the thread's start, in an order in which what the reading itself costs is not in a difference. */
    public static KernelFigures start() {
        long userNs = CpuTime.currentThreadUserNs();
        String[] stat = statFields();
        String schedule = text("schedstat");
        String io = text("io");
        KernelFigures counts = counts(io, stat, schedule);
        // The kernel counts a call when it ends: the one that has just read the counts is not among them.
        return counts.with(new CpuTime(CpuTime.currentThreadCpuNs(), userNs),
                sum(counts.readCalls, 1), sum(counts.readBytes, io.length()));
    }

    /** The difference between now and these figures, which {@link #start()} has made. */
    public KernelFigures sinceStart() {
        long cpuNs = CpuTime.currentThreadCpuNs();
        KernelFigures now = counts(text("io"), statFields(), text("schedstat"));
        // Read a moment later, so that without the limit it could be more than the sum.
        long userNs = Math.min(CpuTime.currentThreadUserNs(), cpuNs);
        return new KernelFigures(new CpuTime(cpuNs, userNs).since(cpu), difference(now.readCalls, readCalls),
                difference(now.readBytes, readBytes), difference(now.writeCalls, writeCalls),
                difference(now.writeBytes, writeBytes), difference(now.minorFaults, minorFaults),
                difference(now.majorFaults, majorFaults), difference(now.runQueueNs, runQueueNs));
    }

    /** A figure as text. */
    public static String text(long figure) {
        return figure == UNAVAILABLE ? "unavailable" : Long.toString(figure);
    }

    private KernelFigures with(CpuTime newCpu, long newReadCalls, long newReadBytes) {
        return new KernelFigures(newCpu, newReadCalls, newReadBytes, writeCalls, writeBytes,
                minorFaults, majorFaults, runQueueNs);
    }

    /** All but the CPU time. */
    private static KernelFigures counts(String io, String[] stat, String schedule) {
        return new KernelFigures(null, line(io, "syscr: "), line(io, "rchar: "), line(io, "syscw: "),
                line(io, "wchar: "), field(stat, MINOR_FAULTS_FIELD), field(stat, MAJOR_FAULTS_FIELD),
                field(schedule.trim().split(" "), RUN_QUEUE_FIELD));
    }

    private static String[] statFields() {
        String stat = text("stat");
        return stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
    }

    /** The value behind {@code key} at a line's start. */
    private static long line(String file, String key) {
        return file.lines().filter(line -> line.startsWith(key)).findFirst()
                .map(line -> Long.parseLong(line.substring(key.length()))).orElse(UNAVAILABLE);
    }

    private static long field(String[] fields, int position) {
        return position < fields.length ? Long.parseLong(fields[position]) : UNAVAILABLE;
    }

    private static long sum(long figure, long more) {
        return figure == UNAVAILABLE ? UNAVAILABLE : figure + more;
    }

    private static long difference(long end, long start) {
        return end == UNAVAILABLE || start == UNAVAILABLE ? UNAVAILABLE : end - start;
    }

    /** A file of the current thread; empty if the kernel has none or does not let us read it. */
    private static String text(String name) {
        try (FileInputStream file = new FileInputStream("/proc/thread-self/" + name)) {
            byte[] bytes = new byte[FILE_BYTES];
            int length = Math.max(file.read(bytes), 0);
            return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
