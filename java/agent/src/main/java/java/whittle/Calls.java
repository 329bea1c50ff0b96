package java.whittle;

/** What injected code calls around calls of a gRPC service. No method throws. */
public final class Calls {
    private Calls() {
    }

    /** A client has called a method: "package.Service/Method". */
    public static long start(Object method) {
        try {
            return Items.wouldBegin(Marks.GRPC) ? Items.begin(Marks.GRPC, Names.bytes("/" + method)) : 0;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }
}
