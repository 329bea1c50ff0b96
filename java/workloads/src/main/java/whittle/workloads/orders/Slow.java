package whittle.workloads.orders;

import example.calllog.StackTraceSource;
import example.tracing.WholeTextMasking;

/** Consumes orders; masks whole messages and takes a stack trace at every remote call. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws Exception {
        OrdersProgram.run(args, new WholeTextMasking(), new StackTraceSource());
    }
}
