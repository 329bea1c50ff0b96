package io.initech.prices;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;

/** Prices by article. An article without a price has the price of its group. */
public final class PriceList {
    /** An article that the list does not have. */
    static final class UnknownArticle extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnknownArticle(String article) {
            super("no price for " + article);
        }
    }

    private final Map<String, Integer> cents = new HashMap<>();

    PriceList() {
        for (int i = 0; i < 1000; i += 3) cents.put("A-" + i, i * 10 + 9);
    }

    int price(String article) {
        Integer found = cents.get(article);
        if (found == null) throw new UnknownArticle(article); // [call] [edit]
        // [new] if (found == null) return -1;
        return found;
    }

    int priceOrGroup(String article) {
        try {
            return price(article); // [edit]
            // [new] int price = price(article);
            // [new] return price < 0 ? article.charAt(2) * 100 : price;
        } catch (UnknownArticle unknown) { // [or]
            return article.charAt(2) * 100;
        }
    }

    /** Baskets in baskets in baskets, which make stacks deep in real shops. */
    int basket(String[] articles, int nesting) {
        if (nesting > 0) return basket(articles, nesting - 1);
        int sum = 0;
        for (String article : articles) {
            sum += priceOrGroup(article);
            for (int i = 0; i < 400; i++) sum = sum * 31 + (sum >>> 5);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        PriceList prices = new PriceList();
        String[] articles = new String[500];
        for (int i = 0; i < articles.length; i++) articles[i] = "A-" + i;
        Load.onThreads(2, "checkout", () -> () -> Load.kept = prices.basket(articles, 15));
    }
}
