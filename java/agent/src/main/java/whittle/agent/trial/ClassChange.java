package whittle.agent.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.BasicValue;
import org.objectweb.asm.tree.analysis.BasicVerifier;

/**
 * Changes places in the methods of one class: a class file in, a class file out. Methods without places stay as they are, byte for byte.
 * No class of the program is loaded.
 */
public final class ClassChange {
    private final byte[] file;
    /** The ordinal of each place's instruction in its method. */
    private final Map<Place, Integer> ordinals = new LinkedHashMap<>();
    private final List<Place> changed = new ArrayList<>();
    private final List<Place> refused = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Map<Integer, Set<String>> hidden = new LinkedHashMap<>();

    /** What became of a class and its places. */
    public static final class Outcome {
        /** The changed class file, or null. */
        public final byte[] file;
        /** Lines of the report. */
        public final List<String> lines;
        final List<Place> changed;
        /** Types that changed places hide, by the place's number. */
        final Map<Integer, Set<String>> hidden;

        Outcome(byte[] file, List<String> lines, List<Place> changed, Map<Integer, Set<String>> hidden) {
            this.file = file;
            this.lines = lines;
            this.changed = changed;
            this.hidden = hidden;
        }
    }

    /** The class as it is in this JVM. */
    public ClassChange(byte[] file) {
        this.file = file;
    }

    /**
     * Adds a place if the class is the planned one: the same bytes, or for a class that was loaded before, the same instructions in the
     * place's method.
     */
    public void add(Place place, byte[] planned, boolean isLoaded) {
        boolean isSame = Arrays.equals(planned, file) || isLoaded && isSameCode(place, planned);
        if (!isSame) {
            refuse(place, "the class is not the one that was recorded");
            return;
        }
        List<Integer> starts = Bytecode.starts(planned, place.method, place.descriptor);
        int ordinal = starts.indexOf(place.bytecodeIndex);
        if (ordinal < 0 || ordinal == starts.size() - 1) {
            refuse(place, "the method has no instruction at " + place.bytecodeIndex);
        } else {
            ordinals.put(place, ordinal);
        }
    }

    private boolean isSameCode(Place place, byte[] planned) {
        String code = CodeText.of(planned, place.method, place.descriptor);
        return code != null && code.equals(CodeText.of(file, place.method, place.descriptor));
    }

    /** Leaves the place unchanged. */
    public void refuse(Place place, String reason) {
        refused.add(place);
        refusals.add(TrialReport.refusal(place, reason));
    }

    /** Changes all places that were added. The class stays as it is if one change cannot be checked. */
    public Outcome apply() {
        byte[] output = null;
        try {
            if (!ordinals.isEmpty()) {
                output = write();
            }
            if (!changed.isEmpty()) {
                check(output);
            }
        } catch (AnalyzerException | RuntimeException | LinkageError failure) {
            refuseAll("the changed class is not valid: " + failure);
        }
        if (changed.isEmpty()) {
            return new Outcome(null, refusals, changed, Collections.<Integer, Set<String>>emptyMap());
        }
        return new Outcome(output, lines(output), changed, hidden);
    }

    private void refuseAll(String reason) {
        for (Place place : ordinals.keySet()) {
            if (!refused.contains(place)) {
                refuse(place, reason);
            }
        }
        changed.clear();
    }

    private byte[] write() {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            private String className;
            private int classVersion;

            @Override
            public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
                className = name;
                classVersion = version & 0xFFFF;
                super.visit(version, access, name, signature, parent, interfaces);
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodVisitor output = super.visitMethod(access, name, descriptor, signature, exceptions);
                List<Place> places = placesOf(name, descriptor);
                if (places.isEmpty()) {
                    return output;
                }
                return new MethodNode(Opcodes.ASM9, access, name, descriptor, signature, exceptions) {
                    @Override
                    public void visitEnd() {
                        changeMethod(spots(className, classVersion, this, places));
                        accept(output);
                    }
                };
            }
        }, ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    private List<Place> placesOf(String method, String descriptor) {
        List<Place> places = new ArrayList<>();
        for (Place place : ordinals.keySet()) {
            if (place.isIn(method, descriptor)) {
                places.add(place);
            }
        }
        return places;
    }

    /** All instructions are found before the first one changes. */
    private List<Spot> spots(String className, int classVersion, MethodNode method, List<Place> places) {
        List<Spot> spots = new ArrayList<>();
        for (Place place : places) {
            spots.add(new Spot(className, classVersion, method, place, instruction(method, ordinals.get(place))));
        }
        return spots;
    }

    private void changeMethod(List<Spot> spots) {
        for (Spot spot : spots) {
            try {
                Remedies.of(spot.place.remedy).apply(spot);
                changed.add(spot.place);
                notes.addAll(spot.notes);
                hidden.put(spot.place.number, spot.hidden);
            } catch (Refused reason) {
                refuse(spot.place, reason.getMessage());
            } catch (AnalyzerException failure) {
                refuse(spot.place, "the method cannot be analysed: " + failure.getMessage());
            }
        }
    }

    private static AbstractInsnNode instruction(MethodNode method, int ordinal) {
        int rest = ordinal;
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() >= 0 && rest-- == 0) {
                return node;
            }
        }
        throw new IllegalStateException("the method has fewer instructions than its code");
    }

    /** Each changed place calls one method of ours, and the operands of all instructions have the right kinds. */
    private void check(byte[] output) throws AnalyzerException {
        int[] calls = {0};
        List<MethodNode> methods = new ArrayList<>();
        new ClassReader(output).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                if (placesOf(name, descriptor).isEmpty()) {
                    return null;
                }
                MethodNode method = new MethodNode(Opcodes.ASM9, access, name, descriptor, signature, exceptions) {
                    @Override
                    public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
                        super.visitMethodInsn(opcode, owner, called, type, isInterface);
                        calls[0] += owner.startsWith(Spot.OURS) ? 1 : 0;
                    }
                };
                methods.add(method);
                return method;
            }
        }, ClassReader.SKIP_DEBUG);
        if (calls[0] != changed.size()) {
            throw new IllegalStateException(changed.size() + " places were planned, but " + calls[0] + " have changed");
        }
        for (MethodNode method : methods) {
            new Analyzer<BasicValue>(new BasicVerifier()).analyze(changed.get(0).className, method);
        }
    }

    private List<String> lines(byte[] output) {
        List<String> lines = new ArrayList<>(refusals);
        for (Place place : changed) {
            lines.add("changed\t" + place.number + "\t" + place.className + "\t" + size(file, place) + "\t" + size(output, place));
        }
        lines.addAll(notes);
        return lines;
    }

    private static int size(byte[] file, Place place) {
        List<Integer> starts = Bytecode.starts(file, place.method, place.descriptor);
        return starts.get(starts.size() - 1);
    }
}
