package de.kranhaus.lager;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds the bins of a warehouse for the lines of orders. */
public final class BinFinder {
    /** A place in the warehouse. */
    static final class Place {
        final int aisle;
        final int shelf;
        final int bin;

        Place(int aisle, int shelf, int bin) {
            this.aisle = aisle;
            this.shelf = shelf;
            this.bin = bin;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place place && place.aisle == aisle && place.shelf == shelf && place.bin == bin;
        }

        @Override
        public int hashCode() {
            return aisle + shelf + bin; // [edit]
            // [new] return (aisle * 1031 + shelf) * 1031 + bin;
        }
    }

    record Line(String article, Place place, int count) {}

    private final Map<Place, String> stock = new HashMap<>();

    BinFinder() {
        for (int aisle = 0; aisle < 12; aisle++)
            for (int shelf = 0; shelf < 16; shelf++)
                for (int bin = 0; bin < 8; bin++) stock.put(new Place(aisle, shelf, bin), "A" + aisle * 7 + "-" + shelf * bin);
    }

    List<Line> order(int number) {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int k = number * 131 + i * 37;
            Place place = new Place(k % 12, k / 5 % 16, k / 7 % 8);
            String article = stock.get(place); // [call]
            if (article != null) lines.add(new Line(article, place, 1 + k % 5));
        }
        return lines;
    }

    /** A short way through the aisles: nearest neighbour, then exchanges of two. */
    static List<Line> route(List<Line> lines) {
        List<Line> route = new ArrayList<>(lines);
        for (int i = 1; i < route.size(); i++) {
            int best = i;
            for (int k = i + 1; k < route.size(); k++)
                if (distance(route.get(i - 1), route.get(k)) < distance(route.get(i - 1), route.get(best))) best = k;
            Line line = route.get(i);
            route.set(i, route.get(best));
            route.set(best, line);
        }
        return route;
    }

    static int distance(Line one, Line two) {
        return Math.abs(one.place().aisle - two.place().aisle) * 9 + Math.abs(one.place().shelf - two.place().shelf) * 2
                + Math.abs(one.place().bin - two.place().bin);
    }

    void wave() {
        Map<String, Integer> picked = new TreeMap<>();
        int way = 0;
        for (int number = 0; number < 60; number++) {
            List<Line> route = route(order(number));
            for (int i = 1; i < route.size(); i++) way += distance(route.get(i - 1), route.get(i));
            for (Line line : route) picked.merge(line.article(), line.count(), Integer::sum);
        }
        Load.kept = way + picked.toString();
    }

    public static void main(String[] arguments) {
        Load.onThreads(3, "picker", () -> new BinFinder()::wave);
    }
}
