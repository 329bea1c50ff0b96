package net.quillfeather.ward;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Devices at hospital beds call a nurse; each kind of device counts its calls. */
public final class NurseCalls {
    abstract static class Device {
        private static final int WINDOW = 64;

        protected final float[] window = new float[WINDOW];
        private final Map<String, int[]> counts;
        private int next;

        Device(Map<String, int[]> counts) {
            this.counts = counts;
        }

        abstract void check();

        final void measure(float value) {
            window[next] = value;
            next = (next + 1) % WINDOW;
            check();
        }

        protected final void call(String reason) {
            String device = Thread.currentThread().getStackTrace()[2].getClassName(); // [call] [edit]
            // [new] String device = getClass().getName();
            counts.computeIfAbsent(device.substring(device.indexOf('$') + 1) + ":" + reason, key -> new int[1])[0]++;
        }

        protected final float mean() {
            float sum = 0;
            for (float value : window)
                sum += value;
            return sum / WINDOW;
        }
    }

    static final class Pulse extends Device {
        Pulse(Map<String, int[]> counts) {
            super(counts);
        }

        @Override
        void check() {
            float mean = mean();
            if (mean > 92.5f)
                call("fast");
            else if (mean < 67.5f)
                call("slow");
        }
    }

    static final class Infusion extends Device {
        Infusion(Map<String, int[]> counts) {
            super(counts);
        }

        @Override
        void check() {
            float mean = mean(), squares = 0;
            for (float value : window)
                squares += (value - mean) * (value - mean);
            if (Math.sqrt(squares / window.length) > 30.5)
                call("uneven");
        }
    }

    static void shift(float[] values) {
        Map<String, int[]> counts = new HashMap<>();
        Device[] ward = new Device[12];
        for (int bed = 0; bed < ward.length; bed++)
            ward[bed] = bed % 2 == 0 ? new Pulse(counts) : new Infusion(counts);
        for (int i = 0; i < values.length; i++)
            ward[i % ward.length].measure(values[i]);
        long sum = 0;
        for (Map.Entry<String, int[]> count : counts.entrySet())
            sum += (long) count.getKey().hashCode() * count.getValue()[0];
        Load.kept = sum;
    }

    public static void main(String[] args) {
        Random random = new Random(112);
        float[] values = new float[24_000];
        for (int i = 0; i < values.length; i++)
            values[i] = 80 + 27 * (float) random.nextGaussian();
        Load.onThreads(1, "ward", () -> () -> shift(values));
    }
}
