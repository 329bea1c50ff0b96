package whittle.patch;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.util.TreePath;
import java.util.List;
import javax.lang.model.element.Element;

/**
 * An object that is made from constants becomes a constant of the outermost class: a pattern, or a formatter of dates. A call of a
 * method of String becomes a call of the pattern's method. Other objects are {@link PerThread}.
 */
final class Constant implements Form {
    private static final String PATTERN = "java.util.regex.Pattern";
    private static final String FORMATTER = "java.time.format.DateTimeFormatter";

    @Override
    public void change(Source source, TreePath expression, Changes changes) throws Refused {
        Element method = source.element(expression);
        if (!(expression.getLeaf() instanceof MethodInvocationTree)) {
            PerThread.change(source, expression, method.getEnclosingElement(), changes);
            return;
        }
        MethodInvocationTree call = (MethodInvocationTree) expression.getLeaf();
        String name = method.getSimpleName().toString();
        Imports imports = new Imports(source, changes);
        switch (method.getEnclosingElement() + "." + name) {
            case PATTERN + ".compile":
                replaceAll(source, expression, field(source, expression, call.getArguments(), imports.name(PATTERN), changes), changes);
                break;
            case FORMATTER + ".ofPattern":
                replaceAll(source, expression, field(source, expression, call.getArguments(), imports.name(FORMATTER), changes), changes);
                break;
            case PATTERN + ".matches":
                changes.replace(source.start(call), source.start(call.getArguments().get(1)),
                    pattern(source, expression, imports, changes) + ".matcher(");
                changes.replace(source.end(call.getArguments().get(1)), source.end(call), ").matches()");
                break;
            case "java.lang.String.split":
                changeCall(source, expression, pattern(source, expression, imports, changes) + ".split(", ", ", ")", changes);
                break;
            case "java.lang.String.matches":
            case "java.lang.String.replaceAll":
            case "java.lang.String.replaceFirst":
                changeCall(source, expression, pattern(source, expression, imports, changes) + ".matcher(", ")." + name + "(",
                    ")." + name + "()", changes);
                break;
            default:
                PerThread.change(source, expression, method.getEnclosingElement(), changes);
        }
    }

    /** The name of a new constant with the pattern of the first argument. */
    private static String pattern(Source source, TreePath expression, Imports imports, Changes changes) throws Refused {
        MethodInvocationTree call = (MethodInvocationTree) expression.getLeaf();
        return field(source, expression, call.getArguments().subList(0, 1), imports.name(PATTERN), changes);
    }

    private static String field(Source source, TreePath expression, List<? extends ExpressionTree> arguments, String type, Changes changes)
        throws Refused {
        StringBuilder values = new StringBuilder();
        for (ExpressionTree each : arguments) {
            values.append(values.length() == 0 ? "" : ", ").append(ConstantText.of(source, new TreePath(expression, each)));
        }
        boolean isPattern = type.endsWith("Pattern");
        String name = source.freshName(isPattern ? "PATTERN" : "FORMATTER");
        String value = type + (isPattern ? ".compile(" : ".ofPattern(") + values + ")";
        new NewField(source, Source.outermostClass(expression)).add(type + " " + name + " = " + value + ";", changes);
        return name;
    }

    private static void replaceAll(Source source, TreePath expression, String text, Changes changes) {
        changes.replace(source.start(expression.getLeaf()), source.end(expression.getLeaf()), text);
    }

    /**
     * Changes `text.method(regex, more)` to `before` text `between` more `)`, and `text.method(regex)` to `before` text `atEnd`.
     */
    private static void changeCall(
        Source source, TreePath expression, String before, String between, String atEnd, Changes changes) throws Refused {
        MethodInvocationTree call = (MethodInvocationTree) expression.getLeaf();
        if (!(call.getMethodSelect() instanceof MemberSelectTree)) {
            throw new Refused("the call has no object before the dot");
        }
        ExpressionTree text = ((MemberSelectTree) call.getMethodSelect()).getExpression();
        changes.insertBefore(source.start(call), source.end(call), before);
        if (call.getArguments().size() > 1) {
            changes.replace(source.end(text), source.start(call.getArguments().get(1)), between);
        } else {
            changes.replace(source.end(text), source.end(call), atEnd);
        }
    }
}
