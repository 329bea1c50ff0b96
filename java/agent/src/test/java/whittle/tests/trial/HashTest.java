package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Hash codes that mix the fields that `equals` compares. */
final class HashTest {
    private static final String UNKNOWN = "refused: whittle does not know which unchanging fields equals compares";

    private static Tried tried(Class<?> key) throws Exception {
        return new Tried("mix-hash", key, "hashCode", "");
    }

    /** Creates a key of the changed class. */
    private static Object key(Class<?> type, Object... arguments) throws Exception {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    private static void areEqual(Object first, Object second) {
        assertEquals(first, second);
        assertEquals(first.hashCode(), second.hashCode());
    }

    @Test
    void allFieldsAreMixed() throws Exception {
        Tried tried = tried(KeyPrograms.Point.class);
        Class<?> changed = tried.changed();
        areEqual(key(changed, 3, 4), key(changed, 3, 4));
        Set<Integer> hashes = new HashSet<>();
        for (int x = 0; x < 45; x++) {
            for (int y = 0; y < 45; y++) {
                hashes.add(key(changed, x, y).hashCode());
            }
        }
        assertTrue(hashes.size() > 2000, hashes.size() + " hash codes of 2025 points");
        assertTrue(tried.count() > 2025, "each hash code counts");
    }

    @Test
    void textsAndLongNumbersAreMixed() throws Exception {
        Class<?> changed = tried(KeyPrograms.Session.class).changed();
        areEqual(key(changed, "north", 1L), key(changed, new String("north"), 1L));
        areEqual(key(changed, null, 1L), key(changed, null, 1L));
        assertNotEquals(key(changed, "north", 1L).hashCode(), key(changed, "north", 2L).hashCode());
    }

    @Test
    void aFieldCanBeMissing() throws Exception {
        Class<?> changed = tried(KeyPrograms.Town.class).changed();
        areEqual(key(changed, null, 1), key(changed, null, 1));
        areEqual(key(changed, "a", 1), key(changed, "a", 1));
        assertNotEquals(key(changed, null, 1), key(changed, "a", 1));
        assertNotEquals(key(changed, "b", 1).hashCode(), key(changed, "a", 1).hashCode());
    }

    @Test
    void aRecordIsMixed() throws Exception {
        Class<?> changed = tried(KeyPrograms.Cell.class).changed();
        areEqual(key(changed, 1, Double.NaN, "a"), key(changed, 1, -Double.NaN, "a"));
        assertNotEquals(key(changed, 1, 0.0, "a").hashCode(), key(changed, 1, -0.0, "a").hashCode());
        assertNotEquals(key(changed, 0, 31.0, "a").hashCode(), key(changed, 1, 0.0, "a").hashCode());
    }

    @Test
    void aFieldThatCanDifferInEqualKeysIsLeftOut() throws Exception {
        Class<?> changed = tried(KeyPrograms.CaseBlind.class).changed();
        areEqual(key(changed, "a", 1), key(changed, "A", 1));
        assertNotEquals(key(changed, "a", 1).hashCode(), key(changed, "a", 3).hashCode());
    }

    @Test
    void aKeyKeepsItsHashCodeWhenItChanges() throws Exception {
        Class<?> changed = tried(KeyPrograms.Renamed.class).changed();
        Object key = key(changed, 1, "old");
        int before = key.hashCode();
        java.lang.reflect.Method rename = changed.getDeclaredMethod("rename", String.class);
        rename.setAccessible(true);
        rename.invoke(key, "new");
        assertEquals(before, key.hashCode());
    }

    @Test
    void keysWithoutASafeFieldAreRefused() throws Exception {
        assertEquals(UNKNOWN, tried(KeyPrograms.Either.class).line());
        assertEquals(UNKNOWN, tried(KeyPrograms.Wildcard.class).line());
        assertEquals(UNKNOWN, tried(KeyPrograms.Length.class).line());
        assertEquals("refused: the method hashCode also stores something", tried(KeyPrograms.Remembering.class).line());
        assertEquals("refused: the class has no method equals of its own", tried(KeyPrograms.Child.class).line());
        assertEquals("refused: the place is in another method than hashCode",
            new Tried("mix-hash", KeyPrograms.Point.class, "equals", "").line());
    }
}
