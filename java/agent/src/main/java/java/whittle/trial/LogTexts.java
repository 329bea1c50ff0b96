package java.whittle.trial;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Messages of loggers. The text of a message is made only if the logger logs the message's level. */
public final class LogTexts {
    private LogTexts() {
    }

    /**
     * The JVM calls this once for each changed instruction. The instruction gets the logger and the operands of the text. `linker` and
     * `recipe` are those of the instruction that made the text.
     */
    public static CallSite site(MethodHandles.Lookup caller, String name, MethodType type, MethodHandle check, MethodHandle log,
        MethodHandle linker, int place, Object... recipe) throws Throwable {
        MethodType parts = type.dropParameterTypes(0, 1).changeReturnType(String.class);
        List<Object> words = new ArrayList<>(Arrays.<Object>asList(caller, "makeConcatWithConstants", parts));
        words.addAll(Arrays.asList(recipe));
        MethodHandle text = ((CallSite) linker.invokeWithArguments(words)).dynamicInvoker();
        MethodType ofText = log.type().changeParameterType(1, String.class);
        MethodHandle logs = MethodHandles.collectArguments(log.asType(ofText), 1, text);
        MethodHandles.Lookup own = MethodHandles.lookup();
        MethodHandle count = own.findStatic(Places.class, "count", MethodType.methodType(void.class, int.class));
        MethodHandle counted = MethodHandles.foldArguments(check, MethodHandles.insertArguments(count, 0, place));
        MethodHandle nothing = own.findStatic(LogTexts.class, "nothing", MethodType.methodType(void.class));
        MethodHandle skips = MethodHandles.dropArguments(nothing, 0, type.parameterList());
        return new ConstantCallSite(MethodHandles.guardWithTest(counted, logs.asType(type), skips));
    }

    private static void nothing() {
    }
}
