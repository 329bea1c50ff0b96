package whittle.workloads.orders;

import java.util.Random;

/**
 * Finds the cheapest price list for an order. Each list has its own steps of discount by quantity, and of freight by
 * weight. This is most of the program's useful work.
 */
final class Pricing {
    private static final int STEPS = 12;
    private static final int PRODUCT_GROUPS = 64;

    private final PriceList[] lists;

    Pricing(int listCount) {
        Random random = new Random(1);
        lists = new PriceList[listCount];
        for (int i = 0; i < listCount; i++) {
            lists[i] = new PriceList(random);
        }
    }

    void price(Order order) {
        long best = Long.MAX_VALUE;
        for (PriceList list : lists) {
            best = Math.min(best, list.totalCents(order));
        }
        order.totalCents = best;
    }

    /** Steps in rising order, each with the amount that is valid from this step on. */
    private static final class PriceList {
        private final int[] quantitySteps = new int[STEPS];
        private final int[] weightSteps = new int[STEPS];
        private final long[] freightCents = new long[STEPS];
        private final int[] groupPerMille = new int[PRODUCT_GROUPS];

        PriceList(Random random) {
            for (int i = 1; i < STEPS; i++) {
                quantitySteps[i] = quantitySteps[i - 1] + 1 + random.nextInt(4);
                weightSteps[i] = weightSteps[i - 1] + 500 + random.nextInt(20_000);
                freightCents[i] = freightCents[i - 1] + random.nextInt(900);
            }
            for (int i = 0; i < PRODUCT_GROUPS; i++) {
                groupPerMille[i] = random.nextInt(20);
            }
        }

        long totalCents(Order order) {
            long total = 0;
            for (int i = 0; i < order.lineCount; i++) {
                int quantity = order.quantities[i];
                int perMille = groupPerMille[order.products[i] % PRODUCT_GROUPS] * step(quantitySteps, quantity);
                total += quantity * order.pricesCents[i] * (1000 - perMille) / 1000;
                total += freightCents[step(weightSteps, quantity * order.weightsGrams[i])];
            }
            return total;
        }

        private static int step(int[] steps, int amount) {
            int step = 0;
            while (step + 1 < STEPS && steps[step + 1] <= amount) {
                step++;
            }
            return step;
        }
    }
}
