package java.whittle;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Begins and ends items, and records which item each thread works for.
 *
 * <p>A method that begins or enters an item returns a token for the method that undoes it: 0 if nothing changed, the item's
 * id if an item began, and a negative number if the thread entered an item. Such a number is -1 minus the item that the
 * thread worked for before.
 *
 * <p>The lowest bit of an id shows whether the item is a task. A request, a message or a call inside a task replaces the
 * task until it ends. All other items inside an item are not marked.
 */
public final class Items {
    private static final AtomicLong LAST = new AtomicLong();

    private Items() {
    }

    /** Whether an item of this kind would begin now. */
    static boolean wouldBegin(int kind) {
        if (!Marks.areOn()) {
            return false;
        }
        int slot = ThreadItems.find(thread());
        return slot < 0 || canBegin(ThreadItems.item(slot), kind);
    }

    private static boolean canBegin(long current, int kind) {
        return current == 0 || kind != Marks.TASK && (current & 1) == 1;
    }

    static long begin(int kind, byte[] name) {
        int slot = Marks.areOn() ? ThreadItems.claim(thread()) : -1;
        if (slot < 0) {
            return 0;
        }
        long outer = ThreadItems.item(slot);
        if (!canBegin(outer, kind)) {
            return 0;
        }
        long id = LAST.incrementAndGet() << 1 | (kind == Marks.TASK ? 1 : 0);
        ThreadItems.set(slot, id, outer);
        Marks.begin(id, kind, name);
        return id;
    }

    /** Ends an item on any thread. Status: that of HTTP, or 0. */
    static void end(long id, int status) {
        Marks.end(id, status);
        stopWorkingFor(id);
    }

    /** Makes the current thread work for the task again in which this item began, if there is one. */
    private static void stopWorkingFor(long id) {
        int slot = ThreadItems.find(thread());
        if (slot < 0 || ThreadItems.item(slot) != id) {
            return;
        }
        long outer = ThreadItems.outer(slot);
        ThreadItems.set(slot, outer, 0);
        if (outer != 0) {
            Marks.enter(outer);
        }
    }

    static long enter(long id) {
        int slot = Marks.areOn() ? ThreadItems.claim(thread()) : -1;
        if (slot < 0) {
            return 0;
        }
        long before = ThreadItems.item(slot);
        if (before == id) {
            return 0;
        }
        ThreadItems.set(slot, id, 0);
        Marks.enter(id);
        return -1 - before;
    }

    /** Undoes what returned this token. */
    public static void undo(long token) {
        if (token > 0) {
            end(token, 0);
        } else if (token < 0) {
            goBack(-1 - token);
        }
    }

    private static void goBack(long before) {
        int slot = before == 0 ? ThreadItems.find(thread()) : ThreadItems.claim(thread());
        if (slot < 0) {
            return;
        }
        long left = ThreadItems.item(slot);
        ThreadItems.set(slot, before, 0);
        if (before != 0) {
            Marks.enter(before);
        } else {
            Marks.leave(left);
        }
    }

    /** Leaves an item that began on this thread and that is not complete. */
    static void leave(long id) {
        int slot = ThreadItems.find(thread());
        if (slot >= 0 && ThreadItems.item(slot) == id) {
            Marks.leave(id);
            stopWorkingFor(id);
        }
    }

    /** The item that the current thread works for, or 0. */
    static long current() {
        int slot = Marks.areOn() ? ThreadItems.find(thread()) : -1;
        return slot < 0 ? 0 : ThreadItems.item(slot);
    }

    /** Forgets all items and losses. */
    public static void clear() {
        ThreadItems.clear();
        Handed.clear();
        Statements.clear();
        Spans.clear();
        Loss.clear();
    }

    /** `Thread.threadId` does not exist before JDK 19. Both methods return the same, unless a subclass overrides this one. */
    @SuppressWarnings("deprecation")
    private static long thread() {
        return Thread.currentThread().getId();
    }
}
