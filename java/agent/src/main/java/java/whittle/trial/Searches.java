package java.whittle.trial;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Searches in lists, with a hash table of the elements. */
public final class Searches {
    /** A table costs more than a search in a shorter list. */
    private static final int SHORT_LENGTH = 16;
    private static final int SLOTS = 1024;
    /** Lists share slots. A list that finds another one there replaces it. */
    private static final AtomicReferenceArray<ListIndex> INDEXES = new AtomicReferenceArray<>(SLOTS);

    private Searches() {
    }

    /** Instead of the method of `Collection`. */
    public static boolean contains(Collection<?> elements, Object wanted, int place) {
        if (elements.getClass() != ArrayList.class) {
            Places.refuse(place, "whittle knows an index for an ArrayList only");
            return elements.contains(wanted);
        }
        Places.count(place);
        return elements.size() < SHORT_LENGTH ? elements.contains(wanted) : find((List<?>) elements, wanted) >= 0;
    }

    /** Instead of the method of `List`. */
    public static int indexOf(List<?> list, Object wanted, int place) {
        if (list.getClass() != ArrayList.class) {
            Places.refuse(place, "whittle knows an index for an ArrayList only");
            return list.indexOf(wanted);
        }
        Places.count(place);
        return list.size() < SHORT_LENGTH ? list.indexOf(wanted) : find(list, wanted);
    }

    private static int find(List<?> list, Object wanted) {
        int hash = System.identityHashCode(list);
        int slot = (hash ^ hash >>> 10) & SLOTS - 1;
        ListIndex index = INDEXES.get(slot);
        if (index == null || index.get() != list) {
            index = new ListIndex(list);
            INDEXES.set(slot, index);
        }
        return index.find(list, wanted);
    }
}
