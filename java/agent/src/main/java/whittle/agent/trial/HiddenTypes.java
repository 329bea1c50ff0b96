package whittle.agent.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Buffers hide that a stream is a FileOutputStream. If the stream leaves its method, other code of the program can ask for this class.
 * Finds such code in the classes that are loaded, without loading any class.
 */
final class HiddenTypes {
    private static final int CLASS_TAG = 7;
    private static final Set<String> TYPES = new HashSet<>(Arrays.asList("java/io/FileOutputStream", "java/io/FileInputStream",
        "java/io/FileWriter", "java/io/OutputStreamWriter", "java/io/FileReader", "java/io/InputStreamReader"));

    /** The first class that asks for a type, by type. */
    private final Map<String, String> asking = new HashMap<>();
    /** The types that a place hides from other code. */
    private final Map<Integer, Set<String>> hidden = new LinkedHashMap<>();

    static boolean isHidingRemedy(String remedy) {
        return remedy.startsWith("buffer-");
    }

    /** A place was changed. Returns lines for the report. */
    synchronized List<String> hide(Map<Integer, Set<String>> types) {
        hidden.putAll(types);
        return lines();
    }

    /** A class is loaded. Returns lines for the report. */
    synchronized List<String> load(String name, byte[] file) {
        boolean isNew = false;
        for (String type : asked(file)) {
            isNew |= asking.putIfAbsent(type, name) == null;
        }
        return isNew ? lines() : Collections.<String>emptyList();
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<Integer, Set<String>> place : hidden.entrySet()) {
            for (String type : place.getValue()) {
                if (asking.containsKey(type)) {
                    lines.add(TrialReport.broken(place.getKey(), "the class " + asking.get(type).replace('/', '.')
                        + " asks whether an object is a " + type.replace('/', '.') + "; the change hides this"));
                }
            }
        }
        return lines;
    }

    /** The types that the code of the class asks for: with instanceof, a cast or a class literal. */
    static Set<String> asked(byte[] file) {
        ClassReader reader = new ClassReader(file);
        Set<String> asked = new TreeSet<>();
        if (!isNamingType(reader)) {
            return asked;
        }
        reader.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                return new Asking(asked);
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return asked;
    }

    private static boolean isNamingType(ClassReader reader) {
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int index = 1; index < reader.getItemCount(); index++) {
            int at = reader.getItem(index);
            if (at > 0 && reader.readByte(at - 1) == CLASS_TAG && TYPES.contains(reader.readUTF8(at, buffer))) {
                return true;
            }
        }
        return false;
    }

    private static final class Asking extends MethodVisitor {
        private final Set<String> asked;

        Asking(Set<String> asked) {
            super(Opcodes.ASM9);
            this.asked = asked;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if ((opcode == Opcodes.INSTANCEOF || opcode == Opcodes.CHECKCAST) && TYPES.contains(type)) {
                asked.add(type);
            }
        }

        @Override
        public void visitLdcInsn(Object constant) {
            boolean isType = constant instanceof Type && ((Type) constant).getSort() == Type.OBJECT;
            if (isType && TYPES.contains(((Type) constant).getInternalName())) {
                asked.add(((Type) constant).getInternalName());
            }
        }
    }
}
