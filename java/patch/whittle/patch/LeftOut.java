package whittle.patch;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;

/** The statement is left out. */
final class LeftOut implements Form {
    @Override
    public void change(Source source, TreePath expression, Changes changes) throws Refused {
        TreePath parent = expression.getParentPath();
        if (parent.getLeaf() instanceof LambdaExpressionTree) {
            changes.replace(source.start(expression.getLeaf()), source.end(expression.getLeaf()), "{ }");
            return;
        }
        if (!(parent.getLeaf() instanceof ExpressionStatementTree)) {
            throw new Refused("the call is a part of an expression");
        }
        Tree statement = parent.getLeaf();
        Tree around = parent.getParentPath().getLeaf();
        if (around instanceof BlockTree || around instanceof CaseTree) {
            remove(source, statement, changes);
        } else {
            changes.replace(source.start(statement), source.end(statement), "{ }");
        }
    }

    /** Removes a statement, with its lines if nothing else is on them. */
    private static void remove(Source source, Tree statement, Changes changes) {
        int start = source.lineStart(source.start(statement));
        int end = source.lineEnd(source.end(statement));
        String before = source.text.substring(start, (int) source.start(statement));
        String after = source.text.substring((int) source.end(statement), end);
        if (before.trim().isEmpty() && after.trim().isEmpty()) {
            changes.replace(start, end, "");
        } else {
            changes.replace(source.start(statement), source.end(statement), "");
        }
    }
}
