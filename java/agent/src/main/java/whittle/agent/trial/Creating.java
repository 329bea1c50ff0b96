package whittle.agent.trial;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/**
 * Gets a new object from a static method of ours, which has the same parameters as the constructor. The object that the code has
 * allocated is dropped before its constructor runs.
 */
final class Creating implements Remedy {
    private final Map<String, String> targets = new HashMap<>();

    /** The class and the constructor's descriptor: "java/text/SimpleDateFormat()V". */
    Creating with(String constructor, String target) {
        targets.put(constructor, target);
        return this;
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        String type = spot.created();
        MethodInsnNode constructor = Flow.of(spot).usualConstructor();
        String target = targets.get(type + constructor.desc);
        if (target == null) {
            throw new Refused("whittle cannot replace this constructor of " + type.replace('/', '.'));
        }
        String parameters = constructor.desc.substring(1, constructor.desc.indexOf(')'));
        InsnList code = spot.callOurs(target, "(" + parameters + "I)" + Type.getObjectType(type));
        // Before: two references to the allocated object, and ours. After: ours.
        code.add(new InsnNode(Opcodes.DUP_X2));
        code.add(new InsnNode(Opcodes.POP));
        code.add(new InsnNode(Opcodes.POP2));
        spot.replace(constructor, code);
    }
}
