package com.hollyhock.garden;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A nursery keeps a card for each plant as XML, and plans beds from the cards. */
public final class PlantCards {
    record Plant(String name, int height, int light, int water) {}

    /** What a worker needs to read cards. */
    static final class Reader {
        private final DocumentBuilder builder;
        private final Map<String, Document> read = new HashMap<>();

        Reader() {
            try {
                builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            } catch (javax.xml.parsers.ParserConfigurationException failure) {
                throw new IllegalStateException(failure);
            }
        }

        Document document(String card) throws Exception {
            // [new] Document known = read.get(card);
            // [new] if (known != null) return known;
            Document document = builder.parse(new ByteArrayInputStream(card.getBytes(StandardCharsets.UTF_8))); // [call] [edit]
            // [new] Document document = builder.parse(new ByteArrayInputStream(card.getBytes(StandardCharsets.UTF_8)));
            // [new] read.put(card, document);
            return document;
        }

        Plant plant(String card) throws Exception {
            Element root = document(card).getDocumentElement();
            int[] numbers = new int[3];
            NodeList needs = root.getElementsByTagName("need");
            for (int i = 0; i < needs.getLength(); i++) {
                Element need = (Element) needs.item(i);
                numbers[i % 3] += Integer.parseInt(need.getAttribute("value"));
            }
            return new Plant(root.getAttribute("name"), numbers[0], numbers[1], numbers[2]);
        }
    }

    static List<String> cards(int count) {
        List<String> cards = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder card = new StringBuilder("<plant name=\"plant " + i + "\">");
            for (String need : List.of("height", "light", "water", "roots", "shade", "lime"))
                card.append("<need kind=\"").append(need).append("\" value=\"").append((i * 13 + need.length()) % 40)
                        .append("\">as in &lt;book ").append(i % 5).append("&gt;</need>\n");
            cards.add(card.append("</plant>").toString());
        }
        return cards;
    }

    /** Puts plants that need the same next to each other, by exchanges. */
    static int plan(List<Plant> plants) {
        List<Plant> bed = new ArrayList<>(plants);
        int worth = 0;
        for (int round = 0; round < 4; round++)
            for (int i = 1; i < bed.size() - 1; i++)
                for (int k = i + 1; k < bed.size(); k++) {
                    int now = unlike(bed.get(i - 1), bed.get(i)), then = unlike(bed.get(i - 1), bed.get(k));
                    if (then < now) {
                        Plant plant = bed.get(i);
                        bed.set(i, bed.get(k));
                        bed.set(k, plant);
                        worth += now - then;
                    }
                }
        return worth;
    }

    static int unlike(Plant one, Plant two) {
        return Math.abs(one.height() - two.height()) + 3 * Math.abs(one.light() - two.light()) + 2 * Math.abs(one.water() - two.water());
    }

    public static void main(String[] arguments) {
        List<String> cards = cards(80);
        Load.onThreads(2, "garden", () -> {
            Reader reader = new Reader();
            return () -> {
                List<Plant> plants = new ArrayList<>();
                for (String card : cards) plants.add(reader.plant(card));
                Load.kept = plan(plants);
            };
        });
    }
}
