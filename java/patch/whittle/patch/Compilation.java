package whittle.patch;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** One run of the compiler over some sources. Annotation processors, which are code of the class path, do not run. */
final class Compilation {
    private final JavacTask task;
    private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

    Compilation(List<Text> sources, String classPath, String classesFolder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = new ArrayList<>(Arrays.asList("-proc:none", "-nowarn", "-implicit:none", "-g", "-encoding", "UTF-8"));
        Collections.addAll(options, "-classpath", classPath, "-d", classesFolder);
        task = (JavacTask) compiler.getTask(null, null, diagnostics, options, null, sources);
    }

    /** The trees of the sources, in their order. All names in them are resolved. */
    List<CompilationUnitTree> analyzed() throws IOException {
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        return units;
    }

    /** Writes the classes. */
    void compile() {
        task.call();
    }

    /** The first error: `Log.java:5: cannot find symbol`. Null: no error. */
    String error() {
        for (Diagnostic<? extends JavaFileObject> each : diagnostics.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                JavaFileObject source = each.getSource();
                String place = source == null ? "" : source.getName().replaceFirst(".*/", "") + ":" + each.getLineNumber() + ": ";
                return (place + each.getMessage(Locale.ENGLISH)).replaceAll("\\s+", " ");
            }
        }
        return null;
    }

    Trees trees() {
        return Trees.instance(task);
    }

    Elements elements() {
        return task.getElements();
    }

    Types types() {
        return task.getTypes();
    }
}
