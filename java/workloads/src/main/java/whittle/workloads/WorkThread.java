package whittle.workloads;

/** A thread with a name. If it fails, the program ends with status 1, because the rest has no known correct result. */
public final class WorkThread {
    /** The work of a thread. */
    public interface Work {
        void run() throws Exception;
    }

    private final Thread thread;

    public WorkThread(String name, Work work) {
        thread = new Thread(() -> runOrEndProgram(work), name);
    }

    /** Runs {@code work} on a new thread, and waits for its end. */
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

    /** Starts the thread as a daemon: the program's end does not wait for it. */
    public void startDaemon() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits for the thread's end. */
    public void join() throws InterruptedException {
        thread.join();
    }
}
