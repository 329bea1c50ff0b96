package example.tracing;

import java.util.regex.Pattern;

/** Patterns of names, mail addresses and phone numbers. A match never continues on the next line. */
final class PersonalData {
    private static final Pattern NAME = Pattern.compile("\\b[A-Z][a-z]+ [A-Z][a-z]+\\b");
    private static final Pattern MAIL = Pattern.compile("\\b[a-z0-9._]+@[a-z0-9.]+\\b");
    private static final Pattern PHONE = Pattern.compile("\\+[0-9]{2,3}( [0-9]{2,4}){2,4}");

    private PersonalData() {}

    static String masked(String text) {
        String withoutMails = MAIL.matcher(text).replaceAll("<mail>");
        String withoutPhones = PHONE.matcher(withoutMails).replaceAll("<phone>");
        return NAME.matcher(withoutPhones).replaceAll("<name>");
    }
}
