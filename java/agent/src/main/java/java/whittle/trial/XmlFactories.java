package java.whittle.trial;

import java.lang.ref.WeakReference;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.xpath.XPathFactory;
import javax.xml.xpath.XPathFactoryConfigurationException;

/**
 * Factories of XML. The first call of a place searches the class of the factory. Later calls with the same context class loader make
 * a new factory of the same class.
 */
public final class XmlFactories {
    private static final Found[] FOUND = new Found[Places.LIMIT];

    private XmlFactories() {
    }

    /** The class that the search found. It keeps no class loader alive. */
    private static final class Found {
        final WeakReference<ClassLoader> context;
        final WeakReference<Class<?>> type;

        Found(ClassLoader context, Class<?> type) {
            this.context = new WeakReference<ClassLoader>(context);
            this.type = new WeakReference<Class<?>>(type);
        }
    }

    /** Instead of the method without parameters. */
    public static DocumentBuilderFactory documents(int place) {
        Class<?> type = known(place);
        if (type != null) {
            return DocumentBuilderFactory.newInstance(type.getName(), type.getClassLoader());
        }
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        remember(factory, place);
        return factory;
    }

    /** Instead of the method without parameters. */
    public static SAXParserFactory parsers(int place) {
        Class<?> type = known(place);
        if (type != null) {
            return SAXParserFactory.newInstance(type.getName(), type.getClassLoader());
        }
        SAXParserFactory factory = SAXParserFactory.newInstance();
        remember(factory, place);
        return factory;
    }

    /** Instead of the method without parameters. */
    public static TransformerFactory transformers(int place) {
        Class<?> type = known(place);
        if (type != null) {
            return TransformerFactory.newInstance(type.getName(), type.getClassLoader());
        }
        TransformerFactory factory = TransformerFactory.newInstance();
        remember(factory, place);
        return factory;
    }

    /** Instead of the method without parameters. */
    public static XPathFactory paths(int place) {
        Class<?> type = known(place);
        if (type != null) {
            try {
                return XPathFactory.newInstance(XPathFactory.DEFAULT_OBJECT_MODEL_URI, type.getName(), type.getClassLoader());
            } catch (XPathFactoryConfigurationException notPossible) {
                return XPathFactory.newInstance();
            }
        }
        XPathFactory factory = XPathFactory.newInstance();
        remember(factory, place);
        return factory;
    }

    private static Class<?> known(int place) {
        Places.count(place);
        Found found = FOUND[place];
        boolean isSame = found != null && found.context.get() == Thread.currentThread().getContextClassLoader();
        return isSame ? found.type.get() : null;
    }

    private static void remember(Object factory, int place) {
        FOUND[place] = new Found(Thread.currentThread().getContextClassLoader(), factory.getClass());
    }
}
