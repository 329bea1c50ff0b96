package whittle.agent.trial;

import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Creates a stream or a writer that is not flushed after each line. It is flushed once at the end of the program. */
final class NoAutoFlush implements Remedy {
    private static final List<String> CREATED = Arrays.asList("java/io/PrintWriter", "java/io/PrintStream");

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        if (!CREATED.contains(spot.created())) {
            throw new Refused("a " + spot.created().replace('/', '.') + " has no automatic flush that whittle knows");
        }
        MethodInsnNode constructor = Flow.of(spot).usualConstructor();
        if (!constructor.desc.endsWith("Z)V")) {
            throw new Refused("the constructor switches no automatic flush on");
        }
        spot.insertBefore(constructor, spot.callOurs("Calls.withoutFlush", "(ZI)Z"));
        InsnList code = new InsnList();
        code.add(new InsnNode(Opcodes.DUP));
        code.add(spot.callOurs("Calls.flushAtEnd", "(Ljava/io/Flushable;I)V"));
        spot.insertAfter(constructor, code);
    }
}
