package whittle.agent;

import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.whittle.Marks;

/** Opens the package of executors, so that the names of tasks inside the JDK's tasks can be read. */
final class Opened {
    private Opened() {
    }

    /** Does nothing on JDK 8, which has no modules. If opening fails, such tasks have the name of the JDK's class. */
    static void toMarks(Instrumentation instrumentation) {
        try {
            Class<?> module = Class.forName("java.lang.Module");
            Object base = Class.class.getMethod("getModule").invoke(Object.class);
            Object ours = Class.class.getMethod("getModule").invoke(Marks.class);
            Map<String, Set<Object>> opens =
                Collections.singletonMap("java.util.concurrent", Collections.singleton(ours));
            Instrumentation.class
                .getMethod("redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class)
                .invoke(instrumentation, base, Collections.singleton(ours), Collections.emptyMap(), opens,
                    Collections.emptySet(), Collections.emptyMap());
        } catch (ReflectiveOperationException | RuntimeException withoutModules) {
            // The names are less exact.
        }
    }
}
