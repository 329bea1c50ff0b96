package whittle.agent.trial;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Creates a collection or a builder with room for the elements that earlier objects of the place had. */
final class Presize implements Remedy {
    private static final Set<String> HASHED = new HashSet<>(Arrays.asList("java/util/HashMap", "java/util/HashSet",
        "java/util/Hashtable", "java/util/WeakHashMap", "java/util/IdentityHashMap", "java/util/concurrent/ConcurrentHashMap"));
    private static final Set<String> OTHERS = new HashSet<>(Arrays.asList("java/util/ArrayList", "java/util/ArrayDeque",
        "java/util/Vector", "java/util/LinkedHashMap", "java/util/LinkedHashSet", "java/util/PriorityQueue",
        "java/lang/StringBuilder", "java/lang/StringBuffer", "java/io/ByteArrayOutputStream", "java/io/CharArrayWriter",
        "java/io/StringWriter"));

    @Override
    public boolean readsFields() {
        return true;
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        String type = spot.created();
        if (!HASHED.contains(type) && !OTHERS.contains(type)) {
            throw new Refused("a " + type.replace('/', '.') + " has no capacity that whittle knows");
        }
        MethodInsnNode constructor = Flow.of(spot).usualConstructor();
        if (!constructor.desc.equals("()V")) {
            throw new Refused("the constructor already has arguments");
        }
        if (HASHED.contains(type)) {
            spot.note("the order of iteration depends on the capacity, so it can differ");
        }
        constructor.desc = "(I)V";
        spot.insertBefore(constructor, spot.callOurs("Sizes.next", "(I)I"));
        InsnList after = new InsnList();
        after.add(new InsnNode(Opcodes.DUP));
        after.add(spot.callOurs("Sizes.created", "(Ljava/lang/Object;I)V"));
        spot.insertAfter(constructor, after);
    }
}
