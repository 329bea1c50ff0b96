package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.util.CheckClassAdapter;

/** The agent's life, and the classes that it writes. */
final class InstallationTest {
    private static final String[] CLASSES = {
        "java/util/concurrent/ThreadPoolExecutor", "java/util/concurrent/ScheduledThreadPoolExecutor",
        "java/lang/VirtualThread", "java/util/concurrent/ForkJoinTask", "java/util/TimerThread",
        "com/sun/net/httpserver/Filter$Chain", "jakarta/servlet/http/HttpServlet",
        "org/apache/catalina/connector/CoyoteAdapter", "org/apache/tomcat/util/threads/ThreadPoolExecutor",
        "io/netty/util/concurrent/SingleThreadEventExecutor", "io/netty/util/concurrent/AbstractEventExecutor",
        "io/vertx/core/impl/TaskQueue", "com/google/common/util/concurrent/SequentialExecutor",
        "com/google/common/util/concurrent/SequentialExecutor$1",
        "com/google/common/util/concurrent/SequentialExecutor$QueueWorker",
        "io/vertx/core/http/impl/Http1xServerRequest",
        "io/vertx/core/http/impl/Http1xServerConnection", "io/vertx/core/http/impl/Http2ServerRequest",
        "io/vertx/core/http/impl/Http2ServerStream", "org/eclipse/jetty/server/Server",
        "org/eclipse/jetty/server/internal/HttpChannelState$ChannelCallback",
        "org/eclipse/jetty/util/thread/QueuedThreadPool", "io/undertow/server/Connectors",
        "io/undertow/server/HttpServerExchange",
        "org/jboss/threads/EnhancedQueueExecutor$Task", "org/apache/kafka/clients/consumer/KafkaConsumer",
        "org/apache/kafka/clients/consumer/ConsumerRecords$ConcatenatedIterable$1",
        "io/grpc/internal/ServerImpl$ServerTransportListenerImpl",
        "io/grpc/internal/ServerCallImpl$ServerStreamListenerImpl", "io/opentelemetry/sdk/trace/SdkSpan",
        "io/opentelemetry/context/ThreadLocalContextStorage", "io/opentelemetry/context/ThreadLocalContextStorage$ScopeImpl",
    };

    @Test
    void changedClassesAreValid() throws Exception {
        int changed = 0;
        for (String name : CLASSES) {
            byte[] original = file(name);
            if (original == null) {
                assertEquals("java/lang/VirtualThread", name, "only this class is missing before JDK 21");
                continue;
            }
            byte[] file = changed(name, original);
            assertTrue(file != null, name);
            assertEquals("", problems(file), name);
            changed++;
        }
        assertTrue(changed >= CLASSES.length - 1);
    }

    /** The agent's classes are not public, and the bootstrap loader has them. */
    private static byte[] changed(String name, byte[] original) throws Exception {
        Class<?> report = Class.forName("whittle.agent.Report");
        Constructor<?> newReport = report.getDeclaredConstructor(File.class);
        newReport.setAccessible(true);
        Method apply = Class.forName("whittle.agent.ClassPatch").getDeclaredMethod("apply", String.class, byte[].class, report);
        apply.setAccessible(true);
        return (byte[]) apply.invoke(null, name, original, newReport.newInstance(new File("unused")));
    }

    private static byte[] file(String name) throws Exception {
        try (InputStream stream = ClassLoader.getSystemResourceAsStream(name + ".class")) {
            return stream == null ? null : stream.readAllBytes();
        }
    }

    private static String problems(byte[] file) {
        StringWriter text = new StringWriter();
        CheckClassAdapter.verify(new ClassReader(file), InstallationTest.class.getClassLoader(), false,
            new PrintWriter(text));
        return text.toString();
    }

    @Test
    void theReportNamesTheChangedMethods() throws Exception {
        try (Attached agent = new Attached()) {
            assertEquals("ready", agent.report().get(0));
            assertTrue(agent.report().contains("executor\tjava.util.concurrent.ThreadPoolExecutor\texecute"));
            assertTrue(agent.report().stream().noneMatch(line -> line.startsWith("failed")), agent.report().toString());
        }
    }

    @Test
    void aClassThatIsLoadedLaterIsChangedInEachLoader() throws Exception {
        try (Attached agent = new Attached()) {
            URL[] path = {new File(servletJar()).toURI().toURL()};
            String line = "request\tjakarta.servlet.http.HttpServlet\tservice";
            try (URLClassLoader one = new URLClassLoader(path, null); URLClassLoader two = new URLClassLoader(path, null)) {
                Class<?> first = one.loadClass("jakarta.servlet.http.HttpServlet");
                Class<?> second = two.loadClass("jakarta.servlet.http.HttpServlet");
                assertFalse(first == second);
                agent.awaitLine(line);
            }
        }
    }

    private static String servletJar() throws Exception {
        URL url = ClassLoader.getSystemResource("jakarta/servlet/http/HttpServlet.class");
        String path = url.getPath();
        return new URL(path.substring(0, path.indexOf('!'))).getPath();
    }

    @Test
    void theAgentRunsWhileWhittleLives() throws Exception {
        try (Attached agent = new Attached()) {
            Thread.sleep(2500);
            assertTrue(isRunning());
            agent.kill();
            awaitEnd();
        }
    }

    @Test
    void theAgentStopsWhenTheFileIsGone() throws Exception {
        try (Attached agent = new Attached()) {
            assertTrue(isRunning());
            Files.delete(agent.lock);
            awaitEnd();
        }
    }

    private static void awaitEnd() throws InterruptedException {
        for (int attempt = 0; attempt < 100 && isRunning(); attempt++) {
            Thread.sleep(50);
        }
        assertFalse(isRunning());
    }

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().equals("whittle-agent"));
    }
}
