package whittle.agent.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;

/**
 * Lets a local variable that the method appends to, as in `text += part`, hold a growing text instead of a String. All other uses of
 * the variable in the method still get a String.
 */
final class Appending implements Remedy {
    private static final String GROWING = "L" + TextVariable.GROWING + ";";
    private static final String TEXT = "Ljava/lang/String;";

    @Override
    public void apply(Spot spot) throws Refused, AnalyzerException {
        AbstractInsnNode stored = Concatenation.following(Concatenation.of(spot));
        if (stored.getOpcode() != Opcodes.ASTORE) {
            throw new Refused("the method does not keep the text in a local variable");
        }
        TextVariable variable = TextVariable.of(spot, stored);
        Map<AbstractInsnNode, InvokeDynamicInsnNode> appended = variable.appended();
        if (!appended.containsValue(spot.instruction)) {
            throw new Refused("the line does not append to the text of the same variable");
        }
        variable.requireSoleUser();
        variable.retype();
        change(spot, variable, appended);
    }

    private static void change(Spot spot, TextVariable variable, Map<AbstractInsnNode, InvokeDynamicInsnNode> appended) {
        List<AbstractInsnNode> appendedStores = new ArrayList<>();
        for (InvokeDynamicInsnNode concatenation : appended.values()) {
            appendedStores.add(Concatenation.following(concatenation));
            append(spot, concatenation);
        }
        for (AbstractInsnNode store : variable.stores()) {
            if (!appendedStores.contains(store)) {
                spot.insertBefore(store, only(spot.ours("GrowingText.of", "(Ljava/lang/Object;)" + GROWING)));
            }
        }
        for (AbstractInsnNode load : variable.loads()) {
            if (!appended.containsKey(load)) {
                spot.insertAfter(load, only(spot.ours("GrowingText.text", "(" + GROWING + ")" + TEXT)));
            }
        }
    }

    /** Makes the text of all other operands, and appends it to the variable's text. */
    private static void append(Spot spot, InvokeDynamicInsnNode concatenation) {
        spot.insertAfter(concatenation, spot.callOurs("GrowingText.append", "(" + GROWING + TEXT + "I)" + GROWING));
        String recipe = ((String) concatenation.bsmArgs[0]).substring(1);
        concatenation.bsmArgs[0] = recipe;
        concatenation.desc = "(" + concatenation.desc.substring(TEXT.length() + 1);
        if (concatenation.desc.startsWith("()")) {
            spot.replace(concatenation, only(new LdcInsnNode(recipe)));
        }
    }

    private static InsnList only(AbstractInsnNode node) {
        InsnList code = new InsnList();
        code.add(node);
        return code;
    }
}
