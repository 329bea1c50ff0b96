package whittle.workloads.orders;

/** A parsed order: its head, and its lines in arrays of the same length. */
public final class Order {
    public final long number;
    public final String country;
    public final int lineCount;
    public final int[] products;
    public final int[] quantities;
    public final long[] pricesCents;
    public final int[] weightsGrams;
    /** The price of the order, which pricing sets. */
    public long totalCents;

    Order(long number, String country, int lineCount) {
        this.number = number;
        this.country = country;
        this.lineCount = lineCount;
        products = new int[lineCount];
        quantities = new int[lineCount];
        pricesCents = new long[lineCount];
        weightsGrams = new int[lineCount];
    }
}
