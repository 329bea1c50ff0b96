package whittle.patch;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import java.util.HashSet;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;

/** A source file with its tree. */
final class Source {
    final CompilationUnitTree unit;
    final String text;
    final Compilation compilation;
    private final SourcePositions positions;
    private final Set<String> names = new HashSet<>();

    Source(CompilationUnitTree unit, String text, Compilation compilation) {
        this.unit = unit;
        this.text = text;
        this.compilation = compilation;
        positions = compilation.trees().getSourcePositions();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitIdentifier(IdentifierTree tree, Void none) {
                names.add(tree.getName().toString());
                return super.visitIdentifier(tree, none);
            }

            @Override
            public Void visitVariable(VariableTree tree, Void none) {
                names.add(tree.getName().toString());
                return super.visitVariable(tree, none);
            }
        }.scan(unit, null);
    }

    /** The package of the file. Empty: no package. */
    String packageName() {
        return unit.getPackageName() == null ? "" : unit.getPackageName().toString();
    }

    long start(Tree tree) {
        return positions.getStartPosition(unit, tree);
    }

    long end(Tree tree) {
        return positions.getEndPosition(unit, tree);
    }

    long line(long position) {
        return unit.getLineMap().getLineNumber(position);
    }

    String textOf(Tree tree) {
        return text.substring((int) start(tree), (int) end(tree));
    }

    /** The line break of the file. */
    String lineBreak() {
        return text.contains("\r\n") ? "\r\n" : "\n";
    }

    /** The white space at the start of the line of a position. */
    String indentation(long position) {
        int start = lineStart(position);
        int end = start;
        while (end < text.length() && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) {
            end++;
        }
        return text.substring(start, end);
    }

    int lineStart(long position) {
        return text.lastIndexOf('\n', (int) position - 1) + 1;
    }

    /** The position after the line break of a line. */
    int lineEnd(long position) {
        int end = text.indexOf('\n', (int) position);
        return end < 0 ? text.length() : end + 1;
    }

    /** A name that the file does not use: NAME, NAME_2, NAME_3 and so on. */
    String freshName(String name) {
        String fresh = name;
        for (int number = 2; !names.add(fresh); number++) {
            fresh = name + "_" + number;
        }
        return fresh;
    }

    Element element(TreePath path) {
        return compilation.trees().getElement(path);
    }

    Element element(TreePath parent, Tree tree) {
        return element(new TreePath(parent, tree));
    }

    TypeMirror type(String className) throws Refused {
        TypeElement type = compilation.elements().getTypeElement(className);
        if (type == null) {
            throw new Refused("the class path has no " + className);
        }
        return compilation.types().erasure(type.asType());
    }

    /** The declaration of a variable in this file. Null: not in this file. */
    TreePath declaration(Element variable) {
        return new TreePathScanner<TreePath, Void>() {
            @Override
            public TreePath visitVariable(VariableTree tree, Void none) {
                return variable.equals(element(getCurrentPath())) ? getCurrentPath() : super.visitVariable(tree, none);
            }

            @Override
            public TreePath reduce(TreePath first, TreePath second) {
                return first == null ? second : first;
            }
        }.scan(unit, null);
    }

    /** The outermost class around a place. */
    static TreePath outermostClass(TreePath place) {
        TreePath outermost = null;
        for (TreePath path = place; path != null; path = path.getParentPath()) {
            if (path.getLeaf() instanceof ClassTree) {
                outermost = path;
            }
        }
        return outermost;
    }
}
