package com.acme.records;

import java.util.HashMap;
import java.util.Map;

/** The arguments of a command line, as {@code --name value}. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();

    Arguments(String[] words) {
        for (int i = 0; i + 1 < words.length; i += 2) values.put(words[i], words[i + 1]);
    }

    double number(String name, double otherwise) {
        String value = values.get(name);
        return value == null ? otherwise : Double.parseDouble(value);
    }
}
