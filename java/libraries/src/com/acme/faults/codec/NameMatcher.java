package com.acme.faults.codec;

import com.acme.load.Load;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.codec.EncoderException;
import org.apache.commons.codec.language.bm.BeiderMorseEncoder;
import org.apache.commons.codec.language.bm.NameType;
import org.apache.commons.codec.language.bm.RuleType;

/** A genealogy search: indexes surnames under each of their phonetic codes. */
public final class NameMatcher {
    private static final String[] NAMES = ("Schwarzenberg Kowalski Rosenthal Goldsmith Nowak Abramowitz Fernandez Bernstein "
            + "Muller Wojciechowski Tchaikovsky Angelopoulos Mendelssohn Rabinovich Castellano Dubois").split(" ");

    private NameMatcher() {}

    public static void main(String[] args) {
        Load.onThreads(2, "index", () -> {
            BeiderMorseEncoder encoder = new BeiderMorseEncoder();
            encoder.setNameType(NameType.GENERIC);
            encoder.setRuleType(RuleType.APPROX);
            encoder.setMaxPhonemes(10);
            return () -> Load.kept = index(encoder).size();
        });
    }

    private static Map<String, String[]> index(BeiderMorseEncoder encoder) throws EncoderException {
        Map<String, String[]> index = new HashMap<>();
        for (String name : NAMES) {
            for (String code : encoder.encode(name).split("\\|")) {
                index.merge(code, new String[] {name}, NameMatcher::join);
            }
        }
        return index;
    }

    private static String[] join(String[] left, String[] right) {
        String[] both = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, both, left.length, right.length);
        return both;
    }
}
