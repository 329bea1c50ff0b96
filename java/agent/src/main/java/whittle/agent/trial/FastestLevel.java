package whittle.agent.trial;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Compresses at the fastest level. */
final class FastestLevel implements Remedy {
    private static final String DEFLATER = "java/util/zip/Deflater";
    private static final Set<String> STREAMS = new HashSet<>(Arrays.asList("java/util/zip/GZIPOutputStream",
        "java/util/zip/DeflaterOutputStream", "java/util/zip/ZipOutputStream", "java/util/jar/JarOutputStream"));
    private static final int DEFAULT_LEVEL = -1;

    @Override
    public boolean readsFields() {
        return true;
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        if (spot.instruction.getOpcode() == Opcodes.NEW) {
            changeNew(spot);
            return;
        }
        MethodInsnNode call = spot.call();
        if (!call.owner.equals(DEFLATER) || !call.name.equals("setLevel")) {
            throw new Refused("the call sets no level of a compressor");
        }
        spot.insertBefore(call, fastest(spot));
    }

    private static void changeNew(Spot spot) throws Refused, AnalyzerException {
        if (STREAMS.contains(spot.created())) {
            changeStream(spot);
            return;
        }
        if (!spot.created().equals(DEFLATER)) {
            throw new Refused("a " + spot.created().replace('/', '.') + " has no level that whittle knows");
        }
        MethodInsnNode constructor = Flow.of(spot).usualConstructor();
        InsnList code = new InsnList();
        if (constructor.desc.equals("()V")) {
            code.add(Spot.push(DEFAULT_LEVEL));
            code.add(fastest(spot));
            constructor.desc = "(I)V";
        } else if (constructor.desc.equals("(I)V")) {
            code.add(fastest(spot));
        } else {
            // The second argument is on top of the level.
            code.add(new InsnNode(Opcodes.SWAP));
            code.add(fastest(spot));
            code.add(new InsnNode(Opcodes.SWAP));
        }
        spot.insertBefore(constructor, code);
    }

    private static void changeStream(Spot spot) throws Refused, AnalyzerException {
        MethodInsnNode constructor = Flow.of(spot).usualConstructor();
        if (constructor.desc.contains("L" + DEFLATER + ";")) {
            throw new Refused("the program creates the compressor of the stream");
        }
        InsnList code = new InsnList();
        code.add(new InsnNode(Opcodes.DUP));
        code.add(spot.callOurs("Calls.fastestOfStream", "(Ljava/util/zip/DeflaterOutputStream;I)V"));
        spot.insertAfter(constructor, code);
    }

    private static InsnList fastest(Spot spot) {
        return spot.callOurs("Calls.fastestLevel", "(II)I");
    }
}
