package net.spoolworks.fabric;

import com.acme.load.Load;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reads the labels on bales that arrive at the weaving mill, and sorts the bales into the store's bays. */
public final class LabelReader {
    sealed interface Label permits Styled, Plain, Torn {}

    /** A label that ends with a style code, like "Merino Extra-Fine NV2041". */
    record Styled(String text, String style) implements Label {}

    record Plain(List<String> words) implements Label {}

    record Torn(String rest) implements Label {}

    private static final Pattern STYLED = Pattern.compile("(?:[A-Za-z]+[ -]?)+([A-Z]{2}\\d{4})"); // [edit]
    // [new] private static final Pattern STYLED = Pattern.compile("[A-Za-z](?:[ -]?[A-Za-z])*[ -]?([A-Z]{2}\\d{4})");
    private static final Pattern WORDS = Pattern.compile("[ -]");

    static Label read(String text) {
        if (text.endsWith("#"))
            return new Torn(text.substring(0, text.length() - 1));
        Matcher styled = STYLED.matcher(text);
        if (styled.matches()) // [call]
            return new Styled(text, styled.group(1));
        return new Plain(WORDS.splitAsStream(text).filter(word -> !word.isBlank()).collect(Collectors.toList()));
    }

    /** The bay for a label: styled bales by their code, plain ones by the word that is nearest to a known fibre. */
    static String bay(Label label) {
        if (label instanceof Styled styled)
            return "S" + styled.style().substring(0, 3);
        if (label instanceof Plain plain)
            return plain.words().stream().map(LabelReader::fibre).sorted().findFirst().orElse("none");
        return "repair";
    }

    private static final String[] FIBRES = {"wool", "linen", "cotton", "silk", "hemp", "merino", "alpaca", "jute"};

    /** The nearest fibre and the number of letters that differ. */
    static String fibre(String word) {
        String low = word.toLowerCase(Locale.ROOT), best = "";
        int least = 99;
        for (String fibre : FIBRES) {
            int distance = distance(low, fibre);
            if (distance < least) {
                least = distance;
                best = fibre;
            }
        }
        return least + best;
    }

    private static int distance(String one, String other) {
        int[] above = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int[] line = new int[above.length];
            line[0] = i;
            for (int j = 1; j < line.length; j++) {
                int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                line[j] = Math.min(above[j - 1] + change, Math.min(above[j], line[j - 1]) + 1);
            }
            above = line;
        }
        return above[other.length()];
    }

    /** The lorry: labels as the scanner reads them, some without a code and some torn. */
    static List<String> lorry(Random random) {
        String[] kinds = {"Merino", "Worsted", "Linen", "Extra-Fine", "Navy", "Twill", "Undyed", "Hemp", "Raw", "Long-Staple"};
        return IntStream.range(0, 60).mapToObj(bale -> {
            String text = random.ints(4, 0, kinds.length).mapToObj(kind -> kinds[kind]).collect(Collectors.joining(" "));
            int end = random.nextInt(10);
            return end == 0 ? text + "#" : end < 6 ? text + " NV" + (1000 + random.nextInt(9000)) : text + " No. " + bale;
        }).collect(Collectors.toList());
    }

    public static void main(String[] args) {
        Load.onThreads(2, "bales", () -> {
            Random random = new Random(11);
            return () -> {
                Map<String, Long> bays = lorry(random).stream().map(LabelReader::read)
                        .collect(Collectors.groupingBy(LabelReader::bay, TreeMap::new, Collectors.counting()));
                Load.kept = bays.toString();
            };
        });
    }
}
