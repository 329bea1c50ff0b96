package org.globex.audit;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Orders pass through a chain of handlers. Each change is recorded with the method that made the change. */
public final class AuditTrail {
    record Entry(String who, int before, int after) {}

    private final List<Entry> entries = new ArrayList<>();

    void note(int before, int after) {
        entries.add(new Entry(who(), before, after)); // [edit]
        // [new] entries.add(new Entry("apply", before, after));
    }

    private static String who() {
        StackTraceElement caller = new Throwable().getStackTrace()[2]; // [call] [or]
        return caller.getClassName() + '.' + caller.getMethodName();
    }

    /** A link of the chain: it changes the order, records the change, and passes the order on. */
    static final class Handler {
        private final IntUnaryOperator rule;
        private final Handler next;

        Handler(IntUnaryOperator rule, Handler next) {
            this.rule = rule;
            this.next = next;
        }

        int apply(int order, AuditTrail trail) {
            int changed = rule.applyAsInt(order);
            for (int i = 0; i < 300; i++) changed = changed * 31 + (changed >>> 7);
            if (next != null) return next.apply(changed, trail);
            trail.note(order, changed);
            return changed;
        }
    }

    private int orders(Handler chain) {
        int sum = 0;
        for (int order = 0; order < 100; order++) sum += chain.apply(order, this);
        entries.clear();
        return sum;
    }

    public static void main(String[] arguments) {
        Handler chain = null;
        for (int i = 0; i < 25; i++) {
            int fee = i;
            chain = new Handler(order -> order + fee, chain);
        }
        Handler first = chain;
        Load.onThreads(2, "order", () -> {
            AuditTrail trail = new AuditTrail();
            return () -> Load.kept = trail.orders(first);
        });
    }
}
