package whittle.agent.trial;

import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/**
 * Each thread uses one array of numbers, or one direct buffer, again and again, as empty as a new one. The object never leaves its
 * method. Only the outermost active call of the method on a thread gets the kept object, so recursion does not matter.
 */
final class Reusing implements Remedy {
    private static final String BUFFER = "java/nio/ByteBuffer";
    /** Of the types of arrays, by the operand of the instruction, from 4 to 11. */
    private static final String TYPES = "ZCFDBSIJ";

    @Override
    public List<Place> places(Place place, byte[] file) {
        return Factories.callers(place, file);
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        Activations.requireCountable(spot);
        InsnList code = code(spot);
        spot.replace(spot.instruction, code);
        Activations.count(spot);
    }

    private static InsnList code(Spot spot) throws Refused, AnalyzerException {
        AbstractInsnNode node = spot.instruction;
        if (node.getOpcode() == Opcodes.NEWARRAY) {
            Staying.ARRAY.check(Flow.of(spot));
            return array(spot, ((IntInsnNode) node).operand);
        }
        List<String> arguments = spot.place.arguments;
        boolean isFactory = node instanceof MethodInsnNode && !arguments.isEmpty() && arguments.get(0).equals(Factories.FACTORY);
        if (!isFactory && !Factories.isCreation(node)) {
            throw new Refused("the instruction creates neither an array of numbers nor a direct buffer");
        }
        Staying.BUFFER.check(Flow.ofBuilder(spot, BUFFER));
        InsnList code = new InsnList();
        if (isFactory && arguments.size() > 1) {
            code.add(Spot.push(Integer.parseInt(arguments.get(1))));
        }
        code.add(spot.callOurs("Reused.buffer", "(II)L" + BUFFER + ";"));
        return code;
    }

    private static InsnList array(Spot spot, int type) {
        InsnList code = new InsnList();
        code.add(Spot.push(type));
        code.add(spot.callOurs("Reused.array", "(III)Ljava/lang/Object;"));
        code.add(new TypeInsnNode(Opcodes.CHECKCAST, "[" + TYPES.charAt(type - Opcodes.T_BOOLEAN)));
        return code;
    }
}
