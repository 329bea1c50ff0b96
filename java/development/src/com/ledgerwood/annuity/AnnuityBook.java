package com.ledgerwood.annuity;

import com.acme.load.Load;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/** Ledgerwood's book of loans: what is still owed at the end of the term, and how sure the bank is to get it. */
public final class AnnuityBook {
    /** A loan: how the debt moves from month to month. */
    abstract static class Loan {
        final BigDecimal principal, growth;
        final int months;

        Loan(String principal, String yearlyPercent, int months) {
            this.principal = new BigDecimal(principal);
            this.months = months;
            growth = new BigDecimal(yearlyPercent).divide(BigDecimal.valueOf(1200), 8, RoundingMode.HALF_EVEN)
                    .add(BigDecimal.ONE);
        }

        abstract BigDecimal payment(int month);

        final BigDecimal owedAtEnd() {
            BigDecimal owed = principal;
            for (int month = 1; month <= months; month++) {
                owed = withInterest(owed).subtract(payment(month));
            }
            return owed.setScale(2, RoundingMode.HALF_EVEN);
        }

        private BigDecimal withInterest(BigDecimal owed) {
            return owed.multiply(growth); // [call] [edit]
            // [new] return owed.multiply(growth, MathContext.DECIMAL64);
        }
    }

    /** The same sum each month. */
    static final class Level extends Loan {
        private final BigDecimal sum;

        Level(String principal, String yearlyPercent, int months, String sum) {
            super(principal, yearlyPercent, months);
            this.sum = new BigDecimal(sum);
        }

        @Override
        BigDecimal payment(int month) {
            return sum;
        }
    }

    /** More in December, nothing in August. */
    static final class Seasonal extends Loan {
        private static final BigDecimal BONUS = new BigDecimal("410.00");
        private final BigDecimal sum;

        Seasonal(String principal, String yearlyPercent, int months, String sum) {
            super(principal, yearlyPercent, months);
            this.sum = new BigDecimal(sum);
        }

        @Override
        BigDecimal payment(int month) {
            return month % 12 == 8 ? BigDecimal.ZERO : month % 12 == 0 ? sum.add(BONUS) : sum;
        }
    }

    private final List<Loan> loans = new ArrayList<>();

    private AnnuityBook() {
        for (int i = 0; i < 24; i++) {
            String principal = (9_000 + i * 1_375) + ".00", percent = "3." + (10 + i * 3);
            int months = 24 + i % 7 * 12;
            String sum = (9_000 + i * 1_375) / (months + 8) + ".50";
            loans.add(i % 3 == 0 ? new Seasonal(principal, percent, months, sum)
                    : new Level(principal, percent, months, sum));
        }
    }

    /** The part of the debt that comes back: default rates by month under some courses of the economy. */
    private static double recovery(Loan loan, double owed) {
        double back = 0;
        int courses = 14;
        for (int course = 0; course < courses; course++) {
            double alive = 1, value = 0;
            for (int month = 1; month <= loan.months; month++) {
                double mood = Math.sin(course * 0.9 + month / 19.0) + 0.3 * Math.cos(month * 0.52);
                double hazard = 1 / (1 + Math.exp(5.2 - 0.8 * mood));
                value += alive * hazard * 0.35 * Math.pow(0.998, month);
                alive *= 1 - hazard;
            }
            back += (value + alive) / courses;
        }
        return owed * back;
    }

    private BigDecimal review() {
        BigDecimal owed = BigDecimal.ZERO;
        double expected = 0;
        for (Loan loan : loans) {
            BigDecimal rest = loan.owedAtEnd();
            owed = owed.add(rest);
            expected += recovery(loan, rest.doubleValue());
        }
        return owed.subtract(BigDecimal.valueOf(Math.round(expected * 100), 2));
    }

    public static void main(String[] args) {
        Load.onThreads(2, "review", () -> {
            AnnuityBook book = new AnnuityBook();
            return () -> Load.kept = book.review();
        });
    }
}
