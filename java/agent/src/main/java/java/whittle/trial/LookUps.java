package java.whittle.trial;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Searches of providers. Each call still gives a new object. */
public final class LookUps {
    private LookUps() {
    }

    /** Instead of `MessageDigest.getInstance`: a copy of an unused digest, if digests of this kind can be copied. */
    public static MessageDigest digest(String algorithm, int place) throws NoSuchAlgorithmException {
        Places.count(place);
        if (algorithm == null) {
            return MessageDigest.getInstance(null);
        }
        MessageDigest known = (MessageDigest) Memory.of(place).get(algorithm);
        if (known != null) {
            try {
                return (MessageDigest) known.clone();
            } catch (CloneNotSupportedException notPossible) {
                return MessageDigest.getInstance(algorithm);
            }
        }
        Memory.of(place).put(algorithm, MessageDigest.getInstance(algorithm));
        return MessageDigest.getInstance(algorithm);
    }
}
