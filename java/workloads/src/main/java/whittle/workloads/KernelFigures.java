package whittle.workloads;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The kernel's counts for the current thread during a part of its work. They are the known correct values, with which a
 * profiler's values are compared.
 *
 * <p>Use: {@link #start()}, the work, {@link #sinceStart()}, all on one thread. The cost of readings is not in the values.
 * Counts need a kernel with task I/O accounting and scheduler statistics; without them they are {@link #UNAVAILABLE}.
 *
 * @param cpu CPU time
 * @param readCalls system calls read, pread, readv ..., but not recv, which receives from a socket
 * @param readBytes bytes that these calls moved
 * @param writeCalls system calls write, pwrite, writev ..., including failed calls
 * @param writeBytes bytes that these calls moved
 * @param minorFaults page faults that needed no disk
 * @param majorFaults page faults that needed the disk
 * @param runQueueNs time in which the thread could have executed but had no CPU
 */
public record KernelFigures(CpuTime cpu, long readCalls, long readBytes, long writeCalls, long writeBytes,
        long minorFaults, long majorFaults, long runQueueNs) {
    public static final long UNAVAILABLE = -1;

    /** Larger than any file that is read here, so that one system call reads a whole file. */
    private static final int FILE_BYTES = 4096;
    /** Positions in /proc/PID/stat after the closing parenthesis of the name. (The name can contain spaces.) */
    private static final int MINOR_FAULTS_FIELD = 7;
    private static final int MAJOR_FAULTS_FIELD = 9;
    private static final int RUN_QUEUE_FIELD = 1;

    static {
        // Loads the classes now. Otherwise, reading them from their jar would be counted in the first measurement.
        start().sinceStart();
    }

    /** Values since the thread's start. They are read in an order that keeps the cost of reading out of differences. */
    public static KernelFigures start() {
        long userNs = CpuTime.currentThreadUserNs();
        String[] stat = statFields();
        String schedule = text("schedstat");
        String io = text("io");
        KernelFigures counts = counts(io, stat, schedule);
        // The kernel counts a call when it ends, so the counts do not include the call that has just read them.
        return counts.with(new CpuTime(CpuTime.currentThreadCpuNs(), userNs),
                sum(counts.readCalls, 1), sum(counts.readBytes, io.length()));
    }

    /** The difference between the current values and these values, which come from {@link #start()}. */
    public KernelFigures sinceStart() {
        long cpuNs = CpuTime.currentThreadCpuNs();
        KernelFigures now = counts(text("io"), statFields(), text("schedstat"));
        // This is read a moment later. Without the limit, it could be more than the sum.
        long userNs = Math.min(CpuTime.currentThreadUserNs(), cpuNs);
        return new KernelFigures(new CpuTime(cpuNs, userNs).since(cpu), difference(now.readCalls, readCalls),
                difference(now.readBytes, readBytes), difference(now.writeCalls, writeCalls),
                difference(now.writeBytes, writeBytes), difference(now.minorFaults, minorFaults),
                difference(now.majorFaults, majorFaults), difference(now.runQueueNs, runQueueNs));
    }

    /** A value as text. */
    public static String text(long figure) {
        return figure == UNAVAILABLE ? "unavailable" : Long.toString(figure);
    }

    private KernelFigures with(CpuTime newCpu, long newReadCalls, long newReadBytes) {
        return new KernelFigures(newCpu, newReadCalls, newReadBytes, writeCalls, writeBytes,
                minorFaults, majorFaults, runQueueNs);
    }

    /** All values except the CPU time. */
    private static KernelFigures counts(String io, String[] stat, String schedule) {
        return new KernelFigures(null, line(io, "syscr: "), line(io, "rchar: "), line(io, "syscw: "),
                line(io, "wchar: "), field(stat, MINOR_FAULTS_FIELD), field(stat, MAJOR_FAULTS_FIELD),
                field(schedule.trim().split(" "), RUN_QUEUE_FIELD));
    }

    private static String[] statFields() {
        String stat = text("stat");
        return stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
    }

    /** The value after {@code key} at the start of a line. */
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

    /** A file of the current thread. Empty: the kernel has no such file, or the file cannot be read. */
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
