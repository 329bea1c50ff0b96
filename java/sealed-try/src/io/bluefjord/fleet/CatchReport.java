package io.bluefjord.fleet;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Joins the hauls of fishing boats with the positions that the boats sent, and sums the catch of each sea area. */
public final class CatchReport {
    record Position(long ping, float latitude, float longitude) {}

    record Haul(long ping, int kilos) {}

    /** Utilities for tables of things with a number. */
    static final class Tables {
        private Tables() {}

        static Map<Long, Position> byPing(Position[] positions) {
            Map<Long, Position> table = new HashMap<>(); // [edit]
            // [new] Map<Long, Position> table = new HashMap<>(positions.length * 4 / 3 + 1);
            for (Position position : positions)
                table.put(position.ping, position); // [call]
            return table;
        }
    }

    private final Position[] positions;
    private final Haul[] hauls;

    CatchReport(int boats, int pings) {
        Random random = new Random(boats);
        positions = new Position[boats * pings];
        for (int i = 0; i < positions.length; i++)
            positions[i] = new Position((long) i * 7_919 + 13, 55 + random.nextFloat() * 15, random.nextFloat() * 20);
        hauls = new Haul[positions.length / 12];
        for (int i = 0; i < hauls.length; i++)
            hauls[i] = new Haul(positions[random.nextInt(positions.length)].ping, 50 + random.nextInt(4_000));
    }

    private static int area(Position position) {
        return (int) ((position.latitude - 55) * 2) * 40 + (int) (position.longitude * 2);
    }

    void report() {
        Map<Long, Position> table = Tables.byPing(positions);
        long[] kilos = new long[30 * 40];
        for (Haul haul : hauls)
            kilos[area(table.get(haul.ping))] += haul.kilos;
        long sum = 0;
        for (long area : kilos)
            sum = sum * 31 + area;
        Load.kept = sum;
    }

    public static void main(String[] args) {
        Load.onThreads(1, "fleet", () -> new CatchReport(60, 400)::report);
    }
}
