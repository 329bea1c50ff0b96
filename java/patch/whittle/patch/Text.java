package whittle.patch;

import java.net.URI;
import javax.tools.SimpleJavaFileObject;

/** The text of a source file for the compiler. */
final class Text extends SimpleJavaFileObject {
    private final String text;

    /** NAME is the name of the file without folders, because the compiler compares it with the names of public classes. */
    Text(String name, String text) {
        super(URI.create("memory:///" + name), Kind.SOURCE);
        this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoresEncodingErrors) {
        return text;
    }

    String text() {
        return text;
    }
}
