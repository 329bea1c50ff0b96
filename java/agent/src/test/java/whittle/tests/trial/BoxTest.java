package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Boxes of numbers from a larger table. */
final class BoxTest {
    private static Tried tried(String method, String target) throws Exception {
        return new Tried("cache-boxes", BoxPrograms.class, method, target);
    }

    @Test
    void boxesHaveTheSameNumbers() throws Exception {
        Tried tried = tried("counts", "Integer.valueOf");
        assertEquals(tried.before(100_000), tried.after(100_000));
        assertEquals(200_000, tried.count());
        for (String type : new String[] {"Long", "Short", "Character"}) {
            Tried other = tried("ofAllTypes", type + ".valueOf");
            for (int number : new int[] {0, -1, 1, 127, 128, -40000, 70000, Integer.MIN_VALUE, 0}) {
                assertEquals(other.before(number), other.after(number));
            }
            assertEquals(9, other.count());
        }
    }

    @Test
    void aMethodThatAsksForTheObjectIsRefused() throws Exception {
        String reason = "refused: the method asks which object the box is";
        assertEquals(reason, tried("isSameHere", "valueOf").line());
        assertEquals(reason, tried("locked", "valueOf").line());
    }

    /** Only the comparison of the results shows this. */
    @Test
    void otherCodeThatAsksForTheObjectGivesDifferentResults() throws Exception {
        Tried tried = tried("box", "valueOf").running("isSame");
        assertEquals(false, tried.before(1000));
        assertEquals(true, tried.after(1000));
    }
}
