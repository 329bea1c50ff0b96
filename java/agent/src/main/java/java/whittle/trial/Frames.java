package java.whittle.trial;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The first frames of the current thread's stack, without the cost of all others. A JVM before Java 9 reads all frames. */
public final class Frames {
    private static final String OURS = "java.whittle.trial.";
    /** The methods `walk` of a StackWalker, and `getClassName` and `toStackTraceElement` of a frame. Null: this JVM has none. */
    private static final MethodHandle WALK;
    /** A StackWalker that also shows the frames of reflection, as a stack trace does. */
    private static final Object ALL;
    private static final MethodHandle CLASS_NAME;
    private static final MethodHandle ELEMENT;

    static {
        MethodHandle walk = null;
        Object all = null;
        MethodHandle className = null;
        MethodHandle element = null;
        try {
            Class<?> walker = Class.forName("java.lang.StackWalker");
            Class<?> option = Class.forName("java.lang.StackWalker$Option");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            all = lookup.findStatic(walker, "getInstance", MethodType.methodType(walker, option))
                .invokeWithArguments(option.getField("SHOW_REFLECT_FRAMES").get(null));
            walk = lookup.findVirtual(walker, "walk", MethodType.methodType(Object.class, Function.class))
                .asType(MethodType.methodType(Object.class, Object.class, Function.class));
            className = ofFrame(lookup, "getClassName", String.class);
            element = ofFrame(lookup, "toStackTraceElement", StackTraceElement.class);
        } catch (Throwable missing) {
            walk = null;
        }
        WALK = walk;
        ALL = all;
        CLASS_NAME = className;
        ELEMENT = element;
    }

    private Frames() {
    }

    private static MethodHandle ofFrame(MethodHandles.Lookup lookup, String method, Class<?> result) throws ReflectiveOperationException {
        return lookup.findVirtual(Class.forName("java.lang.StackWalker$StackFrame"), method, MethodType.methodType(result))
            .asType(MethodType.methodType(result, Object.class));
    }

    /** Instead of `getStackTrace` of a thread. The first element is missing, because nobody reads it. */
    public static StackTraceElement[] ofThread(Thread thread, int count, int place) {
        Places.count(place);
        if (thread != Thread.currentThread()) {
            return thread.getStackTrace();
        }
        return WALK == null ? withoutOurs(thread.getStackTrace()) : first(count, 1);
    }

    /** Instead of the stack of a new exception. */
    public static StackTraceElement[] here(int count, int place) {
        Places.count(place);
        return WALK == null ? withoutOurs(new Throwable().getStackTrace()) : first(count, 0);
    }

    private static StackTraceElement[] withoutOurs(StackTraceElement[] all) {
        List<StackTraceElement> others = new ArrayList<>();
        for (StackTraceElement element : all) {
            if (!element.getClassName().startsWith(OURS)) {
                others.add(element);
            }
        }
        return others.toArray(new StackTraceElement[0]);
    }

    /** The frame is one of our own methods. */
    static boolean isOurs(Object frame) {
        try {
            return ((String) CLASS_NAME.invokeExact(frame)).startsWith(OURS);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static StackTraceElement[] first(int count, int missing) {
        try {
            return (StackTraceElement[]) walk(ALL, new First(count, missing));
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Calls `walk` of a StackWalker. This code is compiled for Java 8, which has no such class. */
    static Object walk(Object walker, Function<Stream<?>, ?> reader) throws Throwable {
        return (Object) WALK.invokeExact(walker, (Function<?, ?>) reader);
    }

    /** Reads the frames below ours. */
    private static final class First implements Function<Stream<?>, Object> {
        private final int count;
        private final int missing;

        First(int count, int missing) {
            this.count = count;
            this.missing = missing;
        }

        @Override
        public Object apply(Stream<?> frames) {
            List<StackTraceElement> elements = new ArrayList<>(count);
            for (int absent = 0; absent < missing; absent++) {
                elements.add(null);
            }
            Iterator<?> all = frames.iterator();
            while (elements.size() < count && all.hasNext()) {
                Object frame = all.next();
                if (!isOurs(frame)) {
                    elements.add(element(frame));
                }
            }
            return elements.toArray(new StackTraceElement[0]);
        }

        private static StackTraceElement element(Object frame) {
            try {
                return (StackTraceElement) ELEMENT.invokeExact(frame);
            } catch (Throwable failure) {
                throw new IllegalStateException(failure);
            }
        }
    }
}
