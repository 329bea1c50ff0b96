package whittle.workloads;

/** A thread with a name. Its failure ends the program with status 1: what is left of a workload has no known answer. */
public final class WorkThread {
    /** What a thread does. */
    public interface Work {
        void run() throws Exception;
    }

    private final Thread thread;

    public WorkThread(String name, Work work) {
        thread = new Thread(() -> runOrEndProgram(work), name);
    }

    /** Runs {@code work} on a thread of its own to its end. */
    public static void runToEnd(String name, Work work) throws InterruptedException {
        WorkThread thread = new WorkThread(name, work);
        thread.start();
        thread.join();
    }

    private static void runOrEndProgram(Work work) {
        try {
            work.run();
        } catch (Throwable e) {
            System.err.println(Thread.currentThread().getName() + " failed");
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    public String name() {
        return thread.getName();
    }

    public void start() {
        thread.start();
    }

    /** Starts the thread as one that the program's end does not wait for. */
    public void startDaemon() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits for the thread's end. */
    public void join() throws InterruptedException {
        thread.join();
    }
}
