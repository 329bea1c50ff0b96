import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Does a fixed amount of CPU work without system calls: makes, counts and sorts words. Argument: number of rounds. */
public final class Compute {
    private static final int WORDS = 20_000;
    private static final int LETTERS = 4;

    /** Never read. Without this variable, the JIT compiler could remove the work. */
    private static volatile int sink;

    private Compute() {}

    public static void main(String[] args) {
        for (int round = Integer.parseInt(args[0]); round > 0; round--) {
            SplittableRandom random = new SplittableRandom(round);
            Map<String, Integer> counts = new HashMap<>();
            for (int i = 0; i < WORDS; i++) {
                counts.merge(word(random), 1, Integer::sum);
            }
            sink = counts.keySet().stream().sorted().mapToInt(counts::get).sum();
        }
    }

    private static String word(SplittableRandom random) {
        char[] letters = new char[LETTERS];
        for (int i = 0; i < LETTERS; i++) {
            letters[i] = (char) ('a' + random.nextInt(26));
        }
        return new String(letters);
    }
}
