package com.ironbark.vault;

import com.acme.load.Load;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** A vault of contracts. Every access goes through a guard, which notes the operation for the auditors. */
public final class AccessTrail {
    record Contract(int number, String party, long value, int until) {}

    record Note(String operation, int contract) {}

    /** The guard notes who asked for what. */
    static final class Guard {
        private final Deque<Note> notes = new ArrayDeque<>();

        <T> T watched(int contract, Supplier<T> access) {
            String operation = StackWalker.getInstance() // [edit]
                    .walk(frames -> frames.skip(1).findFirst().map(StackWalker.StackFrame::getMethodName).orElse("?")); // [call] [old]
            return noted(operation, contract, access); // [old]
            // [new] return noted("access", contract, access);
        }

        <T> T noted(String operation, int contract, Supplier<T> access) {
            notes.addLast(new Note(operation, contract));
            if (notes.size() > 500) notes.removeFirst();
            return access.get();
        }
    }

    private final Map<Integer, Contract> contracts = new TreeMap<>();
    private final Guard guard = new Guard();

    AccessTrail() {
        for (int i = 0; i < 4000; i++)
            contracts.put(i, new Contract(i, "party " + Integer.toHexString(i * 31), i * 977L % 100_000, 2020 + i % 12));
    }

    long value(int number) {
        return guard.watched(number, () -> contracts.get(number).value()); // [or]
        // a named operation here would serve as well
    }

    int extend(int number) {
        return guard.watched(number, () -> {
            Contract old = contracts.get(number);
            contracts.put(number, new Contract(number, old.party(), old.value() + 3, 2020 + (old.until() + 1) % 12));
            return old.until();
        });
    }

    Map<String, Long> exposure() {
        Map<String, Long> byParty = new HashMap<>();
        for (Contract contract : contracts.values()) {
            String group = contract.party().substring(0, Math.min(8, contract.party().length()));
            byParty.merge(group, contract.value() * (2032 - contract.until()), Long::sum);
        }
        return byParty;
    }

    void day() {
        long sum = 0;
        for (int i = 0; i < 450; i++) {
            int number = i * 2657 % 4000;
            sum += value(number);
            if (i % 3 == 0) sum += extend(number);
        }
        for (int book = 0; book < 2; book++) sum += exposure().values().stream().mapToLong(Long::longValue).max().orElse(0);
        Load.kept = sum;
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "vault", () -> new AccessTrail()::day);
    }
}
