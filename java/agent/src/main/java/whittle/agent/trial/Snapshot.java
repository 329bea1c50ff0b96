package whittle.agent.trial;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Reads a copy of a file in `/proc` that is not older than a moment. The place opens the file by its path, as its first argument. */
final class Snapshot implements Remedy {
    private static final Set<String> OPENING = new HashSet<>(Arrays.asList("java/io/FileReader", "java/io/FileInputStream",
        "java/util/Scanner", "java/nio/file/Files.lines", "java/nio/file/Files.readAllLines", "java/nio/file/Files.readAllBytes",
        "java/nio/file/Files.readString", "java/nio/file/Files.newBufferedReader", "java/nio/file/Files.newInputStream"));
    private static final Set<String> PATHS = new HashSet<>(Arrays.asList("Ljava/io/File;", "Ljava/nio/file/Path;"));
    private static final String TEXT = "Ljava/lang/String;";

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        boolean isNew = spot.instruction.getOpcode() == Opcodes.NEW;
        String opened = isNew ? spot.created() : spot.call().owner + "." + spot.call().name;
        if (!OPENING.contains(opened)) {
            throw new Refused("whittle does not know how " + opened.replace('/', '.') + " opens a file");
        }
        MethodInsnNode call = isNew ? Flow.of(spot).usualConstructor() : spot.call();
        Type[] parameters = Type.getArgumentTypes(call.desc);
        String path = parameters.length == 0 ? "" : parameters[0].getDescriptor();
        // The text that a scanner gets is no path.
        boolean isPath = PATHS.contains(path) || path.equals(TEXT) && !opened.equals("java/util/Scanner");
        if (!isPath || parameters.length > 2 || parameters[parameters.length - 1].getSize() != 1) {
            throw new Refused("the file is not opened by its path");
        }
        InsnList code = new InsnList();
        if (parameters.length == 2) {
            code.add(new InsnNode(Opcodes.SWAP));
        }
        code.add(spot.callOurs("Snapshots.of", "(" + path + "I)" + path));
        if (parameters.length == 2) {
            code.add(new InsnNode(Opcodes.SWAP));
        }
        spot.insertBefore(call, code);
    }
}
