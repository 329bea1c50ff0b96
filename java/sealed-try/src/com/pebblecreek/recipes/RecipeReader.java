package com.pebblecreek.recipes;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.StringTokenizer;

/** Reads the ingredients of recipes, and plans what to buy for a week. */
public final class RecipeReader {
    /** What a word of a recipe is. */
    static final class Words {
        private Words() {}

        static boolean isNumber(String word) {
            try { // [old]
                Integer.parseInt(word); // [call] [edit]
                return true; // [old]
            } catch (NumberFormatException notNumber) { // [old]
                return false; // [old]
            } // [old]
            // [new] for (int i = 0; i < word.length(); i++)
            // [new]     if (word.charAt(i) < '0' || word.charAt(i) > '9')
            // [new]         return false;
            // [new] return !word.isEmpty() && word.length() < 10;
        }
    }

    private static final String[] UNITS = {"g", "ml", "cup", "spoon", "pinch"};
    private static final String[] GOODS = {"flour", "rye", "butter", "sugar", "milk", "egg white", "dark chocolate",
        "walnuts", "sour cream", "lemon peel", "vanilla", "yeast", "poppy seed", "plum jam"};

    private final Map<String, Integer> shopping = new HashMap<>();
    private final int[] row = new int[32];
    private final StringBuilder goods = new StringBuilder();

    private void line(String line) {
        int amount = 0;
        goods.setLength(0);
        for (StringTokenizer words = new StringTokenizer(line, " "); words.hasMoreTokens();) {
            String word = words.nextToken();
            if (Words.isNumber(word))
                amount = amount * 10 + Integer.parseInt(word);
            else
                goods.append(stem(word)).append(' ');
        }
        shopping.merge(nearest(goods.toString()), amount, Integer::sum);
    }

    /** The known goods that need the fewest changes of letters. */
    private String nearest(String wanted) {
        String best = "";
        int least = Integer.MAX_VALUE;
        for (String known : GOODS) {
            int changes = changes(wanted, known);
            if (changes < least) {
                least = changes;
                best = known;
            }
        }
        return best;
    }

    private int changes(String one, String other) {
        for (int j = 0; j <= other.length(); j++)
            row[j] = j;
        for (int i = 1; i <= one.length(); i++) {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = corner + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                corner = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }

    private static String stem(String word) {
        String stem = word.toLowerCase(java.util.Locale.ROOT);
        return stem.endsWith("s") ? stem.substring(0, stem.length() - 1) : stem;
    }

    void week(String[] lines) {
        shopping.clear();
        for (String line : lines)
            line(line);
        Load.kept = shopping.hashCode();
    }

    public static void main(String[] args) {
        Random random = new Random(350);
        String[] lines = new String[400];
        for (int i = 0; i < lines.length; i++)
            lines[i] = (1 + random.nextInt(500)) + " " + UNITS[random.nextInt(UNITS.length)] + " "
                    + GOODS[random.nextInt(GOODS.length)] + (i % 3 == 0 ? " sieved" : "");
        RecipeReader reader = new RecipeReader();
        Load.here(() -> reader.week(lines));
    }
}
