package whittle.workloads.orders;

/** Reads an order from its message. */
final class OrderParser {
    private final String text;
    private int position;

    private OrderParser(String text) {
        this.text = text;
    }

    static Order parse(String text) {
        return new OrderParser(text).order();
    }

    private Order order() {
        long number = Long.parseLong(value("order="));
        String country = value("country=");
        value("customer=");
        value("mail=");
        value("phone=");
        Order order = new Order(number, country, Integer.parseInt(value("lines=")));
        for (int i = 0; i < order.lineCount; i++) {
            order.products[i] = number();
            order.quantities[i] = number();
            order.pricesCents[i] = number();
            order.weightsGrams[i] = number();
            skipLine();
        }
        return order;
    }

    private String value(String key) {
        if (!text.startsWith(key, position)) {
            throw new IllegalArgumentException("wanted " + key + " at character " + position);
        }
        int end = text.indexOf('\n', position);
        String value = text.substring(position + key.length(), end);
        position = end + 1;
        return value;
    }

    /** Reads digits and the semicolon after them. */
    private int number() {
        int number = 0;
        for (char c; (c = text.charAt(position++)) != ';'; ) {
            number = number * 10 + c - '0';
        }
        return number;
    }

    private void skipLine() {
        position = text.indexOf('\n', position) + 1;
    }
}
