package dev.mapleshade.messages;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;

/** Reads voice messages that were packed as differences, and finds out how loud they are. */
public final class VoiceBox {
    private static final int LONGEST = 160 * 1024;

    /** Unpacks the messages of one box. */
    static final class Decoder {
        // [new] private final short[] samples = new short[LONGEST];

        int decode(InputStream message, Loudness loudness) throws IOException {
            short[] samples = new short[LONGEST]; // [call] [edit]
            int length = 0, value = 0;
            for (int step = message.read(); step >= 0 && length < LONGEST; step = message.read()) {
                value += (byte) step * 5;
                samples[length++] = (short) value;
            }
            return loudness.of(samples, length);
        }
    }

    interface Loudness {
        int of(short[] samples, int length);
    }

    /** The loudest part of 160 samples. */
    static int loudest(short[] samples, int length) {
        double most = 0;
        for (int start = 0; start + 160 <= length; start += 40) {
            double power = 0;
            for (int i = start; i < start + 160; i++)
                power += samples[i] * (double) samples[i];
            most = Math.max(most, power);
        }
        return (int) Math.sqrt(most / 160);
    }

    static byte[][] box(int messages) {
        Random random = new Random(16);
        byte[][] box = new byte[messages][];
        for (int message = 0; message < messages; message++) {
            box[message] = new byte[900 + random.nextInt(5_000)];
            random.nextBytes(box[message]);
        }
        return box;
    }

    public static void main(String[] args) {
        byte[][] box = box(90);
        Load.onThreads(2, "voice", () -> {
            Decoder decoder = new Decoder();
            return () -> {
                long sum = 0;
                for (byte[] message : box)
                    sum = sum * 31 + decoder.decode(new ByteArrayInputStream(message), VoiceBox::loudest);
                Load.kept = sum;
            };
        });
    }
}
