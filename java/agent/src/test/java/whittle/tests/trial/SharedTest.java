package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.whittle.trial.Places;
import org.junit.jupiter.api.Test;

/** Objects that later calls get again. */
final class SharedTest {
    private static Tried tried(String remedy, String method, String target) throws Exception {
        return new Tried(remedy, SharedPrograms.class, method, target);
    }

    /** The changed class of a program lives as long as its objects, so all calls must be of one class. */
    private static Object[] twice(Tried tried, Object... arguments) throws Exception {
        Tried.Loaded changed = tried.loaded();
        return new Object[] {changed.run(arguments), changed.run(arguments)};
    }

    @Test
    void aMemberIsLookedUpOnceForEachSetOfArguments() throws Exception {
        Tried tried = tried("member-once", "member", "getMethod");
        Tried.Loaded changed = tried.loaded();
        Class<?>[] ofInt = {int.class};
        Object first = changed.run(String.class, "charAt", ofInt);
        assertEquals(String.class.getMethod("charAt", int.class), first);
        assertSame(first, changed.run(String.class, "charAt", new Class<?>[] {int.class}));
        ofInt[0] = Object.class;
        assertEquals(String.class.getMethod("equals", Object.class), changed.run(String.class, "equals", ofInt));
        for (int round = 0; round < 2; round++) {
            InvocationTargetException thrown =
                assertThrows(InvocationTargetException.class, () -> changed.run(String.class, "none", new Class<?>[0]));
            assertSame(NoSuchMethodException.class, thrown.getCause().getClass());
        }
        assertEquals(5, tried.count());
    }

    @Test
    void anArrayIsNewEachTime() throws Exception {
        Object[] both = twice(tried("member-once", "members", "getMethods"), String.class);
        assertNotNull(both[0]);
        assertSame(both[0], both[1]);
    }

    /** The loader of the program's class finds the class, not that of the agent. */
    @Test
    void aCallThatSeesItsCallerSeesTheProgram() throws Exception {
        Object[] both = twice(tried("member-once", "named", "forName"), SharedTest.class.getName());
        assertSame(SharedTest.class, both[0]);
        assertSame(both[0], both[1]);
    }

    @Test
    void anAddressIsLookedUpOnce() throws Exception {
        Object[] both = twice(tried("address-once", "address", "getByName"), "127.0.0.1");
        assertSame(both[0], both[1]);
        Object[] all = twice(tried("address-once", "addresses", "getAllByName"), "127.0.0.1");
        assertNotSame(all[0], all[1]);
        assertArrayEquals((Object[]) all[0], (Object[]) all[1]);
    }

    @Test
    void allThreadsShareAnObject() throws Exception {
        Tried tried = tried("one-for-all", "random", "SecureRandom");
        Tried.Loaded changed = tried.loaded();
        Object own = changed.run();
        assertSame(own, changed.run());
        assertSame(own, CompletableFuture.supplyAsync(() -> changed.uncheckedRun()).get());
    }

    @Test
    void eachThreadHasItsObject() throws Exception {
        Tried.Loaded signatures = tried("one-per-thread", "signature", "getInstance").loaded();
        Object own = signatures.run();
        assertSame(own, signatures.run());
        assertNotSame(own, CompletableFuture.supplyAsync(() -> signatures.uncheckedRun()).get());
        Tried.Loaded changed = tried("one-per-thread", "cipher", "getInstance").loaded();
        assertSame(changed.run("AES"), changed.run("AES"));
        assertNotSame(changed.run("AES"), changed.run("DESede"));
    }

    @Test
    void aResultIsRememberedByItsArguments() throws Exception {
        Tried tried = tried("result-once", "uri", "create");
        Tried.Loaded changed = tried.loaded();
        Object first = changed.run("http://a.example/1");
        assertEquals(URI.create("http://a.example/1"), first);
        assertSame(first, changed.run(new String("http://a.example/1")));
        for (int round = 0; round < 2; round++) {
            InvocationTargetException thrown = assertThrows(InvocationTargetException.class, () -> changed.run("no uri"));
            assertSame(IllegalArgumentException.class, thrown.getCause().getClass());
            for (int number = 0; number < 10_000; number++) {
                assertEquals(URI.create("x:" + number), changed.run("x:" + number));
            }
        }
        assertEquals(20_004, tried.count());
        Object[] both = twice(tried("result-once", "newUri", "URI"), "http://a.example/2");
        assertEquals(new URI("http://a.example/2"), both[0]);
        assertSame(both[0], both[1]);
    }

    @Test
    void aFormatterIsAnArgument() throws Exception {
        Tried tried = tried("result-once", "date", "parse");
        Tried.Loaded changed = tried.loaded();
        DateTimeFormatter german = DateTimeFormatter.ofPattern("dd.MM.yyyy");
        DateTimeFormatter other = DateTimeFormatter.ofPattern("MM.dd.yyyy");
        for (int round = 0; round < 3; round++) {
            assertEquals(LocalDate.of(2026, 2, 1), changed.run("01.02.2026", german));
            assertEquals(LocalDate.of(2026, 1, 2), changed.run("01.02.2026", other));
        }
        assertEquals(6, tried.count());
    }

    @Test
    void aLanguageIsAnArgument() throws Exception {
        Tried tried = tried("result-once", "text", "getBundle");
        assertArrayEquals(new Object[] {"found", "found"}, twice(tried, Locale.FRENCH));
        assertEquals(2, tried.count());
    }

    /** The text can change after the call. */
    @Test
    void aTextThatCanChangeIsNotRemembered() throws Exception {
        Tried tried = tried("result-once", "normalized", "normalize");
        Tried.Loaded changed = tried.loaded();
        StringBuilder text = new StringBuilder("\u00e9");
        assertEquals("e\u0301", changed.run(text));
        text.append('x');
        assertEquals("e\u0301x", changed.run(text));
        assertEquals(0, tried.count());
        assertEquals("e\u0301", changed.run("\u00e9"));
        assertEquals(1, tried.count());
    }

    /** The content of an array can change, so two calls with the same array can mean different objects. */
    @Test
    void argumentsThatCanChangeAreNotRemembered() throws Exception {
        Tried tried = tried("one-for-all", "seeded", "SecureRandom");
        Object[] both = twice(tried, (Object) new byte[] {1});
        assertNotSame(both[0], both[1]);
        assertEquals(0, tried.count());
        assertEquals("whittle cannot compare the arguments of the call", Places.refused(tried.number));
    }

    @Test
    void unknownObjectsAreRefused() throws Exception {
        assertEquals("refused: whittle does not know whether calls can share new objects of the class java.util.ArrayList",
            tried("one-for-all", "list", "ArrayList").line());
        assertEquals("refused: whittle does not know whether calls can share the result of getInstance of the class javax.crypto.Cipher",
            tried("one-for-all", "cipher", "getInstance").line());
        assertEquals("refused: whittle does not know whether calls can share the result of nameUUIDFromBytes of the class java.util.UUID",
            tried("result-once", "ofBytes", "nameUUIDFromBytes").line());
    }
}
