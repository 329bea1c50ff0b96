package org.alder.herbarium;

import com.acme.load.Load;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Prints the labels of a herbarium drawer in filing order: family, then the collector as filed, then the sheet's number. */
public final class LabelRun {
    private static final String[] COLLECTORS = {"Müller-Thörgau, Ágnes", "Çelikoğlu, Şükrü", "Łukasiewicz, Zdzisław Józef",
        "Ångström, Åsa Märta", "Nuñez Ibáñez, María José", "Dvořáková, Jiřina", "Vū, Đức Thắng", "Sørensen, Bjørn Ægir",
        "Öztürk, Gülşen", "Lefèbvre, Benoît Jérôme"};
    private static final String[] FAMILIES = {"Rosaceae", "Betulaceae", "Poaceae"};

    static final class Sheet {
        private final int number;
        private final String family;
        private final String collector;
        // [new] private final String filingName;

        Sheet(int number, String family, String collector) {
            this.number = number;
            this.family = family;
            this.collector = collector;
            // [new] filingName = Normalizer.normalize(collector, Normalizer.Form.NFD);
        }

        int number() {
            return number;
        }

        String family() {
            return family;
        }

        /** The base letters come first, the accents decide between names that are otherwise alike. */
        String filingName() {
            return Normalizer.normalize(collector, Normalizer.Form.NFD); // [call] [edit]
            // [new] return filingName;
        }
    }

    private static final Comparator<Sheet> FILING =
            Comparator.comparing(Sheet::family).thenComparing(Sheet::filingName).thenComparingInt(Sheet::number);

    private final List<List<Sheet>> drawers;
    private final byte[] plate = new byte[240 * 64];
    private int next;

    private LabelRun(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        drawers = IntStream.range(0, 30).mapToObj(drawer -> IntStream.range(0, 90)
                .mapToObj(i -> new Sheet(random.nextInt(1_000_000), FAMILIES[random.nextInt(FAMILIES.length)],
                        COLLECTORS[random.nextInt(COLLECTORS.length)] + " " + (char) ('A' + random.nextInt(26)) + "."))
                .collect(Collectors.toList())).collect(Collectors.toList());
    }

    private void drawer() {
        List<Sheet> sheets = new ArrayList<>(drawers.get(next++ % drawers.size()));
        sheets.sort(FILING);
        long ink = 0;
        for (int position = 0; position < sheets.size(); position++)
            ink = ink * 31 + print(sheets.get(position), position);
        Load.kept = ink;
    }

    /** Draws the bars of the sheet's number and a frame onto the plate, and returns how much ink the label takes. */
    private int print(Sheet sheet, int position) {
        int ink = 0;
        int bits = sheet.number() * 0x9E3779B1 ^ position;
        for (int column = 0; column < 240; column++) {
            boolean bar = (bits >>> (column / 8) & 1) != 0 && column % 8 < 6;
            for (int row = 0; row < 12; row++) {
                boolean frame = row == 0 || row == 11 || column == 0 || column == 239;
                byte shade = (byte) (frame ? 255 : bar ? 200 - row * (bits & 7) : plate[row * 240 + column] >> 1);
                plate[row * 240 + column] = shade;
                ink += shade & 0xff;
            }
        }
        for (int i = 0; i < sheet.collector.length(); i++)
            ink += sheet.collector.charAt(i) % 17 * (i + 1);
        return ink;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "labels", () -> new LabelRun(77)::drawer);
    }
}
