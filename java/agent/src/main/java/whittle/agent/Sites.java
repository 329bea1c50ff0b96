package whittle.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All places that the agent changes. */
final class Sites {
    private static final Map<String, List<Site>> BY_CLASS = new HashMap<>();

    static {
        executors();
        virtualThreads();
        requests();
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
            add("executor", type, "execute", "(Ljava/lang/Runnable;)", Entry.calls("Tasks.submit", 0));
            add("executor", type, "runWorker", "(L" + type + "$Worker;)", FirstTask::new);
            add("executor", type, "getTask", "()", NextTask::new);
            add("executor", type, "processWorkerExit", "(", Entry.calls("Tasks.endInWorker", Entry.NOTHING));
        }
        add("executor", "java/util/concurrent/ScheduledThreadPoolExecutor", "delayedExecute", "(",
            Entry.calls("Tasks.submit", 0));
    }

    /** Virtual threads of JDK 21 and later. */
    private static void virtualThreads() {
        String type = "java/lang/VirtualThread";
        add("thread", type, "start", "(Ljdk/internal/vm/ThreadContainer;)", Entry.calls("Tasks.submit", Entry.THIS));
        add("thread", type, "run", "(Ljava/lang/Runnable;)", ThreadCall::new);
        add("thread", type, "yieldContinuation", "()",
            Around.calls("VirtualThreads.park", "VirtualThreads.resume", Entry.THIS));
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
}
