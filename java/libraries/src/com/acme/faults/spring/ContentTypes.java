package com.acme.faults.spring;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/** A gateway: parses the content type of every message, and picks a handler which is compatible with it. */
public final class ContentTypes {
    private ContentTypes() {}

    public static void main(String[] args) {
        List<String> types = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            types.add("application/vnd.acme.part" + i + "+json;charset=utf-8");
        }
        List<MimeType> handlers = List.of(MimeType.valueOf("text/*"), MimeType.valueOf("application/xml"),
                MimeType.valueOf("application/*+json"));
        Load.onThreads(2, "gateway", () -> {
            Random random = new Random(1);
            return () -> {
                int chosen = 0;
                for (int i = 0; i < 200; i++) {
                    // most messages are of a few kinds
                    int kind = Math.min(random.nextInt(70), random.nextInt(70));
                    chosen += choose(handlers, types.get(kind));
                }
                Load.kept = chosen;
            };
        });
    }

    private static int choose(List<MimeType> handlers, String contentType) {
        MimeType type = MimeTypeUtils.parseMimeType(contentType);
        for (int i = 0; i < handlers.size(); i++) {
            if (handlers.get(i).isCompatibleWith(type)) {
                return i + (type.getCharset() == null ? 0 : 1);
            }
        }
        return -1;
    }
}
