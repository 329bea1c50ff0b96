package whittle.healthy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Jackson: converts orders to JSON and back, with readers and writers that are created once. */
public final class Json {
    /** A line of an order. */
    public record Line(String article, int quantity, double price, List<String> tags) {}

    /** An order. */
    public record Order(long number, String customer, Map<String, String> attributes, List<Line> lines) {}

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final ObjectWriter WRITER = MAPPER.writerFor(new TypeReference<List<Order>>() {});
    private static final ObjectReader READER = MAPPER.readerFor(new TypeReference<List<Order>>() {});

    private Json() {}

    private static List<Order> orders(int count) {
        Random random = new Random(3);
        List<Order> orders = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            List<Line> lines = new ArrayList<>(8);
            for (int line = 0; line < 8; line++)
                lines.add(new Line("article " + random.nextInt(9999), 1 + random.nextInt(9), random.nextInt(99999) / 100.0, List.of("a", "b")));
            orders.add(new Order(i, "customer " + i % 70, Map.of("city", "City " + i % 50, "note", "ring twice"), lines));
        }
        return orders;
    }

    private static int thereAndBack(List<Order> orders) throws IOException {
        byte[] text = WRITER.writeValueAsBytes(orders);
        List<Order> read = READER.readValue(text);
        if (read.size() != orders.size()) throw new IllegalStateException("orders were lost");
        return text.length;
    }

    /** Runs for {@code -Dseconds}. */
    public static void main(String[] arguments) throws Exception {
        List<Order> orders = orders(100);
        Load.start("json", 2, thread -> thereAndBack(orders));
        Load.finish();
    }
}
