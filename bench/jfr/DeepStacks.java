import java.util.SplittableRandom;

/**
 * A program for recordings with deep and varied stacks. Many threads serve requests. A request passes
 * through a chain of filters, and then through layers of calls. Its path through the layers depends on
 * the request.
 *
 * Arguments: seconds to run, number of threads, number of different requests.
 */
public class DeepStacks {
    /** Number of filters before the request is served. Each filter has one or two frames. */
    private static final int FILTERS = 24;
    /** Number of layers below the filters. Each layer has one or two frames. */
    private static final int LAYERS = 32;

    private static volatile boolean running = true;
    private static volatile long sink;

    /** A request. It determines where the path turns in each layer. */
    private record Request(long seed) {
        int turn(int layer) {
            long mixed = (seed + layer) * 0x9E3779B97F4A7C15L;
            return (int) (mixed >>> 60);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long millis = (long) (Double.parseDouble(args[0]) * 1000);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        int requestCount = Integer.parseInt(args[2]);
        for (int i = 0; i < threads.length; i++) {
            int seed = i;
            threads[i] = new Thread(() -> serve(new SplittableRandom(seed), requestCount), "server-" + i);
            threads[i].start();
        }
        Thread.sleep(millis);
        running = false;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(sink);
    }

    private static void serve(SplittableRandom random, int requestCount) {
        while (running) {
            // A product of two random numbers: a few requests are frequent, and most are rare.
            double popularity = random.nextDouble() * random.nextDouble();
            sink += filter(0, new Request((long) (popularity * requestCount)));
        }
    }

    private static long filter(int index, Request request) {
        if (index == FILTERS) {
            return layer(0, request);
        }
        return index % 3 == 0 ? secure(index, request) : filter(index + 1, request) + 1;
    }

    private static long secure(int index, Request request) {
        return filter(index + 1, request) ^ index;
    }

    private static long layer(int depth, Request request) {
        if (depth == LAYERS) {
            return compute(request);
        }
        long before = work(request);
        return before + switch (request.turn(depth)) {
            case 0 -> select(depth, request);
            case 1 -> update(depth, request);
            case 2 -> parse(depth, request);
            case 3 -> render(depth, request);
            case 4 -> authorize(depth, request);
            case 5 -> log(depth, request);
            case 6 -> encode(depth, request);
            case 7 -> decode(depth, request);
            case 8 -> compress(depth, request);
            case 9 -> validate(depth, request);
            default -> layer(depth + 1, request) + 1;
        };
    }

    private static long select(int depth, Request request) {
        return layer(depth + 1, request) + 1;
    }

    private static long update(int depth, Request request) {
        return layer(depth + 1, request) + 2;
    }

    private static long parse(int depth, Request request) {
        return layer(depth + 1, request) + 3;
    }

    private static long render(int depth, Request request) {
        return layer(depth + 1, request) + 4;
    }

    private static long authorize(int depth, Request request) {
        return layer(depth + 1, request) + 5;
    }

    private static long log(int depth, Request request) {
        return layer(depth + 1, request) + 6;
    }

    private static long encode(int depth, Request request) {
        return layer(depth + 1, request) + 7;
    }

    private static long decode(int depth, Request request) {
        return layer(depth + 1, request) + 8;
    }

    private static long compress(int depth, Request request) {
        return layer(depth + 1, request) + 9;
    }

    private static long validate(int depth, Request request) {
        return layer(depth + 1, request) + 10;
    }

    /** Every layer also does work itself, in several ways. So stacks end at every depth. */
    private static long work(Request request) {
        long value = request.seed();
        value += hash(value);
        value += format(value, 3);
        value += sort(value);
        return value;
    }

    private static long hash(long value) {
        long first = mix(value, 100);
        long second = mix(value + 1, 50);
        return first ^ combine(second, value);
    }

    private static long combine(long first, long second) {
        return mix(first, 50) + mix(second, 50);
    }

    private static long format(long value, int digits) {
        return digits == 0 ? mix(value, 50) : format(value + digits, digits - 1) + mix(value, 50);
    }

    private static long sort(long value) {
        long[] values = new long[64];
        for (int i = 0; i < values.length; i++) {
            values[i] = mix(value + i, 2);
        }
        java.util.Arrays.sort(values);
        return values[7];
    }

    private static long compute(Request request) {
        return mix(request.seed(), 500) + work(request);
    }

    private static long mix(long value, int rounds) {
        long mixed = value;
        for (int i = 0; i < rounds; i++) {
            mixed = mixed * 6364136223846793005L + 1442695040888963407L;
            mixed ^= mixed >>> 29;
        }
        return mixed;
    }
}
