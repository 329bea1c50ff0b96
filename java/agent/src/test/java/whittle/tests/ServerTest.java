package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.undertow.Undertow;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that finish a response on any thread, and other sources of items. */
final class ServerTest {
    private final Attached agent;

    ServerTest() throws Exception {
        agent = new Attached();
    }

    @AfterEach
    void stop() throws Exception {
        agent.close();
    }

    private static int get(int port, String path, HttpClient.Version version) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(version).build();
        URI address = URI.create("http://127.0.0.1:" + port + path);
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    /** The marks of the first item whose begin contains this text, without its id, until it ends. */
    private static List<String> marksOf(Recorded recorded, String text) throws InterruptedException {
        List<String> marks = List.of();
        for (int attempt = 0; attempt < 200; attempt++) {
            marks = item(recorded.all(), text);
            if (marks.stream().anyMatch(mark -> mark.startsWith("end"))) {
                return marks;
            }
            Thread.sleep(10);
        }
        return marks;
    }

    private static List<String> item(List<String> marks, String text) {
        String begin = marks.stream().filter(mark -> mark.contains(text)).findFirst().orElse("begin - missing");
        String id = begin.split(" ")[1];
        return marks.stream().filter(mark -> mark.split(" ")[1].equals(id))
            .map(mark -> mark.replaceFirst(" " + id + "(?= |$)", "")).toList();
    }

    @Test
    void jetty() throws Exception {
        Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                response.setStatus(203);
                if (request.getHttpURI().getPath().startsWith("/later")) {
                    new Thread(() -> {
                        pause();
                        callback.succeeded();
                    }).start();
                } else {
                    callback.succeeded();
                }
                return true;
            }
        });
        server.start();
        int port = server.getURI().getPort();
        get(port, "/first", HttpClient.Version.HTTP_1_1);
        agent.awaitLine("request\torg.eclipse.jetty.server.Server\thandle");
        agent.awaitLine("request\torg.eclipse.jetty.server.internal.HttpChannelState$ChannelCallback\tsucceeded");
        try (Recorded recorded = new Recorded()) {
            get(port, "/now/17?a=b", HttpClient.Version.HTTP_1_1);
            assertEquals(List.of("begin http GET /now/17", "end"), marksOf(recorded, " http "));
        }
        try (Recorded recorded = new Recorded()) {
            get(port, "/later/17?a=b", HttpClient.Version.HTTP_1_1);
            assertEquals(List.of("begin http GET /later/17", "leave", "end"), marksOf(recorded, " http "));
        }
        server.stop();
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void vertx() throws Exception {
        Vertx vertx = Vertx.vertx();
        HttpServer server = vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .requestHandler(request -> {
                if (request.path().startsWith("/later")) {
                    vertx.setTimer(50, id -> request.response().setStatusCode(207).end());
                } else {
                    request.response().setStatusCode(206).end("answer");
                }
            })
            .listen().toCompletionStage().toCompletableFuture().get();
        int port = server.actualPort();
        for (HttpClient.Version version : HttpClient.Version.values()) {
            get(port, "/first", version);
            agent.awaitLine("request\tio.vertx.core.http.impl.Http1xServerRequest\thandleBegin");
            agent.awaitLine("request\tio.vertx.core.http.impl.Http1xServerConnection\tresponseComplete");
            if (version == HttpClient.Version.HTTP_2) {
                agent.awaitLine("request\tio.vertx.core.http.impl.Http2ServerRequest\tdispatch");
                agent.awaitLine("request\tio.vertx.core.http.impl.Http2ServerStream\tonClose");
            }
            try (Recorded recorded = new Recorded()) {
                get(port, "/now/17?a=b", version);
                List<String> marks = marksOf(recorded, " http ");
                assertEquals("begin http GET /now/17", marks.get(0), version + " " + marks);
                assertEquals("end 206", marks.get(marks.size() - 1), version + " " + marks);
            }
            try (Recorded recorded = new Recorded()) {
                get(port, "/later/17?a=b", version);
                List<String> marks = marksOf(recorded, " http ");
                assertEquals("begin http GET /later/17", marks.get(0), version + " " + marks);
                assertEquals("leave", marks.get(1), version + " " + marks);
                assertEquals("end 207", marks.get(marks.size() - 1), version + " " + marks);
            }
        }
        vertx.close().toCompletionStage().toCompletableFuture().get();
    }

    @Test
    void undertow() throws Exception {
        Undertow server = Undertow.builder().addHttpListener(0, "127.0.0.1").setHandler(exchange -> {
            if (exchange.isInIoThread()) {
                exchange.dispatch(() -> {
                    exchange.setStatusCode(208);
                    exchange.endExchange();
                });
            }
        }).build();
        server.start();
        int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        get(port, "/first", HttpClient.Version.HTTP_1_1);
        agent.awaitLine("request\tio.undertow.server.Connectors\texecuteRootHandler");
        agent.awaitLine("request\tio.undertow.server.HttpServerExchange\tinvokeExchangeCompleteListeners");
        try (Recorded recorded = new Recorded()) {
            assertEquals(208, get(port, "/orders/17?a=b", HttpClient.Version.HTTP_1_1));
            List<String> marks = marksOf(recorded, " http ");
            assertEquals("begin http GET /orders/17", marks.get(0), marks.toString());
            // The thread that accepted the request leaves it before or after the other thread ends it.
            assertEquals(List.of("end 208"), marks.stream().filter(mark -> mark.startsWith("end")).toList(),
                marks.toString());
        }
        server.stop();
    }

    @Test
    void messagesOfKafka() throws Exception {
        List<ConsumerRecord<String, String>> two = List.of(
            new ConsumerRecord<>("orders", 0, 1, "k", "v"), new ConsumerRecord<>("orders", 0, 2, "k", "v"));
        ConsumerRecords<String, String> records = new ConsumerRecords<>(Map.of(new TopicPartition("orders", 0), two));
        records.iterator().next();
        agent.awaitLine("message\torg.apache.kafka.clients.consumer.ConsumerRecords$ConcatenatedIterable$1\tmakeNext");
        try (Recorded recorded = new Recorded()) {
            for (ConsumerRecord<String, String> record : records) {
                recorded.all().add(record.value());
            }
            assertEquals(List.of("begin 1 topic topic orders", "end 1", "begin 2 topic topic orders", "end 2"),
                recorded.all());
        }
    }

    private static final MethodDescriptor.Marshaller<String> TEXT = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes());
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    };

    @Test
    void callsOfGrpc() throws Exception {
        MethodDescriptor<String, String> method = MethodDescriptor.<String, String>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY).setFullMethodName("shop.Orders/Get")
            .setRequestMarshaller(TEXT).setResponseMarshaller(TEXT).build();
        io.grpc.Server server = InProcessServerBuilder.forName("shop")
            .addService(ServerServiceDefinition.builder("shop.Orders")
                .addMethod(method, ServerCalls.asyncUnaryCall((request, observer) -> {
                    observer.onNext(request + "!");
                    observer.onCompleted();
                })).build())
            .build().start();
        ManagedChannel channel = InProcessChannelBuilder.forName("shop").build();
        assertEquals("a!", ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, "a"));
        agent.awaitLine("grpc\tio.grpc.internal.ServerImpl$ServerTransportListenerImpl\tstreamCreated");
        agent.awaitLine("grpc\tio.grpc.internal.ServerCallImpl$ServerStreamListenerImpl\tclosed");
        try (Recorded recorded = new Recorded()) {
            assertEquals("b!", ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, "b"));
            List<String> marks = marksOf(recorded, " grpc ");
            assertEquals("begin grpc /shop.Orders/Get", marks.get(0), marks.toString());
            assertEquals("end", marks.get(marks.size() - 1), marks.toString());
        }
        channel.shutdownNow();
        server.shutdownNow();
    }
}
