package org.quillstone.catalogue;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A library reads the lists of its branches (quoted fields, UTF-8) and makes an index by author. */
public final class ShelfList {
    record Title(String author, String name, int year, String shelf) {}

    /** Rows of fields, read as they are asked for. */
    static final class Rows implements Iterator<List<String>> {
        private final Reader text;
        private int next;

        Rows(Reader text) {
            this.text = text;
            advance();
        }

        private void advance() {
            try {
                next = text.read(); // [call]
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        }

        @Override
        public boolean hasNext() {
            return next >= 0;
        }

        @Override
        public List<String> next() {
            if (!hasNext()) throw new NoSuchElementException();
            List<String> fields = new ArrayList<>();
            StringBuilder field = new StringBuilder();
            boolean quoted = false;
            for (; next >= 0; advance()) {
                if (next == '"') {
                    quoted = !quoted;
                } else if (!quoted && (next == ';' || next == '\n')) {
                    fields.add(field.toString());
                    field.setLength(0);
                    if (next == '\n') break;
                } else {
                    field.append((char) next);
                }
            }
            advance();
            return fields;
        }
    }

    static final Function<InputStream, Reader> UTF8 = in -> new InputStreamReader(in, StandardCharsets.UTF_8); // [edit]
    // [new] static final Function<InputStream, Reader> UTF8 = in -> new java.io.BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));

    static Map<String, String> index(byte[] list) {
        Iterable<List<String>> rows = () -> new Rows(UTF8.apply(new ByteArrayInputStream(list)));
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> new Title(row.get(0), row.get(1), Integer.parseInt(row.get(2)), row.get(3)))
                .collect(Collectors.groupingBy(ShelfList::key, TreeMap::new,
                        Collectors.mapping(ShelfList::entry, Collectors.joining(" / "))));
    }

    static String key(Title title) {
        String[] names = title.author().toUpperCase(java.util.Locale.ROOT).split(" ");
        String last = names[names.length - 1];
        int sound = 0;
        for (int round = 0; round < 40; round++)
            for (char letter : last.toCharArray()) sound = sound * 17 + Character.getNumericValue(letter) + round;
        return last + "," + names[0].charAt(0) + Integer.toHexString(sound & 255);
    }

    static String entry(Title title) {
        String words = title.name().toLowerCase(java.util.Locale.ROOT);
        return title.shelf() + ":" + title.year() + ":" + words.chars().filter(c -> "aeiouäöü".indexOf(c) < 0)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
    }

    static byte[] branch(int count) {
        StringBuilder text = new StringBuilder();
        String[] authors = {"Ada Märtens", "Jonas Öberg", "Lena Sørensen", "Tom Carver", "Ines Núñez", "Paul Weiß"};
        for (int i = 0; i < count; i++)
            text.append('"').append(authors[i % authors.length]).append("\";\"The ").append(i % 71)
                    .append(" Gärten of winter, part ").append(i % 9).append("\";").append(1890 + i % 130)
                    .append(';').append((char) ('A' + i % 26)).append(i % 400).append('\n');
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) {
        byte[] list = branch(600);
        Load.onThreads(3, "branch", () -> () -> Load.kept = index(list));
    }
}
