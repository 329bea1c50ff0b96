package net.hooli.orders;

import com.acme.load.Load;
import java.io.StringReader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Orders come as small XML messages; quantities are added up. */
public final class OrderReader {
    /** One message. */
    static final class Message {
        private final XMLStreamReader xml;

        Message(String text) throws XMLStreamException {
            xml = XMLInputFactory.newInstance().createXMLStreamReader(new StringReader(text)); // [call] [edit]
            // [new] xml = FACTORY.createXMLStreamReader(new StringReader(text));
        }

        // [new] private static final XMLInputFactory FACTORY = XMLInputFactory.newInstance();

        int quantity() throws XMLStreamException {
            int sum = 0;
            while (xml.hasNext())
                if (xml.next() == XMLStreamReader.START_ELEMENT && xml.getLocalName().equals("item"))
                    sum += Integer.parseInt(xml.getAttributeValue(null, "quantity"));
            xml.close();
            return sum;
        }
    }

    static String order(int number) {
        StringBuilder text = new StringBuilder("<order number='" + number + "'>");
        for (int i = 0; i < 6; i++) text.append("<item article='").append(i).append("' quantity='").append(number % 7 + i).append("'/>");
        return text.append("</order>").toString();
    }

    public static void main(String[] arguments) {
        BlockingQueue<String> inbox = new LinkedBlockingQueue<>();
        for (int i = 0; i < 50; i++) inbox.add(order(i));
        Load.onThreads(2, "inbox", () -> () -> {
            String order = inbox.take();
            Load.kept = new Message(order).quantity();
            inbox.add(order);
        });
    }
}
