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
import org.objectweb.asm.Handle;
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
    /** True if a changed method also keeps its old code. */
    private final boolean hasTurns;
    /** The ordinal of each place's instruction in its method. */
    private final Map<Place, Integer> ordinals = new LinkedHashMap<>();
    private final List<Place> changed = new ArrayList<>();
    private final List<Place> refused = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    /** Calls of our methods that the changed places need. */
    private int callsCount;
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
        this(file, false);
    }

    /** `hasTurns`: a changed method also keeps its old code, and asks at its start which of both it executes. */
    public ClassChange(byte[] file, boolean hasTurns) {
        this.file = file;
        this.hasTurns = hasTurns;
    }

    /**
     * Adds a place if the class is the planned one: the same bytes, or for a class that was loaded before, the same instructions in the
     * place's method.
     */
    public void add(Place place, byte[] planned, boolean isLoaded) {
        try {
            for (Place each : Remedies.of(place.remedy).places(place, planned)) {
                addOne(each, planned, isLoaded);
            }
        } catch (Refused reason) {
            refuse(place, reason.getMessage());
        }
    }

    private void addOne(Place place, byte[] planned, boolean isLoaded) {
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
            if (hasTurns) {
                refuseForTurns(output);
            }
        } catch (AnalyzerException | RuntimeException | LinkageError failure) {
            refuseAll("the changed class is not valid: " + failure);
        }
        if (changed.isEmpty()) {
            return new Outcome(null, refusals, changed, Collections.<Integer, Set<String>>emptyMap());
        }
        return new Outcome(output, lines(output), changed, hidden);
    }

    /** A running program has more reasons against a change. */
    private void refuseForTurns(byte[] output) {
        boolean isHiding = changed.stream().anyMatch(place -> !hidden.get(place.planned).isEmpty());
        int largest = changed.stream().mapToInt(place -> size(output, place)).max().orElse(0);
        if (isHiding) {
            refuseAll("the object leaves the method, and code that is already loaded can ask for its class");
        } else if (largest > BothCodes.MAX_BYTES) {
            refuseAll("the method with its old and its new code has " + largest + " bytes, and the JVM compiles at most "
                + BothCodes.MAX_BYTES);
        }
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
                        List<Place> done = changeMethod(spots(reader, this, places));
                        if (hasTurns && !done.isEmpty()) {
                            BothCodes.join(this, oldCode(name, descriptor, done), reader);
                        }
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
    private List<Spot> spots(ClassReader owner, MethodNode method, List<Place> places) {
        List<Spot> spots = new ArrayList<>();
        for (Place place : places) {
            spots.add(new Spot(owner, method, place, instruction(method, ordinals.get(place))));
        }
        return spots;
    }

    /** The old code of a method. It counts the executions of these places. */
    private MethodNode oldCode(String name, String descriptor, List<Place> places) {
        MethodNode old = BothCodes.oldCode(file, name, descriptor);
        // All instructions are found before the first one gets a neighbour.
        List<AbstractInsnNode> instructions = new ArrayList<>();
        for (Place place : places) {
            instructions.add(instruction(old, ordinals.get(place)));
        }
        instructions.forEach(instruction -> BothCodes.count(old, instruction));
        return old;
    }

    /** Returns the changed places. */
    private List<Place> changeMethod(List<Spot> spots) {
        List<Place> done = new ArrayList<>();
        for (Spot spot : spots) {
            try {
                Remedies.of(spot.place.remedy).apply(spot);
                done.add(spot.place);
                callsCount += spot.callsCount();
                notes.addAll(spot.notes);
                hidden.put(spot.place.planned, spot.hidden);
            } catch (Refused reason) {
                refuse(spot.place, reason.getMessage());
            } catch (AnalyzerException failure) {
                refuse(spot.place, "the method cannot be analysed: " + failure.getMessage());
            }
        }
        changed.addAll(done);
        return done;
    }

    /** The instruction with this ordinal. Labels and the like have none. */
    static AbstractInsnNode instruction(MethodNode method, int ordinal) {
        int rest = ordinal;
        for (AbstractInsnNode node : method.instructions) {
            if (node.getOpcode() >= 0 && rest-- == 0) {
                return node;
            }
        }
        throw new IllegalStateException("the method has fewer instructions than its code");
    }

    /** The changed places call our methods as often as planned, and the operands of all instructions have the right kinds. */
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
                        calls[0] += owner.startsWith(Spot.OURS) && !BothCodes.isOwnCall(owner) ? 1 : 0;
                    }

                    @Override
                    public void visitInvokeDynamicInsn(String called, String type, Handle linker, Object... constants) {
                        super.visitInvokeDynamicInsn(called, type, linker, constants);
                        calls[0] += linker.getOwner().startsWith(Spot.OURS) ? 1 : 0;
                    }
                };
                methods.add(method);
                return method;
            }
        }, ClassReader.SKIP_DEBUG);
        if (calls[0] != callsCount) {
            throw new IllegalStateException(callsCount + " calls were planned, but " + calls[0] + " are there");
        }
        for (MethodNode method : methods) {
            new Analyzer<BasicValue>(new BasicVerifier()).analyze(changed.get(0).className, method);
        }
    }

    private List<String> lines(byte[] output) {
        List<String> lines = new ArrayList<>(refusals);
        for (Place place : changed) {
            lines.add("changed\t" + place.planned + "\t" + place.className + "\t" + size(file, place) + "\t" + size(output, place));
        }
        lines.addAll(notes);
        return lines;
    }

    private static int size(byte[] file, Place place) {
        List<Integer> starts = Bytecode.starts(file, place.method, place.descriptor);
        return starts.get(starts.size() - 1);
    }
}
