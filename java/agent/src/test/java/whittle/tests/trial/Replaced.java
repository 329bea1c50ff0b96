package whittle.tests.trial;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;

/** Loads classes from jars, but uses other files for some of them. */
final class Replaced extends URLClassLoader {
    private final Map<String, byte[]> files;

    /** The files have JVM names. */
    Replaced(List<String> jars, Map<String, byte[]> files) throws IOException {
        super(jars.stream().map(Replaced::url).toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        this.files = files;
    }

    private static URL url(String jar) {
        try {
            return new File(jar).toURI().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] file = files.get(name.replace('.', '/'));
        return file == null ? super.findClass(name) : defineClass(name, file, 0, file.length);
    }

    /** Why the JVM rejects a class, or null. Reading the constructors links the class, which verifies it. */
    String problem(String name) {
        try {
            Class.forName(name.replace('/', '.'), false, this).getDeclaredConstructors();
            return null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException problem) {
            return problem.toString();
        }
    }
}
