package whittle.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

/**
 * Changes the classes that have sites. A failure leaves the class unchanged and is reported.
 *
 * <p>A class is never changed while it is loaded, but a moment later. If the JVM then rejects the changed class, the program
 * continues with the unchanged one.
 */
final class Transformer implements ClassFileTransformer {
    private final Report report;
    private final Runnable whenLoaded;

    Transformer(Report report, Runnable whenLoaded) {
        this.report = report;
        this.whenLoaded = whenLoaded;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] file) {
        if (name == null || !Sites.have(name)) {
            return null;
        }
        if (type == null) {
            whenLoaded.run();
            return null;
        }
        try {
            return ClassPatch.apply(name, file, report);
        } catch (Throwable failure) {
            report.failed(name.replace('/', '.'), failure);
            return null;
        }
    }
}
