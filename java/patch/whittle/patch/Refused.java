package whittle.patch;

/** Why a place of the source is not changed. The message continues "not changed: ". */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason);
    }
}
