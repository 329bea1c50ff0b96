package whittle.tests.trial;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import java.whittle.trial.Places;
import whittle.agent.trial.Bytecode;
import whittle.agent.trial.ClassChange;
import whittle.agent.trial.Place;

/** One remedy at one place of a method of a test class, and the changed class. */
final class Tried {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    final int number;
    final ClassChange.Outcome outcome;
    private final Class<?> original;
    private final String method;

    /**
     * The instruction is the first one of the method that creates this class or an array (`[]`, or a type such as `[I`), or that calls
     * this method: `NAME` or `OWNER.NAME`, or a dynamic instruction of this name. Without a target, it is the first one of the method.
     */
    Tried(String remedy, Class<?> original, String method, String target, String... arguments) throws Exception {
        this(false, remedy, original, method, target, arguments);
    }

    /** The method has its old code and its new code. */
    static Tried inTurns(String remedy, Class<?> original, String method, String target, String... arguments) throws Exception {
        return new Tried(true, remedy, original, method, target, arguments);
    }

    private Tried(boolean hasTurns, String remedy, Class<?> original, String method, String target, String... arguments)
        throws Exception {
        this.original = original;
        this.method = method;
        number = NUMBERS.getAndIncrement() % Places.LIMIT;
        byte[] file = file(original);
        MethodNode node = method(file, method);
        int index = index(file, node, instruction -> isTarget(instruction, target));
        List<String> words = new ArrayList<>(List.of(Integer.toString(number), remedy, original.getName().replace('.', '/'), node.name,
            node.desc, Integer.toString(index), "unused"));
        words.addAll(List.of(arguments));
        ClassChange change = new ClassChange(file, hasTurns);
        change.add(new Place(words), file, false);
        outcome = change.apply();
    }

    private Tried(Tried changed, String method) {
        number = changed.number;
        outcome = changed.outcome;
        original = changed.original;
        this.method = method;
    }

    /** The same change. Another method of the class runs. */
    Tried running(String other) {
        return new Tried(this, other);
    }

    /** The changed class. */
    Class<?> changed() throws Exception {
        if (outcome.file == null) {
            throw new AssertionError(outcome.lines.toString());
        }
        return new Single(original, outcome.file).loadClass(original.getName());
    }

    static byte[] file(Class<?> type) throws Exception {
        try (InputStream stream = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
            return stream.readAllBytes();
        }
    }

    /** The first method with this name, or with this name and this descriptor. */
    static MethodNode method(byte[] file, String name) {
        ClassNode node = new ClassNode();
        new ClassReader(file).accept(node, 0);
        return node.methods.stream().filter(method -> method.name.equals(name) || (method.name + method.desc).equals(name))
            .findFirst().orElseThrow();
    }

    private static int index(byte[] file, MethodNode method, Predicate<AbstractInsnNode> isWanted) {
        List<Integer> starts = Bytecode.starts(file, method.name, method.desc);
        int ordinal = 0;
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() >= 0) {
                if (isWanted.test(node)) {
                    return starts.get(ordinal);
                }
                ordinal++;
            }
        }
        throw new AssertionError("no such instruction");
    }

    private static boolean isTarget(AbstractInsnNode node, String target) {
        if (target.isEmpty()) {
            return true;
        }
        if (node.getOpcode() == Opcodes.NEWARRAY) {
            return target.equals("[]") || target.equals("[" + "ZCFDBSIJ".charAt(((IntInsnNode) node).operand - Opcodes.T_BOOLEAN));
        }
        if (node instanceof TypeInsnNode creation) {
            return node.getOpcode() == Opcodes.NEW && creation.desc.endsWith("/" + target);
        }
        if (node instanceof InvokeDynamicInsnNode dynamic) {
            return dynamic.name.equals(target);
        }
        return node instanceof MethodInsnNode call && (call.name.equals(target) || (call.owner + "." + call.name).endsWith("/" + target));
    }

    /** The first line of the report about the place, without the place's number and class. */
    String line() {
        String[] words = outcome.lines.get(0).split("\t");
        return words[0].equals("changed") ? "changed" : words[0] + ": " + words[3];
    }

    long count() {
        return Places.counted(number);
    }

    /** Runs the unchanged method. */
    Object before(Object... arguments) throws Exception {
        return run(file(original), arguments);
    }

    /** Runs the changed method. The JVM verifies the changed class. */
    Object after(Object... arguments) throws Exception {
        return loaded().run(arguments);
    }

    private Object run(byte[] file, Object... arguments) throws Exception {
        return new Loaded(file).run(arguments);
    }

    /** The unchanged class, for several runs of the method. */
    Loaded unchanged() throws Exception {
        return new Loaded(file(original));
    }

    /** The changed class, for several runs of the method. */
    Loaded loaded() throws Exception {
        if (outcome.file == null) {
            throw new AssertionError(outcome.lines.toString());
        }
        return new Loaded(outcome.file);
    }

    /** A class that was loaded once. */
    final class Loaded {
        private final java.lang.reflect.Method declared;

        private Loaded(byte[] file) throws Exception {
            Class<?> type = new Single(original, file).loadClass(original.getName());
            declared = java.util.Arrays.stream(type.getDeclaredMethods()).filter(found -> found.getName().equals(method)).findFirst()
                .orElseThrow();
            declared.setAccessible(true);
        }

        Object run(Object... arguments) throws Exception {
            return declared.invoke(null, arguments);
        }

        Object uncheckedRun(Object... arguments) {
            try {
                return run(arguments);
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        }
    }

    static Path temporary() throws Exception {
        Path path = Files.createTempFile("whittle-trial", ".bin");
        path.toFile().deleteOnExit();
        return path;
    }

    /** Defines one class itself. */
    private static final class Single extends ClassLoader {
        private final String name;
        private final byte[] file;

        Single(Class<?> original, byte[] file) {
            super(original.getClassLoader());
            this.name = original.getName();
            this.file = file;
        }

        @Override
        protected Class<?> loadClass(String wanted, boolean isResolved) throws ClassNotFoundException {
            if (!wanted.equals(name)) {
                return super.loadClass(wanted, isResolved);
            }
            Class<?> loaded = findLoadedClass(wanted);
            return loaded == null ? defineClass(wanted, file, 0, file.length) : loaded;
        }
    }
}
