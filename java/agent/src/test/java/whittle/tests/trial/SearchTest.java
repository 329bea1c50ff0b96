package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;
import java.whittle.trial.Places;
import org.junit.jupiter.api.Test;

/** Lists with a hash table of their elements. */
final class SearchTest {
    private static Tried tried(String method) throws Exception {
        return new Tried("index-list", SharedPrograms.class, method, method);
    }

    @Test
    void aListThatGrowsOrShrinksGivesTheSameAnswers() throws Exception {
        Tried.Loaded contains = tried("contains").loaded();
        Tried.Loaded indexOf = tried("indexOf").loaded();
        Random random = new Random(5);
        List<Object> list = new ArrayList<>();
        for (int step = 0; step < 3000; step++) {
            int kind = random.nextInt(20);
            if (kind == 0 && !list.isEmpty()) {
                list.remove(list.size() - 1);
            } else if (kind == 1 && step % 500 == 0) {
                list.clear();
            } else {
                list.add(random.nextInt(30) == 0 ? null : random.nextInt(200));
            }
            Object wanted = random.nextInt(30) == 0 ? null : random.nextInt(250);
            assertEquals(list.contains(wanted), contains.run(list, wanted));
            assertEquals(list.indexOf(wanted), indexOf.run(list, wanted));
        }
        assertTrue(list.size() > 100);
    }

    /** Such a change can be missed, so the remedy is no fix. An element that is not there any more is never found. */
    @Test
    void aReplacedElementIsNotFoundAnyMore() throws Exception {
        Tried.Loaded contains = tried("contains").loaded();
        List<Object> list = new ArrayList<>();
        for (int number = 0; number < 100; number++) {
            list.add(number);
        }
        assertEquals(true, contains.run(list, 50));
        list.set(50, -1);
        assertEquals(false, contains.run(list, 50));
        assertEquals(true, contains.run(list, -1));
    }

    @Test
    void otherListsAreSearchedAsBefore() throws Exception {
        Tried tried = tried("contains");
        assertEquals(true, tried.after(new LinkedList<>(List.of(1)), 1));
        assertEquals(0, tried.count());
        assertEquals("whittle knows an index for an ArrayList only", Places.refused(tried.number));
    }
}
