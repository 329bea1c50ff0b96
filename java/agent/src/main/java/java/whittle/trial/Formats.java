package java.whittle.trial;

import java.text.DateFormat;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.Format;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.text.SimpleDateFormat;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

/**
 * Formats of texts. A format that the program can change is a copy of the first one that the place made with the same arguments,
 * the same default language and the same time zone, so each call still gives a new object, unless the format stays in
 * its method.
 */
public final class Formats {
    private Formats() {
    }

    /** Instead of the method of `DateTimeFormatter`, whose objects never change. */
    public static DateTimeFormatter ofPattern(String pattern, int place) {
        return ofPattern(pattern, Locale.getDefault(Locale.Category.FORMAT), place);
    }

    /** Instead of the method of `DateTimeFormatter`, whose objects never change. */
    public static DateTimeFormatter ofPattern(String pattern, Locale locale, int place) {
        Places.count(place);
        Object key = Arrays.asList(pattern, locale);
        DateTimeFormatter known = (DateTimeFormatter) Memory.of(place).get(key);
        if (known == null) {
            known = DateTimeFormatter.ofPattern(pattern, locale);
            Memory.of(place).put(key, known);
        }
        return known;
    }

    /** Instead of the constructor. */
    public static SimpleDateFormat dates(int place) {
        List<Object> key = key();
        DateFormat known = date(key, place);
        return (SimpleDateFormat) (known == null ? first(key, new SimpleDateFormat(), place) : known);
    }

    /** Instead of the constructor. */
    public static SimpleDateFormat dates(String pattern, int place) {
        List<Object> key = key(pattern);
        DateFormat known = date(key, place);
        return (SimpleDateFormat) (known == null ? first(key, new SimpleDateFormat(pattern), place) : known);
    }

    /** Instead of the constructor. */
    public static SimpleDateFormat dates(String pattern, Locale locale, int place) {
        List<Object> key = key(pattern, locale);
        DateFormat known = date(key, place);
        return (SimpleDateFormat) (known == null ? first(key, new SimpleDateFormat(pattern, locale), place) : known);
    }

    /** Instead of the constructor. */
    public static DecimalFormat decimals(int place) {
        List<Object> key = key();
        NumberFormat known = number(key, place);
        return (DecimalFormat) (known == null ? first(key, new DecimalFormat(), place) : known);
    }

    /** Instead of the constructor. */
    public static DecimalFormat decimals(String pattern, int place) {
        List<Object> key = key(pattern);
        NumberFormat known = number(key, place);
        return (DecimalFormat) (known == null ? first(key, new DecimalFormat(pattern), place) : known);
    }

    /** Instead of the constructor. The place remembers a copy of the symbols, because the program can change them. */
    public static DecimalFormat decimals(String pattern, DecimalFormatSymbols symbols, int place) {
        NumberFormat known = number(key(pattern, symbols), place);
        return (DecimalFormat) (known == null ? first(key(pattern, symbols.clone()), new DecimalFormat(pattern, symbols), place) : known);
    }

    /** Instead of `MessageFormat.format`. */
    public static String message(String pattern, Object[] arguments, int place) {
        List<Object> key = key(pattern);
        Format known = known(key, place);
        return (known == null ? first(key, new MessageFormat(pattern), place) : known).format(arguments);
    }

    /** Instead of `NumberFormat.getInstance` and `getNumberInstance`. */
    public static NumberFormat numbers(int place) {
        List<Object> key = key();
        NumberFormat known = number(key, place);
        return known == null ? (NumberFormat) first(key, NumberFormat.getInstance(), place) : known;
    }

    /** Instead of `NumberFormat.getInstance` and `getNumberInstance`. */
    public static NumberFormat numbers(Locale locale, int place) {
        List<Object> key = key(locale);
        NumberFormat known = number(key, place);
        return known == null ? (NumberFormat) first(key, NumberFormat.getInstance(locale), place) : known;
    }

    /** Instead of `NumberFormat.getPercentInstance`. */
    public static NumberFormat percents(int place) {
        List<Object> key = key();
        NumberFormat known = number(key, place);
        return known == null ? (NumberFormat) first(key, NumberFormat.getPercentInstance(), place) : known;
    }

    /** Instead of `NumberFormat.getCurrencyInstance`. */
    public static NumberFormat currencies(int place) {
        List<Object> key = key();
        NumberFormat known = number(key, place);
        return known == null ? (NumberFormat) first(key, NumberFormat.getCurrencyInstance(), place) : known;
    }

    /** Instead of `NumberFormat.getCurrencyInstance`. */
    public static NumberFormat currencies(Locale locale, int place) {
        List<Object> key = key(locale);
        NumberFormat known = number(key, place);
        return known == null ? (NumberFormat) first(key, NumberFormat.getCurrencyInstance(locale), place) : known;
    }

    /** Instead of the method of `DecimalFormatSymbols`. */
    public static DecimalFormatSymbols symbols(int place) {
        return symbols(Locale.getDefault(Locale.Category.FORMAT), place);
    }

    /** Instead of the method of `DecimalFormatSymbols`. */
    public static DecimalFormatSymbols symbols(Locale locale, int place) {
        Places.count(place);
        DecimalFormatSymbols known = locale == null ? null : (DecimalFormatSymbols) Memory.of(place).get(locale);
        if (known == null) {
            known = DecimalFormatSymbols.getInstance(locale);
            Memory.of(place).put(locale, known);
        }
        return (DecimalFormatSymbols) known.clone();
    }

    /** Arguments, and the defaults that a new format reads. */
    private static List<Object> key(Object... arguments) {
        Object[] all = Arrays.copyOf(arguments, arguments.length + 2, Object[].class);
        all[arguments.length] = Locale.getDefault(Locale.Category.FORMAT);
        all[arguments.length + 1] = TimeZone.getDefault();
        return Arrays.asList(all);
    }

    private static DateFormat date(Object key, int place) {
        return (DateFormat) known(key, place);
    }

    private static NumberFormat number(Object key, int place) {
        return (NumberFormat) known(key, place);
    }

    private static Format known(Object key, int place) {
        Places.count(place);
        Format first = (Format) Memory.of(place).get(key);
        return first == null ? null : OwnFormats.of(first, place);
    }

    /** Remembers a copy, because the program can change the first format. */
    private static Format first(Object key, Format format, int place) {
        Memory.of(place).put(key, format.clone());
        return format;
    }
}
