package whittle.workloads.orders;

import example.calllog.StackTraceSource;
import example.tracing.WholeTextMasking;

/** Handles orders: masks whole messages, takes a stack trace at each remote call. See README.md for arguments and output. */
public final class Slow {
    private Slow() {}

    public static void main(String[] args) throws Exception {
        OrdersProgram.run(args, new WholeTextMasking(), new StackTraceSource());
    }
}
