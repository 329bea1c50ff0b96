package com.brightferry.manifest;

import com.acme.load.Load;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;

/** Writes the documents that Bright Ferry hands to the port office for each sailing, when the gangway is closed. */
public final class ManifestExport {
    record Passenger(String surname, String given, String document, int birthYear, int bags, String cabin) {}

    /** A document with a head, one row for each entry, and a foot. The office collects it when the export has ended. */
    abstract static class SailingDocument<T> {
        private BufferedWriter out;
        private int rows;

        final long export(Path target, List<T> entries) throws IOException {
            rows = 0;
            try (BufferedWriter writer = Files.newBufferedWriter(target, StandardCharsets.UTF_8)) {
                out = writer;
                line(head());
                for (T entry : entries) {
                    line(row(entry));
                    rows++;
                }
                line(foot(rows));
            }
            return Files.size(target);
        }

        protected abstract String head();

        protected abstract String row(T entry);

        protected abstract String foot(int count);

        private void line(String text) throws IOException {
            out.write(text);
            out.write('\n');
            out.flush(); // [call] [edit]
        }
    }

    /** The list of people on board. */
    static final class PassengerList extends SailingDocument<Passenger> {
        private static final int[] WEIGHTS = {7, 3, 1};
        private final String sailing;
        private final CRC32 seal = new CRC32();
        private long cents;

        PassengerList(String sailing) {
            this.sailing = sailing;
        }

        @Override
        protected String head() {
            seal.reset();
            cents = 0;
            return "PAX;" + sailing + ";v3";
        }

        @Override
        protected String row(Passenger p) {
            String zone = machineZone(p);
            int digit = checkDigit(zone);
            for (int round = 0; round < 43; round++) {
                digit = (digit * 31 + checkDigit(zone.substring(round) + zone.substring(0, round))) % 10;
            }
            cents += fare(p);
            String text = zone + digit + ';' + p.cabin() + ';' + p.bags() + ';' + cents;
            seal.update(text.getBytes(StandardCharsets.UTF_8));
            return text;
        }

        @Override
        protected String foot(int count) {
            return "END;" + count + ';' + Long.toHexString(seal.getValue());
        }

        private static String machineZone(Passenger p) {
            StringBuilder zone = new StringBuilder(48);
            zone.append("P<").append(p.surname().toUpperCase()).append("<<").append(p.given().toUpperCase());
            zone.append('<').append(p.document()).append('<').append(p.birthYear() % 100);
            while (zone.length() < 44) zone.append('<');
            return zone.toString();
        }

        private static int checkDigit(String zone) {
            int sum = 0;
            for (int i = 0; i < zone.length(); i++) {
                char c = zone.charAt(i);
                int value = c == '<' ? 0 : Character.isDigit(c) ? c - '0' : c - 'A' + 10;
                sum += value * WEIGHTS[i % 3];
            }
            return sum % 10;
        }

        private static long fare(Passenger p) {
            long base = p.cabin().startsWith("A") ? 18_900 : 7_450;
            long age = 2024 - p.birthYear();
            return (age < 12 ? base / 2 : age > 66 ? base * 4 / 5 : base) + Math.max(0, p.bags() - 1) * 1_250L;
        }
    }

    public static void main(String[] args) throws IOException {
        Path outbox = Files.createTempDirectory("ferry-outbox");
        Load.onThreads(2, "export", () -> {
            List<Passenger> aboard = new ArrayList<>();
            Random random = new Random(77);
            String[] surnames = {"Halvorsen", "Brandt", "Okoye", "Lindqvist", "Moreau", "Tanaka"};
            String[] given = {"Ida", "Mats", "Chidi", "Elsa", "Jules", "Kenji", "Ruth"};
            for (int i = 0; i < 350; i++) {
                aboard.add(new Passenger(surnames[random.nextInt(6)], given[random.nextInt(7)],
                        "N" + (1_000_000 + random.nextInt(8_999_999)), 1935 + random.nextInt(88),
                        random.nextInt(4), (random.nextInt(3) == 0 ? "A" : "C") + (100 + random.nextInt(300))));
            }
            Path target = outbox.resolve("sailing-" + System.identityHashCode(aboard) + ".txt");
            PassengerList list = new PassengerList("BF-0417");
            return () -> Load.kept = list.export(target, aboard);
        });
    }
}
