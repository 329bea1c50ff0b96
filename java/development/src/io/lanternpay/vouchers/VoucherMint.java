package io.lanternpay.vouchers;

import com.acme.load.Load;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Mints the gift vouchers that the lantern shops print at the till. */
public final class VoucherMint {
    /** A voucher in the form in which the till prints it. */
    record Voucher(String face, String code) {}

    static final class VoucherBuilder {
        private final Map<String, String> fields = new LinkedHashMap<>();
        private final Seal seal;

        VoucherBuilder(Seal seal) {
            this.seal = seal;
        }

        VoucherBuilder shop(int shop) {
            fields.put("shop", "LP" + (1000 + shop));
            return this;
        }

        VoucherBuilder worth(BigDecimal worth, String currency) {
            fields.put("worth", worth.setScale(2, RoundingMode.HALF_EVEN).toPlainString());
            fields.put("currency", currency);
            return this;
        }

        VoucherBuilder serial(long serial) {
            fields.put("serial", String.valueOf(serial));
            return this;
        }

        Voucher build() throws GeneralSecurityException {
            String text = String.join("/", fields.values());
            byte[] sealed = seal.close(text.getBytes(StandardCharsets.US_ASCII));
            String code = Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
            StringBuilder face = new StringBuilder();
            fields.forEach((name, value) -> face.append(name).append(": ").append(value).append('\n'));
            for (int i = 0; i < code.length(); i += 4)
                face.append(code, i, Math.min(code.length(), i + 4)).append(i % 16 == 12 ? '\n' : '-');
            return new Voucher(face.toString(), code);
        }
    }

    /** Closes the text of a voucher, so that only the clearing house can read it. */
    static final class Seal {
        private final SecretKeySpec key;
        // [new] private final Cipher cipher = cipher();

        Seal(byte[] secret) {
            key = new SecretKeySpec(secret, "AES");
        }

        private static Cipher cipher() {
            try {
                return Cipher.getInstance("AES/CBC/PKCS5Padding"); // [call]
            } catch (GeneralSecurityException missing) {
                throw new IllegalStateException(missing);
            }
        }

        byte[] close(byte[] text) throws GeneralSecurityException {
            byte[] start = new byte[16];
            System.arraycopy(text, 0, start, 0, Math.min(16, text.length));
            Cipher cipher = cipher(); // [edit]
            cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(start));
            return cipher.doFinal(text);
        }
    }

    /** A black and white picture of the code for the printer, with check columns. */
    static int picture(Voucher voucher, boolean[][] dots) {
        int black = 0, state = voucher.face().length();
        String code = voucher.code();
        for (int row = 0; row < dots.length; row++)
            for (int column = 0; column < dots[row].length; column++) {
                state = state * 1103515245 + code.charAt((row * 7 + column) % code.length());
                dots[row][column] = (state >>> 16 & 3) > 1 ^ (row + column) % 3 == 0;
                black += dots[row][column] ? row + 1 : 0;
            }
        return black;
    }

    private static final AtomicInteger TILLS = new AtomicInteger();

    static final class Till implements Load.Unit {
        private final int number = TILLS.incrementAndGet();
        private final Random customers = new Random(number);
        private final Seal seal = new Seal("clearing-house-1".getBytes(StandardCharsets.US_ASCII));
        private final boolean[][] dots = new boolean[130][130];
        private long serial = number * 1_000_000L;

        @Override
        public void run() throws Exception {
            long ink = 0;
            for (int i = 0; i < 40; i++) {
                BigDecimal worth = BigDecimal.valueOf(500 + customers.nextInt(9500), 2).multiply(new BigDecimal("0.975"));
                Voucher voucher = new VoucherBuilder(seal).shop(number).worth(worth, "EUR").serial(++serial).build();
                ink = ink * 31 + picture(voucher, dots);
            }
            Load.kept = ink;
        }
    }

    public static void main(String[] args) {
        Load.onThreads(3, "till", Till::new);
    }
}
