package whittle.workloads.orders;

import example.calllog.GivenSource;
import example.tracing.KeptTextMasking;

/** {@link Slow}, but masks only what is kept and lets callers name themselves. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        OrdersProgram.run(args, new KeptTextMasking(), new GivenSource());
    }
}
