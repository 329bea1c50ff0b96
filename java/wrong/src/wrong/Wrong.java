package wrong;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Runs cases by their names, for a time or for some rounds with their answers. */
public final class Wrong {
    private static final long TURN_NS = 50_000_000;
    private static final int ROUNDS = 5;

    private Wrong() {
    }

    private static Map<String, Supplier<Case>> cases() {
        Map<String, Supplier<Case>> cases = new TreeMap<>();
        Buffers.addTo(cases);
        Calls.addTo(cases);
        Files.addTo(cases);
        Hashes.addTo(cases);
        Lists.addTo(cases);
        LookUps.addTo(cases);
        Numbers.addTo(cases);
        Sockets.addTo(cases);
        Stacks.addTo(cases);
        Streams.addTo(cases);
        Texts.addTo(cases);
        Waits.addTo(cases);
        return cases;
    }

    /** `answers CASE`, or `for MILLISECONDS CASE…`. */
    public static void main(String... words) throws Exception {
        Sockets.prepare();
        Map<String, Supplier<Case>> cases = cases();
        if (words[0].equals("answers")) {
            Case answering = cases.get(words[1]).get();
            for (int round = 0; round < ROUNDS; round++) {
                System.out.println(answering.round());
            }
            return;
        }
        List<Case> repeated = new ArrayList<>();
        for (String name : Arrays.asList(words).subList(2, words.length)) {
            repeated.add(cases.get(name).get());
        }
        repeat(repeated, System.nanoTime() + Long.parseLong(words[1]) * 1_000_000);
    }

    /** The cases run alternately, so the part of the run that whittle leaves out as the start has a part of each of them. */
    private static void repeat(List<Case> cases, long end) throws Exception {
        while (System.nanoTime() < end) {
            for (Case repeated : cases) {
                long endOfTurn = System.nanoTime() + TURN_NS;
                while (System.nanoTime() < endOfTurn) {
                    repeated.round();
                }
            }
        }
    }
}
