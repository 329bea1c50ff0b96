package com.harborline.customs;

import com.acme.load.Load;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Clears ship manifests: reads the positions, works out the duty of each tariff chapter and assigns an inspection lane. */
public final class ManifestDesk {
    enum Lane { GREEN, YELLOW, RED }

    record Position(String tariff, int pieces, long cents) {
        String chapter() {
            return tariff.substring(0, 2);
        }

        long duty() {
            return cents * (3 + tariff.charAt(3) - '0') / 100;
        }
    }

    record Clearance(String vessel, String flag, Lane lane, long duty, List<String> topChapters) {}

    private final DocumentBuilder builder;
    private final List<String> inbox;
    // [new] private final XPath paths = XPathFactory.newInstance().newXPath();
    private int next;

    ManifestDesk(List<String> inbox) {
        try {
            this.builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        } catch (ParserConfigurationException unusable) {
            throw new IllegalStateException(unusable);
        }
        this.inbox = inbox;
    }

    Clearance clearNext() throws Exception {
        Document manifest = builder.parse(new InputSource(new StringReader(inbox.get(next++ % inbox.size()))));
        String vessel = header(manifest, "/manifest/vessel/@name");
        String flag = header(manifest, "/manifest/vessel/@flag");
        List<Position> positions = positions(manifest);
        Map<String, Long> dutyByChapter = positions.stream()
                .collect(Collectors.groupingBy(Position::chapter, Collectors.summingLong(Position::duty)));
        List<String> top = dutyByChapter.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(3)
                .map(Map.Entry::getKey)
                .toList();
        long duty = dutyByChapter.values().stream().mapToLong(Long::longValue).sum();
        return new Clearance(vessel, flag, laneOf(positions, duty), duty, top);
    }

    private String header(Document manifest, String path) throws XPathExpressionException {
        XPath paths = XPathFactory.newInstance().newXPath(); // [call] [edit]
        return paths.evaluate(path, manifest);
    }

    private static List<Position> positions(Document manifest) {
        var nodes = manifest.getElementsByTagName("position");
        List<Position> positions = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            Element node = (Element) nodes.item(i);
            positions.add(new Position(node.getAttribute("tariff"), Integer.parseInt(node.getAttribute("pieces")),
                    Long.parseLong(node.getTextContent().strip())));
        }
        return positions;
    }

    private static Lane laneOf(List<Position> positions, long duty) {
        int pieces = positions.stream().mapToInt(Position::pieces).sum();
        return duty > 4_000_000 ? Lane.RED : pieces > 9_000 ? Lane.YELLOW : Lane.GREEN;
    }

    private static String sampleManifest(Random random, int number) {
        String positions = IntStream.range(0, 110 + random.nextInt(60))
                .mapToObj(i -> "<position tariff=\"%08d\" pieces=\"%d\"> %d </position>".formatted(
                        10_000_000 + random.nextInt(80_000_000), 1 + random.nextInt(200), 100 + random.nextInt(900_000)))
                .collect(Collectors.joining("\n  "));
        return "<manifest><vessel name=\"MV Petrel " + number + "\" flag=\"NO\"/>\n  " + positions + "\n</manifest>";
    }

    public static void main(String[] args) {
        Random random = new Random(41);
        List<String> inbox = IntStream.range(0, 40).mapToObj(i -> sampleManifest(random, i)).toList();
        Load.onThreads(2, "clearing", () -> {
            ManifestDesk desk = new ManifestDesk(inbox);
            return () -> Load.kept = desk.clearNext();
        });
    }
}
