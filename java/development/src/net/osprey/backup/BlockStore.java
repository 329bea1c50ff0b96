package net.osprey.backup;

import com.acme.load.Load;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Splits files into blocks and stores each different block once. */
public final class BlockStore {
    /** A block. Some places know the digest of a block already, from the last backup. */
    static final class Block {
        final byte[] bytes;
        private byte[] known;

        Block(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] digest(MessageDigest digest) {
            known = digest.digest(bytes); // [call] [edit]
            // [new] if (known == null) known = digest.digest(bytes);
            return known;
        }
    }

    private final MessageDigest sha;
    private final List<Block> file = new ArrayList<>();

    BlockStore(int size) {
        try {
            sha = MessageDigest.getInstance("SHA-512");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
        byte[] bytes = new byte[size];
        int state = 7;
        for (int i = 0; i < size; i++) {
            state = state * 1103515245 + 12345;
            bytes[i] = (byte) (state >>> 20 & (i / 5000 % 3 == 0 ? 15 : 255));
        }
        for (int from = 0; from < size; from += 8192) file.add(new Block(Arrays.copyOfRange(bytes, from, Math.min(size, from + 8192))));
    }

    /** The entropy of a block decides whether it is worth packing. */
    static double entropy(byte[] bytes) {
        int[] counts = new int[256];
        for (byte b : bytes) counts[b & 255]++;
        double bits = 0;
        for (int count : counts) if (count > 0) bits -= count * Math.log((double) count / bytes.length);
        return bits / bytes.length;
    }

    static int runs(byte[] bytes) {
        int runs = 0;
        for (int i = 1; i < bytes.length; i++) if ((bytes[i] ^ bytes[i - 1]) < 4) runs++;
        return runs;
    }

    void backup() {
        Map<String, String> plan = new TreeMap<>();
        for (Block block : file) {
            String name = HexFormat.of().formatHex(block.digest(sha), 0, 16);
            plan.put(name, entropy(block.bytes) < 4 ? "pack " + runs(block.bytes) : "store");
        }
        Load.kept = plan;
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "backup", () -> new BlockStore(400_000)::backup);
    }
}
