package dev.harborlight.freight;

import com.acme.load.Load;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Two docks plan the moves of containers and keep a binary journal of them. */
public final class ManifestJournal {
    record Move(long container, int from, int to, int minute) {}

    record Box(long number, int weight, int port) {}

    /** The journal of a dock, one file for a shift. */
    static final class Journal implements AutoCloseable {
        private final FileChannel channel;
        private final ByteBuffer space = ByteBuffer.allocate(16 * 1024);

        Journal(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING);
        }

        void append(Move move) throws IOException {
            space.putLong(move.container()).putInt(move.from()).putInt(move.to()).putInt(move.minute());
            drain(); // [edit]
            // [new] if (space.remaining() < 20) drain();
        }

        private void drain() throws IOException {
            space.flip();
            while (space.hasRemaining()) channel.write(space); // [call]
            space.clear();
        }

        @Override
        public void close() throws IOException {
            drain();
            channel.close();
        }
    }

    private final SplittableRandom chance;
    private final Path file;

    ManifestJournal(Path file, long seed) {
        this.file = file;
        chance = new SplittableRandom(seed);
    }

    private List<Box> arrivals(int count) {
        List<Box> boxes = new ArrayList<>(count);
        for (int i = 0; i < count; i++)
            boxes.add(new Box(chance.nextLong(1L << 40), 2000 + chance.nextInt(28000), chance.nextInt(24)));
        boxes.sort(Comparator.comparingInt(Box::port).thenComparing(Comparator.comparingInt(Box::weight).reversed()));
        return boxes;
    }

    private List<Move> plan(List<Box> boxes) {
        record Slot(int number, long load) {}
        PriorityQueue<Slot> slots = new PriorityQueue<>(Comparator.comparingLong(Slot::load).thenComparingInt(Slot::number));
        for (int i = 0; i < 120; i++) slots.add(new Slot(i, 0));
        List<Move> moves = new ArrayList<>(boxes.size());
        int minute = 0;
        for (Box box : boxes) {
            Slot best = slots.remove();
            Slot second = slots.remove();
            moves.add(new Move(box.number(), second.number(), best.number(), minute++));
            slots.add(new Slot(best.number(), best.load() + box.weight() + (long) box.port() * 40));
            slots.add(new Slot(second.number(), second.load() + 1));
        }
        return moves;
    }

    void shift() throws IOException {
        List<Move> moves = plan(arrivals(2400));
        try (Journal journal = new Journal(file)) {
            for (Move move : moves) if (move.from() != move.to()) journal.append(move);
        }
        Load.kept = moves;
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("manifest");
        AtomicInteger dock = new AtomicInteger();
        Load.onThreads(2, "dock", () -> {
            int number = dock.incrementAndGet();
            return new ManifestJournal(folder.resolve("dock" + number), number)::shift;
        });
    }
}
