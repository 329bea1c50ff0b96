package com.creamline.tariff;

import com.acme.load.Load;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleUnaryOperator;

/** Pays the farms of the Creamline dairy. The rules for a milk's quality come as classes in a folder, by season. */
public final class MilkSettlement {
    /** Cents for a percent of fat. */
    public static final class FatRule implements DoubleUnaryOperator {
        @Override
        public double applyAsDouble(double percent) {
            return percent < 3.4 ? -1.1 * (3.4 - percent) : 0.85 * (percent - 3.4);
        }
    }

    /** Cents for a count of cells. */
    public static final class CellRule implements DoubleUnaryOperator {
        @Override
        public double applyAsDouble(double thousands) {
            return thousands > 400 ? -4 : thousands > 250 ? -1.5 : 0.3;
        }
    }

    /** The folder of rules. */
    static final class RuleShelf {
        private final URL[] folder;
        // [new] private final Map<String, DoubleUnaryOperator> rules = new ConcurrentHashMap<>();

        RuleShelf(Path path) throws IOException {
            folder = new URL[] {path.toUri().toURL()};
            for (Class<?> rule : new Class<?>[] {FatRule.class, CellRule.class}) {
                Path copy = path.resolve(rule.getName().replace('.', '/') + ".class");
                Files.createDirectories(copy.getParent());
                try (InputStream in = rule.getResourceAsStream("MilkSettlement$" + rule.getSimpleName() + ".class")) {
                    Files.copy(in, copy);
                }
            }
        }

        DoubleUnaryOperator rule(String name) {
            return load(name); // [edit]
            // [new] return rules.computeIfAbsent(name, this::load);
        }

        private DoubleUnaryOperator load(String name) {
            try (URLClassLoader loader = new URLClassLoader(folder, ClassLoader.getPlatformClassLoader())) {
                Class<?> type = loader.loadClass("com.creamline.tariff.MilkSettlement$" + name); // [call] [or]
                return (DoubleUnaryOperator) type.getDeclaredConstructor().newInstance();
            } catch (IOException | ReflectiveOperationException failure) {
                throw new IllegalStateException("rule " + name, failure);
            }
        }
    }

    sealed interface Milk permits Tank, Churn {}

    record Tank(double litres, double fat, double cells, double celsius) implements Milk {}

    record Churn(double litres, double fat) implements Milk {}

    /** A farm's deliveries of a month. */
    private static Milk[] deliveries(int farm) {
        Milk[] month = new Milk[30];
        for (int day = 0; day < month.length; day++) {
            double wave = Math.sin(farm * 1.7 + day * 0.4);
            month[day] = day % 5 == 0 ? new Churn(40, 3.9 + wave / 4)
                    : new Tank(900 + 300 * wave, 3.6 + wave / 3, 260 + 180 * wave, 4 + wave);
        }
        return month;
    }

    private static long settle(RuleShelf shelf, int farm) {
        DoubleUnaryOperator fat = shelf.rule("FatRule"), cells = shelf.rule("CellRule");
        double cents = 0;
        for (Milk milk : deliveries(farm)) {
            if (milk instanceof Tank tank) {
                double price = 41 + fat.applyAsDouble(tank.fat()) + cells.applyAsDouble(tank.cells());
                cents += tank.litres() * price * keeping(tank.celsius());
            } else if (milk instanceof Churn churn) {
                cents += churn.litres() * (47 + fat.applyAsDouble(churn.fat()));
            }
        }
        return Math.round(cents);
    }

    /** How much of its worth the milk keeps on the way: the growth of germs, minute by minute. */
    private static double keeping(double celsius) {
        double germs = 1;
        for (int minute = 0; minute < 1800; minute++) {
            double warm = celsius + 3 * Math.sin(minute / 57.0);
            germs *= 1 + 0.0004 * Math.exp(warm / 9);
        }
        return 1 - Math.min(0.2, Math.log(germs) / 40);
    }

    public static void main(String[] args) throws IOException {
        RuleShelf shelf = new RuleShelf(Files.createTempDirectory("creamline-rules"));
        Load.onThreads(2, "settle", () -> {
            int[] farm = {0};
            return () -> Load.kept = settle(shelf, farm[0]++ % 97);
        });
    }
}
