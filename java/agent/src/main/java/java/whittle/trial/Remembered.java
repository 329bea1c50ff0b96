package java.whittle.trial;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Results of calls and constructors. A call with the same arguments as before gives the same object again. A call that throws is made
 * again, and so is one with arguments that can change.
 */
public final class Remembered {
    /** All threads get the same objects, and the first ones are kept. */
    public static final int FOR_ALL = 0;
    /** Each thread has its own objects. */
    public static final int PER_THREAD = 1;
    /** All threads get the same objects, and the last ones are kept. */
    public static final int RECENT = 2;
    private static final MethodType ANY = MethodType.methodType(Object.class, Object[].class);

    private final MethodHandle original;
    private final int place;
    private final KeptResults ofAll;
    /** Null: all threads have the same objects. */
    private final ThreadLocal<Results> ofThread;

    private Remembered(MethodHandle original, int place, int kind) {
        this.original = original;
        this.place = place;
        this.ofAll = kind == RECENT ? new RecentResults() : new Results();
        this.ofThread = kind == PER_THREAD ? ThreadLocal.withInitial(Results::new) : null;
    }

    /** The JVM calls this once for each changed instruction. The instruction then calls `get`, with its operands as an array. */
    public static CallSite site(MethodHandles.Lookup caller, String name, MethodType type, MethodHandle original, int place,
        int kind) throws ReflectiveOperationException {
        MethodHandle plain = original.asFixedArity();
        MethodHandle spread = plain.asSpreader(Object[].class, type.parameterCount()).asType(ANY);
        Remembered remembered = new Remembered(spread, place, kind);
        MethodHandle get = MethodHandles.lookup().bind(remembered, "get", ANY);
        return new ConstantCallSite(get.asCollector(Object[].class, type.parameterCount()).asType(type));
    }

    private Object get(Object[] arguments) throws Throwable {
        if (!Results.canKeep(arguments)) {
            Places.refuse(place, "whittle cannot compare the arguments of the call");
            return original.invokeExact(arguments);
        }
        Places.count(place);
        KeptResults results = ofThread == null ? ofAll : ofThread.get();
        Object result = results.get(arguments);
        if (result == null) {
            result = original.invokeExact(arguments);
            results.put(result, arguments);
        }
        return result instanceof Object[] ? ((Object[]) result).clone() : result;
    }
}
