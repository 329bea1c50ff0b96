package whittle.patch;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import java.util.EnumSet;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;

/** The text of a constant expression, so that it means the same at the start of the outermost class. */
final class ConstantText {
    private static final Set<Modifier> CONSTANT = EnumSet.of(Modifier.STATIC, Modifier.FINAL);

    private ConstantText() {
    }

    static String of(Source source, TreePath path) throws Refused {
        Tree tree = path.getLeaf();
        if (tree instanceof LiteralTree) {
            return source.textOf(tree);
        }
        if (tree instanceof ParenthesizedTree) {
            return "(" + of(source, new TreePath(path, ((ParenthesizedTree) tree).getExpression())) + ")";
        }
        if (tree instanceof BinaryTree) {
            return ofBinary(source, path);
        }
        Element field = source.element(path);
        if (tree instanceof MemberSelectTree && isConstant(source, field)) {
            return source.textOf(tree);
        }
        if (tree instanceof IdentifierTree && isConstant(source, field)) {
            // The short name of a field that is declared later is not allowed.
            return className(source, (TypeElement) field.getEnclosingElement()) + "." + field.getSimpleName();
        }
        throw new Refused("the argument " + source.textOf(tree) + " is not a constant, so the fix is a cache or a parameter");
    }

    private static String ofBinary(Source source, TreePath path) throws Refused {
        BinaryTree binary = (BinaryTree) path.getLeaf();
        String left = of(source, new TreePath(path, binary.getLeftOperand()));
        String right = of(source, new TreePath(path, binary.getRightOperand()));
        int start = (int) source.end(binary.getLeftOperand());
        return left + source.text.substring(start, (int) source.start(binary.getRightOperand())) + right;
    }

    /** The name of a class, without the package if the class is in the package of the file. */
    private static String className(Source source, TypeElement type) {
        String name = type.getQualifiedName().toString();
        String start = source.packageName() + ".";
        return name.startsWith(start) ? name.substring(start.length()) : name;
    }

    /** A constant of the language, or a constant of a class outside of the file, such as `Locale.ROOT`. */
    private static boolean isConstant(Source source, Element element) {
        if (!(element instanceof VariableElement) || !element.getModifiers().containsAll(CONSTANT)) {
            return false;
        }
        boolean isElsewhere = source.declaration(element) == null && element.getModifiers().contains(Modifier.PUBLIC);
        return ((VariableElement) element).getConstantValue() != null || isElsewhere;
    }
}
