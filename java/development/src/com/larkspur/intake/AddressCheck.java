package com.larkspur.intake;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Checks the forms of new customers by rules that are set up at the start. */
public final class AddressCheck {
    record Form(String name, String street, String postcode, String mail) {}

    /** A rule has a name and says if a form is good. */
    record Rule(String name, Predicate<Form> good) {}

    private static final Pattern POSTCODE = Pattern.compile("[A-Z]{1,2}-?[0-9]{4,5}( [A-Z]{2})?");

    private static final List<Rule> RULES = List.of(
            new Rule("name", form -> form.name().strip().length() > 2),
            new Rule("postcode", form -> form.postcode().matches("[A-Z]{1,2}-?[0-9]{4,5}( [A-Z]{2})?")), // [call] [edit]
            // [new] new Rule("postcode", form -> POSTCODE.matcher(form.postcode()).matches()),
            new Rule("mail", form -> form.mail().indexOf('@') > 0 && form.mail().lastIndexOf('.') > form.mail().indexOf('@')),
            new Rule("street", form -> form.street().chars().anyMatch(Character::isDigit)));

    static List<Form> forms(int count) {
        return IntStream.range(0, count).mapToObj(i -> new Form(
                "Person " + Integer.toString(i * 7919, 36),
                (i % 5 == 0 ? "Mill Lane" : "Mill Lane " + i % 90),
                (i % 11 == 0 ? "D" + i : "D-" + (10000 + i % 89999)),
                "p" + i + (i % 7 == 0 ? "" : "@post") + ".example")).toList();
    }

    static Map<String, List<String>> check(List<Form> forms) {
        Map<String, List<String>> faults = new TreeMap<>();
        for (Form form : forms)
            for (Rule rule : RULES)
                if (!rule.good().test(form)) faults.computeIfAbsent(rule.name(), name -> new ArrayList<>()).add(form.mail());
        return faults;
    }

    /** Pairs of people with nearly the same name are shown to a clerk. */
    static Map<String, Integer> twins(List<Form> forms) {
        Map<String, Integer> near = new LinkedHashMap<>();
        for (int i = 1; i < forms.size(); i++) {
            String one = forms.get(i - 1).name().toLowerCase(Locale.ROOT), two = forms.get(i).name().toLowerCase(Locale.ROOT);
            int distance = distance(one, two);
            if (distance < 5) near.merge(one.substring(0, 8), distance, Integer::sum);
        }
        return near;
    }

    static int distance(String one, String two) {
        int[] row = new int[two.length() + 1];
        for (int k = 0; k < row.length; k++) row[k] = k;
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int k = 1; k < row.length; k++) {
                int cost = one.charAt(i - 1) == two.charAt(k - 1) ? diagonal : diagonal + 1;
                diagonal = row[k];
                row[k] = Math.min(cost, Math.min(row[k], row[k - 1]) + 1);
            }
        }
        return row[two.length()];
    }

    static void intake() {
        List<Form> forms = forms(500);
        Load.kept = List.of(check(forms), twins(forms));
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "intake", () -> AddressCheck::intake);
    }
}
