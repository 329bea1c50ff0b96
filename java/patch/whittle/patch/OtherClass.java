package whittle.patch;

import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;

/** An object of another class: `new ArrayList<>()` for `new LinkedList<>()`. */
final class OtherClass implements Form {
    private final String className;

    OtherClass(String className) {
        this.className = className;
    }

    @Override
    public void change(Source source, TreePath expression, Changes changes) throws Refused {
        Tree type = ((NewClassTree) expression.getLeaf()).getIdentifier();
        Tree name = type instanceof ParameterizedTypeTree ? ((ParameterizedTypeTree) type).getType() : type;
        changes.replace(source.start(name), source.end(name), new Imports(source, changes).name(className));
        DeclaredType.widen(source, expression, className, className, changes);
    }
}
