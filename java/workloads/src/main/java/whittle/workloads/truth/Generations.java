package whittle.workloads.truth;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Allocates blocks of a kilobyte. Some stay alive forever. Each other block stays alive while the next ones are allocated.
 *
 * <p>Arguments: megabytes that stay alive forever, megabytes of a block's life, seconds.
 */
public final class Generations {
    private static final int BLOCK_BYTES = 1 << 10;

    private Generations() {
    }

    public static void main(String[] arguments) {
        int forever = Integer.parseInt(arguments[0]) << 10;
        int life = Integer.parseInt(arguments[1]) << 10;
        long end = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000_000L;
        List<byte[]> kept = new ArrayList<>();
        for (int block = 0; block < forever; block++) {
            kept.add(new byte[BLOCK_BYTES]);
        }
        ArrayDeque<byte[]> recent = new ArrayDeque<>();
        long blocks = 0;
        while (System.nanoTime() < end) {
            recent.addLast(new byte[BLOCK_BYTES]);
            if (recent.size() > life) {
                recent.removeFirst();
            }
            blocks++;
        }
        System.out.println(blocks + " blocks, " + kept.size() + " kept");
    }
}
