package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import whittle.agent.trial.Bytecode;
import whittle.agent.trial.ClassChange;
import whittle.agent.trial.Place;

/** Every remedy at every place of other people's classes where it fits. The JVM must accept all changed classes. */
final class ThirdPartyTest {
    /** The remedies of created objects, by the class. */
    private static final Map<String, String> OF_CREATIONS = Map.ofEntries(
        Map.entry("java/io/FileOutputStream", "buffer-output"), Map.entry("java/io/FileInputStream", "buffer-input"),
        Map.entry("java/io/FileWriter", "buffer-writer"), Map.entry("java/io/OutputStreamWriter", "buffer-writer"),
        Map.entry("java/io/FileReader", "buffer-reader"), Map.entry("java/io/InputStreamReader", "buffer-reader"),
        Map.entry("java/text/SimpleDateFormat", "look-up-once"), Map.entry("java/text/DecimalFormat", "look-up-once"),
        Map.entry("java/util/LinkedList", "array-list"), Map.entry("java/lang/StringBuffer", "unsynchronized"),
        Map.entry("java/util/zip/Deflater", "fastest-level"), Map.entry("java/util/zip/GZIPOutputStream", "buffer-compression"),
        Map.entry("java/util/ArrayList", "presize"),
        Map.entry("java/util/Vector", "one-thread"), Map.entry("java/util/Stack", "one-thread"),
        Map.entry("java/io/PrintWriter", "no-autoflush"), Map.entry("java/io/PrintStream", "no-autoflush"), Map.entry("java/security/SecureRandom", "one-for-all"),
        Map.entry("java/util/HashMap", "presize"), Map.entry("java/util/HashSet", "presize"),
        Map.entry("java/lang/StringBuilder", "presize"), Map.entry("java/io/ByteArrayOutputStream", "presize"));
    /** The remedies of calls, by the name of the method. */
    private static final Map<String, String> OF_CALLS = Map.ofEntries(
        Map.entry("newOutputStream", "buffer-output"), Map.entry("newInputStream", "buffer-input"),
        Map.entry("compile", "compile-once"), Map.entry("matches", "compile-once"), Map.entry("replaceAll", "compile-once"),
        Map.entry("replaceFirst", "compile-once"), Map.entry("split", "compile-once"), Map.entry("getInstance", "look-up-once"),
        Map.entry("ofPattern", "look-up-once"), Map.entry("newInstance", "look-up-once"), Map.entry("gc", "no-gc"),
        Map.entry("flush", "rarer-flush"), Map.entry("force", "rarer-force"), Map.entry("sync", "rarer-force"),
        Map.entry("onSpinWait", "sleep-in-spin"), Map.entry("yield", "sleep-in-spin"), Map.entry("setLevel", "fastest-level"),
        Map.entry("allocateDirect", "reuse"), Map.entry("valueOf", "cache-boxes"), Map.entry("getStackTrace", "fewer-frames"),
        Map.entry("lines", "proc-copy"), Map.entry("readAllBytes", "proc-copy"),
        Map.entry("map", "keep-mapping"),
        Map.entry("matcher", "fixed-part-first"), Map.entry("find", "fixed-part-first"), Map.entry("getOutputStream", "buffer-socket"),
        Map.entry("forName", "member-once"), Map.entry("getMethod", "member-once"), Map.entry("getDeclaredField", "member-once"),
        Map.entry("getByName", "address-once"), Map.entry("contains", "index-list"), Map.entry("indexOf", "index-list"),
        Map.entry("format", "plain-format"), Map.entry("create", "result-once"), Map.entry("parseInt", "no-stack"));

    /** More places of one remedy would only take time. */
    private static final int MAX_PLACES = 1500;
    /** The first places of a remedy are also changed to methods with both codes. */
    private static final int MAX_PLACES_IN_TURNS = 100;
    private static final String IN_TURNS = " in turns";

    /** The changed files of classes, by remedy and then by name. */
    private final Map<String, Map<String, byte[]>> changed = new TreeMap<>();
    private final Set<String> linked = new HashSet<>();
    private final Map<String, Integer> places = new TreeMap<>();

    @Test
    void theJvmAcceptsAllChangedClasses() throws Exception {
        List<String> jars = jars();
        for (String jar : jars) {
            changeAll(jar);
        }
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, Map<String, byte[]>> remedy : changed.entrySet()) {
            problems.addAll(problems(jars, remedy.getValue(), remedy.getKey()));
        }
        System.out.println(linked.size() + " changed classes linked, places " + places);
        assertEquals(List.of(), problems);
        assertTrue(linked.size() >= 1000, "only " + linked.size() + " changed classes were linked");
        assertEquals(34, places.size(), "remedies that fit somewhere");
        int inTurns = changed.getOrDefault("compile-once" + IN_TURNS, Map.of()).size();
        assertTrue(inTurns >= 10, "only " + inTurns + " classes with both codes");
    }

    private static List<String> jars() {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(".jar")) {
                jars.add(entry);
            }
        }
        return jars;
    }

    private void changeAll(String path) throws Exception {
        try (JarFile jar = new JarFile(path)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")
                    && !entry.getName().endsWith("module-info.class")) {
                    try (InputStream stream = jar.getInputStream(entry)) {
                        change(stream.readAllBytes());
                    }
                }
            }
        }
    }

    private void change(byte[] file) {
        ClassNode node = new ClassNode();
        new ClassReader(file).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        Map<String, ClassChange> changes = new HashMap<>();
        int number = 0;
        for (MethodNode method : node.methods) {
            List<Integer> starts = null;
            int ordinal = 0;
            for (AbstractInsnNode instruction : method.instructions) {
                if (instruction.getOpcode() < 0) {
                    continue;
                }
                boolean isHash = ordinal == 0 && method.name.equals("hashCode") && method.desc.equals("()I");
                String remedy = isHash ? "mix-hash" : fitting(instruction);
                if (remedy != null && places.getOrDefault(remedy, 0) < MAX_PLACES) {
                    starts = starts == null ? Bytecode.starts(file, method.name, method.desc) : starts;
                    List<String> words = List.of(Integer.toString(number++ % 1024), remedy, node.name, method.name, method.desc,
                        starts.get(ordinal).toString(), "unused", "100");
                    changes.computeIfAbsent(remedy, name -> new ClassChange(file)).add(new Place(words), file, false);
                    if (places.getOrDefault(remedy, 0) < MAX_PLACES_IN_TURNS) {
                        changes.computeIfAbsent(remedy + IN_TURNS, name -> new ClassChange(file, true)).add(new Place(words), file, false);
                    }
                }
                ordinal++;
            }
            assertTrue(starts == null || starts.size() == ordinal + 1, node.name + "." + method.name);
        }
        changes.forEach((remedy, change) -> keep(node.name, remedy, change.apply()));
    }

    /** The remedy that can fit, or null. */
    private static String fitting(AbstractInsnNode instruction) {
        if (instruction instanceof MethodInsnNode call && call.owner.startsWith("java")) {
            return call.owner.equals("javax/crypto/Cipher") ? "one-per-thread" : OF_CALLS.get(call.name);
        }
        if (instruction instanceof InvokeDynamicInsnNode dynamic && dynamic.name.equals("makeConcatWithConstants")) {
            return isKept(dynamic) ? "one-builder" : "text-if-logged";
        }
        if (instruction.getOpcode() == Opcodes.NEWARRAY) {
            return "reuse";
        }
        if (instruction.getOpcode() != Opcodes.NEW) {
            return null;
        }
        String type = ((TypeInsnNode) instruction).desc;
        return type.endsWith("Exception") || type.endsWith("Error") ? "no-stack" : OF_CREATIONS.get(type);
    }

    /** The method stores the text in a variable. */
    private static boolean isKept(AbstractInsnNode concatenation) {
        AbstractInsnNode next = concatenation.getNext();
        while (next != null && next.getOpcode() < 0) {
            next = next.getNext();
        }
        return next != null && next.getOpcode() == Opcodes.ASTORE;
    }

    private void keep(String name, String remedy, ClassChange.Outcome outcome) {
        for (String line : outcome.lines) {
            assertTrue(!line.contains("not valid"), line);
            if (line.startsWith("changed") && !remedy.endsWith(IN_TURNS)) {
                places.merge(remedy, 1, Integer::sum);
            }
        }
        if (outcome.file != null) {
            changed.computeIfAbsent(remedy, missing -> new TreeMap<>()).put(name, outcome.file);
        }
    }

    /** Links the changed classes. Classes whose unchanged file cannot be linked either, because a library is missing, do not count. */
    private List<String> problems(List<String> jars, Map<String, byte[]> files, String remedy) throws Exception {
        List<String> problems = new ArrayList<>();
        try (Replaced after = new Replaced(jars, files); Replaced before = new Replaced(jars, Map.of())) {
            for (String name : files.keySet()) {
                String problem = after.problem(name);
                if (problem == null) {
                    linked.add(name);
                }
                if (problem != null && !problem.equals(before.problem(name))) {
                    problems.add(remedy + " " + name + ": " + problem);
                }
            }
        }
        return problems;
    }
}
