package net.hooli.invoice;

import com.acme.load.Load;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Prints invoices. Amounts have two decimals and the format of the customer's country. */
public final class Invoices {
    /** Writes amounts. */
    abstract static class Amounts {
        abstract NumberFormat format();

        final String text(long cents) {
            return format().format(cents / 100.0); // [or]
        }
    }

    /** Amounts in the German format. */
    static final class GermanAmounts extends Amounts {
        // [new] private final NumberFormat format = new DecimalFormat("#,##0.00", DecimalFormatSymbols.getInstance(Locale.GERMANY));

        @Override
        NumberFormat format() {
            return new DecimalFormat("#,##0.00", DecimalFormatSymbols.getInstance(Locale.GERMANY)); // [call] [edit]
            // [new] return format;
        }
    }

    record Item(int article, long cents) {}

    static String print(List<Item> items, Amounts amounts) {
        return items.stream().map(item -> item.article() + "\t" + amounts.text(item.cents())).collect(Collectors.joining("\n"));
    }

    public static void main(String[] arguments) {
        List<Item> items = IntStream.range(0, 400).mapToObj(i -> new Item(i, i * 12_345L)).toList();
        Load.onThreads(2, "print-job", () -> {
            Amounts amounts = new GermanAmounts();
            return () -> Load.kept = print(items, amounts);
        });
    }
}
