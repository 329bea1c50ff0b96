package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.whittle.trial.Turns;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import whittle.agent.trial.ClassChange;
import whittle.agent.trial.Place;

/** Methods with their old and their new code. */
final class TurnsTest {
    /** Small programs whose code has what makes frames difficult. */
    static final class Programs {
        private Programs() {
        }

        /** The place is on a path with values on the stack, after a loop, and inside a try block. */
        static String mixed(String regex, double factor, int[] numbers) {
            do {
                factor *= 2;
            } while (factor < 100);
            List<Object> found = new ArrayList<>();
            for (int number : numbers) {
                try {
                    found.add(number > 1 ? Pattern.compile(regex).matcher("a" + number).matches() : number / (number - 1));
                } catch (ArithmeticException divided) {
                    found.add(divided.getMessage());
                }
            }
            return found + " " + factor;
        }

        /** Creates both patterns in the same turn. */
        static boolean isSame(String regex, Runnable between) {
            Pattern first = Pattern.compile(regex);
            between.run();
            return first == compile(regex);
        }

        private static Pattern compile(String regex) {
            return Pattern.compile(regex);
        }

        static int read(Path path) throws Exception {
            try (java.io.FileInputStream in = new java.io.FileInputStream(path.toFile())) {
                return in.read();
            }
        }
    }

    @BeforeEach
    void start() {
        Turns.start();
    }

    @AfterEach
    void end() {
        Turns.end();
    }

    private interface Call {
        Object call() throws Exception;
    }

    /** Returns the executions of the old and of the new code. */
    private static List<Long> counts(boolean isNew, Call call, Object expected) throws Exception {
        long old = Turns.oldCount();
        long changed = Turns.newCount();
        Turns.isNew = isNew;
        assertEquals(expected, call.call());
        return List.of(Turns.oldCount() - old, Turns.newCount() - changed);
    }

    private static void assertTurns(long count, Tried tried, Object... arguments) throws Exception {
        Object expected = tried.before(arguments);
        assertEquals(List.of(count, 0L), counts(false, () -> tried.after(arguments), expected));
        assertEquals(List.of(0L, count), counts(true, () -> tried.after(arguments), expected));
        assertEquals(List.of(count, 0L), counts(false, () -> tried.after(arguments), expected));
    }

    @Test
    void eachTurnExecutesItsCode() throws Exception {
        assertTurns(1, Tried.inTurns("compile-once", PatternPrograms.class, "compile", "compile"), "a+", "caat");
        assertTurns(1, Tried.inTurns("look-up-once", SmallPrograms.class, "digest", "getInstance"), "MD5", "text");
        assertTurns(1, Tried.inTurns("look-up-once", SmallPrograms.class, "dates", "SimpleDateFormat"), "yyyy");
        assertTurns(1, Tried.inTurns("array-list", SmallPrograms.class, "linked", "LinkedList"), 10);
        assertTurns(1, Tried.inTurns("no-gc", SmallPrograms.class, "collect", "gc"));
    }

    /** It shows the size, so its execution is not one of the new code. */
    @Test
    void theFirstCollectionOfAPlaceIsAsBefore() throws Exception {
        Tried tried = Tried.inTurns("presize", SmallPrograms.class, "presizedMap", "HashMap");
        assertEquals(List.of(0L, 0L), counts(true, () -> tried.after(20), tried.before(20)));
        assertTurns(1, tried, 20);
    }

    @Test
    void framesOfBothCodesAreRight() throws Exception {
        int[] numbers = {1, 2, 3};
        assertTurns(2, Tried.inTurns("compile-once", Programs.class, "mixed", "compile"), "a2|a3", 3.5, numbers);
    }

    @Test
    void aStreamThatStaysInItsMethodCanChange() throws Exception {
        Path path = Tried.temporary();
        Files.write(path, new byte[] {7});
        assertTurns(1, Tried.inTurns("buffer-input", Programs.class, "read", "FileInputStream"), path);
    }

    @Test
    void aStreamThatLeavesItsMethodIsRefused() throws Exception {
        Tried tried = Tried.inTurns("buffer-output", StreamPrograms.class, "returned", "FileOutputStream");
        assertSame(null, tried.outcome.file);
        assertEquals("refused: the object leaves the method, and code that is already loaded can ask for its class", tried.line());
    }

    /** A method that has begun stays in its code. */
    @Test
    void aTurnBeginsWithACall() throws Exception {
        Tried tried = Tried.inTurns("compile-once", Programs.class, "isSame", "compile");
        Turns.isNew = true;
        Runnable end = () -> Turns.isNew = false;
        assertEquals(false, tried.after("b+", end));
        assertEquals(false, Turns.isNew);
    }

    @Test
    void aMethodThatWouldNotBeCompiledIsRefused() {
        assertTrue(lineOf(3900).startsWith("changed\t0\tLarge\t"), lineOf(3900));
        String refused = lineOf(4100);
        assertTrue(refused.matches("refused\t0\tLarge\tthe method with its old and its new code has 82\\d\\d bytes, and the JVM compiles at most 8000"),
            refused);
    }

    /** The line of the report about a method with this many instructions that do nothing. */
    private static String lineOf(int nops) {
        String pattern = "java/util/regex/Pattern";
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "Large", null, "java/lang/Object", null);
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_STATIC, "make", "()L" + pattern + ";", null, null);
        method.visitCode();
        for (int count = 0; count < nops; count++) {
            method.visitInsn(Opcodes.NOP);
        }
        method.visitLdcInsn("x");
        method.visitMethodInsn(Opcodes.INVOKESTATIC, pattern, "compile", "(Ljava/lang/String;)L" + pattern + ";", false);
        method.visitInsn(Opcodes.ARETURN);
        method.visitMaxs(0, 0);
        writer.visitEnd();
        byte[] file = writer.toByteArray();
        ClassChange change = new ClassChange(file, true);
        String place = Integer.toString(nops + 2);
        change.add(new Place(List.of("0", "compile-once", "Large", "make", "()L" + pattern + ";", place, "unused")), file, false);
        return change.apply().lines.get(0);
    }
}
