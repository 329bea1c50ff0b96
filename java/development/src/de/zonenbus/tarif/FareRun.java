package de.zonenbus.tarif;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Prices the trips of a day from the validators in the buses, card by card. */
public final class FareRun {
    enum Payer { RIDER, EMPLOYER, SCHOOL }
    record Tap(String card, int stop, int minute) {}
    record Trip(String card, int from, int to, int minute) {}
    record Charge(Payer payer, int cents) {}

    sealed interface Contract permits Jobticket, SchoolPass {}

    record Jobticket(int zoneLimit, int surchargeCents) implements Contract {}

    record SchoolPass(int lastMinute) implements Contract {}

    static final class NoContract extends RuntimeException {
        NoContract(String card) {
            super("no contract for card " + card); // [call]
        }
    }

    static final class ContractBook {
        private final Map<String, Contract> byCard = new HashMap<>();

        void sign(String card, Contract contract) {
            byCard.put(card, contract);
        }
        Contract find(String card) {
            return byCard.get(card);
        }

        Contract require(String card) {
            Contract contract = byCard.get(card);
            if (contract == null)
                throw new NoContract(card); // [call] [or]
            return contract;
        }
    }

    static final class Pricing {
        private final ContractBook book;
        private final double[][] stopPlan;

        Pricing(ContractBook book, double[][] stopPlan) {
            this.book = book;
            this.stopPlan = stopPlan;
        }

        Charge price(Trip trip) {
            try { // [old]
                return underContract(trip, book.require(trip.card())); // [edit]
            } catch (NoContract single) { // [edit]
                return new Charge(Payer.RIDER, singleFare(trip)); // [old]
            } // [old]
            // [new] Contract contract = book.find(trip.card());
            // [new] return contract == null ? new Charge(Payer.RIDER, singleFare(trip)) : underContract(trip, contract);
        }

        private Charge underContract(Trip trip, Contract contract) {
            if (contract instanceof Jobticket job)
                return new Charge(Payer.EMPLOYER, zones(trip) > job.zoneLimit() ? job.surchargeCents() : 0);
            SchoolPass pass = (SchoolPass) contract;
            return trip.minute() <= pass.lastMinute() ? new Charge(Payer.SCHOOL, 90) : new Charge(Payer.RIDER, singleFare(trip));
        }

        private int singleFare(Trip trip) {
            int base = 170 + 95 * zones(trip);
            return trip.minute() >= 19 * 60 ? base * 8 / 10 : base;
        }

        /** The zones between the stops, along the cheapest way over the interchanges. */
        private int zones(Trip trip) {
            double[] a = stopPlan[trip.from()], b = stopPlan[trip.to()];
            double best = Double.MAX_VALUE;
            for (double[] over : stopPlan)
                best = Math.min(best, distance(a, over) + distance(over, b));
            return 1 + (int) (best / 3.5);
        }

        private static double distance(double[] a, double[] b) {
            return Math.sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
        }
    }

    private static List<Trip> pair(List<Tap> taps) {
        Map<String, Tap> open = new HashMap<>();
        List<Trip> trips = new ArrayList<>();
        for (Tap tap : taps) {
            Tap start = open.remove(tap.card());
            if (start == null)
                open.put(tap.card(), tap);
            else
                trips.add(new Trip(tap.card(), start.stop(), tap.stop(), start.minute()));
        }
        return trips;
    }

    public static void main(String[] args) {
        Random random = new Random(41);
        double[][] plan = new double[230][];
        for (int i = 0; i < plan.length; i++)
            plan[i] = new double[] {random.nextDouble() * 20, random.nextDouble() * 20};
        ContractBook book = new ContractBook();
        List<Tap> taps = new ArrayList<>();
        for (int i = 0; i < 900; i++) {
            String card = "ZB" + (100_000 + random.nextInt(300));
            if (i % 5 == 0)
                book.sign(card, i % 4 == 0 ? new Jobticket(2, 120) : new SchoolPass(15 * 60));
            taps.add(new Tap(card, random.nextInt(plan.length), 300 + i));
        }
        Load.onThreads(2, "fares", () -> () -> {
            Pricing pricing = new Pricing(book, plan);
            Map<Payer, Integer> cents = new EnumMap<>(Payer.class);
            for (Trip trip : pair(taps)) {
                Charge charge = pricing.price(trip);
                cents.merge(charge.payer(), charge.cents(), Integer::sum);
            }
            Load.kept = cents;
        });
    }
}
