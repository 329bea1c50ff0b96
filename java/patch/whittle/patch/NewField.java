package whittle.patch;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;

/** A new constant at the start of a class. */
final class NewField {
    private final Source source;
    private final TreePath owner;
    private final ClassTree tree;

    NewField(Source source, TreePath owner) {
        this.source = source;
        this.owner = owner;
        tree = (ClassTree) owner.getLeaf();
    }

    void add(String declaration, Changes changes) throws Refused {
        // All fields of an interface are public constants.
        boolean isInterface = tree.getKind() == Tree.Kind.INTERFACE || tree.getKind() == Tree.Kind.ANNOTATION_TYPE;
        long place = place();
        Tree next = firstMember(place);
        String line = source.lineBreak() + indentation(next) + (isInterface ? "" : "private static final ") + declaration;
        boolean isField = next instanceof VariableTree;
        changes.insert(lineEndIfRestIsComment(place), line + (next == null || isField ? "" : source.lineBreak()));
    }

    /** The first member that is written after a place. */
    private Tree firstMember(long place) {
        for (Tree each : tree.getMembers()) {
            if (source.end(each) > source.start(each) && source.start(each) >= place) {
                return each;
            }
        }
        return null;
    }

    private long lineEndIfRestIsComment(long place) {
        int end = (int) place;
        while (end < source.text.length() && source.text.charAt(end) != '\n' && source.text.charAt(end) != '\r') {
            end++;
        }
        String rest = source.text.substring((int) place, end).trim();
        return rest.isEmpty() || rest.startsWith("//") ? end : place;
    }

    private boolean isEnumConstant(Tree member) {
        Element element = source.element(owner, member);
        return element != null && element.getKind() == ElementKind.ENUM_CONSTANT;
    }

    private String indentation(Tree next) {
        return next == null ? source.indentation(source.start(tree)) + "    " : source.indentation(source.start(next));
    }

    /** The position after the brace of the class, or after the constants of an enum. */
    private long place() throws Refused {
        if (tree.getKind() == Tree.Kind.ENUM) {
            return after(';', lastEnumConstantEnd());
        }
        long header = Math.max(source.start(tree), source.end(tree.getModifiers()));
        if (tree.getExtendsClause() != null) {
            header = Math.max(header, source.end(tree.getExtendsClause()));
        }
        for (Tree each : tree.getImplementsClause()) {
            header = Math.max(header, source.end(each));
        }
        return after('{', header);
    }

    private long lastEnumConstantEnd() {
        long end = source.start(tree);
        for (Tree each : tree.getMembers()) {
            if (isEnumConstant(each)) {
                end = Math.max(end, source.end(each));
            }
        }
        return end;
    }

    /** The position after the next `wanted` outside of comments. */
    private long after(char wanted, long from) throws Refused {
        String text = source.text;
        for (int at = (int) from; at < text.length(); at++) {
            if (text.startsWith("/*", at)) {
                at = text.indexOf("*/", at) + 1;
            } else if (text.startsWith("//", at)) {
                at = source.lineEnd(at) - 1;
            } else if (text.charAt(at) == wanted) {
                return at + 1;
            }
        }
        throw new Refused("the start of the class was not found");
    }
}
