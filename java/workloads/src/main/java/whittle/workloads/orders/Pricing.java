package whittle.workloads.orders;

/**
 * Finds the cheapest of the price lists for an order: each has other discounts by product, quantity and weight. Most of the
 * program's work, as it should be.
 */
final class Pricing {
    private static final int DISCOUNT_GROUPS = 64;
    private static final double MAXIMUM_DISCOUNT = 0.4;

    private final int priceLists;

    Pricing(int priceLists) {
        this.priceLists = priceLists;
    }

    void price(Order order) {
        double best = Double.MAX_VALUE;
        for (int list = 0; list < priceLists; list++) {
            best = Math.min(best, total(order, list));
        }
        order.totalCents = Math.round(best);
    }

    private static double total(Order order, int list) {
        double total = 0;
        for (int i = 0; i < order.lineCount; i++) {
            double amount = (double) order.quantities[i] * order.pricesCents[i];
            total += amount * (1 - discount(order, i, list)) + freight(order, i, list);
        }
        return total;
    }

    private static double discount(Order order, int line, int list) {
        double byProduct = (order.products[line] + 31 * list) % DISCOUNT_GROUPS / (double) DISCOUNT_GROUPS;
        double byQuantity = Math.sqrt(order.quantities[line]) / (8 + list % 7);
        return Math.min(MAXIMUM_DISCOUNT, byProduct * byQuantity);
    }

    private static double freight(Order order, int line, int list) {
        double kilograms = order.quantities[line] * order.weightsGrams[line] / 1000.0;
        return 100 * Math.cbrt(kilograms + list);
    }
}
