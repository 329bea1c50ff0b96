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
    private static final int MAX_CAPACITY = 1 << 30;
    private static final Set<String> HASHED = new HashSet<>(Arrays.asList("java/util/HashMap", "java/util/HashSet",
        "java/util/Hashtable", "java/util/WeakHashMap", "java/util/IdentityHashMap", "java/util/concurrent/ConcurrentHashMap"));
    private static final Set<String> OTHERS = new HashSet<>(Arrays.asList("java/util/ArrayList", "java/util/ArrayDeque",
        "java/util/Vector", "java/util/LinkedHashMap", "java/util/LinkedHashSet", "java/util/PriorityQueue",
        "java/lang/StringBuilder", "java/lang/StringBuffer", "java/io/ByteArrayOutputStream", "java/io/CharArrayWriter",
        "java/io/StringWriter"));
    /** The program can hold their lock, or asking for the size changes them. They get the capacity of the plan. */
    private static final Set<String> UNSEEN = new HashSet<>(Arrays.asList("java/util/Hashtable", "java/util/WeakHashMap",
        "java/util/Vector", "java/lang/StringBuffer", "java/io/ByteArrayOutputStream", "java/io/CharArrayWriter", "java/io/StringWriter"));

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
        int capacity = capacity(spot.place);
        if (HASHED.contains(type)) {
            spot.note("the order of iteration depends on the capacity, so it can differ");
        }
        constructor.desc = "(I)V";
        if (UNSEEN.contains(type)) {
            usePlanned(spot, constructor, capacity);
        } else {
            useSeen(spot, constructor);
        }
    }

    private static void usePlanned(Spot spot, MethodInsnNode constructor, int capacity) {
        spot.note("each object has room for " + capacity + " elements, because whittle cannot ask such objects for their size");
        InsnList argument = new InsnList();
        argument.add(Spot.push(capacity));
        spot.insertBefore(constructor, argument);
        spot.insertAfter(constructor, spot.callOurs("Places.count", "(I)V"));
    }

    private static void useSeen(Spot spot, MethodInsnNode constructor) {
        spot.insertBefore(constructor, spot.callOurs("Sizes.next", "(I)I"));
        InsnList after = new InsnList();
        after.add(new InsnNode(Opcodes.DUP));
        after.add(spot.callOurs("Sizes.created", "(Ljava/lang/Object;I)V"));
        spot.insertAfter(constructor, after);
    }

    private static int capacity(Place place) throws Refused {
        try {
            int capacity = Integer.parseInt(place.arguments.get(0));
            if (capacity >= 1 && capacity <= MAX_CAPACITY) {
                return capacity;
            }
        } catch (NumberFormatException | IndexOutOfBoundsException missing) {
            // The next line says so.
        }
        throw new Refused("the plan has no capacity from 1 to " + MAX_CAPACITY);
    }
}
