package whittle.tests.trial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.InvocationTargetException;
import java.security.NoSuchAlgorithmException;
import java.text.DecimalFormatSymbols;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** Searches that a place makes once. */
final class LookUpTest {
    private static Tried tried(String method, String target) throws Exception {
        return new Tried("look-up-once", SmallPrograms.class, method, target);
    }

    private static void isSame(Tried tried, Object... arguments) throws Exception {
        for (int round = 0; round < 3; round++) {
            assertEquals(tried.before(arguments), tried.after(arguments));
        }
    }

    @Test
    void digestsAreEqualAndNew() throws Exception {
        Tried tried = tried("digest", "getInstance");
        isSame(tried, "SHA-256", "text");
        isSame(tried, "MD5", "text");
        isSame(tried, "SHA-256", "another text");
        assertEquals(9, tried.count());
        for (int round = 0; round < 2; round++) {
            InvocationTargetException thrown = assertThrows(InvocationTargetException.class, () -> tried.after("unknown", "x"));
            assertSame(NoSuchAlgorithmException.class, thrown.getCause().getClass());
        }
        Tried created = tried("newDigest", "getInstance");
        assertNotSame(created.after(), created.after());
    }

    /** The provider of a cipher depends on the key, which is not known yet. */
    @Test
    void ciphersAreRefused() throws Exception {
        assertEquals("refused: whittle cannot replace a call of javax.crypto.Cipher.getInstance", tried("cipher", "getInstance").line());
    }

    /** The program changes each format after its use. */
    @Test
    void formatsAreEqualAndNew() throws Exception {
        Locale before = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        Tried[] all = {tried("dates", "SimpleDateFormat"), tried("decimals", "DecimalFormat"), tried("numbers", "getInstance"),
            tried("ofPattern", "ofPattern"), tried("datesOf", "SimpleDateFormat"),
            tried("message", "format"), tried("symbols", "getInstance"), tried("symbolsOf", "getInstance")};
        try {
            for (Locale locale : new Locale[] {Locale.US, Locale.GERMANY, Locale.FRANCE, Locale.US}) {
                Locale.setDefault(locale);
                TimeZone.setDefault(TimeZone.getTimeZone(locale == Locale.US ? "UTC" : "Asia/Tokyo"));
                isSame(all[0], "d MMMM yyyy HH");
                isSame(all[0], "EEEE");
                isSame(all[1], "#,##0.00");
                isSame(all[2]);
                isSame(all[3], "d MMMM yyyy");
                isSame(all[4], "EEEE", true);
                isSame(all[4], "EEEE", false);
                isSame(all[6]);
                isSame(all[7], locale);
                isSame(all[5], "{0} of {1,number} until {2,date,long} {2,time,full}", new Object[] {"one", 1234.5, new Date(0)});
            }
        } finally {
            Locale.setDefault(before);
            TimeZone.setDefault(zone);
        }
        assertEquals(24, all[0].count());
    }

    /** A thread uses such a format again without a copy. */
    @Test
    void formatsThatStayInTheirMethodAreEqual() throws Exception {
        TimeZone zone = TimeZone.getDefault();
        Tried dates = tried("datesThatStay", "SimpleDateFormat");
        Tried numbers = tried("numbersThatStay", "getInstance");
        try {
            for (String id : new String[] {"UTC", "Asia/Tokyo", "UTC"}) {
                TimeZone.setDefault(TimeZone.getTimeZone(id));
                isSame(dates, "yyyy HH z", "2020 13 PST");
                isSame(dates, "yyyy HH z", "2020 13 UTC");
                isSame(dates, "yyyy HH", "2020 13");
                isSame(numbers, Locale.GERMANY, 1234.5);
                isSame(numbers, Locale.US, 1234.5);
            }
        } finally {
            TimeZone.setDefault(zone);
        }
        assertEquals(27, dates.count());
    }

    /** The program changes the symbols between two calls. */
    @Test
    void symbolsThatChangeAreOtherSymbols() throws Exception {
        Tried tried = tried("decimalsOf", "DecimalFormat");
        DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(Locale.GERMANY);
        for (char separator : new char[] {',', '.', ','}) {
            symbols.setDecimalSeparator(separator);
            isSame(tried, "0.00", symbols);
        }
        assertEquals(9, tried.count());
    }

    @Test
    void symbolsThatTheProgramChangesAreItsOwn() throws Exception {
        Tried.Loaded loaded = tried("symbols", "getInstance").loaded();
        DecimalFormatSymbols first = (DecimalFormatSymbols) loaded.run();
        first.setDecimalSeparator('#');
        assertEquals(DecimalFormatSymbols.getInstance(), loaded.run());
    }

    @Test
    void factoriesHaveTheSameClassAndAreNew() throws Exception {
        for (String method : new String[] {"documents", "parsers", "transformers", "paths"}) {
            Tried tried = tried(method, "newInstance");
            Object first = tried.after();
            Object second = tried.after();
            assertSame(tried.before().getClass(), first.getClass());
            assertSame(first.getClass(), second.getClass());
            assertNotSame(first, second);
        }
    }
}
