package whittle.patch;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.util.TreeScanner;

/** Names of classes in a file, with an import if the file needs one. */
final class Imports {
    private final Source source;
    private final Changes changes;

    Imports(Source source, Changes changes) {
        this.source = source;
        this.changes = changes;
    }

    /** How the file can name this class. Adds an import, unless the short name means another class. */
    String name(String className) {
        String packageName = className.substring(0, className.lastIndexOf('.'));
        String shortName = className.substring(className.lastIndexOf('.') + 1);
        boolean isStar = packageName.equals("java.lang") || packageName.equals(source.packageName());
        for (ImportTree each : source.unit.getImports()) {
            String imported = each.getQualifiedIdentifier().toString();
            if (each.isStatic()) {
                continue;
            }
            if (imported.equals(className)) {
                return shortName;
            }
            if (imported.endsWith("." + shortName)) {
                return className;
            }
            isStar |= imported.equals(packageName + ".*");
        }
        if (isDeclared(shortName) || !isStar && isInPackage(shortName)) {
            return className;
        }
        if (!isStar) {
            add(className);
        }
        return shortName;
    }

    /** Whether the file declares a class with this name. */
    private boolean isDeclared(String shortName) {
        Boolean isDeclared = new TreeScanner<Boolean, Void>() {
            @Override
            public Boolean visitClass(ClassTree tree, Void none) {
                return tree.getSimpleName().contentEquals(shortName) ? Boolean.TRUE : super.visitClass(tree, none);
            }

            @Override
            public Boolean reduce(Boolean first, Boolean second) {
                return Boolean.TRUE.equals(first) || Boolean.TRUE.equals(second);
            }
        }.scan(source.unit, null);
        return Boolean.TRUE.equals(isDeclared);
    }

    private boolean isInPackage(String shortName) {
        String packageName = source.packageName();
        String name = packageName.isEmpty() ? shortName : packageName + "." + shortName;
        return source.compilation.elements().getTypeElement(name) != null;
    }

    /** Adds an import before the first one with a larger name. */
    private void add(String className) {
        String line = "import " + className + ";" + source.lineBreak();
        ImportTree last = null;
        for (ImportTree each : source.unit.getImports()) {
            if (each.isStatic()) {
                continue;
            }
            if (each.getQualifiedIdentifier().toString().compareTo(className) > 0) {
                changes.insert(source.start(each), line);
                return;
            }
            last = each;
        }
        if (last != null) {
            changes.insert(source.lineEnd(source.end(last)), line);
        } else if (source.unit.getPackageName() != null) {
            long place = source.lineEnd(source.end(source.unit.getPackageName()));
            changes.insert(place, source.lineBreak());
            changes.insert(place, line);
        } else {
            changes.insert(0, line);
            changes.insertLast(0, source.lineBreak());
        }
    }
}
