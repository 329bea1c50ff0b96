package whittle.agent.trial;

import java.util.HashSet;
import java.util.Set;
import java.whittle.trial.Remembered;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/**
 * Gives the object again that an earlier call with the same arguments has made. The instruction becomes a dynamic one, so that no class
 * of the agent names the object's class, and a call that looks at its caller still sees the program's class.
 */
final class Remembering implements Remedy {
    private static final String SITE = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;"
        + "Ljava/lang/invoke/MethodHandle;II)Ljava/lang/invoke/CallSite;";

    /** A constant of `Remembered`. */
    private final int kind;
    private final Set<String> made = new HashSet<>();

    private Remembering(int kind) {
        this.kind = kind;
    }

    /** All threads get the same object. */
    static Remembering forAll() {
        return new Remembering(Remembered.FOR_ALL);
    }

    /** Each thread gets its own object. */
    static Remembering perThread() {
        return new Remembering(Remembered.PER_THREAD);
    }

    /** All threads get the same object, as long as it is one of the last ones. */
    static Remembering recent() {
        return new Remembering(Remembered.RECENT);
    }

    /** Methods of a class, or `<init>` for new objects. */
    Remembering of(String type, String... methods) {
        for (String method : methods) {
            made.add(type + "." + method);
        }
        return this;
    }

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        boolean isNew = spot.instruction.getOpcode() == Opcodes.NEW;
        MethodInsnNode call = isNew ? Flow.of(spot).usualConstructor() : spot.call();
        requireKnown(spot, call);
        int tag = tag(call.getOpcode(), isNew);
        Handle original = new Handle(tag, call.owner, call.name, call.desc, call.itf);
        InsnList code = new InsnList();
        code.add(spot.dynamicOfOurs("Remembered.site", SITE, descriptor(call, isNew), original, spot.place.number, kind));
        if (isNew) {
            // Before: two references to the allocated object, and ours. After: ours.
            code.add(new InsnNode(Opcodes.DUP_X2));
            code.add(new InsnNode(Opcodes.POP));
            code.add(new InsnNode(Opcodes.POP2));
        }
        spot.replace(call, code);
    }

    private void requireKnown(Spot spot, MethodInsnNode call) throws Refused {
        if (!made.contains(call.owner + "." + call.name)) {
            String what = call.name.equals("<init>") ? "new objects" : "the result of " + call.name;
            throw new Refused("whittle does not know whether calls can share " + what + " of the class " + call.owner.replace('/', '.'));
        }
        if (spot.classVersion < Opcodes.V1_7) {
            throw new Refused("the class file is older than Java 7");
        }
        if (spot.className.startsWith("java/") || spot.className.startsWith("jdk/") || spot.className.startsWith("sun/")) {
            throw new Refused("the place is in the JDK");
        }
    }

    private static int tag(int opcode, boolean isNew) throws Refused {
        switch (opcode) {
            case Opcodes.INVOKESTATIC:
                return Opcodes.H_INVOKESTATIC;
            case Opcodes.INVOKEVIRTUAL:
                return Opcodes.H_INVOKEVIRTUAL;
            case Opcodes.INVOKEINTERFACE:
                return Opcodes.H_INVOKEINTERFACE;
            default:
                if (isNew) {
                    return Opcodes.H_NEWINVOKESPECIAL;
                }
                throw new Refused("the method calls a method of its parent");
        }
    }

    /** The parameters with the receiver, and the result. */
    private static String descriptor(MethodInsnNode call, boolean isNew) {
        if (isNew) {
            return call.desc.substring(0, call.desc.length() - 1) + "L" + call.owner + ";";
        }
        return call.getOpcode() == Opcodes.INVOKESTATIC ? call.desc : "(L" + call.owner + ";" + call.desc.substring(1);
    }
}
