package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Test;

/** Stacks of which only some frames are read, and walks with a result that stays. */
final class StackTest {
    private static final String OTHER_USE = "refused: the method uses the stack in another way than to read frames with constant indexes";

    private static Tried fewer(String method, String target) throws Exception {
        return new Tried("fewer-frames", StackPrograms.class, method, target);
    }

    private static void isSame(Tried tried, Object... arguments) throws Exception {
        assertEquals(tried.before(arguments), tried.after(arguments));
        assertEquals(1, tried.count());
    }

    @Test
    void theReadFramesAreTheSame() throws Exception {
        isSame(fewer("ofThread", "getStackTrace"));
        isSame(fewer("ofException", "getStackTrace"));
        isSame(fewer("ofException", "Throwable"));
        isSame(fewer("ofException", "Exception"));
        isSame(fewer("belowOnly", "getStackTrace"));
    }

    @Test
    void theStackOfAnotherThreadIsRead() throws Exception {
        Thread sleeper = new Thread(() -> {
            synchronized (StackTest.class) {
                Thread.yield();
            }
        });
        synchronized (StackTest.class) {
            sleeper.start();
            while (sleeper.getState() != Thread.State.BLOCKED) {
                Thread.yield();
            }
            isSame(fewer("ofOther", "getStackTrace"), sleeper);
        }
        sleeper.join();
    }

    @Test
    void aFrameThatIsMissingFailsAsBefore() throws Exception {
        Tried tried = fewer("beyond", "getStackTrace");
        for (boolean isChanged : new boolean[] {false, true}) {
            InvocationTargetException thrown = assertThrows(InvocationTargetException.class,
                () -> assertEquals(null, isChanged ? tried.after() : tried.before()));
            assertTrue(thrown.getCause() instanceof ArrayIndexOutOfBoundsException);
        }
    }

    @Test
    void otherUsesOfAStackAreRefused() throws Exception {
        for (String method : new String[] {"depth", "any", "readItself", "returned", "onTwoLines"}) {
            assertEquals(OTHER_USE, fewer(method, "getStackTrace").line(), method);
        }
        assertEquals("refused: the call reads the stack of no new exception, and not that of the current thread",
            fewer("ofGiven", "getStackTrace").line());
    }

    /** A bound: the program gets a wrong caller. */
    @Test
    void theFirstWalkStays() throws Exception {
        Tried direct = new Tried("first-walk", StackPrograms.class, "caller", "walk").running("walked");
        assertEquals("one caller two caller ", direct.before());
        assertEquals("one caller one caller ", direct.after());
        assertEquals(2, direct.count());
    }
}
