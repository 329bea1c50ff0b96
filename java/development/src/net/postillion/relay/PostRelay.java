package net.postillion.relay;

import com.acme.load.Load;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes letters from the submission proxy, weighs them for junk, and stamps a trace line on each. */
public final class PostRelay {
    /** A letter with the proxy's preamble, which tells where the letter came from. */
    record Letter(String preamble, String subject, String body) {}

    interface RelayListener {
        void accepted(Letter letter, String trace, double weight);

        void refused(Letter letter, String trace, double weight);
    }

    /** Weighs the words of a letter by how often they were seen in junk. */
    static final class JunkScale {
        private final Map<String, Double> words = new HashMap<>();

        JunkScale() {
            for (String word : "winner prize urgent transfer lottery pills bonus casino".split(" "))
                words.put(word, 0.4 + word.length() * 0.07);
        }

        double weigh(Letter letter) {
            double weight = 0;
            int count = 0;
            for (String word : (letter.subject() + " " + letter.body()).toLowerCase().split(" ")) {
                weight += words.getOrDefault(word, word.length() > 12 ? 0.05 : -0.01);
                for (int i = 0; i + 2 < word.length(); i++)
                    weight += words.containsKey(word.substring(i, i + 3)) ? 0.02 : 0;
                count++;
            }
            return weight / Math.sqrt(count);
        }
    }

    /** Writes the trace line which every relay on the way adds on top. */
    static final class Stamp {
        // [new] private final Map<String, String> origins = new ConcurrentHashMap<>();
        private long number;

        String trace(Letter letter) {
            String[] parts = letter.preamble().split(" ");
            String origin = origin(parts[2]); // [edit]
            // [new] String origin = origins.computeIfAbsent(parts[2], this::origin);
            return "Received: from " + origin + " (" + parts[2] + ":" + parts[4] + ") by relay." + " id " + Long.toHexString(++number);
        }

        private String origin(String address) {
            try {
                return InetAddress.getByName(address).getHostName(); // [call]
            } catch (UnknownHostException unknown) {
                return "unknown";
            }
        }
    }

    static final class Relay {
        private final List<RelayListener> listeners = new ArrayList<>();
        private final JunkScale scale = new JunkScale();
        private final Stamp stamp = new Stamp();

        void listen(RelayListener listener) {
            listeners.add(listener);
        }

        void take(Letter letter) {
            String trace = stamp.trace(letter);
            double weight = scale.weigh(letter);
            for (RelayListener listener : listeners) {
                if (weight > 3.5)
                    listener.refused(letter, trace, weight);
                else
                    listener.accepted(letter, trace, weight);
            }
        }
    }

    /** Keeps the day's count, and a check sum over all that went out. */
    static final class DayBook implements RelayListener {
        int out, back, sum;

        @Override
        public void accepted(Letter letter, String trace, double weight) {
            out++;
            sum = sum * 31 + (trace + "\r\nSubject: " + letter.subject() + "\r\n\r\n" + letter.body()).hashCode();
        }

        @Override
        public void refused(Letter letter, String trace, double weight) {
            back++;
            sum = sum * 31 + trace.hashCode();
        }
    }

    private static final AtomicInteger LANES = new AtomicInteger();

    private static Load.Unit lane() {
        String[] words = ("please find the minutes of our meeting enclosed lottery transfer before thursday and greet the"
                + " administration urgent carriage invoice winner horses correspondence bonus timetable").split(" ");
        Random random = new Random(LANES.incrementAndGet());
        Relay relay = new Relay();
        DayBook book = new DayBook();
        relay.listen(book);
        return () -> {
            for (int n = 0; n < 8; n++) {
                StringBuilder body = new StringBuilder();
                for (int i = 0; i < 300; i++)
                    body.append(words[random.nextInt(words.length)]).append(' ');
                String preamble = "PROXY TCP4 127.0.0.1 10.0.0.9 " + (40000 + random.nextInt(9000)) + " 25";
                relay.take(new Letter(preamble, "On " + words[random.nextInt(words.length)], body.toString()));
            }
            Load.kept = book.out + "/" + book.back + "/" + book.sum;
        };
    }

    public static void main(String[] args) {
        Load.onThreads(2, "relay", PostRelay::lane);
    }
}
