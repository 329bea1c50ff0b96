package whittle.agent.trial;

import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.whittle.trial.Fields;

/**
 * Opens packages of the JDK to our classes in the JVM, which read private fields there. A JVM cannot close a package again, so
 * only a plan that needs it opens one.
 */
public final class Opened {
    private Opened() {
    }

    /** Opens and finds the fields that remedies of the plan read. */
    static void fieldsOf(Plan plan, Instrumentation instrumentation) {
        if (plan.readsFields()) {
            to(Fields.class, instrumentation, Fields.packages());
            Fields.find();
        }
    }

    /** Does nothing on JDK 8, which has no modules. If opening fails, the fields cannot be read. */
    public static void to(Class<?> reader, Instrumentation instrumentation, String... packages) {
        try {
            Class<?> module = Class.forName("java.lang.Module");
            Object base = Class.class.getMethod("getModule").invoke(Object.class);
            Object ours = Class.class.getMethod("getModule").invoke(reader);
            Map<String, Set<Object>> opens = new HashMap<>();
            for (String name : packages) {
                opens.put(name, Collections.singleton(ours));
            }
            Instrumentation.class
                .getMethod("redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class)
                .invoke(instrumentation, base, Collections.singleton(ours), Collections.emptyMap(), opens,
                    Collections.emptySet(), Collections.emptyMap());
        } catch (ReflectiveOperationException | RuntimeException withoutModules) {
            // The caller's answer is less exact.
        }
    }
}
