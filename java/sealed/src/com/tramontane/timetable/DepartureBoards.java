package com.tramontane.timetable;

import com.acme.load.Load;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TimeZone;

/** Composes the departure boards of mountain stations: plans trains over the network and lists the next ones of a station. */
public final class DepartureBoards {
    private static final long START = 1_760_000_000_000L;

    /** A way between neighbouring stations. */
    private static final class Track {
        final int to, minutes;

        Track(int to, int minutes) {
            this.to = to;
            this.minutes = minutes;
        }
    }

    private static final class Departure {
        final int destination, platform;
        final long leaves;

        Departure(int destination, int platform, long leaves) {
            this.destination = destination;
            this.platform = platform;
            this.leaves = leaves;
        }
    }

    /** The trains that leave a station, in the order in which they leave. */
    private final class Departures implements Iterator<Departure> {
        private final PriorityQueue<Departure> queue = new PriorityQueue<>((a, b) -> Long.compare(a.leaves, b.leaves));

        Departures(int station, long now) {
            int[] minutes = minutesFrom(station);
            for (int destination = 0; destination < minutes.length; destination++)
                if (destination != station && minutes[destination] < 55)
                    queue.add(new Departure(destination, destination % 7 + 1,
                            now + 60_000L * ((destination * 13 + minutes[destination]) % 90)));
        }

        @Override
        public boolean hasNext() {
            return !queue.isEmpty();
        }

        @Override
        public Departure next() {
            if (queue.isEmpty())
                throw new NoSuchElementException();
            return queue.poll();
        }
    }

    private final List<List<Track>> network = new ArrayList<>();
    // [new] private final SimpleDateFormat clock = clock();
    private long now = START;

    DepartureBoards(int stations, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < stations; i++)
            network.add(new ArrayList<>());
        for (int i = 0; i < stations * 3; i++) {
            int from = random.nextInt(stations), to = random.nextInt(stations), minutes = 4 + random.nextInt(25);
            network.get(from).add(new Track(to, minutes));
            network.get(to).add(new Track(from, minutes));
        }
    }

    private static SimpleDateFormat clock() {
        SimpleDateFormat clock = new SimpleDateFormat("EEE HH:mm", Locale.ITALY); // [call] [or]
        clock.setTimeZone(TimeZone.getTimeZone("Europe/Rome"));
        return clock;
    }

    private int[] minutesFrom(int station) {
        int[] best = new int[network.size()];
        java.util.Arrays.fill(best, Integer.MAX_VALUE);
        best[station] = 0;
        PriorityQueue<int[]> open = new PriorityQueue<>((a, b) -> Integer.compare(a[1], b[1]));
        open.add(new int[] {station, 0});
        while (!open.isEmpty()) {
            int[] at = open.poll();
            if (at[1] > best[at[0]])
                continue;
            for (Track track : network.get(at[0])) {
                int minutes = at[1] + track.minutes;
                if (minutes < best[track.to]) {
                    best[track.to] = minutes;
                    open.add(new int[] {track.to, minutes});
                }
            }
        }
        return best;
    }

    String board(int station) {
        now += 60_000;
        StringBuilder board = new StringBuilder("Stazione ").append(station).append('\n');
        Departures departures = new Departures(station, now);
        for (int row = 0; row < 50 && departures.hasNext(); row++) {
            Departure departure = departures.next();
            String time = clock().format(new Date(departure.leaves)); // [edit]
            // [new] String time = clock.format(new Date(departure.leaves));
            board.append(time).append("  bin. ").append(departure.platform).append("  -> ").append(departure.destination).append('\n');
        }
        return board.toString();
    }

    public static void main(String[] args) {
        int[] turn = {0};
        DepartureBoards boards = new DepartureBoards(900, 8);
        Load.here(() -> Load.kept = boards.board(turn[0]++ % 900));
    }
}
