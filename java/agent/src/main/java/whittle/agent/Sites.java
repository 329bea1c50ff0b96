package whittle.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All places that the agent changes. */
final class Sites {
    private static final Map<String, List<Site>> BY_CLASS = new HashMap<>();
    private static final Site.Change EXECUTE = Entry.calls("Tasks.execute", 0);
    private static final Site.Change ENTER = Around.calls("Tasks.enter", "Tasks.end", 0);
    private static final Site.Change END_IN_WORKER = Entry.calls("Tasks.endInWorker", Entry.NOTHING);

    static {
        executors();
        executorsOfServers();
        virtualThreads();
        requests();
        requestsInParts();
        messagesAndCalls();
        spans();
    }

    private Sites() {
    }

    static boolean have(String className) {
        return BY_CLASS.containsKey(className);
    }

    static List<Site> of(String className) {
        return BY_CLASS.getOrDefault(className, Collections.emptyList());
    }

    private static void add(String what, String className, String method, String descriptor, Site.Change change) {
        Site site = new Site(what, className, method, descriptor, change);
        BY_CLASS.computeIfAbsent(className, name -> new ArrayList<>()).add(site);
    }

    private static void executors() {
        for (String pool : new String[] {"java/util/concurrent/", "org/apache/tomcat/util/threads/"}) {
            String type = pool + "ThreadPoolExecutor";
            String worker = type + "$Worker";
            add("executor", type, "execute", "(Ljava/lang/Runnable;)", EXECUTE);
            add("executor", type, "runWorker", "(L" + worker + ";)",
                FieldEntry.calls("Tasks.startInWorker", 0, worker, "firstTask", "Ljava/lang/Runnable;"));
            add("executor", type, "getTask", "()", Supplier.calls("Tasks.endInWorker", "Tasks.startInWorker"));
            add("executor", type, "processWorkerExit", "(", END_IN_WORKER);
            add("executor", type, "reject", "(Ljava/lang/Runnable;)", Entry.calls("Tasks.reject", 0));
        }
        add("executor", "java/util/concurrent/ScheduledThreadPoolExecutor", "delayedExecute", "(", EXECUTE);
        add("executor", "java/util/concurrent/ForkJoinTask", "<init>", "(", AtInstruction.beforeReturn("Tasks.submit"));
        add("executor", "java/util/concurrent/ForkJoinTask", "doExec", "(",
            Around.calls("Tasks.startForked", "Tasks.end", Entry.THIS));
        String guava = "com/google/common/util/concurrent/SequentialExecutor";
        add("executor", guava, "execute", "(Ljava/lang/Runnable;)", EXECUTE);
        add("executor", guava + "$1", "run", "()", AtInstruction.aroundRunOf("java/lang/Runnable"));
        add("executor", guava + "$QueueWorker", "workOnQueue", "()", AtInstruction.aroundRunOf("java/lang/Runnable"));
        add("executor", "java/util/TimerThread", "mainLoop", "()", AtInstruction.aroundRunOf("java/util/TimerTask"));
    }

    /** Their tasks are not items, because the servers use them for their own work. */
    private static void executorsOfServers() {
        String netty = "io/netty/util/concurrent/";
        add("executor", netty + "SingleThreadEventExecutor", "execute", "(Ljava/lang/Runnable;)V", EXECUTE);
        add("executor", netty + "AbstractEventExecutor", "safeExecute", "(Ljava/lang/Runnable;)V", ENTER);
        add("executor", "io/vertx/core/impl/TaskQueue", "execute", "(Ljava/lang/Runnable;", EXECUTE);
        add("executor", "io/vertx/core/impl/TaskQueue", "run", "()", AtInstruction.aroundRunOf("java/lang/Runnable"));
        add("executor", "org/eclipse/jetty/util/thread/QueuedThreadPool", "execute", "(", EXECUTE);
        add("executor", "org/eclipse/jetty/util/thread/QueuedThreadPool", "runJob", "(Ljava/lang/Runnable;)", ENTER);
        String jboss = "org/jboss/threads/EnhancedQueueExecutor$Task";
        add("executor", jboss, "<init>", "(", AtInstruction.beforeReturn("Tasks.submit"));
        add("executor", jboss, "run", "()", Around.calls("Tasks.enter", "Tasks.end", Entry.THIS));
    }

    /** Virtual threads of JDK 21 and later. */
    private static void virtualThreads() {
        String type = "java/lang/VirtualThread";
        add("thread", type, "start", "(Ljdk/internal/vm/ThreadContainer;)", Entry.calls("Tasks.submit", Entry.THIS));
        add("thread", type, "run", "(Ljava/lang/Runnable;)", ThreadCall::new);
        add("thread", type, "yieldContinuation", "()",
            Around.calls("VirtualThreads.park", "VirtualThreads.resume", Entry.THIS));
        add("thread", type, "afterYield", "()",
            StateEntry.calls("VirtualThreads.left", "BLOCKING", "WAITING", "TIMED_WAITING"));
        add("thread", type, "runContinuation", "()", StateEntry.calls("VirtualThreads.returns", "UNBLOCKED"));
    }

    private static void requests() {
        add("request", "com/sun/net/httpserver/Filter$Chain", "doFilter", "(",
            Around.calls("Requests.start", "Requests.end", 0));
        String tomcat = "org/apache/catalina/connector/CoyoteAdapter";
        add("request", tomcat, "service", "(Lorg/apache/coyote/Request;Lorg/apache/coyote/Response;)",
            Around.calls("Requests.start", "Requests.endCoyote", 0, 1));
        add("request", tomcat, "asyncDispatch", "(Lorg/apache/coyote/Request;Lorg/apache/coyote/Response;",
            Around.calls("Requests.resumeCoyote", "Requests.pauseCoyote", 0, 1));
        for (String api : new String[] {"javax", "jakarta"}) {
            add("request", api + "/servlet/http/HttpServlet", "service",
                "(L" + api + "/servlet/ServletRequest;L" + api + "/servlet/ServletResponse;)",
                Around.calls("Requests.start", "Requests.end", 0, 1));
        }
    }

    /** Requests that end when the server has finished the response, on any thread. */
    private static void requestsInParts() {
        String jetty = "org/eclipse/jetty/server/";
        String callback = jetty + "internal/HttpChannelState$ChannelCallback";
        add("request", jetty + "Server", "handle",
            "(Lorg/eclipse/jetty/server/Request;Lorg/eclipse/jetty/server/Response;Lorg/eclipse/jetty/util/Callback;)",
            Around.calls("Work.start", "Work.pause", 2, 0));
        add("request", callback, "succeeded", "()", Entry.calls("Work.complete", Entry.THIS));
        add("request", callback, "failed", "(", Entry.calls("Work.complete", Entry.THIS));
        String vertx = "io/vertx/core/http/impl/";
        add("request", vertx + "Http1xServerRequest", "handleBegin", "(",
            Around.calls("Work.start", "Work.pause", Entry.THIS));
        add("request", vertx + "Http1xServerConnection", "responseComplete", "()",
            FieldEntry.calls("Work.complete", Entry.THIS, vertx + "Http1xServerConnection", "responseInProgress",
                "L" + vertx + "Http1xServerRequest;"));
        add("request", vertx + "Http2ServerRequest", "dispatch", "(",
            Around.calls("Work.start", "Work.pause", Entry.THIS));
        add("request", vertx + "Http2ServerStream", "onClose", "()",
            FieldEntry.calls("Work.complete", Entry.THIS, vertx + "Http2ServerStream", "request",
                "L" + vertx + "Http2ServerStreamHandler;"));
        add("request", "io/undertow/server/Connectors", "executeRootHandler",
            "(Lio/undertow/server/HttpHandler;Lio/undertow/server/HttpServerExchange;)",
            Around.calls("Work.start", "Work.pauseOrComplete", 1));
        add("request", "io/undertow/server/HttpServerExchange", "invokeExchangeCompleteListeners", "()",
            Entry.calls("Work.complete", Entry.THIS));
    }

    private static void messagesAndCalls() {
        String kafka = "org/apache/kafka/clients/consumer/";
        add("message", kafka + "ConsumerRecords$ConcatenatedIterable$1", "makeNext", "()L" + kafka,
            Supplier.calls("Messages.end", "Messages.begin"));
        add("message", kafka + "KafkaConsumer", "poll", "(Ljava/time/Duration;)",
            Entry.calls("Messages.end", Entry.NOTHING));
        String grpc = "io/grpc/internal/";
        String listener = grpc + "ServerCallImpl$ServerStreamListenerImpl";
        add("grpc", grpc + "ServerImpl$ServerTransportListenerImpl", "streamCreated",
            "(Lio/grpc/internal/ServerStream;Ljava/lang/String;", Around.calls("Calls.start", "Work.pause", 1));
        add("grpc", listener, "<init>", "(", AtInstruction.beforeReturn("Tasks.submit"));
        for (String event : new String[] {"messagesAvailable", "halfClosed", "onReady"}) {
            add("grpc", listener, event, "(", Around.calls("Work.resume", "Work.pause", Entry.THIS));
        }
        add("grpc", listener, "closed", "(", Around.calls("Work.resume", "Work.pauseAndComplete", Entry.THIS));
    }

    /** Spans of OpenTelemetry. The agent of OpenTelemetry has its own contexts, and the same SDK. */
    private static void spans() {
        String span = "io/opentelemetry/sdk/trace/SdkSpan";
        add("span", span, "startSpan", "(", Supplier.calls("Spans.starting", "Spans.start"));
        add("span", span, "updateName", "(Ljava/lang/String;)Lio/opentelemetry/sdk/trace/ReadWriteSpan;",
            Around.calls("Spans.rename", "Spans.renamed", Entry.THIS, 0));
        add("span", span, "endInternal", "(J)", Entry.calls("Spans.end", Entry.THIS));
        for (String owner : new String[] {"", "io/opentelemetry/javaagent/shaded/"}) {
            String storage = owner + "io/opentelemetry/context/ThreadLocalContextStorage";
            add("span", storage, "attach", "(", Around.calls("Spans.attach", "Spans.attached", 0, Around.RESULT));
            add("span", storage + "$ScopeImpl", "close", "()", Entry.calls("Spans.close", Entry.THIS));
        }
    }
}
