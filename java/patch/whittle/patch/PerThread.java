package whittle.patch;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;

/**
 * A format becomes a constant with one object for each thread, because formats change while they are used. The object must be used
 * at once and nowhere else, as in `new SimpleDateFormat("HH:mm").format(date)`. So nobody changes how it formats.
 */
final class PerThread {
    private static final Set<String> FORMATS = new HashSet<>(Arrays.asList(
        "java.text.SimpleDateFormat", "java.text.DecimalFormat", "java.text.NumberFormat"));
    private static final Set<String> USES = new HashSet<>(Arrays.asList("format", "parse"));

    private PerThread() {
    }

    /** Changes the expression that makes an object of the class `type`. */
    static void change(Source source, TreePath expression, Element type, Changes changes) throws Refused {
        if (!FORMATS.contains(type.toString()) || !isUsedAtOnce(expression)) {
            throw new Refused("a " + type.getSimpleName() + " can have a state, so the fix needs a decision: one for each thread, or a new one");
        }
        for (ExpressionTree each : arguments(expression.getLeaf())) {
            ConstantText.of(source, new TreePath(expression, each));
        }
        Imports imports = new Imports(source, changes);
        String name = source.freshName("FORMAT");
        String value = "ThreadLocal.withInitial(() -> " + source.textOf(expression.getLeaf()) + ")";
        String field = "ThreadLocal<" + imports.name(type.toString()) + "> " + name + " = " + value + ";";
        new NewField(source, Source.outermostClass(expression)).add(field, changes);
        changes.replace(source.start(expression.getLeaf()), source.end(expression.getLeaf()), name + ".get()");
    }

    private static List<? extends ExpressionTree> arguments(Tree tree) {
        boolean isCreation = tree instanceof NewClassTree;
        return isCreation ? ((NewClassTree) tree).getArguments() : ((MethodInvocationTree) tree).getArguments();
    }

    private static boolean isUsedAtOnce(TreePath expression) {
        TreePath use = expression.getParentPath();
        if (!(use.getLeaf() instanceof MemberSelectTree)) {
            return false;
        }
        boolean isCall = use.getParentPath().getLeaf() instanceof MethodInvocationTree;
        return isCall && USES.contains(((MemberSelectTree) use.getLeaf()).getIdentifier().toString());
    }
}
