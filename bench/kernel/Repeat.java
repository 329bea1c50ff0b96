import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the main methods of other programs on command, all in one JVM. So the same compiled code is measured with and
 * without a profiler.
 *
 * <p>For each line {@code CLASS ARGUMENT...} on standard input, it runs the class and prints the elapsed time. For the
 * line {@code pause}, it prints the longest delay of the thread {@code pauses} since the previous line {@code pause}.
 */
public final class Repeat {
    /** Sleep time of the thread {@code pauses}. If the thread wakes up late, the process was paused. */
    private static final long SLEEP_NS = 500_000;

    private static volatile long longestPauseNs;

    private Repeat() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        Thread pauses = new Thread(Repeat::watchPauses, "pauses");
        pauses.setDaemon(true);
        pauses.start();
        out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            out.println(words[0].equals("pause") ? takePause() : run(words));
        }
    }

    private static String run(String[] words) throws Exception {
        Method main = Class.forName(words[0]).getMethod("main", String[].class);
        long startNs = System.nanoTime();
        main.invoke(null, (Object) Arrays.copyOfRange(words, 1, words.length));
        return "wall_ns=" + (System.nanoTime() - startNs);
    }

    private static void watchPauses() {
        for (long beforeNs = System.nanoTime(); ; ) {
            LockSupport.parkNanos(SLEEP_NS);
            long nowNs = System.nanoTime();
            longestPauseNs = Math.max(longestPauseNs, nowNs - beforeNs - SLEEP_NS);
            beforeNs = nowNs;
        }
    }

    private static String takePause() {
        long pauseNs = longestPauseNs;
        longestPauseNs = 0;
        return "pause_ns=" + pauseNs;
    }
}
