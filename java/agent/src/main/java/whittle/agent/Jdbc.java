package whittle.agent;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;

/**
 * The classes of JDBC drivers and of their wrappers: all that implement a statement or a connection of `java.sql`.
 *
 * <p>A class that is being loaded is recognised by the names in its file, because asking for its types could load classes. A loaded
 * class is asked for its types.
 */
final class Jdbc {
    private static final String STATEMENT = "java.sql.Statement";
    private static final String CONNECTION = "java.sql.Connection";

    /** The file of a class with a changed method contains this text. Looking for it costs less than reading the file's names. */
    private static final byte[] PACKAGE = "java/sql/".getBytes(StandardCharsets.US_ASCII);
    /** How far the search for the text can go on if this byte is at the place of its last byte (Horspool's algorithm). */
    private static final byte[] STEPS = steps();

    /** A program has at most some hundreds of such classes. */
    private static final int MOST_NAMES = 10_000;

    private static final List<Site> OF_STATEMENTS = ofStatements();
    private static final List<Site> OF_CONNECTIONS = ofConnections();

    /** The classes and interfaces that are known to be statements or connections. */
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private volatile Class<?> statement;
    private volatile Class<?> connection;

    Jdbc() {
        names.addAll(Arrays.asList("java/sql/Statement", "java/sql/PreparedStatement", "java/sql/CallableStatement",
            "java/sql/Connection"));
    }

    private static byte[] steps() {
        byte[] steps = new byte[256];
        Arrays.fill(steps, (byte) PACKAGE.length);
        for (int place = 0; place < PACKAGE.length - 1; place++) {
            steps[PACKAGE[place]] = (byte) (PACKAGE.length - 1 - place);
        }
        return steps;
    }

    private static boolean mentionsPackage(byte[] file) {
        int last = PACKAGE.length - 1;
        for (int end = last; end < file.length; end += STEPS[file[end] & 0xff]) {
            int place = last;
            while (place >= 0 && file[end - last + place] == PACKAGE[place]) {
                place--;
            }
            if (place < 0) {
                return true;
            }
        }
        return false;
    }

    private static Site site(String method, String descriptor, Site.Change change) {
        return new Site("statement", "", method, descriptor, change);
    }

    private static List<Site> ofStatements() {
        Site.Change prepared = Around.calls("Statements.start", "Statements.end", Entry.THIS);
        Site.Change text = Around.calls("Statements.start", "Statements.end", Entry.THIS, 0);
        List<Site> sites = new ArrayList<>();
        sites.add(site("executeQuery", "()Ljava/sql/ResultSet;", prepared));
        sites.add(site("executeQuery", "(Ljava/lang/String;)Ljava/sql/ResultSet;", text));
        String[][] others = {{"execute", "Z"}, {"executeUpdate", "I"}, {"executeLargeUpdate", "J"}};
        for (String[] method : others) {
            sites.add(site(method[0], "()" + method[1], prepared));
            for (String keys : new String[] {"", "I", "[I", "[Ljava/lang/String;"}) {
                sites.add(site(method[0], "(Ljava/lang/String;" + keys + ")" + method[1], text));
            }
        }
        sites.add(site("executeBatch", "()[I", prepared));
        sites.add(site("executeLargeBatch", "()[J", prepared));
        return sites;
    }

    private static List<Site> ofConnections() {
        Site.Change change = Around.calls("Statements.startPreparing", "Statements.endPreparing", 0, Around.RESULT);
        List<Site> sites = new ArrayList<>();
        for (String options : new String[] {"", "I", "[I", "[Ljava/lang/String;", "II", "III"}) {
            String parameters = "(Ljava/lang/String;" + options + ")";
            sites.add(site("prepareStatement", parameters + "Ljava/sql/PreparedStatement;", change));
            sites.add(site("prepareCall", parameters + "Ljava/sql/CallableStatement;", change));
        }
        return sites;
    }

    /** Finds the interfaces of JDBC. If they are not loaded, no class implements them. */
    void findInterfaces(Class<?>[] loaded) {
        if (statement != null && connection != null) {
            return;
        }
        for (Class<?> type : loaded) {
            if (type.getName().equals(STATEMENT)) {
                statement = type;
            } else if (type.getName().equals(CONNECTION)) {
                connection = type;
            }
        }
    }

    /** The sites of a loaded class. */
    List<Site> sites(Class<?> type) {
        if (type.isInterface() || type.isArray()) {
            return Collections.emptyList();
        }
        boolean isStatement = is(statement, type);
        if (!isStatement && !is(connection, type)) {
            return Collections.emptyList();
        }
        add(type.getName().replace('.', '/'));
        return isStatement ? OF_STATEMENTS : OF_CONNECTIONS;
    }

    private static boolean is(Class<?> parent, Class<?> type) {
        return parent != null && parent.isAssignableFrom(type);
    }

    /** Whether a class that is being loaded is a statement or a connection, as far as the names of its parents show. */
    boolean isLoading(ClassLoader loader, String name, byte[] file) {
        if (loader == null || !mentionsPackage(file)) {
            return false;
        }
        try {
            ClassReader reader = new ClassReader(file);
            boolean isKnown = reader.getSuperName() != null && names.contains(reader.getSuperName());
            for (String parent : reader.getInterfaces()) {
                isKnown |= names.contains(parent);
            }
            if (isKnown) {
                add(name);
            }
            return isKnown;
        } catch (RuntimeException notReadable) {
            return false;
        }
    }

    private void add(String name) {
        if (names.size() < MOST_NAMES) {
            names.add(name);
        }
    }
}
