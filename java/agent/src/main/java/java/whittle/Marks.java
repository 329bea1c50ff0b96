package java.whittle;

/**
 * The marks that whittle's kernel side reads: system calls that always fail. docs/developer/instrument.md lists them.
 *
 * <p>The package begins with "java." because every class loader, also of OSGi and of JBoss, looks for such classes in the
 * bootstrap loader first. Classes that the agent changes can therefore always find this class.
 */
public final class Marks {
    public static final int HTTP = 1;
    public static final int TASK = 2;
    public static final int MESSAGE = 3;
    public static final int SCHEDULED = 4;
    public static final int GRPC = 5;
    /** A request that only its span shows. */
    public static final int SPAN = 6;

    static final int BEGIN = 1;
    static final int END = 2;
    static final int ENTER = 3;
    static final int LEAVE = 4;
    static final int PARK = 5;
    static final int RESUME = 6;
    static final int FINISH = 7;
    static final int STATEMENT_BEGIN = 8;
    static final int STATEMENT_END = 9;
    static final int SPAN_NAME = 10;
    static final int TRACE = 11;
    static final int BLOCK = 12;
    static final int RETURN = 13;

    private static final byte[] NO_NAME = {};

    /** Whether the native methods are connected. The library sets the field when whittle attaches it, and stays in the JVM. */
    private static volatile boolean ready;

    /** Whether the agent has changed the classes. After it has stopped, the last methods that began still make calls. */
    private static volatile boolean isStarted;

    /** Receives the marks in tests. */
    private static volatile Recorder recorder;

    private Marks() {
    }

    /** Receives marks instead of the kernel side. */
    public interface Recorder {
        void mark(int what, long id, int kind, int status, byte[] name);
    }

    /** Passes marks to this recorder, or to the kernel side again if it is null. */
    public static void recordWith(Recorder newRecorder) {
        recorder = newRecorder;
    }

    /** Whether the library is attached. */
    public static boolean haveLibrary() {
        return ready;
    }

    /** The agent starts. Marks are made as soon as the library is attached. */
    public static void start() {
        isStarted = true;
    }

    /** Stops all marks until the agent starts again. */
    public static void stop() {
        isStarted = false;
    }

    static boolean areOn() {
        return isStarted && (ready || recorder != null);
    }

    static void begin(long id, int kind, byte[] name) {
        named(BEGIN, id, kind, name);
    }

    static void end(long id, int status) {
        plain(END, id, status);
    }

    static void enter(long id) {
        plain(ENTER, id, 0);
    }

    static void leave(long id) {
        plain(LEAVE, id, 0);
    }

    static void park(long thread) {
        plain(PARK, thread, 0);
    }

    static void resume(long thread) {
        plain(RESUME, thread, 0);
    }

    static void block(long thread, boolean isObjectWait) {
        plain(BLOCK, thread, isObjectWait ? 1 : 0);
    }

    static void returns(long thread) {
        plain(RETURN, thread, 0);
    }

    static void start(long thread, byte[] name) {
        named(RESUME, thread, 0, name);
    }

    static void finish(long thread) {
        plain(FINISH, thread, 0);
    }

    /** A statement has its own id. */
    static void beginStatement(long statement) {
        plain(STATEMENT_BEGIN, statement, 0);
    }

    static void endStatement(long statement, byte[] name) {
        named(STATEMENT_END, statement, 0, name);
    }

    /** The item's span has this name. */
    static void spanName(long id, byte[] name) {
        named(SPAN_NAME, id, 0, name);
    }

    /** The item belongs to the trace with this id of 16 bytes. */
    static void trace(long id, byte[] trace) {
        named(TRACE, id, 0, trace);
    }

    private static void plain(int what, long id, int status) {
        if (!isStarted) {
            return;
        }
        Recorder current = recorder;
        if (current != null) {
            current.mark(what, id, 0, status, NO_NAME);
        } else if (ready) {
            plain(what | (long) status << 32, id);
        }
    }

    private static void named(int what, long id, int kind, byte[] name) {
        if (!isStarted) {
            return;
        }
        Recorder current = recorder;
        if (current != null) {
            current.mark(what, id, kind, 0, name);
        } else if (ready) {
            named(what | (long) kind << 8, id, name);
        }
    }

    private static native void plain(long word, long id);

    /** Copies the first 128 bytes of the name to the stack, and adds their number to the word. */
    private static native void named(long word, long id, byte[] name);
}
