package whittle.agent.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/** Makes the text of a message only if its logger logs the message's level. One instruction replaces the concatenation and the call. */
final class TextIfLogged implements Remedy {
    private static final String SITE = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;"
        + "Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodHandle;I[Ljava/lang/Object;)"
        + "Ljava/lang/invoke/CallSite;";
    private static final Set<String> LOGGERS = new HashSet<>(Arrays.asList("org/slf4j/Logger", "org/apache/logging/log4j/Logger",
        "org/apache/commons/logging/Log", "ch/qos/logback/classic/Logger"));
    private static final Set<String> LEVELS = new HashSet<>(Arrays.asList("trace", "debug", "info", "warn", "error"));
    private static final Set<String> TYPES = new HashSet<>(Arrays.asList("(Ljava/lang/String;)V", "(Ljava/lang/Object;)V"));

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        InvokeDynamicInsnNode text = isConversion(spot.instruction) ? user(spot) : Concatenation.of(spot);
        AbstractInsnNode next = Concatenation.following(text);
        if (!(next instanceof MethodInsnNode) || !isLogging((MethodInsnNode) next)) {
            throw new Refused("the text is not the only argument of a logger's method that whittle knows");
        }
        MethodInsnNode call = (MethodInsnNode) next;
        int tag = call.getOpcode() == Opcodes.INVOKEINTERFACE ? Opcodes.H_INVOKEINTERFACE : Opcodes.H_INVOKEVIRTUAL;
        convertLater(spot, text);
        String check = "is" + Character.toUpperCase(call.name.charAt(0)) + call.name.substring(1) + "Enabled";
        List<Object> constants = new ArrayList<>(Arrays.asList(new Handle(tag, call.owner, check, "()Z", call.itf),
            new Handle(tag, call.owner, call.name, call.desc, call.itf), text.bsm, spot.place.number));
        constants.addAll(Arrays.asList(text.bsmArgs));
        String parameters = text.desc.substring(1, text.desc.indexOf(')'));
        InsnList code = new InsnList();
        code.add(spot.dynamicOfOurs("LogTexts.site", SITE, "(L" + call.owner + ";" + parameters + ")V", constants.toArray()));
        spot.replace(call, code);
        spot.method.instructions.remove(text);
    }

    /** Compilers convert each operand to a text before they concatenate the texts. */
    private static boolean isConversion(AbstractInsnNode node) {
        return node instanceof MethodInsnNode && node.getOpcode() == Opcodes.INVOKESTATIC
            && ((MethodInsnNode) node).owner.equals("java/lang/String")
            && ((MethodInsnNode) node).desc.equals("(Ljava/lang/Object;)Ljava/lang/String;");
    }

    /** The concatenation that gets the converted operand. */
    private static InvokeDynamicInsnNode user(Spot spot) throws Refused, AnalyzerException {
        for (AbstractInsnNode node : spot.method.instructions) {
            if (Concatenation.is(node) && conversions(spot, (InvokeDynamicInsnNode) node).containsValue(spot.instruction)) {
                return (InvokeDynamicInsnNode) node;
            }
        }
        throw new Refused("the text is no part of a concatenation");
    }

    /** The conversions of operands that only the concatenation uses, by the number of the operand. */
    private static Map<Integer, AbstractInsnNode> conversions(Spot spot, InvokeDynamicInsnNode text) throws AnalyzerException {
        Map<Integer, AbstractInsnNode> conversions = new LinkedHashMap<>();
        int count = Type.getArgumentTypes(text.desc).length;
        for (int operand = 0; operand < count; operand++) {
            AbstractInsnNode maker = Makers.only(spot, text, count - 1 - operand);
            if (isConversion(maker) && isDirect(maker, text)) {
                conversions.put(operand, maker);
            }
        }
        return conversions;
    }

    /** All instructions between both are executed one after the other, and none of them copies or stores the operand. */
    private static boolean isDirect(AbstractInsnNode maker, AbstractInsnNode user) {
        AbstractInsnNode node = maker.getNext();
        int opcode = Concatenation.following(maker).getOpcode();
        boolean isKept = opcode == Opcodes.ASTORE || opcode >= Opcodes.DUP && opcode <= Opcodes.SWAP;
        while (node != null && node != user && !(node instanceof FrameNode) && !(node instanceof JumpInsnNode)) {
            node = node.getNext();
        }
        return node == user && !isKept;
    }

    /** The concatenation converts the operands itself, so it does this only if it is executed. */
    private static void convertLater(Spot spot, InvokeDynamicInsnNode text) throws AnalyzerException {
        Map<Integer, AbstractInsnNode> conversions = conversions(spot, text);
        Type[] types = Type.getArgumentTypes(text.desc);
        for (Map.Entry<Integer, AbstractInsnNode> conversion : conversions.entrySet()) {
            types[conversion.getKey()] = Type.getObjectType("java/lang/Object");
            spot.method.instructions.remove(conversion.getValue());
        }
        text.desc = Type.getMethodDescriptor(Type.getReturnType(text.desc), types);
    }

    private static boolean isLogging(MethodInsnNode call) {
        boolean isOfObject = call.getOpcode() == Opcodes.INVOKEINTERFACE || call.getOpcode() == Opcodes.INVOKEVIRTUAL;
        return isOfObject && LOGGERS.contains(call.owner) && LEVELS.contains(call.name) && TYPES.contains(call.desc);
    }
}
