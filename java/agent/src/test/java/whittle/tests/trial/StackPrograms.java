package whittle.tests.trial;

import java.util.stream.Stream;

/** Small programs that read their own stack. */
final class StackPrograms {
    private StackPrograms() {
    }

    static String ofThread() {
        StackTraceElement[] stack = Thread.currentThread().getStackTrace();
        return stack[1] + " " + stack[2] + " " + stack[3];
    }

    static String ofException() {
        return new Throwable().getStackTrace()[0] + " " + new Exception().getStackTrace()[2];
    }

    static String onTwoLines() {
        StackTraceElement[] stack = new Throwable()
            .getStackTrace();
        return stack[0] + " " + stack[1];
    }

    static String belowOnly() {
        StackTraceElement[] stack = new Throwable()
            .getStackTrace();
        return stack[1].getMethodName();
    }

    static String beyond() {
        return Thread.currentThread().getStackTrace()[5000].getMethodName();
    }

    static int depth() {
        return Thread.currentThread().getStackTrace().length;
    }

    static Object any(int index) {
        return Thread.currentThread().getStackTrace()[index];
    }

    static Object readItself() {
        return Thread.currentThread().getStackTrace()[0];
    }

    static StackTraceElement[] returned() {
        return Thread.currentThread().getStackTrace();
    }

    static String ofOther(Thread thread) {
        return thread.getStackTrace()[1].getMethodName();
    }

    static Object ofGiven(Throwable thrown) {
        return thrown.getStackTrace()[0];
    }

    static String walked() {
        return one() + two();
    }

    private static String one() {
        return caller();
    }

    private static String two() {
        return caller();
    }

    static String caller() {
        return StackWalker.getInstance().walk(frames -> frames.skip(1).findFirst()).get().getMethodName() + " "
            + StackWalker.getInstance().walk(Stream::findFirst).get().getMethodName() + " ";
    }
}
