package org.tidewatch.gauge;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Relays readings of tide gauges to listeners: smoothing, comparison with the prediction, and surge warnings. */
public final class GaugeRelay {
    private static final Logger LOG = Logger.getLogger("tidewatch.relay");

    interface GaugeListener {
        void onReading(String station, int minute, double millimetres);
    }

    /** Keeps the newest lines of the journal for the duty officer's screen. */
    static final class ScreenHandler extends Handler {
        private final AtomicReferenceArray<String> lines = new AtomicReferenceArray<>(256);
        private final LongAdder count = new LongAdder();

        @Override
        public void publish(LogRecord record) {
            if (!isLoggable(record)) return;
            lines.set((int) (record.getSequenceNumber() & 255), getFormatter().format(record));
            count.increment();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** One short line for each entry. */
    static final class ScreenFormatter extends Formatter {
        @Override
        public String format(LogRecord record) {
            StringBuilder line = new StringBuilder(96);
            line.append(record.getInstant().getEpochSecond()).append(' ').append(record.getLevel().getName());
            line.append(" [").append(record.getSourceClassName()).append("] "); // [call] [edit]
            // [new] line.append(" [").append(record.getLoggerName()).append("] ");
            return line.append(record.getMessage()).append('\n').toString();
        }
    }

    /** Takes out waves by the median of the last readings. */
    static final class Smoother implements GaugeListener {
        private final double[] window = new double[31];
        private final List<GaugeListener> next = new ArrayList<>();
        private int filled;

        Smoother then(GaugeListener listener) {
            next.add(listener);
            return this;
        }

        @Override
        public void onReading(String station, int minute, double millimetres) {
            window[filled++ % window.length] = millimetres;
            double[] sorted = window.clone();
            Arrays.sort(sorted);
            double median = sorted[sorted.length / 2];
            for (GaugeListener listener : next) listener.onReading(station, minute, median);
        }
    }

    /** Compares a smoothed level with the harmonic prediction of the station. */
    static final class SurgeWatch implements GaugeListener {
        private final double[] amplitude = new double[37], speed = new double[37], phase = new double[37];
        private double worst;

        SurgeWatch() {
            for (int i = 0; i < amplitude.length; i++) {
                amplitude[i] = 1400.0 / (1 + i * i);
                speed[i] = 0.00881 * (1 + i / 5.0);
                phase[i] = (i * 73 % 360) * Math.PI / 180;
            }
        }

        @Override
        public void onReading(String station, int minute, double millimetres) {
            double surge = 0;
            for (int lag = -24; lag <= 24; lag++) {
                double difference = millimetres - predict(minute + lag * 5);
                if (lag == -24 || Math.abs(difference) < Math.abs(surge)) surge = difference;
            }
            worst = Math.max(worst, surge);
            LOG.info(station + " level " + Math.round(millimetres) + " surge " + Math.round(surge));
        }

        private double predict(int minute) {
            double level = 0;
            for (int i = 0; i < amplitude.length; i++) level += amplitude[i] * Math.cos(speed[i] * minute + phase[i]);
            return level;
        }
    }

    public static void main(String[] args) {
        ScreenHandler screen = new ScreenHandler();
        screen.setFormatter(new ScreenFormatter());
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.INFO);
        LOG.addHandler(screen);
        Load.onThreads(2, "relay", () -> {
            SurgeWatch watch = new SurgeWatch();
            GaugeListener entry = new Smoother().then(watch);
            int[] minute = {0};
            return () -> {
                for (int i = 0; i < 200; i++) {
                    int now = minute[0]++ % 500_000;
                    entry.onReading("Skerry Sound", now, 1500 * Math.sin(now * 0.00881) + now * 7919 % 83);
                }
                Load.kept = watch.worst;
            };
        });
    }
}
