package java.whittle;

import java.lang.reflect.Method;

/** Finds the span in a context of OpenTelemetry. The API exists several times in a program: the agent of OpenTelemetry has its own. */
final class SpanOfContext {
    private static final String CONTEXTS = "io.opentelemetry.context.";
    private static final String SPAN = "io.opentelemetry.api.trace.Span";

    /** The method `Span.fromContextOrNull` for each class of contexts. */
    private static final ClassValue<SpanOfContext> CLASSES = new ClassValue<SpanOfContext>() {
        @Override
        protected SpanOfContext computeValue(Class<?> type) {
            return new SpanOfContext(type);
        }
    };

    private final Method fromContext;

    private SpanOfContext(Class<?> context) {
        fromContext = find(context);
    }

    /** The span, or null. */
    static Object of(Object context) throws ReflectiveOperationException {
        Method fromContext = CLASSES.get(context.getClass()).fromContext;
        return fromContext == null ? null : fromContext.invoke(null, context);
    }

    /** A span was started, so its interface is already loaded. */
    private static Method find(Class<?> context) {
        int end = context.getName().lastIndexOf(CONTEXTS);
        if (end < 0) {
            return null;
        }
        try {
            String span = context.getName().substring(0, end) + SPAN;
            for (Method method : Class.forName(span, false, context.getClassLoader()).getMethods()) {
                if (method.getName().equals("fromContextOrNull")) {
                    return method;
                }
            }
        } catch (ClassNotFoundException | LinkageError unknown) {
            // Spans of this context are not found.
        }
        return null;
    }
}
