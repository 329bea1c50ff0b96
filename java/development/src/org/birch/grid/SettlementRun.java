package org.birch.grid;

import com.acme.load.Load;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;
import java.util.function.Function;

/** Settles quarter-hour meter readings against a price table in the customers' local time. */
public final class SettlementRun {
    record Slot(int day, int quarter, long wattHours) {}

    /** What the meters sent: equally spaced values from a first instant on. */
    record Profile(Instant first, int[] wattHours) {}

    /** Walks over a profile in the local time of the grid area. */
    static final class LocalSlots implements Iterator<Slot> {
        private final Function<Instant, ZoneOffsetTransition> changeAfter;
        private final UnaryOperator<Integer> repair;
        private final Profile profile;
        private ZoneOffsetTransition change;
        private int position;

        LocalSlots(ZoneId area, Profile profile, UnaryOperator<Integer> repair) {
            this.changeAfter = area.getRules()::nextTransition;
            this.profile = profile;
            this.repair = repair;
        }

        @Override
        public boolean hasNext() {
            return position < profile.wattHours.length;
        }

        @Override
        public Slot next() {
            if (!hasNext())
                throw new NoSuchElementException();
            Instant at = profile.first.plusSeconds(900L * position);
            change = changeAfter.apply(at); // [call] [edit]
            // [new] if (change == null || !at.isBefore(change.getInstant())) change = changeAfter.apply(at);
            long local = at.getEpochSecond() + change.getOffsetBefore().getTotalSeconds();
            int value = profile.wattHours[position++];
            return new Slot((int) Math.floorDiv(local, 86_400L), (int) Math.floorMod(local, 86_400L) / 900,
                    value < 0 ? repair.apply(position) : value);
        }
    }

    private final ZoneId area = ZoneId.of("Europe/Vienna");
    private final Profile[] meters = new Profile[12];
    private final int[][] milliCents = new int[7][96];
    private final double[] load = new double[96];
    private int turn;

    private SettlementRun() {
        for (int m = 0; m < meters.length; m++) {
            int[] values = new int[4 * 24 * 184];
            for (int i = 0; i < values.length; i++)
                values[i] = i > 0 && i < values.length - 1 && (i * 7 + m * 13) % 211 == 0 ? -1 : 40 + (i % 96) * (95 - i % 96) / 9 + (i * 31 + m * 17) % 23;
            meters[m] = new Profile(Instant.parse("2024-02-0" + (m % 9 + 1) + "T00:00:00Z"), values);
        }
        for (int weekday = 0; weekday < 7; weekday++)
            for (int quarter = 0; quarter < 96; quarter++)
                milliCents[weekday][quarter] = 18_000 + (weekday < 5 && quarter > 28 && quarter < 80 ? 9_000 : 0) + quarter * 11;
    }

    private void halfYear() {
        Profile meter = meters[turn++ % meters.length];
        java.util.Arrays.fill(load, 0);
        long due = 0;
        double peak = 0;
        Iterator<Slot> slots = new LocalSlots(area, meter, gap -> (meter.wattHours[gap] + meter.wattHours[gap - 2]) / 2);
        while (slots.hasNext()) {
            Slot slot = slots.next();
            due += slot.wattHours * milliCents[Math.floorMod(slot.day + 3, 7)][slot.quarter];
            peak = Math.max(peak, smoothed(slot));
        }
        Load.kept = due + Math.round(peak);
    }

    /** A standard load shape that follows the meter, with the neighbours of the quarter pulled along. */
    private double smoothed(Slot slot) {
        double pull = 0.1;
        for (int distance = 0; distance < 5; distance++) {
            int q = (slot.quarter + distance) % 96;
            load[q] += (slot.wattHours - load[q]) * pull / (1 + distance);
        }
        return load[slot.quarter] * 4;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "settle", () -> new SettlementRun()::halfYear);
    }
}
