package java.whittle.trial;

import java.text.DateFormat;
import java.text.Format;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Formats that never leave the method of their place, which formats and parses with them and changes nothing else in them. So a thread
 * uses its format again without a copy.
 */
public final class OwnFormats {
    /** By place, the thread's format for each first format of the place. Null: formats of the place can leave their method. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static final ThreadLocal<Map<Format, Format>>[] OF_THREADS = new ThreadLocal[Places.LIMIT];

    private OwnFormats() {
    }

    /** The formats of the place stay in their method, from now on. */
    public static void stay(int place) {
        OF_THREADS[place] = ThreadLocal.withInitial(IdentityHashMap::new);
    }

    static void forget(int place) {
        OF_THREADS[place] = null;
    }

    /** A copy of a first format of the place, which is new or the thread's own one. */
    static Format of(Format first, int place) {
        ThreadLocal<Map<Format, Format>> ofThread = OF_THREADS[place];
        if (ofThread == null) {
            return (Format) first.clone();
        }
        Format own = ofThread.get().get(first);
        if (own == null) {
            own = (Format) first.clone();
            ofThread.get().put(first, own);
        } else if (own instanceof DateFormat) {
            // A text with a time zone changes that of the format that has parsed it.
            ((DateFormat) own).setTimeZone(((DateFormat) first).getTimeZone());
        }
        return own;
    }
}
