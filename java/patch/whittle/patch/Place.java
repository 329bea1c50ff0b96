package whittle.patch;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/** The expressions of a source that do an operation, such as `new java/io/FileOutputStream`. */
final class Place {
    private Place() {
    }

    /** The expressions for places on this line with this operation. `count`: the number of these places. */
    static List<TreePath> find(Source source, long line, String operation, int count) throws Refused {
        List<TreePath> all = withOperation(source, operation);
        List<TreePath> found = filtered(all, path -> ownLine(source, path) == line);
        if (found.isEmpty()) {
            // The compiler gives a `new` the line of its statement.
            found = filtered(all, path -> isAround(source, path, line));
        }
        if (found.size() == 1 || found.size() == count) {
            return found;
        }
        String what = operation.substring(operation.indexOf(' ') + 1).replace('/', '.');
        throw new Refused(found.isEmpty()
            ? "line " + line + " has no " + what + ", so the source is not the one of the program"
            : "line " + line + " has " + found.size() + " times " + what);
    }

    private interface Check {
        boolean holds(TreePath path);
    }

    private static List<TreePath> filtered(List<TreePath> all, Check check) {
        List<TreePath> found = new ArrayList<>();
        all.stream().filter(check::holds).forEach(found::add);
        return found;
    }

    private static List<TreePath> withOperation(Source source, String operation) {
        List<TreePath> found = new ArrayList<>();
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitNewClass(NewClassTree tree, Void none) {
                Element constructor = source.element(getCurrentPath());
                if (tree.getClassBody() == null && constructor != null && operation.equals("new " + owner(source, constructor))) {
                    found.add(getCurrentPath());
                }
                return super.visitNewClass(tree, none);
            }

            @Override
            public Void visitMethodInvocation(MethodInvocationTree tree, Void none) {
                Element method = source.element(getCurrentPath());
                if (method != null && operation.equals("call " + owner(source, method) + "." + method.getSimpleName())) {
                    found.add(getCurrentPath());
                }
                return super.visitMethodInvocation(tree, none);
            }
        }.scan(source.unit, null);
        return found;
    }

    /** The class of a method or constructor, named as in the JVM. */
    private static String owner(Source source, Element member) {
        Element owner = member.getEnclosingElement();
        boolean isClass = owner instanceof TypeElement;
        return isClass ? source.compilation.elements().getBinaryName((TypeElement) owner).toString().replace('.', '/') : "";
    }

    /** The line of a creation's `new`, or of a call's name. */
    private static long ownLine(Source source, TreePath path) {
        Tree tree = path.getLeaf();
        if (tree instanceof MethodInvocationTree) {
            ExpressionTree name = ((MethodInvocationTree) tree).getMethodSelect();
            return source.line(source.end(name));
        }
        return source.line(source.start(tree));
    }

    private static boolean isAround(Source source, TreePath path, long line) {
        Tree statement = statement(path);
        return source.line(source.start(statement)) <= line && line <= source.line(source.end(path.getLeaf()));
    }

    /** The statement or declaration around an expression. */
    private static Tree statement(TreePath path) {
        for (TreePath each = path; each.getParentPath() != null; each = each.getParentPath()) {
            boolean isBody = each.getParentPath().getLeaf() instanceof LambdaExpressionTree;
            if (isBody || each.getLeaf() instanceof StatementTree || each.getLeaf() instanceof VariableTree) {
                return each.getLeaf();
            }
        }
        return path.getLeaf();
    }
}
