package whittle.agent.trial;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.MethodInsnNode;

/** Replaces a call by a call of a static method of ours, which gets the same operands and the place's number. */
final class Calling implements Remedy {
    private final Map<String, String> targets = new HashMap<>();
    private final Map<String, String> receivers = new HashMap<>();

    /** Replaces the call of a static method: "java/lang/System.gc()V". */
    Calling with(String called, String target) {
        targets.put(Opcodes.INVOKESTATIC + called, target);
        return this;
    }

    /** Replaces the call of another method. The static method has the receiver as its first parameter. */
    Calling withReceiver(String called, String receiver, String target) {
        for (int opcode : new int[] {Opcodes.INVOKEVIRTUAL, Opcodes.INVOKEINTERFACE}) {
            targets.put(opcode + called, target);
            receivers.put(opcode + called, receiver);
        }
        return this;
    }

    @Override
    public void apply(Spot spot) throws Refused {
        MethodInsnNode call = spot.call();
        String key = call.getOpcode() + call.owner + "." + call.name + call.desc;
        String target = targets.get(key);
        if (target == null) {
            throw new Refused("whittle cannot replace a call of " + call.owner.replace('/', '.') + "." + call.name);
        }
        String receiver = receivers.get(key);
        String operands = receiver == null ? "" : "L" + receiver + ";";
        String parameters = call.desc.substring(1, call.desc.indexOf(')'));
        spot.replace(call, spot.callOurs(target, "(" + operands + parameters + "I)" + Type.getReturnType(call.desc)));
    }
}
