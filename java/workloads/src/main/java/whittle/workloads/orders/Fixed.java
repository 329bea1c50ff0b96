package whittle.workloads.orders;

import example.calllog.GivenSource;
import example.tracing.KeptTextMasking;

/** Like {@link Slow}, but masks only the text that is kept, and callers pass their names. */
public final class Fixed {
    private Fixed() {}

    public static void main(String[] args) throws Exception {
        OrdersProgram.run(args, new KeptTextMasking(), new GivenSource());
    }
}
