package java.whittle;

/** What injected code calls around HTTP requests. No method throws. */
public final class Requests {
    private Requests() {
    }

    /** Begins an item for an object of any server that is request and response. */
    public static long start(Object exchange) {
        return start(exchange, exchange);
    }

    /** Begins an item for a request object of any server. */
    public static long start(Object request, Object response) {
        try {
            return request != null && Items.wouldBegin(Marks.HTTP) ? Items.begin(Marks.HTTP, name(request)) : 0;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    private static byte[] name(Object request) throws ReflectiveOperationException {
        Object method = Reflected.call(request, "getMethod", "method", "getRequestMethod");
        Object target = Reflected.call(request, "getRequestURI", "requestURI", "getHttpURI", "getPath", "path", "uri");
        return Names.request(method, target);
    }

    public static void end(long token, Object exchange) {
        end(token, exchange, exchange);
    }

    /** Ends the item of a request, with the status of the response object. */
    public static void end(long token, Object request, Object response) {
        try {
            if (token > 0) {
                Items.end(token, status(response));
            } else {
                Items.undo(token);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The status of an object that has a response, or 0. */
    static int statusOf(Object key) {
        try {
            Object response = Reflected.call(key, "response", "getResponse");
            return status(response == null ? key : response);
        } catch (ReflectiveOperationException | RuntimeException unknown) {
            return 0;
        }
    }

    private static int status(Object response) {
        try {
            Object status = response == null ? null : Reflected.call(response, "getStatus", "getResponseCode", "getStatusCode");
            return status instanceof Integer && (Integer) status > 0 ? (Integer) status : 0;
        } catch (ReflectiveOperationException | RuntimeException unknown) {
            return 0;
        }
    }

    /** The item continues without a thread, until the server works on this object again. */
    private static void keep(long item, Object key) {
        Handed.put(key, item);
        Items.leave(item);
    }

    /** Ends the item of a request of Tomcat, or keeps it if the request is asynchronous. */
    public static void endCoyote(long token, Object request, Object response) {
        try {
            if (token > 0 && isAsyncInTomcat(request)) {
                keep(token, request);
                return;
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
        end(token, request, response);
    }

    /** Tomcat continues an asynchronous request. */
    public static long resumeCoyote(Object request, Object response) {
        try {
            long item = Marks.areOn() ? Handed.peek(request) : 0;
            return item == 0 ? 0 : Items.enter(item);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** Tomcat has continued an asynchronous request. The item ends if the request is complete. */
    public static void pauseCoyote(long token, Object request, Object response) {
        try {
            Items.undo(token);
            long item = Marks.areOn() && !isAsyncInTomcat(request) ? Handed.take(request) : 0;
            if (item > 0) {
                Items.end(item, status(response));
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** Tomcat's inner request has the outer one as note 1. */
    private static boolean isAsyncInTomcat(Object request) throws ReflectiveOperationException {
        Object outer = Reflected.call(request, "getNote", 1);
        return outer != null && Boolean.TRUE.equals(Reflected.call(outer, "isAsync"));
    }
}
