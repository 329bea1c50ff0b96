package org.meadowclinic.intake;

import com.acme.load.Load;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The desk of the Meadow Clinic: turns the posted form of a new patient into a bean, and checks it. */
public final class FormDesk {
    /** The form. */
    public static final class PatientForm {
        private String name = "", street = "", phone = "", insurer = "", complaint = "", mail = "";

        public String getName() { return name; }

        public void setName(String value) { name = value; }

        public String getStreet() { return street; }

        public void setStreet(String value) { street = value; }

        public String getPhone() { return phone; }

        public void setPhone(String value) { phone = value; }

        public String getInsurer() { return insurer; }

        public void setInsurer(String value) { insurer = value; }

        public String getComplaint() { return complaint; }

        public void setComplaint(String value) { complaint = value; }

        public String getMail() { return mail; }

        public void setMail(String value) { mail = value; }
    }

    /** Sets the properties of a bean from texts. One binder for one type; each desk has its own. */
    static final class Binder<T> {
        private final Class<T> type;
        // [new] private final Map<String, Method> setters = new HashMap<>();

        Binder(Class<T> type) {
            this.type = type;
        }

        T bind(Map<String, String> values) throws ReflectiveOperationException {
            T bean = type.getDeclaredConstructor().newInstance();
            for (Map.Entry<String, String> value : values.entrySet()) {
                Method setter = setter(value.getKey()); // [edit]
                // [new] Method setter = setters.computeIfAbsent(value.getKey(), this::setter);
                setter.invoke(bean, value.getValue());
            }
            return bean;
        }

        private Method setter(String property) {
            String name = "set" + Character.toUpperCase(property.charAt(0)) + property.substring(1);
            try {
                return type.getMethod(name, String.class); // [call] [or]
            } catch (NoSuchMethodException missing) {
                throw new IllegalArgumentException("no property " + property, missing);
            }
        }
    }

    /** Rules for a form, added one by one. */
    static final class Rules {
        private static final Pattern PHONE = Pattern.compile("\\+?(\\d[ -]?){7,14}\\d");
        private static final Pattern MAIL = Pattern.compile("[\\w.]+@([\\w-]+\\.)+[a-z]{2,8}");
        private static final Pattern WORD = Pattern.compile("\\b(fever|cough|rash|pain|dizzy|swollen)\\b");

        static int urgency(PatientForm form) {
            int points = 0;
            if (!PHONE.matcher(form.getPhone()).matches()) points += 100;
            if (!MAIL.matcher(form.getMail()).matches()) points += 100;
            var found = WORD.matcher(form.getComplaint());
            while (found.find()) points += found.group().length();
            return points + form.getName().length() % 3 + form.getStreet().length() % 2 + form.getInsurer().length() % 2;
        }
    }

    private static Map<String, String> decode(String body) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String pair : body.split("&")) {
            int equals = pair.indexOf('=');
            values.put(pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return values;
    }

    private static String[] mailbag() {
        String[] complaints = {"fever since Monday, cough at night",
            "a rash on both arms, swollen, no fever", "dizzy in the mornings"};
        String[] bodies = new String[40];
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = "name=" + encode("Orla Byrne " + i) + "&street=" + encode(i + " Mill Lane, Upper Meadow")
                    + "&phone=" + encode("+44 20 794" + i % 10 + " 0" + (100 + i)) + "&insurer=" + encode("Hearth & Home")
                    + "&complaint=" + encode(complaints[i % 3]) + "&mail=" + encode("orla.b" + i + "@post.meadow.org");
        }
        return bodies;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    public static void main(String[] args) {
        Load.onThreads(3, "desk", () -> {
            Binder<PatientForm> binder = new Binder<>(PatientForm.class);
            String[] bodies = mailbag();
            return () -> {
                int urgency = 0;
                for (String body : bodies) urgency += Rules.urgency(binder.bind(decode(body)));
                Load.kept = urgency;
            };
        });
    }
}
