package io.cobaltrail.telemetry;

import com.acme.load.Load;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;

/** Packs the signals of trains into frames. Each train is one stage of futures. */
public final class FramePacker {
    record Signal(int channel, double value, long at) {}

    record Frame(int train, int length, long check) {}

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final ExecutorService LINES = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work, "telemetry-line-" + NUMBER.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    });
    private static final ThreadLocal<ByteBuffer> SPACE = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(32 * 1024));

    static List<Signal> measure(int train) {
        List<Signal> signals = new ArrayList<>();
        for (int i = 0; i < 360; i++)
            signals.add(new Signal(i % 48, Math.sin(train + i * 0.01) * 120 + Math.log1p(i), 1_700_000_000_000L + i * 40L));
        return signals;
    }

    static List<Signal> smooth(List<Signal> signals) {
        double[] last = new double[48];
        List<Signal> smooth = new ArrayList<>(signals.size());
        for (Signal signal : signals) {
            double value = last[signal.channel()] * 0.8 + signal.value() * 0.2;
            last[signal.channel()] = value;
            smooth.add(new Signal(signal.channel(), Math.rint(value * 1000) / 1000, signal.at()));
        }
        smooth.sort((a, b) -> a.channel() != b.channel() ? Integer.compare(a.channel(), b.channel()) : Long.compare(a.at(), b.at()));
        return smooth;
    }

    static ByteBuffer space() {
        return ByteBuffer.allocateDirect(32 * 1024); // [call] [edit]
        // [new] return SPACE.get().clear();
    }

    static Frame pack(int train, List<Signal> signals) {
        ByteBuffer frame = space();
        frame.putInt(train).putShort((short) signals.size());
        long before = 0;
        for (Signal signal : signals) {
            frame.put((byte) signal.channel()).putFloat((float) signal.value());
            frame.putInt((int) (signal.at() - before));
            before = signal.at();
        }
        frame.flip();
        CRC32 check = new CRC32();
        check.update(frame);
        return new Frame(train, frame.limit(), check.getValue());
    }

    static String log(Frame frame) {
        StringBuilder line = new StringBuilder("train ");
        line.append(frame.train()).append(" sent ").append(frame.length()).append(" bytes, check ");
        return line.append(Long.toHexString(frame.check())).toString();
    }

    static void timetable(int trains) {
        List<CompletableFuture<String>> lines = new ArrayList<>();
        for (int train = 0; train < trains; train++) {
            int number = train;
            lines.add(CompletableFuture.supplyAsync(() -> measure(number), LINES)
                    .thenApply(FramePacker::smooth)
                    .thenApply(signals -> pack(number, signals))
                    .thenApply(FramePacker::log));
        }
        Load.kept = CompletableFuture.allOf(lines.toArray(CompletableFuture[]::new))
                .thenApply(done -> lines.stream().map(CompletableFuture::join).sorted().toList()).join();
    }

    public static void main(String[] arguments) {
        Load.onThreads(1, "telemetry", () -> () -> timetable(60));
    }
}
