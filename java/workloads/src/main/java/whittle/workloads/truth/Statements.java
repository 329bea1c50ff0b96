package whittle.workloads.truth;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpServer;
import whittle.workloads.Arguments;
import whittle.workloads.Lines;

/**
 * A server whose requests execute statements of JDBC, with their true numbers and lengths. The driver only waits and uses a CPU. A pool
 * is around the driver.
 *
 * <p>The program reads its clocks inside and outside of each statement, so the true length of a statement is between both. It begins when
 * whittle's agent is in the JVM. See README.md for arguments and output.
 */
public final class Statements {
    private static final int WAIT_NS = 1_000_000;
    private static final int BURN_NS = 500_000;
    private static final int ROWS = 10;
    private static final int LISTS_ONE_IN = 4;
    private static final long PATIENCE_NS = 60_000_000_000L;
    private static final long MARGIN_MILLIS = 2000;

    private static final String ONE = "select name from items where id = ?";
    private static final String ALL = "select id from items where list in (?, ?) and state = 'open'";

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The truth about each statement, by its SQL. */
    private static final Map<String, Truth> TRUTHS = new ConcurrentSkipListMap<>();

    private Statements() {}

    private static final class Truth {
        private long count;
        private long leastNs;
        private long mostNs;
        private long cpuNs;

        synchronized void add(long innerNs, long outerNs, long cpu) {
            count++;
            leastNs += innerNs;
            mostNs += outerNs;
            cpuNs += cpu;
        }
    }

    public static void main(String[] args) throws Exception {
        Arguments arguments = Arguments.read(args, "requests", "threads");
        int requests = (int) arguments.count("requests", 200, LISTS_ONE_IN, 100_000);
        boolean isVirtual = arguments.choice("threads", "platform", "virtual").equals("virtual");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.setExecutor(isVirtual ? virtualThreads() : Executors.newFixedThreadPool(1));
        server.createContext("/", exchange -> {
            answer(exchange.getRequestURI().getPath());
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        get(port, "/list");
        awaitAgent();
        TRUTHS.clear();
        for (int request = 0; request < requests; request++) {
            get(port, request % LISTS_ONE_IN == 0 ? "/list" : "/one");
        }
        int lists = (requests + LISTS_ONE_IN - 1) / LISTS_ONE_IN;
        Lines.print("request=/list count=%d statements=%d", lists, lists * (1 + ROWS));
        Lines.print("request=/one count=%d statements=%d", requests - lists, requests - lists);
        print("all", ALL);
        print("one", ONE);
        System.exit(0);
    }

    private static void print(String name, String sql) {
        Truth truth = TRUTHS.get(sql);
        Lines.print("statement=%s count=%d least_ns=%d most_ns=%d cpu_ns=%d", name, truth.count, truth.leastNs, truth.mostNs,
                truth.cpuNs);
    }

    private static void get(int port, String path) throws IOException {
        try (InputStream body = new URL("http://127.0.0.1:" + port + path).openStream()) {
            body.readAllBytes();
        }
    }

    /** The program is compiled for JDK 17, which has no virtual threads. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    /** Waits until the agent makes marks, and until it has changed the classes of the driver. */
    private static void awaitAgent() throws Exception {
        long giveUpNs = System.nanoTime() + PATIENCE_NS;
        while (!isReady()) {
            if (System.nanoTime() > giveUpNs) {
                System.err.println("no agent: collect this program with --instrument");
                System.exit(1);
            }
            Thread.sleep(20);
        }
        Thread.sleep(MARGIN_MILLIS);
    }

    private static boolean isReady() throws ReflectiveOperationException {
        try {
            Field ready = Class.forName("java.whittle.Marks", false, null).getDeclaredField("ready");
            ready.setAccessible(true);
            return ready.getBoolean(null);
        } catch (ClassNotFoundException notYet) {
            return false;
        }
    }

    private static void answer(String path) {
        try (Connection connection = proxy(Connection.class, new Pool(proxy(Connection.class, new Driver(null))))) {
            execute(connection, path.equals("/list") ? ALL : ONE);
            for (int row = 0; path.equals("/list") && row < ROWS; row++) {
                execute(connection, ONE);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The length inside the driver, and the CPU time there if the thread has its own clock, of the last statement. */
    private static final ThreadLocal<long[]> INNER = ThreadLocal.withInitial(() -> new long[2]);

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            long startNs = System.nanoTime();
            statement.executeQuery();
            long outerNs = System.nanoTime() - startNs;
            long[] inner = INNER.get();
            TRUTHS.computeIfAbsent(sql, unused -> new Truth()).add(inner[0], outerNs, inner[1]);
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Statements.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Connections and statements of the driver. */
    private record Driver(String sql) implements InvocationHandler {
        @Override
        public Object invoke(Object self, java.lang.reflect.Method method, Object[] arguments) {
            switch (method.getName()) {
                case "prepareStatement":
                    return proxy(PreparedStatement.class, new Driver((String) arguments[0]));
                case "executeQuery":
                    work();
                    return null;
                default:
                    return null;
            }
        }

        private static void work() {
            long startNs = System.nanoTime();
            LockSupport.parkNanos(WAIT_NS);
            long burnNs = System.nanoTime();
            long cpu = THREADS.getCurrentThreadCpuTime();
            while (System.nanoTime() - burnNs < BURN_NS) {
                Thread.onSpinWait();
            }
            long[] inner = INNER.get();
            inner[1] = THREADS.getCurrentThreadCpuTime() - cpu;
            inner[0] = System.nanoTime() - startNs;
        }
    }

    /** Connections and statements around those of the driver. */
    private record Pool(Object inner) implements InvocationHandler {
        @Override
        public Object invoke(Object self, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
            try {
                Object result = method.invoke(inner, arguments);
                return result instanceof PreparedStatement ? proxy(PreparedStatement.class, new Pool(result)) : result;
            } catch (InvocationTargetException failure) {
                throw failure.getCause();
            }
        }
    }
}
