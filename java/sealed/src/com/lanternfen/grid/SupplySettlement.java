package com.lanternfen.grid;

import com.acme.load.Load;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/** Settles a day of half-hourly meter telegrams: price, typical profile, and the list of statements for the supplier. */
public final class SupplySettlement {
    static final int SLOTS = 48;

    record Band(int fromSlot, int toSlot, String pencePerKwh) {}

    record Reading(int slot, int wattHours) {}

    record Meter(String id, int lossPermille, String telegram) {}

    record Statement(String meter, String due, int profile, long seal) {
        String line() {
            return meter + ';' + due + ";P" + profile + ';' + Long.toHexString(seal);
        }
    }

    /** Prices have four decimals, energy three, and losses three. */
    static final class Tariff {
        private final BigDecimal[] priceOfSlot = new BigDecimal[SLOTS]; // [old]
        // [new] private final long[] priceOfSlot = new long[SLOTS];
        private final BigDecimal levy = new BigDecimal("1.1250"); // [old]
        // [new] private final long levy = 11_250;

        Tariff(List<Band> bands) {
            for (Band band : bands) {
                BigDecimal price = new BigDecimal(band.pencePerKwh()).setScale(4, RoundingMode.UNNECESSARY);
                Arrays.fill(priceOfSlot, band.fromSlot(), band.toSlot(), price); // [old]
                // [new] Arrays.fill(priceOfSlot, band.fromSlot(), band.toSlot(), price.unscaledValue().longValueExact());
            }
        }

        String charge(List<Reading> day, int lossPermille) {
            BigDecimal loss = BigDecimal.valueOf(lossPermille, 3); // [old]
            BigDecimal pence = BigDecimal.ZERO; // [old]
            // [new] long pence = 0;
            for (Reading reading : day) {
                BigDecimal kwh = BigDecimal.valueOf(reading.wattHours(), 3); // [old]
                pence = pence.add(priceOfSlot[reading.slot()].add(levy).multiply(kwh).multiply(loss)); // [call] [edit]
                // [new] pence += (priceOfSlot[reading.slot()] + levy) * reading.wattHours() * lossPermille;
            }
            return pence.setScale(2, RoundingMode.HALF_UP).toPlainString(); // [old]
            // [new] return BigDecimal.valueOf(pence, 10).setScale(2, RoundingMode.HALF_UP).toPlainString();
        }
    }

    /** Typical days; a meter is put to the one which its own day resembles most. */
    static final class Profiles {
        private final double[][] typical;

        Profiles(int count, SplittableRandom random) {
            typical = IntStream.range(0, count)
                    .mapToObj(i -> random.doubles(SLOTS, 0.2, 1.8).toArray())
                    .toArray(double[][]::new);
        }

        int nearest(List<Reading> day) {
            double mean = day.stream().mapToInt(Reading::wattHours).average().orElse(1);
            double[] shape = day.stream().mapToDouble(reading -> reading.wattHours() / mean).toArray();
            return IntStream.range(0, typical.length).boxed()
                    .min(Comparator.comparingDouble(i -> distance(shape, typical[i])))
                    .orElseThrow();
        }

        private static double distance(double[] a, double[] b) {
            double sum = 0;
            for (int i = 0; i < a.length; i++)
                sum += (a[i] - b[i]) * (a[i] - b[i]);
            return sum;
        }
    }

    static List<Reading> decode(String telegram) {
        List<Reading> day = new ArrayList<>(SLOTS);
        for (int from = 0, end; from < telegram.length(); from = end + 1) {
            end = telegram.indexOf(' ', from);
            int colon = telegram.indexOf(':', from);
            day.add(new Reading(Integer.parseInt(telegram, from, colon, 10),
                    Integer.parseInt(telegram, colon + 1, end, 10)));
        }
        return day;
    }

    static long seal(String telegram) {
        CRC32 crc = new CRC32();
        crc.update(telegram.getBytes(StandardCharsets.ISO_8859_1));
        return crc.getValue();
    }

    static Load.Unit settlement(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Tariff tariff = new Tariff(List.of(new Band(0, 14, "9.8150"), new Band(14, 32, "24.3075"),
                new Band(32, 40, "41.9910"), new Band(40, SLOTS, "22.7465")));
        Profiles profiles = new Profiles(6, random);
        List<Meter> meters = IntStream.range(0, 120).mapToObj(i -> new Meter("LF" + (70_000 + i),
                1_000 + random.nextInt(90), IntStream.range(0, SLOTS)
                .mapToObj(slot -> slot + ":" + random.nextInt(30, 1900)).collect(Collectors.joining(" ", "", " ")))).toList();
        return () -> Load.kept = meters.stream().map(meter -> {
            List<Reading> day = decode(meter.telegram());
            return new Statement(meter.id(), tariff.charge(day, meter.lossPermille()), profiles.nearest(day),
                    seal(meter.telegram()));
        }).sorted(Comparator.comparing(Statement::due)).map(Statement::line).collect(Collectors.joining("\n"));
    }

    public static void main(String[] args) {
        long[] seed = {4711};
        Load.onThreads(2, "settle", () -> settlement(seed[0]++));
    }
}
