package whittle.agent.trial;

import java.util.Arrays;
import java.util.Collections;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Creates an ArrayList instead of a LinkedList that the method uses only as a List. */
final class ArrayListInstead implements Remedy {
    private static final String NARROW = "java/util/LinkedList";
    private static final String INSTEAD = "java/util/ArrayList";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final String COLLECTION = "(Ljava/util/Collection;)Z";
    private static final Wider WIDER = new Wider(Collections.singletonList(NARROW), "java/util/List", true,
        Arrays.asList("java/util/Collection", "java/lang/Iterable"),
        Arrays.asList("add(" + OBJECT + ")Z", "add(I" + OBJECT + ")V", "get(I)" + OBJECT, "set(I" + OBJECT + ")" + OBJECT,
            "remove(I)" + OBJECT, "remove(" + OBJECT + ")Z", "size()I", "isEmpty()Z", "clear()V", "contains(" + OBJECT + ")Z",
            "indexOf(" + OBJECT + ")I", "lastIndexOf(" + OBJECT + ")I", "addAll" + COLLECTION, "addAll(ILjava/util/Collection;)Z",
            "containsAll" + COLLECTION, "removeAll" + COLLECTION, "retainAll" + COLLECTION, "iterator()Ljava/util/Iterator;",
            "listIterator()Ljava/util/ListIterator;", "listIterator(I)Ljava/util/ListIterator;", "subList(II)Ljava/util/List;",
            "toArray()[" + OBJECT, "toArray([" + OBJECT + ")[" + OBJECT, "sort(Ljava/util/Comparator;)V",
            "forEach(Ljava/util/function/Consumer;)V", "removeIf(Ljava/util/function/Predicate;)Z",
            "replaceAll(Ljava/util/function/UnaryOperator;)V", "stream()Ljava/util/stream/Stream;"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        if (!spot.created().equals(NARROW)) {
            throw new Refused("the object is not a LinkedList");
        }
        Flow flow = Flow.of(spot);
        MethodInsnNode constructor = flow.usualConstructor();
        WIDER.check(flow, spot.method);
        WIDER.widen(flow);
        ((TypeInsnNode) spot.instruction).desc = INSTEAD;
        constructor.owner = INSTEAD;
        spot.insertAfter(constructor, spot.callOurs("Places.count", "(I)V"));
    }
}
