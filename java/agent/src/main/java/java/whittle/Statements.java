package java.whittle;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What injected code calls around statements of JDBC. No method throws.
 *
 * <p>A pool or a driver can call another statement inside: only the outermost call of a thread is a statement. A statement is part of
 * the item of its thread, and the thread keeps this item.
 */
public final class Statements {
    private static final AtomicLong LAST = new AtomicLong();

    private static final ThreadLocal<State> STATE = new ThreadLocal<State>() {
        @Override
        protected State initialValue() {
            return new State();
        }
    };

    /** The names of prepared statements. */
    private static final WeakTable<Prepared> PREPARED = new WeakTable<>(4096, Loss.EVICTED_STATEMENT);

    /** The statement was prepared before the agent started, has lost its place in the table, or is a batch of other statements. */
    private static final byte[] UNKNOWN = Names.bytes("<SQL unknown>");

    /** The name does not come from a prepared statement. */
    private static final byte[] OTHER = {};

    private Statements() {
    }

    /** What the thread does. */
    private static final class State {
        /** Whether the thread is inside a statement, or prepares one. */
        boolean isInside;
        /** The name of the prepared statement; null: not known yet. */
        byte[] name;
    }

    private static final class Prepared extends WeakReference<Object> {
        final byte[] name;

        Prepared(Object statement, byte[] name) {
            super(statement);
            this.name = name;
        }
    }

    /** A connection starts to prepare a statement. */
    public static long startPreparing(Object sql, Object nothing) {
        try {
            State state = Marks.areOn() ? STATE.get() : null;
            if (state == null || state.isInside) {
                return 0;
            }
            state.name = OTHER;
            state.isInside = true;
            return 1;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** A connection has prepared this statement, or null if it failed. */
    public static void endPreparing(long token, Object sql, Object statement) {
        if (token == 0) {
            return;
        }
        try {
            STATE.get().isInside = false;
            if (sql != null && statement != null) {
                PREPARED.put(statement, new Prepared(statement, Sql.name((String) sql)));
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /**
     * The thread starts to execute a prepared statement, or a batch. If the SQL of the outermost statement is not known, that of a statement
     * inside is used: the connection of a pool can have been unchanged when it prepared the statement.
     */
    public static long start(Object statement) {
        try {
            State state = Marks.areOn() ? STATE.get() : null;
            if (state == null || state.isInside && state.name != null) {
                return 0;
            }
            Prepared prepared = PREPARED.peek(statement);
            return start(state, prepared == null ? null : prepared.name);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** The thread starts to execute this SQL. */
    public static long start(Object statement, Object sql) {
        try {
            State state = Marks.areOn() ? STATE.get() : null;
            return state == null || state.isInside ? 0 : start(state, OTHER);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    private static long start(State state, byte[] name) {
        state.name = name;
        if (state.isInside) {
            return 0;
        }
        long id = LAST.incrementAndGet();
        Marks.beginStatement(id);
        state.isInside = true;
        return id;
    }

    public static void end(long token, Object statement) {
        if (token == 0) {
            return;
        }
        try {
            State state = STATE.get();
            state.isInside = false;
            Marks.endStatement(token, state.name == null ? UNKNOWN : state.name);
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    public static void end(long token, Object statement, Object sql) {
        if (token == 0) {
            return;
        }
        try {
            STATE.get().isInside = false;
            Marks.endStatement(token, sql == null ? UNKNOWN : Sql.name((String) sql));
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    static void clear() {
        PREPARED.clear();
    }
}
