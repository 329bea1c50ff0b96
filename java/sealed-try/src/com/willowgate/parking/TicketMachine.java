package com.willowgate.parking;

import com.acme.load.Load;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Prints parking tickets with a seal that the barrier checks. */
public final class TicketMachine {
    interface Seal {
        byte[] of(byte[] text) throws GeneralSecurityException;
    }

    static final class KeyedSeal implements Seal {
        private final SecretKeySpec key;
        // [new] private final Mac mac;

        KeyedSeal(byte[] secret) throws GeneralSecurityException {
            key = new SecretKeySpec(secret, "HmacSHA256");
            // [new] mac = Mac.getInstance("HmacSHA256");
            // [new] mac.init(key);
        }

        @Override
        public byte[] of(byte[] text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256"); // [call] [edit]
            mac.init(key); // [old]
            return mac.doFinal(text);
        }
    }

    record Stay(int zone, int plate, int from, int minutes) {}

    private static final char[] SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".toCharArray();

    private final Seal seal;
    private final int[] tariff = new int[24 * 60];
    private final StringBuilder line = new StringBuilder(64);

    TicketMachine(Seal seal) {
        this.seal = seal;
        for (int minute = 0; minute < tariff.length; minute++)
            tariff[minute] = minute < 420 ? 1 : minute < 1140 ? 4 : 2;
    }

    private int price(Stay stay) {
        int cents = 0;
        for (int minute = 0; minute < stay.minutes; minute++)
            cents += tariff[(stay.from + minute) % tariff.length] * (1 + stay.zone % 3);
        return cents;
    }

    private String print(Stay stay) throws GeneralSecurityException {
        line.setLength(0);
        line.append("Z").append(stay.zone).append(" P").append(stay.plate).append(" F").append(stay.from)
                .append(" M").append(stay.minutes).append(" C").append(price(stay)).append(' ');
        byte[] sealed = seal.of(line.toString().getBytes(StandardCharsets.ISO_8859_1));
        for (int i = 0; i < 12; i++)
            line.append(SIGNS[sealed[i] & 31]);
        return line.toString();
    }

    public static void main(String[] args) throws GeneralSecurityException {
        Random random = new Random(5);
        Stay[] day = new Stay[900];
        for (int i = 0; i < day.length; i++)
            day[i] = new Stay(random.nextInt(12), random.nextInt(100_000), random.nextInt(1440), 20 + random.nextInt(400));
        TicketMachine machine = new TicketMachine(new KeyedSeal("barrier-7".getBytes(StandardCharsets.US_ASCII)));
        Load.here(() -> {
            int sum = 0;
            for (Stay stay : day)
                sum = sum * 31 + machine.print(stay).hashCode();
            Load.kept = sum;
        });
    }
}
