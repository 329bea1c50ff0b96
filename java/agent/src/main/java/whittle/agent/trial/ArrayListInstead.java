package whittle.agent.trial;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Creates an ArrayList instead of a LinkedList or a Vector that never leaves its method, which uses it only as a List. */
final class ArrayListInstead implements Remedy {
    private static final List<String> REPLACED = Arrays.asList("java/util/LinkedList", "java/util/Vector");
    private static final String INSTEAD = "java/util/ArrayList";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final String COLLECTION = "(Ljava/util/Collection;)Z";
    private static final Wider WIDER = new Wider(REPLACED, "java/util/List", true,
        Arrays.asList("java/util/Collection", "java/lang/Iterable"),
        Arrays.asList("add(" + OBJECT + ")Z", "add(I" + OBJECT + ")V", "get(I)" + OBJECT, "set(I" + OBJECT + ")" + OBJECT,
            "remove(I)" + OBJECT, "remove(" + OBJECT + ")Z", "size()I", "isEmpty()Z", "clear()V", "contains(" + OBJECT + ")Z",
            "indexOf(" + OBJECT + ")I", "lastIndexOf(" + OBJECT + ")I", "addAll" + COLLECTION, "addAll(ILjava/util/Collection;)Z",
            "containsAll" + COLLECTION, "removeAll" + COLLECTION, "retainAll" + COLLECTION, "iterator()Ljava/util/Iterator;",
            "listIterator()Ljava/util/ListIterator;", "listIterator(I)Ljava/util/ListIterator;", "subList(II)Ljava/util/List;",
            "toArray()[" + OBJECT, "toArray([" + OBJECT + ")[" + OBJECT, "sort(Ljava/util/Comparator;)V",
            "forEach(Ljava/util/function/Consumer;)V", "removeIf(Ljava/util/function/Predicate;)Z",
            "replaceAll(Ljava/util/function/UnaryOperator;)V", "stream()Ljava/util/stream/Stream;"));

    /** These methods read their argument at once and do not keep it. */
    private static final Set<String> READERS = new HashSet<>(Arrays.asList("addAll", "containsAll", "removeAll", "retainAll"));
    /** What these return follows later changes of the list in another way than that of a LinkedList. */
    private static final Set<String> VIEWS = new HashSet<>(Arrays.asList("iterator", "listIterator", "subList", "stream", "forEach"));
    private static final Set<String> REMOVALS = new HashSet<>(Arrays.asList("remove", "clear", "removeAll", "retainAll", "removeIf"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        String type = spot.created();
        if (!REPLACED.contains(type)) {
            throw new Refused("the object is neither a LinkedList nor a Vector");
        }
        Flow flow = Flow.of(spot);
        MethodInsnNode constructor = flow.usualConstructor();
        WIDER.check(flow, spot.method);
        requireStay(flow, type.substring(type.lastIndexOf('/') + 1));
        WIDER.widen(flow);
        ((TypeInsnNode) spot.instruction).desc = INSTEAD;
        constructor.owner = INSTEAD;
        spot.insertAfter(constructor, spot.callOurs("Places.count", "(I)V"));
    }

    private static void requireStay(Flow flow, String simpleName) throws Refused {
        boolean hasView = false;
        boolean hasRemoval = false;
        for (Map.Entry<AbstractInsnNode, Set<Integer>> use : flow.uses().entrySet()) {
            AbstractInsnNode node = use.getKey();
            if (!isNullCheck(node) && !isReceiver(node, use.getValue()) && !isRead(node)) {
                throw new Refused("the list leaves the method, and other code can need a " + simpleName);
            }
            if (isReceiver(node, use.getValue())) {
                hasView |= VIEWS.contains(((MethodInsnNode) node).name);
                hasRemoval |= REMOVALS.contains(((MethodInsnNode) node).name);
            }
        }
        if (hasView && hasRemoval) {
            throw new Refused("the method iterates over the list and removes elements, which can fail in another way");
        }
    }

    private static boolean isNullCheck(AbstractInsnNode node) {
        return node.getOpcode() == Opcodes.IFNULL || node.getOpcode() == Opcodes.IFNONNULL;
    }

    private static boolean isReceiver(AbstractInsnNode node, Set<Integer> operands) {
        boolean isCall = node.getOpcode() == Opcodes.INVOKEVIRTUAL || node.getOpcode() == Opcodes.INVOKEINTERFACE;
        return isCall && operands.equals(Collections.singleton(0));
    }

    /** Another collection of the JDK takes the elements. */
    private static boolean isRead(AbstractInsnNode node) {
        if (!(node instanceof MethodInsnNode) || !((MethodInsnNode) node).owner.startsWith("java/util/")) {
            return false;
        }
        MethodInsnNode call = (MethodInsnNode) node;
        boolean isCopy = call.name.equals("<init>") && call.desc.equals("(Ljava/util/Collection;)V");
        return isCopy || call.getOpcode() != Opcodes.INVOKESTATIC && READERS.contains(call.name);
    }
}
