package java.whittle;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What injected code calls around spans of OpenTelemetry. No method throws.
 *
 * <p>The first span of the kind SERVER or CONSUMER that starts while a thread works for a request or a message gives this item its name and
 * its trace. If there is no such item, the span itself is one. Threads work for it while the span is in their current context.
 */
public final class Spans {
    /** Names without a route: another name tells more. */
    private static final Set<String> METHODS = new HashSet<>(Arrays.asList("GET", "POST", "PUT", "HEAD", "DELETE", "PATCH",
        "OPTIONS", "TRACE", "CONNECT", "HTTP", "_OTHER"));

    private static final WeakTable<OfSpan> SPANS = new WeakTable<>(4096, Loss.EVICTED_SPAN);
    private static final WeakTable<OfScope> SCOPES = new WeakTable<>(4096, Loss.EVICTED_SPAN);

    /** Items that have a span. A new item replaces another one in its place. */
    private static final int PLACES = 4096;
    private static final AtomicLongArray WITH_SPAN = new AtomicLongArray(PLACES);

    /** Whether a span was ever an item. If not, contexts are not looked at. */
    private static volatile boolean hasOwnItems;

    private Spans() {
    }

    private static final class OfSpan extends WeakReference<Object> {
        final long item;
        /** Whether the span itself is the item. */
        final boolean isOwn;

        OfSpan(Object span, long item, boolean isOwn) {
            super(span);
            this.item = item;
            this.isOwn = isOwn;
        }
    }

    /** What the end of a scope undoes. */
    private static final class OfScope extends WeakReference<Object> {
        final long token;
        final Thread thread;

        OfScope(Object scope, long token) {
            super(scope);
            this.token = token;
            this.thread = Thread.currentThread();
        }
    }

    /** A span will start. */
    public static void starting() {
        // The span does not exist yet.
    }

    /** A span has started. */
    public static void start(Object span) {
        try {
            if (!Marks.areOn() || span == null) {
                return;
            }
            String kind = String.valueOf(Reflected.call(span, "getKind"));
            if (kind.equals("SERVER")) {
                start(span, Marks.SPAN);
            } else if (kind.equals("CONSUMER")) {
                start(span, Marks.MESSAGE);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    private static void start(Object span, int kind) throws ReflectiveOperationException {
        String name = String.valueOf(Reflected.call(span, "getName"));
        boolean isOwn = Items.wouldBegin(kind);
        long item = isOwn ? Items.begin(kind, Names.bytes(name)) : Items.current();
        if (item == 0 || WITH_SPAN.getAndSet((int) (item >>> 1) & PLACES - 1, item) == item) {
            return;
        }
        SPANS.put(span, new OfSpan(span, item, isOwn));
        Object trace = Reflected.call(Reflected.call(span, "getSpanContext"), "getTraceIdBytes");
        if (trace instanceof byte[]) {
            Marks.trace(item, (byte[]) trace);
        }
        if (isOwn) {
            Marks.spanName(item, Names.bytes(name));
            Items.leave(item);
            hasOwnItems = true;
        } else {
            name(item, name);
        }
    }

    private static void name(long item, String name) {
        if (!METHODS.contains(name) && !name.startsWith("HTTP ")) {
            Marks.spanName(item, Names.bytes(name));
        }
    }

    /** The span gets another name. */
    public static long rename(Object span, Object name) {
        try {
            OfSpan known = Marks.areOn() && name != null ? SPANS.peek(span) : null;
            if (known != null) {
                name(known.item, (String) name);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
        return 0;
    }

    public static void renamed(long token, Object span, Object name) {
        // The mark is made before.
    }

    /** The span ends. */
    public static void end(Object span) {
        try {
            OfSpan known = Marks.areOn() ? SPANS.take(span) : null;
            if (known != null && known.isOwn) {
                Items.end(known.item, 0);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The thread will get this current context. */
    public static long attach(Object context, Object nothing) {
        try {
            OfSpan known = null;
            if (hasOwnItems && Marks.areOn() && context != null) {
                Object span = SpanOfContext.of(context);
                known = span == null ? null : SPANS.peek(span);
            }
            return known != null && known.isOwn ? Items.enter(known.item) : 0;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** The thread has this current context until the scope is closed. */
    public static void attached(long token, Object context, Object scope) {
        if (token == 0) {
            return;
        }
        try {
            if (scope == null) {
                Items.undo(token);
            } else {
                SCOPES.put(scope, new OfScope(scope, token));
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The scope is closed. On another thread, this has no effect. */
    public static void close(Object scope) {
        try {
            OfScope known = hasOwnItems ? SCOPES.take(scope) : null;
            if (known != null && known.thread == Thread.currentThread()) {
                Items.undo(known.token);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    static void clear() {
        SPANS.clear();
        SCOPES.clear();
        hasOwnItems = false;
    }
}
