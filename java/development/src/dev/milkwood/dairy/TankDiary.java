package dev.milkwood.dairy;

import com.acme.load.Load;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads the diary of milk tanks and looks for hours in which the milk was too warm. */
public final class TankDiary {
    record Entry(LocalDateTime at, int tank, int tenths) {}

    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("dd.MM.yyyy HH:mm:ss");

    static int digits(String text, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) value = value * 10 + text.charAt(i) - '0';
        return value;
    }

    static LocalDateTime quick(String text) {
        return LocalDateTime.of(digits(text, 6, 10), digits(text, 3, 5), digits(text, 0, 2),
                digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19));
    }

    static Entry entry(String line) {
        int first = line.indexOf(';'), second = line.indexOf(';', first + 1);
        LocalDateTime at = LocalDateTime.parse(line.substring(0, first), STAMP); // [call] [edit]
        // [new] LocalDateTime at = quick(line.substring(0, first));
        return new Entry(at, Integer.parseInt(line, first + 1, second, 10), Integer.parseInt(line, second + 1, line.length(), 10));
    }

    static Map<Integer, List<Entry>> tanks(List<String> diary) {
        return diary.stream().map(TankDiary::entry).collect(Collectors.groupingBy(Entry::tank, TreeMap::new, Collectors.toList()));
    }

    static String warmest(List<Entry> entries) {
        List<Entry> byHeat = new ArrayList<>(entries);
        byHeat.sort((a, b) -> a.tenths() != b.tenths() ? b.tenths() - a.tenths() : a.at().compareTo(b.at()));
        StringBuilder text = new StringBuilder();
        for (Entry entry : byHeat.subList(0, Math.min(5, byHeat.size())))
            text.append(entry.at().getDayOfYear()).append('/').append(entry.at().getHour()).append('=').append(entry.tenths()).append(' ');
        double mean = 0;
        for (int window = 1; window < 60; window++)
            for (int i = window; i < entries.size(); i++)
                mean += Math.abs(entries.get(i).tenths() - entries.get(i - window).tenths()) / (double) window;
        return text.append(Math.round(mean)).toString();
    }

    static List<String> diary(int count) {
        List<String> diary = new ArrayList<>();
        LocalDateTime at = LocalDateTime.of(2023, 3, 1, 4, 0);
        for (int i = 0; i < count; i++)
            diary.add(STAMP.format(at.plusSeconds(i * 97L)) + ";" + i % 7 + ";" + (35 + i * i % 23));
        return diary;
    }

    public static void main(String[] arguments) {
        List<String> diary = diary(900);
        Load.onThreads(2, "dairy", () -> () -> {
            List<String> lines = new ArrayList<>();
            tanks(diary).forEach((tank, entries) -> lines.add(tank + " " + warmest(entries)));
            Load.kept = lines;
        });
    }
}
