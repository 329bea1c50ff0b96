package whittle.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.whittle.trial.Turns;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import whittle.agent.trial.Bytecode;

/** A trial that whittle attaches to the JVM of the tests. */
final class AttachedTrialTest {
    private static final int TURN_MS = 50;
    private static final String DESCRIPTOR = "(Ljava/lang/String;)Ljava/util/regex/Pattern;";

    private VirtualMachine jvm;
    private final List<Whittle> whittles = new ArrayList<>();

    /** The program. */
    private static Pattern pattern(String regex) {
        return Pattern.compile(regex);
    }

    /** The new code remembers the pattern. */
    private static boolean isNew() {
        return pattern("x+") == pattern("x+");
    }

    /** A whittle with its files. */
    private final class Whittle {
        private final Path lock = Files.createTempFile("whittle-trial", ".lock");
        private final Holder holder = new Holder(lock);

        Whittle() throws Exception {
            whittles.add(this);
            Path classFile = Files.write(Path.of(lock + ".class"), file());
            String place = String.join("\t", "place", "1", "compile-once", AttachedTrialTest.class.getName().replace('.', '/'), "pattern",
                DESCRIPTOR, Integer.toString(index()), classFile.toString());
            Files.write(Path.of(lock + ".plan"), List.of("report\t" + lock + ".report", "turns\t" + TURN_MS, place));
            jvm.loadAgent(Attached.JAR, "try:" + lock);
        }

        void end() throws Exception {
            jvm.loadAgent(Attached.JAR, "end-try:" + lock);
        }

        List<String> report() {
            try {
                return Files.readAllLines(Path.of(lock + ".report"));
            } catch (IOException missing) {
                return List.of();
            }
        }

        boolean reports(String start) {
            return report().stream().anyMatch(line -> line.startsWith(start));
        }

        void remove() throws IOException {
            holder.close();
            for (String ending : List.of("", ".plan", ".class", ".report")) {
                Files.deleteIfExists(Path.of(lock + ending));
            }
        }
    }

    private static byte[] file() throws IOException {
        try (InputStream stream = AttachedTrialTest.class.getResourceAsStream("AttachedTrialTest.class")) {
            return stream.readAllBytes();
        }
    }

    /** The index of the call in the program's method. */
    private static int index() throws IOException {
        ClassNode node = new ClassNode();
        new ClassReader(file()).accept(node, ClassReader.SKIP_DEBUG);
        MethodNode method = node.methods.stream().filter(found -> found.name.equals("pattern")).findFirst().orElseThrow();
        int ordinal = 0;
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof MethodInsnNode) {
                return Bytecode.starts(file(), "pattern", DESCRIPTOR).get(ordinal);
            }
            ordinal += instruction.getOpcode() >= 0 ? 1 : 0;
        }
        throw new AssertionError("no call");
    }

    /** Whether the condition holds at some moment. It may end at any time: turns do. */
    private static boolean becomes(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        do {
            if (condition.getAsBoolean()) {
                return true;
            }
            Thread.sleep(1);
        } while (System.nanoTime() < end);
        return false;
    }

    @BeforeEach
    void attach() throws Exception {
        jvm = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
    }

    @AfterEach
    void detach() throws Exception {
        for (Whittle whittle : whittles) {
            whittle.end();
            whittle.remove();
        }
        jvm.detach();
    }

    @Test
    void oldAndNewCodeTakeTurnsUntilTheEnd() throws Exception {
        assertFalse(isNew());
        Whittle whittle = new Whittle();
        assertTrue(becomes(AttachedTrialTest::isNew) && becomes(() -> !isNew()), whittle.report().toString());
        assertTrue(becomes(() -> !isNew() && whittle.reports("turn\t4\told\t")), whittle.report().toString());
        whittle.end();
        assertTrue(becomes(() -> whittle.reports("removed") && whittle.reports("runs\t1\t")), whittle.report().toString());
        assertFalse(becomesNewAgain());
        List<String> report = whittle.report();
        assertEquals(List.of("ready"), report.subList(0, 1));
        assertTrue(report.get(1).startsWith("changed\t1\twhittle/tests/AttachedTrialTest\t"), report.toString());
        List<String> sides = report.stream().filter(line -> line.startsWith("turn\t")).map(line -> line.split("\t")[2]).toList();
        assertEquals(List.of("old", "new", "new", "old", "old"), sides.subList(0, 5));
    }

    /** Counts show whether the class is still the changed one. */
    private static boolean becomesNewAgain() throws InterruptedException {
        long counted = Turns.oldCount() + Turns.newCount();
        Thread.sleep(3 * TURN_MS);
        return isNew() || Turns.oldCount() + Turns.newCount() != counted;
    }

    @Test
    void aTurnCountsTheExecutionsOfItsCode() throws Exception {
        Whittle whittle = new Whittle();
        assertTrue(becomes(() -> {
            isNew();
            return whittle.reports("turn\t7\told\t");
        }), whittle.report().toString());
        // This thread may not run at all in a short turn on a busy machine, so executions of all turns of a side are added.
        Map<String, Long> executions = new HashMap<>();
        for (String line : whittle.report()) {
            String[] words = line.split("\t");
            if (words[0].equals("turn")) {
                boolean isOld = words[2].equals("old");
                long wrong = Long.parseLong(words[isOld ? 6 : 5]);
                long lengthNs = Long.parseLong(words[4]) - Long.parseLong(words[3]);
                assertTrue(wrong <= 1 && lengthNs >= TimeUnit.MILLISECONDS.toNanos(TURN_MS), line);
                executions.merge(words[2], Long.parseLong(words[isOld ? 5 : 6]), Long::sum);
            }
        }
        assertTrue(executions.get("old") > 1 && executions.get("new") > 1, executions.toString());
    }

    @Test
    void theTrialEndsWhenWhittleIsKilled() throws Exception {
        Whittle whittle = new Whittle();
        assertTrue(becomes(AttachedTrialTest::isNew), whittle.report().toString());
        whittle.holder.close();
        assertTrue(becomes(() -> whittle.report().contains("removed")), whittle.report().toString());
        assertFalse(becomesNewAgain());
    }

    @Test
    void thereIsOneTrialAtATime() throws Exception {
        Whittle first = new Whittle();
        Whittle second = new Whittle();
        assertEquals(List.of("failed\t-\tjava.lang.IllegalStateException: another whittle try changes this JVM"), second.report());
        second.end();
        assertTrue(becomes(AttachedTrialTest::isNew), first.report().toString());
        first.end();
        Whittle third = new Whittle();
        assertTrue(becomes(AttachedTrialTest::isNew), third.report().toString());
    }
}
