package org.plumgate.letters;

import com.acme.load.Load;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** Sets the text of circular letters for the members of an association. */
public final class CircularPrint {
    record Member(int number, String name, List<Integer> fees) {}

    record Letter(int member, String text, long check) {}

    private static final Map<String, String> WORDS = Map.of("name", "{n}", "year", "{y}", "sum", "{s}");

    static Stream<Member> members(int count) {
        return IntStream.range(0, count).mapToObj(i -> new Member(i, "Member " + (char) ('A' + i % 26) + i,
                IntStream.range(0, 90).mapToObj(k -> (i * 37 + k * 11) % 240).toList()));
    }

    static String line(int fee) {
        return " - paid " + fee / 10 + "." + fee % 10 + " on day " + fee % 28 + "\n";
    }

    static String statement(Member member) {
        return member.fees().stream().map(CircularPrint::line)
                .reduce("", (text, line) -> text + line); // [call] [edit]
                // [new] .collect(Collectors.joining());
    }

    static String head(Member member) {
        String head = "Dear {n}, your fees of {y} come to {s}.\n";
        int sum = member.fees().stream().mapToInt(Integer::intValue).sum();
        return head.replace(WORDS.get("name"), member.name()).replace(WORDS.get("year"), "2024")
                .replace(WORDS.get("sum"), String.valueOf(sum));
    }

    /** Breaks lines at 30 columns, as the old printer needs it. */
    static String set(String text) {
        StringBuilder page = new StringBuilder(text.length() * 2);
        int column = 0;
        for (String word : text.split(" ")) {
            if (column + word.length() > 30) {
                page.append('\n');
                column = 0;
            }
            page.append(word).append(' ');
            column = word.endsWith("\n") ? 0 : column + word.length() + 1;
        }
        return page.toString();
    }

    static Letter letter(Member member) {
        String text = set(head(member) + statement(member));
        CRC32 check = new CRC32();
        check.update(text.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
        return new Letter(member.number(), text, check.getValue());
    }

    static void mailing() {
        Load.kept = members(60).map(CircularPrint::letter)
                .collect(Collectors.groupingBy(letter -> letter.check() % 7, Collectors.summingInt(letter -> letter.text().length())));
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "letters", () -> CircularPrint::mailing);
    }
}
