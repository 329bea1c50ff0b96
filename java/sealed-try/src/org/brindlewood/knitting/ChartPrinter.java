package org.brindlewood.knitting;

import com.acme.load.Load;
import java.util.List;
import java.util.Random;

/** Turns pictures into knitting charts, one line of signs for each row. */
public final class ChartPrinter {
    interface Symbols {
        String of(int stitch);
    }

    private final Symbols symbols;

    ChartPrinter(Symbols symbols) {
        this.symbols = symbols;
    }

    private String line(int[] row, int number) {
        String line = number + ":"; // [edit]
        // [new] StringBuilder line = new StringBuilder(number + ":");
        for (int stitch : row)
            line += symbols.of(stitch); // [call] [edit]
            // [new] line.append(symbols.of(stitch));
        return line; // [old]
        // [new] return line.toString();
    }

    /** The yarn with the nearest colour for each dot. */
    static int[][] knit(int[][] picture, int[] yarns) {
        int[][] rows = new int[picture.length][];
        for (int y = 0; y < picture.length; y++) {
            rows[y] = new int[picture[y].length];
            for (int x = 0; x < rows[y].length; x++)
                rows[y][x] = nearest(picture[y][x], yarns);
        }
        return rows;
    }

    private static int nearest(int colour, int[] yarns) {
        int best = 0, least = Integer.MAX_VALUE;
        for (int yarn = 0; yarn < yarns.length; yarn++) {
            int far = 0;
            for (int shift = 0; shift < 24; shift += 8) {
                int apart = (colour >> shift & 255) - (yarns[yarn] >> shift & 255);
                far += apart * apart;
            }
            if (far < least) {
                least = far;
                best = yarn;
            }
        }
        return best;
    }

    long print(int[][] rows) {
        long sum = 0;
        for (int y = 0; y < rows.length; y++)
            sum = sum * 31 + line(rows[y], y + 1).hashCode();
        return sum;
    }

    public static void main(String[] args) {
        Random random = new Random(8);
        int[] yarns = random.ints(12).toArray();
        int[][] picture = new int[120][];
        for (int y = 0; y < picture.length; y++)
            picture[y] = random.ints(420).toArray();
        List<String> signs = List.of(".", "-", "/", "\\", "o", "x", "+", "=", "k2", "p2", "yo", "sl");
        ChartPrinter printer = new ChartPrinter(signs::get);
        Load.here(() -> Load.kept = printer.print(knit(picture, yarns)));
    }
}
