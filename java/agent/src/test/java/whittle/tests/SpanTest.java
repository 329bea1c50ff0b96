package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans of OpenTelemetry. The test is the program: it knows the names and the ids of its spans. */
@SuppressWarnings("try")
final class SpanTest {
    private final Attached agent;
    private final Tracer tracer = SdkTracerProvider.builder().build().get("test");

    SpanTest() throws Exception {
        agent = new Attached();
        span("warm up", SpanKind.SERVER).end();
        Scope scope = Context.root().makeCurrent();
        scope.close();
        agent.awaitLine("span\tio.opentelemetry.sdk.trace.SdkSpan\tstartSpan");
        agent.awaitLine("span\tio.opentelemetry.context.ThreadLocalContextStorage\tattach");
        agent.awaitLine("span\tio.opentelemetry.context.ThreadLocalContextStorage$ScopeImpl\tclose");
    }

    @AfterEach
    void stop() throws Exception {
        agent.close();
    }

    private Span span(String name, SpanKind kind) {
        return tracer.spanBuilder(name).setSpanKind(kind).startSpan();
    }

    private static String trace(Span span) {
        return span.getSpanContext().getTraceId();
    }

    private static List<String> onNewThread(Recorded recorded, Runnable work) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(work);
        thread.setUncaughtExceptionHandler((failed, cause) -> failure.set(cause));
        thread.start();
        thread.join();
        assertEquals(null, failure.get());
        return recorded.all();
    }

    @Test
    void aRequestHasTheNameAndTheTraceOfItsFirstSpan() throws Exception {
        AtomicReference<String> trace = new AtomicReference<>();
        try (Recorded recorded = new Recorded()) {
            List<String> marks = onNewThread(recorded, () -> {
                long token = java.whittle.Calls.start("a.B/c");
                Span server = span("GET", SpanKind.SERVER);
                trace.set(trace(server));
                try (Scope scope = server.makeCurrent()) {
                    span("select", SpanKind.CLIENT).end();
                    server.updateName("GET /orders/{id}");
                    span("GET /inner", SpanKind.SERVER).end();
                }
                server.end();
                java.whittle.Items.undo(token);
            });
            assertEquals(List.of("begin 1 grpc /a.B/c", "trace 1 " + trace.get(), "span 1 GET /orders/{id}", "end 1"), marks);
        }
    }

    @Test
    void aSpanWithoutARequestIsOne() throws Exception {
        AtomicReference<String> trace = new AtomicReference<>();
        try (Recorded recorded = new Recorded()) {
            List<String> marks = onNewThread(recorded, () -> {
                Span server = span("GET", SpanKind.SERVER);
                trace.set(trace(server));
                try (Scope scope = server.makeCurrent()) {
                    span("inner", SpanKind.CLIENT).end();
                    server.updateName("GET /a");
                    try (Scope same = server.makeCurrent()) {
                        assertTrue(Span.current() == server);
                    }
                }
                server.end();
            });
            List<String> expected = List.of("begin 1 server GET", "trace 1 " + trace.get(), "span 1 GET", "leave 1", "enter 1",
                "span 1 GET /a", "leave 1", "end 1");
            assertEquals(expected, marks);
        }
    }

    @Test
    void aSpanThatEndsOnAnotherThreadIsOneItem() throws Exception {
        AtomicReference<Span> handed = new AtomicReference<>();
        try (Recorded recorded = new Recorded()) {
            onNewThread(recorded, () -> {
                Span consumer = span("orders process", SpanKind.CONSUMER);
                handed.set(consumer);
                try (Scope scope = consumer.makeCurrent()) {
                    assertTrue(Span.current() == consumer);
                }
            });
            List<String> marks = onNewThread(recorded, () -> {
                try (Scope scope = handed.get().makeCurrent()) {
                    handed.get().end();
                }
            });
            List<String> expected = List.of("begin 1 topic orders process", "trace 1 " + trace(handed.get()),
                "span 1 orders process", "leave 1", "enter 1", "leave 1", "enter 1", "end 1");
            assertEquals(expected, marks);
        }
    }
}
