package whittle.patch;

import com.sun.source.util.TreePath;

/** The object goes into another object: `new BufferedOutputStream(new FileOutputStream(file))`. */
final class Wrapped implements Form {
    private final String wrapper;
    private final String type;

    /** `type` is the type that both objects have. */
    Wrapped(String wrapper, String type) {
        this.wrapper = wrapper;
        this.type = type;
    }

    @Override
    public void change(Source source, TreePath expression, Changes changes) throws Refused {
        String name = new Imports(source, changes).name(wrapper);
        changes.insertBefore(source.start(expression.getLeaf()), source.end(expression.getLeaf()), "new " + name + "(");
        changes.insert(source.end(expression.getLeaf()), ")");
        DeclaredType.widen(source, expression, wrapper, type, changes);
    }
}
