package whittle.patch;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import javax.lang.model.type.TypeMirror;

/** The declared type of the variable that gets an object. */
final class DeclaredType {
    private DeclaredType() {
    }

    /** Changes the declared type to `wanted` if the variable cannot have an object of the class `created`. */
    static void widen(Source source, TreePath expression, String created, String wanted, Changes changes) throws Refused {
        TreePath declaration = declaration(source, expression);
        if (declaration == null) {
            return;
        }
        Tree type = ((VariableTree) declaration.getLeaf()).getType();
        boolean isWritten = type != null && source.end(type) > source.start(type) && !source.textOf(type).equals("var");
        if (!isWritten) {
            return;
        }
        TypeMirror declared = source.compilation.trees().getTypeMirror(new TreePath(declaration, type));
        boolean fits = source.compilation.types().isAssignable(source.type(created), source.compilation.types().erasure(declared));
        if (!fits) {
            Tree name = type instanceof ParameterizedTypeTree ? ((ParameterizedTypeTree) type).getType() : type;
            changes.replace(source.start(name), source.end(name), new Imports(source, changes).name(wanted));
        }
    }

    /** The declaration of the variable that gets the value of the expression. Null: no variable of this file. */
    private static TreePath declaration(Source source, TreePath expression) {
        TreePath parent = expression.getParentPath();
        if (parent.getLeaf() instanceof VariableTree) {
            return parent;
        }
        if (parent.getLeaf() instanceof AssignmentTree) {
            Tree variable = ((AssignmentTree) parent.getLeaf()).getVariable();
            return source.declaration(source.element(parent, variable));
        }
        return null;
    }
}
