package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whittle.agent.trial.Bytecode;

/** A JVM that starts with the finished agent and a plan. */
final class LaunchedTest {
    private static final String AGENT = System.getProperty("whittle.agent");

    @TempDir
    Path folder;

    /** Prints its threads and whether it has the class of a new stream. */
    static final class Program {
        private Program() {
        }

        public static void main(String... arguments) throws Exception {
            File file = new File(arguments[0]);
            StreamPrograms.direct(file);
            java.util.Scanner scanner = new java.util.Scanner("1,2");
            StreamPrograms.notClosed(new File(arguments[0] + ".open"));
            System.out.println(file.length() + " " + scanner.useDelimiter(",").nextInt());
            System.out.println(Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().contains("whittle")));
        }
    }

    /** Throws exceptions of two places, and reads some of their stacks. */
    static final class Thrower {
        private Thrower() {
        }

        static final class Expected extends Exception {
            private static final long serialVersionUID = 1;

            Expected(String message) {
                super(message);
            }
        }

        static Exception planned(String message) {
            return new Expected(message);
        }

        static Exception other(String message) {
            return new Expected(message);
        }

        public static void main(String... arguments) {
            Exception first = planned("first");
            Exception second = other("second");
            Exception third = new IllegalStateException("third");
            System.out.println(first.getMessage() + " " + second.getMessage());
            System.out.println((second.getStackTrace().length > 0) + " " + (third.getStackTrace().length > 0));
            if (arguments[0].endsWith("read")) {
                System.out.println(first.getStackTrace().length);
            }
            System.gc();
        }
    }

    /** Asks whether texts are numbers, and reads the stack of its own exception. */
    static final class Parser {
        private Parser() {
        }

        static boolean isNumber(String text) {
            try {
                return Integer.parseInt(text) >= 0;
            } catch (NumberFormatException other) {
                return text.equals("printed") && other.getStackTrace().length > 0;
            }
        }

        public static void main(String... arguments) {
            System.out.println(isNumber("12") + " " + isNumber("x") + " " + isNumber("13"));
            System.out.println(new NumberFormatException("own").getStackTrace().length > 0);
            if (arguments[0].endsWith("read")) {
                System.out.println(isNumber("printed"));
            }
        }
    }

    private record Run(List<String> output, List<String> report) {
    }

    private Run run(List<String> places) throws Exception {
        return run(Program.class, "written", places);
    }

    private Run run(Class<?> program, String argument, List<String> places) throws Exception {
        Path plan = folder.resolve("plan");
        List<String> lines = new ArrayList<>(List.of("report\t" + folder.resolve("report")));
        lines.addAll(places);
        Files.write(plan, lines);
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-javaagent:" + AGENT + "=try:" + plan, "-Xshare:off", "-Xlog:class+load:file=" + folder.resolve("loaded"), "-cp", classPath(),
            program.getName(), folder.resolve(argument).toString()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        Path report = folder.resolve("report." + process.pid());
        return new Run(output.lines().toList(), Files.exists(report) ? Files.readAllLines(report) : List.of("no report"));
    }

    private static String classPath() throws Exception {
        return Path.of(LaunchedTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    private String place(int number, String remedy, Class<?> type, String method, String descriptor, int ordinal) throws Exception {
        byte[] file = Tried.file(type);
        Path path = folder.resolve(type.getSimpleName() + ".class");
        Files.write(path, file);
        int index = Bytecode.starts(file, method, descriptor).get(ordinal);
        return String.join("\t", "place", Integer.toString(number), remedy, type.getName().replace('.', '/'), method, descriptor,
            Integer.toString(index), path.toString());
    }

    private String direct(int ordinal) throws Exception {
        return place(3, "buffer-output", StreamPrograms.class, "direct", "(Ljava/io/File;)V", ordinal);
    }

    @Test
    void withoutPlacesNothingIsInstalled() throws Exception {
        Run run = run(List.of());
        assertEquals(List.of("1000 1", "false"), run.output);
        assertEquals(List.of("ready"), run.report);
    }

    /** With these classes, code of the JIT compiler that does not use them was 40 % slower on JDK 25. */
    @Test
    void theAgentLoadsNoDataOfLanguages() throws Exception {
        run(List.of());
        Predicate<String> isOfLanguage = line -> line.matches(".*] (java\\.text|sun\\.util\\.(resources|cldr|locale\\.provider))\\..*");
        Predicate<String> isOfAgent = line -> !line.contains(" " + Program.class.getName() + " ");
        List<String> loaded = Files.readAllLines(folder.resolve("loaded")).stream().takeWhile(isOfAgent).toList();
        assertTrue(loaded.stream().anyMatch(line -> line.contains("java.whittle.trial.PlainFormats ")), loaded.toString());
        assertEquals(List.of(), loaded.stream().filter(isOfLanguage).toList());
    }

    @Test
    void aClassChangesWhenItIsLoaded() throws Exception {
        Run run = run(List.of(direct(0)));
        assertEquals(List.of("1000 1", "true"), run.output);
        assertEquals("ready", run.report.get(0));
        assertTrue(run.report.get(1).matches("changed\t3\twhittle/tests/trial/StreamPrograms\t\\d+\t\\d+"), run.report.toString());
        assertEquals("runs\t3\t1", run.report.get(2));
        assertEquals(3, run.report.size());
    }

    @Test
    void aClassOfTheJdkThatIsLoadedChanges() throws Exception {
        Run run = run(List.of(place(0, "compile-once", java.util.Scanner.class, "<clinit>", "()V", patternInScanner())));
        assertEquals(List.of("1000 1", "true"), run.output);
        assertTrue(run.report.get(1).startsWith("changed\t0\tjava/util/Scanner\t"), run.report.toString());
        assertTrue(run.report.contains("runs\t0\t1"), run.report.toString());
    }

    private static int patternInScanner() throws Exception {
        int ordinal = 0;
        for (var node : Tried.method(Tried.file(java.util.Scanner.class), "<clinit>").instructions) {
            if (node instanceof org.objectweb.asm.tree.MethodInsnNode call && call.name.equals("compile")) {
                return ordinal;
            }
            ordinal += node.getOpcode() >= 0 ? 1 : 0;
        }
        throw new AssertionError("no pattern");
    }

    /** The JVM does not keep the file of this class, so the agent compares the instructions. */
    @Test
    void aClassThatWasLoadedBeforeTheAgentChanges() throws Exception {
        Run run = run(Thrower.class, "nothing", List.of(place(1, "no-gc", System.class, "gc", "()V", 1)));
        assertTrue(run.report.get(1).startsWith("changed\t1\tjava/lang/System\t"), run.report.toString());
        assertTrue(run.report.contains("runs\t1\t1"), run.report.toString());
    }

    @Test
    void anExceptionOfThePlaceHasNoStack() throws Exception {
        String place = place(2, "no-stack", Thrower.class, "planned", "(Ljava/lang/String;)Ljava/lang/Exception;", 0);
        Run unread = run(Thrower.class, "nothing", List.of(place));
        assertEquals(List.of("first second", "true true"), unread.output);
        assertTrue(unread.report.contains("runs\t2\t1"), unread.report.toString());
        assertTrue(unread.report.stream().noneMatch(line -> line.startsWith("broken")), unread.report.toString());
        Run read = run(Thrower.class, "read", List.of(place));
        assertEquals(List.of("first second", "true true", "0"), read.output);
        assertTrue(read.report.contains("broken\t2\tthe stack of such an exception was read once"), read.report.toString());
    }

    /** The JDK creates the exception. Other exceptions of its class have their stacks. */
    @Test
    void anExceptionOfAParsedTextHasNoStack() throws Exception {
        String place = place(7, "no-stack", Parser.class, "isNumber", "(Ljava/lang/String;)Z", 1);
        Run unread = run(Parser.class, "nothing", List.of(place));
        assertEquals(List.of("true false true", "true"), unread.output);
        assertTrue(unread.report.contains("runs\t7\t3"), unread.report.toString());
        assertTrue(unread.report.stream().noneMatch(line -> line.startsWith("broken")), unread.report.toString());
        Run read = run(Parser.class, "read", List.of(place));
        assertEquals(List.of("true false true", "true", "false"), read.output);
        assertTrue(read.report.contains("broken\t7\tthe stack of such an exception was read once"), read.report.toString());
    }

    @Test
    void wrongPlansAreRefused() throws Exception {
        String other = direct(0);
        Files.write(folder.resolve("StreamPrograms.class"), Tried.file(PatternPrograms.class));
        assertEquals("refused\t3\twhittle/tests/trial/StreamPrograms\tthe class is not the one that was recorded",
            run(List.of(other)).report.get(1));
        String inside = direct(0).replaceFirst("V\t0\t", "V\t1\t");
        assertEquals("refused\t3\twhittle/tests/trial/StreamPrograms\tthe method has no instruction at 1",
            run(List.of(inside)).report.get(1));
        assertEquals("refused\t3\twhittle/tests/trial/StreamPrograms\tthe instruction is not a call", run(List.of(direct(1))).report.get(1));
        Run unknown = run(List.of(direct(0).replace("buffer-output", "magic")));
        assertEquals("refused\t3\twhittle/tests/trial/StreamPrograms\twhittle's agent does not know the remedy magic",
            unknown.report.get(1));
        assertEquals(List.of("1000 1", "true"), unknown.output);
    }

    @Test
    void theReportSaysHowManyStreamsStayedOpen() throws Exception {
        Run run = run(List.of(place(5, "buffer-output", StreamPrograms.class, "notClosed", "(Ljava/io/File;)V", 0)));
        assertTrue(run.report.contains("broken\t5\t1 stream was not closed, and the bytes in its buffer are lost"),
            run.report.toString());
    }

    /** Ends without shutdown hooks. */
    static final class Halted {
        private Halted() {
        }

        public static void main(String... arguments) throws Exception {
            StreamPrograms.direct(new File(arguments[0]));
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void aHaltHidesNothing() throws Exception {
        Run run = run(Halted.class, "halted", List.of(direct(0)));
        assertTrue(run.report.get(1).startsWith("changed\t3\t"), run.report.toString());
        assertEquals("runs\t3\t1", run.report.get(2));
    }

    /** Gets a stream from another class. */
    static final class Asker {
        private Asker() {
        }

        public static void main(String... arguments) throws Exception {
            try (java.io.OutputStream out = StreamPrograms.returned(new File(arguments[0]))) {
                System.out.println(out instanceof java.io.FileOutputStream);
            }
            StreamPrograms.direct(new File(arguments[0]));
        }
    }

    @Test
    void otherCodeThatAsksForTheFileStreamIsFound() throws Exception {
        String returned = place(4, "buffer-output", StreamPrograms.class, "returned", "(Ljava/io/File;)Ljava/io/OutputStream;", 0);
        Run run = run(Asker.class, "asked", List.of(returned));
        assertEquals(List.of("false"), run.output);
        assertTrue(run.report.contains("broken\t4\tthe class whittle.tests.trial.LaunchedTest$Asker asks whether an object is a"
            + " java.io.FileOutputStream; the change hides this"), run.report.toString());
        Run kept = run(Asker.class, "asked", List.of(direct(0)));
        assertEquals(List.of("true"), kept.output);
        assertTrue(kept.report.stream().noneMatch(line -> line.startsWith("broken")), kept.report.toString());
    }

    @Test
    void aMappingThatTheProgramEndsIsKept() throws Exception {
        String descriptor = "(Ljava/nio/channels/FileChannel;Ljava/nio/channels/FileChannel$MapMode;)Ljava/nio/MappedByteBuffer;";
        Run run = run(MappedPrograms.class, "mapped", List.of(place(6, "keep-mapping", MappedPrograms.class, "map", descriptor, 4)));
        // A newer JVM warns first.
        assertEquals("35", run.output.get(run.output.size() - 1));
        assertTrue(run.report.contains("runs\t6\t5"), run.report.toString());
    }
}
