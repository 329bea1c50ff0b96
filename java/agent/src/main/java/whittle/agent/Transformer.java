package whittle.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;

/**
 * Changes the classes that have sites. A failure leaves the class unchanged and is reported.
 *
 * <p>A class is never changed while it is loaded, but a moment later. If the JVM then rejects the changed class, the program
 * continues with the unchanged one.
 */
final class Transformer implements ClassFileTransformer {
    private final Report report;
    private final Runnable whenLoaded;
    private final Jdbc jdbc;

    Transformer(Report report, Jdbc jdbc, Runnable whenLoaded) {
        this.report = report;
        this.jdbc = jdbc;
        this.whenLoaded = whenLoaded;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] file) {
        if (name == null) {
            return null;
        }
        if (type == null) {
            if (Sites.have(name) || jdbc.isLoading(loader, name, file)) {
                whenLoaded.run();
            }
            return null;
        }
        List<Site> sites = Sites.have(name) ? Sites.of(name) : jdbc.sites(type);
        if (sites.isEmpty()) {
            return null;
        }
        try {
            return ClassPatch.apply(name, sites, file, report);
        } catch (Throwable failure) {
            report.failed(name.replace('/', '.'), failure);
            return null;
        }
    }
}
