package net.hooli.lookup;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

/** Settings are looked up in a document by path. */
public final class Settings {
    private final Document document;

    Settings(Document document) {
        this.document = document;
    }

    String get(String path) {
        try {
            return path().evaluate(path, document);
        } catch (XPathExpressionException wrong) {
            throw new IllegalArgumentException(path, wrong);
        }
    }

    // [new] private static final ThreadLocal<XPath> PATH = ThreadLocal.withInitial(() -> XPathFactory.newInstance().newXPath());

    private static XPath path() {
        return XPathFactory.newInstance().newXPath(); // [call] [edit]
        // [new] return PATH.get();
    }

    static Document read(String text) {
        try {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(text.getBytes()));
        } catch (Exception wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    public static void main(String[] arguments) {
        String text = "<settings><net><port>80</port><host>example</host></net><log level='info'/></settings>";
        List<String> paths = List.of("/settings/net/port", "/settings/net/host", "/settings/log/@level");
        Load.onThreads(2, "config", () -> {
            Settings settings = new Settings(read(text));
            return () -> Load.kept = paths.stream().map(settings::get).toList();
        });
    }
}
