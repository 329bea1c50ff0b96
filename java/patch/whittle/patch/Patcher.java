package whittle.patch;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes sources of a program as remedies say, and compiles them before and after with the class path of the program.
 *
 * <pre>
 * request:  classpath PATHS                                  answer:  refused NUMBER REASON
 *           folder FOLDER                                             unchecked REASON   the unchanged sources do not compile
 *           source FILE NAME                                          broken REASON      the changed sources do not compile
 *           edit NUMBER LINE OPERATION FORM [ARGUMENT…]               compiled
 * </pre>
 *
 * Tabs separate the words of a line. An edit belongs to the source before it. The changed text of the first source is
 * FOLDER/1.new, and so on. The classes of the changed sources are in FOLDER/after.
 */
public final class Patcher {
    private String classPath = "";
    private Path folder;
    private final List<Text> sources = new ArrayList<>();
    private final List<List<Edit>> edits = new ArrayList<>();
    private final PrintStream answer;

    private Patcher(PrintStream answer) {
        this.answer = answer;
    }

    /** The argument is the file with the request. */
    public static void main(String[] words) throws IOException {
        PrintStream answer = new PrintStream(System.out, true, StandardCharsets.UTF_8.name());
        Patcher patcher = new Patcher(answer);
        for (String line : Files.readAllLines(Paths.get(words[0]), StandardCharsets.UTF_8)) {
            patcher.read(line.split("\t", -1));
        }
        patcher.run();
    }

    private void read(String[] words) throws IOException {
        switch (words[0]) {
            case "classpath":
                classPath = words[1];
                break;
            case "folder":
                folder = Paths.get(words[1]);
                break;
            case "source":
                sources.add(new Text(words[2], new String(Files.readAllBytes(Paths.get(words[1])), StandardCharsets.UTF_8)));
                edits.add(new ArrayList<>());
                break;
            case "edit":
                edits.get(edits.size() - 1).add(new Edit(words));
                break;
            default:
                throw new IOException("the request has a line of an unknown kind: " + words[0]);
        }
    }

    private void run() throws IOException {
        Compilation before = new Compilation(sources, classPath, classes("before"));
        List<CompilationUnitTree> units = before.analyzed();
        if (before.error() != null) {
            answer.println("unchecked\t" + before.error());
            return;
        }
        List<Text> changed = new ArrayList<>();
        for (int number = 0; number < units.size(); number++) {
            Text old = sources.get(number);
            String text = changed(new Source(units.get(number), old.text(), before), edits.get(number));
            Files.write(folder.resolve(number + 1 + ".new"), text.getBytes(StandardCharsets.UTF_8));
            changed.add(new Text(Paths.get(old.getName()).getFileName().toString(), text));
        }
        Compilation after = new Compilation(changed, classPath, classes("after"));
        after.compile();
        answer.println(after.error() == null ? "compiled" : "broken\t" + after.error());
    }

    private String classes(String name) throws IOException {
        return Files.createDirectories(folder.resolve(name)).toString();
    }

    private String changed(Source source, List<Edit> edits) {
        Changes all = new Changes();
        groups(edits).values().forEach(group -> change(source, group, all));
        try {
            return all.applied(source.text);
        } catch (Refused refused) {
            edits.forEach(edit -> refuse(edit, refused));
            return source.text;
        }
    }

    /** Edits of the same line and operation belong together. */
    private static Map<String, List<Edit>> groups(List<Edit> edits) {
        Map<String, List<Edit>> groups = new LinkedHashMap<>();
        edits.forEach(edit -> groups.computeIfAbsent(edit.line + " " + edit.operation, key -> new ArrayList<>()).add(edit));
        return groups;
    }

    private void change(Source source, List<Edit> group, Changes all) {
        Edit first = group.get(0);
        try {
            Changes changes = new Changes();
            for (TreePath expression : Place.find(source, first.line, first.operation, group.size())) {
                Form.named(first.form).change(source, expression, changes);
            }
            all.addAll(changes);
        } catch (Refused refused) {
            group.forEach(edit -> refuse(edit, refused));
        }
    }

    private void refuse(Edit edit, Refused refused) {
        answer.println("refused\t" + edit.number + "\t" + refused.getMessage().replaceAll("\\s+", " "));
    }

    private static final class Edit {
        final String number;
        final long line;
        final String operation;
        final List<String> form;

        Edit(String[] words) {
            number = words[1];
            line = Long.parseLong(words[2]);
            operation = words[3];
            form = Arrays.asList(words).subList(4, words.length);
        }
    }
}
