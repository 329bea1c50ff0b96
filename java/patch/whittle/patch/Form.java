package whittle.patch;

import com.sun.source.util.TreePath;
import java.util.List;

/** What a remedy is in the source. */
interface Form {
    /** Adds the changes for an expression. */
    void change(Source source, TreePath expression, Changes changes) throws Refused;

    /** The form with this name, and its arguments. */
    static Form named(List<String> words) throws Refused {
        switch (words.get(0)) {
            case "wrap":
                return new Wrapped(words.get(1), words.get(2));
            case "instead":
                return new OtherClass(words.get(1));
            case "argument":
                return new Argument(words.get(1));
            case "constant":
                return new Constant();
            case "leave-out":
                return new LeftOut();
            default:
                throw new Refused("the form " + words.get(0) + " is unknown");
        }
    }
}
