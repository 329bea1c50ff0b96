package whittle.agent.trial;

import java.io.File;
import java.util.Collections;
import java.util.List;

/** One place of the plan: which instruction is changed, and how. */
public final class Place {
    /** Also the row of its count. */
    final int number;
    final String remedy;
    /** A JVM name: java/lang/String. */
    final String className;
    final String method;
    final String descriptor;
    /** Of the instruction in the original code. */
    final int bytecodeIndex;
    /** The class as the analysis saw it. */
    final File classFile;
    final List<String> arguments;

    /** The words of a line of the plan, without the first one. */
    public Place(List<String> words) {
        if (words.size() < 7) {
            throw new IllegalArgumentException("a place of the plan has too few words: " + words);
        }
        number = Integer.parseInt(words.get(0));
        remedy = words.get(1);
        className = words.get(2);
        method = words.get(3);
        descriptor = words.get(4);
        bytecodeIndex = Integer.parseInt(words.get(5));
        classFile = new File(words.get(6));
        arguments = Collections.unmodifiableList(words.subList(7, words.size()));
    }

    boolean isIn(String name, String type) {
        return method.equals(name) && descriptor.equals(type);
    }
}
