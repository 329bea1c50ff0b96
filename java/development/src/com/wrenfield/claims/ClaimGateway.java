package com.wrenfield.claims;

import com.acme.load.Load;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Takes claims in XML or as lines, each with its own decoder from a registry. */
public final class ClaimGateway {
    record Claim(String policy, Map<String, String> fields) {}

    /** Makes a claim of a message. */
    interface Decoder {
        Claim decode(String message) throws Exception;
    }

    static final class XmlDecoder implements Decoder {
        private static final XMLInputFactory INPUTS = XMLInputFactory.newInstance();

        @Override
        public Claim decode(String message) throws XMLStreamException {
            XMLInputFactory inputs = XMLInputFactory.newInstance(); // [call] [edit]
            // [new] XMLInputFactory inputs = INPUTS;
            XMLStreamReader reader = inputs.createXMLStreamReader(new StringReader(message));
            Map<String, String> fields = new HashMap<>();
            String policy = "", name = "";
            while (reader.hasNext())
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        name = reader.getLocalName();
                        if (name.equals("claim")) policy = reader.getAttributeValue(null, "policy");
                    }
                    case XMLStreamConstants.CHARACTERS -> fields.merge(name, reader.getText(), String::concat);
                    default -> { }
                }
            return new Claim(policy, fields);
        }
    }

    static final class LineDecoder implements Decoder {
        @Override
        public Claim decode(String message) {
            Map<String, String> fields = new HashMap<>();
            for (String field : message.split("\\|")) {
                int sign = field.indexOf('=');
                if (sign > 0) fields.put(field.substring(0, sign), field.substring(sign + 1));
            }
            return new Claim(fields.getOrDefault("policy", "?"), fields);
        }
    }

    private final Map<Character, Decoder> decoders = Map.of('<', new XmlDecoder(), 'p', new LineDecoder());

    static List<String> messages(int count) {
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder text = new StringBuilder();
            if (i % 4 == 0) {
                text.append("<claim policy=\"P").append(i % 50).append("\">");
                for (int k = 0; k < 60; k++) text.append("<part").append(k).append(">hail &amp; wind ").append(i * k).append("</part").append(k).append('>');
                text.append("</claim>");
            } else {
                text.append("policy=P").append(i % 50);
                for (int k = 0; k < 60; k++) text.append("|part").append(k).append("=water ").append(i * k);
            }
            messages.add(text.toString());
        }
        return messages;
    }

    static long judge(Claim claim) {
        long points = 0;
        for (String field : new TreeMap<>(claim.fields()).values())
            for (int i = 0; i < field.length(); i++) points = points * 31 + Character.toUpperCase(field.charAt(i));
        return points;
    }

    void batch(List<String> messages) throws Exception {
        Map<String, Long> points = new TreeMap<>();
        for (String message : messages) {
            Claim claim = decoders.get(message.charAt(0)).decode(message);
            points.merge(claim.policy(), judge(claim), Long::sum);
        }
        Load.kept = points;
    }

    public static void main(String[] arguments) {
        List<String> messages = messages(80);
        Load.onThreads(2, "claims", () -> {
            ClaimGateway gateway = new ClaimGateway();
            return () -> gateway.batch(messages);
        });
    }
}
