package org.hazel.parcels;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpression;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

/** Prices the consignments of a parcel carrier's manifest and finds how to stow them. */
public final class ManifestDesk {
    sealed interface Consignment permits Box, Tube, Pallet {}

    record Box(int width, int height, int depth, int grams) implements Consignment {}

    record Tube(int diameter, int length, int grams) implements Consignment {}

    record Pallet(List<Box> layers) implements Consignment {}

    /** The carrier's tariff as it came from head office this morning. */
    static final class Tariff {
        private final Document sheet;
        private final XPathExpression surcharge;
        // [new] private final double fuelPercent;

        Tariff(String xml) throws Exception {
            sheet = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                    .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
            surcharge = XPathFactory.newInstance().newXPath()
                    .compile("sum(/tariff/zones/zone[@open='yes']/fuel/@percent) div count(/tariff/zones/zone[@open='yes'])");
            // [new] fuelPercent = (Double) surcharge.evaluate(sheet, XPathConstants.NUMBER);
        }

        double fuel() throws XPathExpressionException {
            return (Double) surcharge.evaluate(sheet, XPathConstants.NUMBER); // [call] [edit]
            // [new] return fuelPercent;
        }
    }

    private final Tariff tariff;
    private final List<Consignment> manifest = new ArrayList<>();
    private final int[] best = new int[1501];

    private ManifestDesk() throws Exception {
        StringBuilder xml = new StringBuilder("<tariff><valid from='2025-03-01'/><zones>");
        for (int zone = 0; zone < 12; zone++)
            xml.append("<zone code='Z").append(zone).append("' open='").append(zone % 3 == 0 ? "no" : "yes")
                    .append("'><base>").append(390 + zone * 12).append("</base><fuel percent='").append(4 + zone % 5).append("'/></zone>");
        tariff = new Tariff(xml.append("</zones></tariff>").toString());
        for (int i = 0; i < 60; i++) {
            Box box = new Box(10 + i % 30, 12 + i % 17, 20 + i % 23, 300 + i * 41 % 900);
            manifest.add(i % 5 == 0 ? new Tube(4 + i % 9, 60 + i % 40, 200 + i * 7)
                    : i % 7 == 0 ? new Pallet(List.of(box, box, new Box(40, 30, 20, 700))) : box);
        }
    }

    private static int grams(Consignment consignment) {
        if (consignment instanceof Box box)
            return Math.max(box.grams, box.width * box.height * box.depth / 6);
        if (consignment instanceof Tube tube)
            return tube.grams + tube.length * 2 + tube.diameter;
        int sum = 0;
        for (Box layer : ((Pallet) consignment).layers)
            sum += grams(layer);
        return sum;
    }

    private void morning() throws XPathExpressionException {
        long cents = 0;
        java.util.Arrays.fill(best, 0);
        for (Consignment consignment : manifest) {
            int grams = grams(consignment);
            double price = (390 + grams * 0.11) * (1 + tariff.fuel() / 100);
            cents += Math.round(price);
            stow(1 + grams / 40, (int) price);
        }
        Load.kept = cents + best[best.length - 1];
    }

    /** The worth of the consignments that fit on the first van, by the room (in litres) that is left for them. */
    private void stow(int room, int worth) {
        for (int turn = 0; turn < 30; turn++)
            for (int litres = best.length - 1; litres >= room + turn; litres--)
                best[litres] = Math.max(best[litres], best[litres - room - turn] + worth - turn * 12);
    }

    public static void main(String[] args) throws Exception {
        Load.here(new ManifestDesk()::morning);
    }
}
