package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests of HTTP servers. */
final class RequestTest {
    private final Attached agent;
    private final HttpClient client = HttpClient.newHttpClient();

    RequestTest() throws Exception {
        agent = new Attached();
    }

    @AfterEach
    void stop() throws Exception {
        agent.close();
    }

    private int get(int port, String path) throws Exception {
        URI address = URI.create("http://127.0.0.1:" + port + path);
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    /** The marks of requests, without those of the client and of the server's own threads. */
    private static List<String> requests(Recorded recorded) throws InterruptedException {
        for (int attempt = 0; attempt < 200; attempt++) {
            if (recorded.all().stream().anyMatch(mark -> mark.startsWith("end") && mark.split(" ").length == 3)) {
                break;
            }
            Thread.sleep(10);
        }
        return recorded.all();
    }

    @Test
    void theJdksServer() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        ExecutorService threads = Executors.newFixedThreadPool(1);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().length() > 9 ? 404 : 200, -1);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        get(port, "/");
        agent.awaitLine("request\tcom.sun.net.httpserver.Filter$Chain\tdoFilter");
        try (Recorded recorded = new Recorded()) {
            assertEquals(404, get(port, "/orders/17?customer=1"));
            List<String> marks = requests(recorded);
            assertTrue(marks.stream().anyMatch(mark -> mark.endsWith("http GET /orders/17")), marks.toString());
            assertTrue(marks.stream().anyMatch(mark -> mark.startsWith("end") && mark.endsWith(" 404")), marks.toString());
        }
        server.stop(0);
        threads.shutdownNow();
    }

    static final class Sync extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(201);
        }
    }

    static final class Async extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext context = request.startAsync();
            new Thread(() -> {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
                response.setStatus(202);
                context.complete();
            }).start();
        }
    }

    @Test
    void tomcat() throws Exception {
        Path folder = Files.createTempDirectory("whittle-tomcat");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "sync", new Sync());
        Tomcat.addServlet(context, "async", new Async()).setAsyncSupported(true);
        context.addServletMappingDecoded("/sync/*", "sync");
        context.addServletMappingDecoded("/async/*", "async");
        tomcat.getConnector();
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        agent.awaitLine("request\torg.apache.catalina.connector.CoyoteAdapter\tasyncDispatch");
        agent.awaitLine("executor\torg.apache.tomcat.util.threads.ThreadPoolExecutor\tgetTask");
        get(port, "/sync/first");
        try (Recorded recorded = new Recorded()) {
            assertEquals(201, get(port, "/sync/orders/17?customer=1"));
            List<String> marks = ofServer(requests(recorded));
            assertEquals(List.of("begin http GET /sync/orders/17", "end 201"), marks);
        }
        try (Recorded recorded = new Recorded()) {
            assertEquals(202, get(port, "/async/1"));
            List<String> marks = ofServer(requests(recorded));
            assertEquals(List.of("begin http GET /async/1", "leave", "enter"), marks.subList(0, 3));
            assertEquals(List.of("leave", "end 202"), marks.subList(marks.size() - 2, marks.size()));
        }
        tomcat.stop();
        tomcat.destroy();
    }

    /** The marks of the item that is a request, without its id. */
    private static List<String> ofServer(List<String> marks) {
        String begin = marks.stream().filter(mark -> mark.contains(" http ")).findFirst().orElse("begin - missing");
        String id = begin.split(" ")[1];
        return marks.stream().filter(mark -> mark.split(" ")[1].equals(id))
            .map(mark -> mark.replaceFirst(" " + id + "(?= |$)", "")).toList();
    }
}
