package org.juniper.raffle;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Draws the winners of a housing co-operative's raffles, several raffles at the same time. */
public final class DrawDay {
    record Ticket(int number, int district) {
        /** The press leaves out the numbers whose remainder is kept for trial prints. */
        boolean genuine() {
            return (number * 100L + district) % 97 != 1;
        }
    }

    record Raffle(String title, int prizes, List<Ticket> sold) {}

    record Outcome(String title, List<Ticket> winners, int strongest) {}

    /** One raffle: from the sold tickets to the winners. The notary knows the seed. */
    static final class Draw implements Callable<Outcome> {
        private final Raffle raffle;
        private final long seed;

        Draw(Raffle raffle, long seed) {
            this.raffle = raffle;
            this.seed = seed;
        }

        @Override
        public Outcome call() {
            List<Ticket> urn = new ArrayList<>(raffle.sold.size());
            int[] districts = new int[20];
            for (Ticket ticket : raffle.sold)
                if (ticket.genuine()) {
                    urn.add(ticket);
                    districts[ticket.district]++;
                }
            int strongest = 0;
            for (int d = 1; d < districts.length; d++)
                if (districts[d] > districts[strongest])
                    strongest = d;
            Random notary = new Random(seed);
            Collections.shuffle(urn, notary); // [call] [edit]
            // [new] for (int i = urn.size(); i > urn.size() - raffle.prizes; i--) Collections.swap(urn, i - 1, notary.nextInt(i));
            return new Outcome(raffle.title, List.copyOf(urn.subList(urn.size() - raffle.prizes, urn.size())), strongest);
        }
    }

    private final ExecutorService stage;
    private final List<Raffle> raffles = new ArrayList<>();
    private long day;

    private DrawDay() {
        AtomicInteger hosts = new AtomicInteger();
        stage = Executors.newFixedThreadPool(2, task -> {
            Thread host = new Thread(task, "raffle-host-" + hosts.incrementAndGet());
            host.setDaemon(true);
            return host;
        });
        Random press = new Random(8);
        for (String title : List.of("spring", "roof garden", "cellar", "bicycle stand", "guest flat", "sauna")) {
            List<Ticket> sold = new ArrayList<>();
            for (int i = 0; i < 9_000; i++)
                sold.add(new Ticket(100_000 + press.nextInt(900_000), press.nextInt(20)));
            raffles.add(new Raffle(title, 20 + title.length(), sold));
        }
    }

    private void day() throws Exception {
        day++;
        List<Future<Outcome>> draws = new ArrayList<>();
        for (Raffle raffle : raffles)
            draws.add(stage.submit(new Draw(raffle, day * 31 + raffle.prizes)));
        List<Outcome> outcomes = new ArrayList<>();
        for (Future<Outcome> draw : draws)
            outcomes.add(draw.get());
        Load.kept = outcomes;
    }

    public static void main(String[] args) {
        Load.onThreads(1, "raffle", () -> new DrawDay()::day);
    }
}
