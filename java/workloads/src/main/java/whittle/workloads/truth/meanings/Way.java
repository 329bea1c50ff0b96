package whittle.workloads.truth.meanings;

/** One purpose of waiting. Another thread ends each wait. */
public abstract class Way {
    private final String thread;
    private final String meaning;

    /**
     * Names the way.
     *
     * @param thread name of the thread that waits
     * @param meaning what whittle calls the wait
     */
    Way(String thread, String meaning) {
        this.thread = thread;
        this.meaning = meaning;
    }

    public final String thread() {
        return thread;
    }

    public final String meaning() {
        return meaning;
    }

    /** Prepares the next wait. */
    public void prepare() {}

    /** Waits until {@link #end()} is called. */
    public abstract void waitOnce() throws Exception;

    /** Ends the wait. It can be called before the thread waits. */
    public void end() throws Exception {}
}
