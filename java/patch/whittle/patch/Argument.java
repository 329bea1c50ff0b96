package whittle.patch;

import com.sun.source.tree.NewClassTree;
import com.sun.source.util.TreePath;

/** The only argument of a constructor without arguments: `new ArrayList<>(1024)`. */
final class Argument implements Form {
    private final String value;

    Argument(String value) {
        this.value = value;
    }

    @Override
    public void change(Source source, TreePath expression, Changes changes) throws Refused {
        NewClassTree creation = (NewClassTree) expression.getLeaf();
        if (!creation.getArguments().isEmpty()) {
            throw new Refused("the constructor has arguments");
        }
        changes.insert(source.end(creation) - 1, value);
    }
}
