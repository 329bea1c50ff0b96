import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * A server that logs its own requests, and its clients. `hooked.py` starts both.
 *
 * <p>`HookedServer serve vertx|jetty|undertow LOG` prints `port=N`, and writes its log when its standard input ends. A line of the log
 * is the name of a request, its begin, the end of the response, and when the response was written: nanoseconds of `System.nanoTime`, which
 * is CLOCK_MONOTONIC. The begin is the first line of the handler. The end is the call of the server's listener. Vert.x calls it when the
 * program has ended the response, and its event loop may write it later. Jetty calls it when it has written the response and has left the
 * handler. Undertow tells only the end.
 *
 * <p>`HookedServer load PORT 1|2 REQUESTS SECONDS PAUSE_MICROS` keeps so many requests open, over HTTP/1.1 with a connection for each, or
 * over HTTP/2 with 50 streams per connection.
 */
final class HookedServer {
    private static final int BURN_NANOS = 1_000_000;
    private static final int LATER_MILLIS = 5;
    private static final int BLOCK_MILLIS = 3;
    private static final int STREAMS_PER_CONNECTION = 50;
    private static final String[] PATHS = {"/burn/%d", "/later/%d", "/block/%d"};

    private static final Queue<String> LOG = new ConcurrentLinkedQueue<>();
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(HookedServer::daemon);

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("load")) {
            load(Integer.parseInt(arguments[1]), arguments[2].equals("2"), Integer.parseInt(arguments[3]),
                Double.parseDouble(arguments[4]), Long.parseLong(arguments[5]));
            return;
        }
        int port = switch (arguments[1]) {
            case "vertx" -> serveVertx();
            case "jetty" -> serveJetty();
            default -> serveUndertow();
        };
        System.out.println("port=" + port);
        while (System.in.read() >= 0) {
            // Until the standard input ends.
        }
        try (BufferedWriter log = Files.newBufferedWriter(Path.of(arguments[2]))) {
            for (String line : LOG) {
                log.write(line + "\n");
            }
        }
        System.exit(0);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "timer");
        thread.setDaemon(true);
        return thread;
    }

    private static void note(String method, String path, long beginNanos) {
        long now = System.nanoTime();
        note(method, path, beginNanos, now, now);
    }

    private static void note(String method, String path, long beginNanos, long endNanos, long writtenNanos) {
        LOG.add(method + " " + path.replaceAll("[0-9]+", "{}") + "\t" + beginNanos + "\t" + endNanos + "\t" + writtenNanos);
    }

    private static void burn() {
        long end = System.nanoTime() + BURN_NANOS;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void block() {
        try {
            Thread.sleep(BLOCK_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static int serveVertx() throws Exception {
        Vertx vertx = Vertx.vertx();
        AtomicLong port = new AtomicLong();
        vertx.deployVerticle(() -> new AbstractVerticle() {
            @Override
            public void start(Promise<Void> started) {
                vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
                    .requestHandler(request -> handleVertx(vertx, request))
                    .listen().onSuccess(server -> port.set(server.actualPort())).<Void>mapEmpty().onComplete(started);
            }
        }, new DeploymentOptions()).toCompletionStage().toCompletableFuture().get();
        return (int) port.get();
    }

    private static void handleVertx(Vertx vertx, HttpServerRequest request) {
        long begin = System.nanoTime();
        String method = request.method().name();
        AtomicLong end = new AtomicLong();
        request.response().endHandler(ended -> end.set(System.nanoTime()));
        Consumer<String> answer = text -> request.response().end(text)
            .onSuccess(written -> note(method, request.path(), begin, end.get(), System.nanoTime()));
        if (request.path().startsWith("/later")) {
            vertx.setTimer(LATER_MILLIS, id -> answer.accept("later"));
        } else if (request.path().startsWith("/block")) {
            vertx.executeBlocking(() -> {
                block();
                return "blocked";
            }, false).onSuccess(answer::accept);
        } else {
            burn();
            answer.accept("burnt");
        }
    }

    private static int serveJetty() throws Exception {
        Server server = new Server();
        HttpConfiguration configuration = new HttpConfiguration();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(configuration),
            new HTTP2CServerConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                long begin = System.nanoTime();
                String path = request.getHttpURI().getPath();
                AtomicLong written = new AtomicLong();
                Callback whenWritten = Callback.from(() -> {
                    written.set(System.nanoTime());
                    callback.succeeded();
                }, callback::failed);
                Request.addCompletionListener(request,
                    failure -> note(request.getMethod(), path, begin, System.nanoTime(), written.get()));
                Runnable answer = () -> response.write(true, ByteBuffer.wrap("answer".getBytes()), whenWritten);
                if (path.startsWith("/later")) {
                    TIMER.schedule(answer, LATER_MILLIS, TimeUnit.MILLISECONDS);
                } else if (path.startsWith("/block")) {
                    block();
                    answer.run();
                } else {
                    burn();
                    answer.run();
                }
                return true;
            }
        });
        server.start();
        return connector.getLocalPort();
    }

    private static int serveUndertow() {
        Undertow server = Undertow.builder().addHttpListener(0, "127.0.0.1").setServerOption(UndertowOptions.ENABLE_HTTP2, true)
            .setHandler(HookedServer::handleUndertow).build();
        server.start();
        return ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
    }

    private static void handleUndertow(HttpServerExchange exchange) {
        long begin = System.nanoTime();
        String path = exchange.getRequestPath();
        String method = exchange.getRequestMethod().toString();
        exchange.addExchangeCompleteListener((ended, next) -> {
            note(method, path, begin);
            next.proceed();
        });
        if (path.startsWith("/later")) {
            exchange.dispatch(TIMER, () -> TIMER.schedule(() -> exchange.getResponseSender().send("later"), LATER_MILLIS,
                TimeUnit.MILLISECONDS));
        } else if (path.startsWith("/block")) {
            exchange.dispatch(() -> {
                block();
                exchange.getResponseSender().send("blocked");
            });
        } else {
            burn();
            exchange.getResponseSender().send("burnt");
        }
    }

    private static void load(int port, boolean isHttp2, int requests, double seconds, long pauseMicros) throws Exception {
        HttpClientOptions options = new HttpClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port).setMaxPoolSize(requests);
        if (isHttp2) {
            options.setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false)
                .setHttp2MaxPoolSize((requests + STREAMS_PER_CONNECTION - 1) / STREAMS_PER_CONNECTION)
                .setHttp2MultiplexingLimit(STREAMS_PER_CONNECTION);
        }
        Vertx vertx = Vertx.vertx();
        Load load = new Load(vertx, vertx.createHttpClient(options), System.nanoTime() + (long) (seconds * 1e9), pauseMicros, requests);
        for (int number = 0; number < requests; number++) {
            load.pause(new Random(number));
        }
        load.ended.await();
        System.out.println("sent=" + load.sent + " failed=" + load.failed);
        System.exit(0);
    }

    /** Clients that send one request after the other. */
    private record Load(Vertx vertx, HttpClient client, long endNanos, long pauseMicros, CountDownLatch ended, AtomicLong sent,
                        AtomicLong failed) {
        Load(Vertx vertx, HttpClient client, long endNanos, long pauseMicros, int requests) {
            this(vertx, client, endNanos, pauseMicros, new CountDownLatch(requests), new AtomicLong(), new AtomicLong());
        }

        void pause(Random random) {
            if (System.nanoTime() > endNanos) {
                ended.countDown();
                return;
            }
            long millis = 1 + random.nextLong(2 * pauseMicros) / 1000;
            vertx.setTimer(millis, id -> send(random));
        }

        private void send(Random random) {
            String path = String.format(PATHS[random.nextInt(PATHS.length)], random.nextInt(1000));
            client.request(HttpMethod.GET, path).compose(request -> request.send()).compose(response -> response.body())
                .onComplete(answer -> {
                    (answer.succeeded() ? sent : failed).incrementAndGet();
                    pause(random);
                });
        }
    }
}
