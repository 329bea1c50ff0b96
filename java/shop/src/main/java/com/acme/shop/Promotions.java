package com.acme.shop;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import org.springframework.stereotype.Component;

/** Discounts of products. At a high severity most products have none. */
@Component
class Promotions {
    private static final int CAMPAIGNS = 5;

    private final List<Map<String, BigDecimal>> campaigns = new ArrayList<>();

    Promotions() {
        Random random = new Random(13);
        for (int campaign = 0; campaign < CAMPAIGNS; campaign++) {
            Map<String, BigDecimal> discounts = new HashMap<>();
            for (int product = 1; product <= SampleData.PRODUCTS; product++) {
                boolean missing = random.nextDouble() < Faults.amount(1);
                if (!missing) discounts.put(SampleData.sku(product), BigDecimal.valueOf(product % 30, 2));
            }
            campaigns.add(discounts);
        }
    }

    /** The best discount of all campaigns. */
    BigDecimal discount(String sku) {
        BigDecimal best = BigDecimal.ZERO;
        for (Map<String, BigDecimal> campaign : campaigns) best = best.max(discount(campaign, sku));
        return best;
    }

    private static BigDecimal discount(Map<String, BigDecimal> campaign, String sku) {
        if (Faults.on("exception-flow")) {
            try {
                return required(campaign, sku); // [edit exception-flow]
            } catch (NoSuchElementException e) {
                return BigDecimal.ZERO;
            }
        }
        return campaign.getOrDefault(sku, BigDecimal.ZERO);
    }

    private static BigDecimal required(Map<String, BigDecimal> campaign, String sku) {
        BigDecimal discount = campaign.get(sku);
        if (discount == null) throw new NoSuchElementException("No promotion for " + sku); // [call exception-flow]
        return discount;
    }
}
