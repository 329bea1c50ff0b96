package java.whittle.trial;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where the elements of a list are, in a hash table. A list that only grows at its end is indexed step by step. Other changes are seen
 * if the length, the first or the last element changes, or if a found element is not there any more.
 */
final class ListIndex extends WeakReference<List<?>> {
    private final Map<Object, Integer> positions = new HashMap<>();
    private int length;
    private Object first;
    private Object last;

    ListIndex(List<?> list) {
        super(list);
    }

    /** The first position of an equal element, or -1. */
    synchronized int find(List<?> list, Object wanted) {
        update(list);
        Integer position = positions.get(wanted);
        if (position != null && !Objects.equals(wanted, list.get(position))) {
            length = 0;
            update(list);
            position = positions.get(wanted);
        }
        return position == null ? -1 : position;
    }

    private void update(List<?> list) {
        int now = list.size();
        if (length > 0 && (now < length || list.get(0) != first || list.get(length - 1) != last)) {
            length = 0;
        }
        if (length == 0) {
            positions.clear();
        }
        for (; length < now; length++) {
            last = list.get(length);
            positions.putIfAbsent(last, length);
        }
        first = now > 0 ? list.get(0) : null;
    }
}
