package whittle.agent.trial;

import java.io.File;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.tree.MethodNode;

/** One place of the plan: which instruction is changed, and how. */
public final class Place {
    /** The number in the plan and in reports. */
    final int planned;
    /** The row of its count. No other place of this JVM has the same row. */
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
        this(words, 0);
    }

    /** `firstRow` is the row of the place with the number 0. */
    Place(List<String> words, int firstRow) {
        if (words.size() < 7) {
            throw new IllegalArgumentException("a place of the plan has too few words: " + words);
        }
        planned = Integer.parseInt(words.get(0));
        number = firstRow + planned;
        remedy = words.get(1);
        className = words.get(2);
        method = words.get(3);
        descriptor = words.get(4);
        bytecodeIndex = Integer.parseInt(words.get(5));
        classFile = new File(words.get(6));
        arguments = Collections.unmodifiableList(words.subList(7, words.size()));
    }

    private Place(Place original, String method, String descriptor, int bytecodeIndex, List<String> arguments) {
        planned = original.planned;
        number = original.number;
        remedy = original.remedy;
        className = original.className;
        this.method = method;
        this.descriptor = descriptor;
        this.bytecodeIndex = bytecodeIndex;
        classFile = original.classFile;
        this.arguments = Collections.unmodifiableList(arguments);
    }

    /** The same change at another instruction of the class. */
    Place movedTo(MethodNode other, int index, List<String> otherArguments) {
        return new Place(this, other.name, other.desc, index, otherArguments);
    }

    boolean isIn(String name, String type) {
        return method.equals(name) && descriptor.equals(type);
    }
}
