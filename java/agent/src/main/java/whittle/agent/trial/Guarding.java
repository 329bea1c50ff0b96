package whittle.agent.trial;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Lets a regular expression ask first whether the text has the part that each match contains. */
final class Guarding implements Remedy {
    private static final String PATTERN = "java/util/regex/Pattern";
    private static final String MATCHER = "java/util/regex/Matcher";
    private static final String TEXT = "Ljava/lang/String;";
    private static final String MATCHER_OF_TEXT = "matcher(Ljava/lang/CharSequence;)L" + MATCHER + ";";
    private static final Set<String> REPLACEMENTS = new HashSet<>(Arrays.asList("replaceAll(" + TEXT + ")" + TEXT,
        "replaceFirst(" + TEXT + ")" + TEXT));
    private static final Set<String> SEARCHES = new HashSet<>(Arrays.asList("find()Z", "matches()Z", "lookingAt()Z"));
    /** These give the same result if the matcher has an empty region, or if they first go back to the whole text. */
    private static final Set<String> METHODS = new HashSet<>(Arrays.asList("find", "matches", "lookingAt", "group", "start", "end",
        "groupCount", "replaceAll", "replaceFirst", "appendReplacement", "appendTail", "reset", "pattern", "results"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        MethodInsnNode call = spot.call();
        String called = call.name + call.desc;
        if (call.owner.equals(MATCHER) && REPLACEMENTS.contains(called)) {
            spot.replace(call, spot.callOurs("Guards." + call.name, "(L" + MATCHER + ";" + TEXT + "I)" + TEXT));
        } else if (call.owner.equals(MATCHER) && SEARCHES.contains(called)) {
            guard(spot, Makers.only(spot, call, 0));
        } else if (isMatcherMade(call)) {
            guard(spot, call);
        } else {
            throw new Refused("whittle knows no guard for " + call.owner.replace('/', '.') + "." + call.name);
        }
    }

    private static boolean isMatcherMade(AbstractInsnNode node) {
        return node instanceof MethodInsnNode && ((MethodInsnNode) node).owner.equals(PATTERN)
            && (((MethodInsnNode) node).name + ((MethodInsnNode) node).desc).equals(MATCHER_OF_TEXT);
    }

    private static void guard(Spot spot, AbstractInsnNode made) throws Refused, AnalyzerException {
        if (made == null || !isMatcherMade(made)) {
            throw new Refused("the method gets the matcher from elsewhere, so its text is not known");
        }
        boolean isAnywhere = true;
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : Flow.ofResult(spot, made).uses().entrySet()) {
            requireSearch(use.getKey(), use.getValue());
            isAnywhere &= !isAtStart(use.getKey());
        }
        String guarded = isAnywhere ? "Guards.searcher" : "Guards.matcher";
        spot.replace(made, spot.callOurs(guarded, "(L" + PATTERN + ";Ljava/lang/CharSequence;I)L" + MATCHER + ";"));
    }

    /** The match must begin at the start of the text. */
    private static boolean isAtStart(AbstractInsnNode use) {
        return use instanceof MethodInsnNode && Arrays.asList("matches", "lookingAt").contains(((MethodInsnNode) use).name);
    }

    private static void requireSearch(AbstractInsnNode node, Set<Integer> operands) throws Refused {
        int opcode = node.getOpcode();
        if (opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL) {
            return;
        }
        if (opcode != Opcodes.INVOKEVIRTUAL || !operands.equals(Collections.singleton(0))) {
            throw new Refused("the matcher leaves the method, and other code can ask for its region");
        }
        MethodInsnNode call = (MethodInsnNode) node;
        if (!call.owner.equals(MATCHER) || !METHODS.contains(call.name)) {
            throw new Refused("the method also calls Matcher." + call.name + " on the object");
        }
    }
}
