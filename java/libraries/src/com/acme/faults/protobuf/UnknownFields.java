package com.acme.faults.protobuf;

import com.acme.load.Load;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A relay built with an older schema: it parses records whose newer fields it does not know, stamps and forwards them. */
public final class UnknownFields {
    private UnknownFields() {}

    public static void main(String[] args) throws IOException {
        List<ByteString> records = new ArrayList<>();
        Random random = new Random(11);
        for (int i = 0; i < 20; i++) {
            records.add(record(random, i % 4 == 0 ? 260 : 30));
        }
        Load.onThreads(2, "relay", () -> () -> {
            long bytes = 0;
            for (ByteString record : records) {
                bytes += forward(record).size();
            }
            Load.kept = bytes;
        });
    }

    /** As the newer sender writes it: seconds and nanos, then a key and a value in turn. */
    private static ByteString record(Random random, int pairs) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeInt64(1, 1_700_000_000L + random.nextInt(100_000));
        out.writeInt32(2, random.nextInt(1_000_000_000));
        for (int i = 0; i < pairs; i++) {
            out.writeUInt64(20, random.nextInt(5_000));
            out.writeFixed64(21, random.nextLong());
        }
        out.flush();
        return ByteString.copyFrom(bytes.toByteArray());
    }

    private static ByteString forward(ByteString record) throws InvalidProtocolBufferException {
        Timestamp known = Timestamp.parseFrom(record);
        return known.toBuilder().setNanos(known.getNanos() / 1000 * 1000).build().toByteString();
    }
}
