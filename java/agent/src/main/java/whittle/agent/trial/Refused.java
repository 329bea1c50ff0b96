package whittle.agent.trial;

/** Why a place is not changed. The message continues the words "not tried: ". */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
        super(reason, null, false, false);
    }
}
