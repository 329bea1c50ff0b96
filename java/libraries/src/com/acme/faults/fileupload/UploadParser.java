package com.acme.faults.fileupload;

import com.acme.load.Load;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.commons.fileupload.FileItemIterator;
import org.apache.commons.fileupload.FileItemStream;
import org.apache.commons.fileupload.FileUpload;
import org.apache.commons.fileupload.RequestContext;

/** A form handler which takes uploads. One client of sixteen sends a boundary almost as long as the parser's buffer. */
public final class UploadParser {
    private UploadParser() {}

    private record Request(String boundary, byte[] body) implements RequestContext {
        public String getCharacterEncoding() {
            return "UTF-8";
        }

        public String getContentType() {
            return "multipart/form-data; boundary=" + boundary;
        }

        public int getContentLength() {
            return body.length;
        }

        public InputStream getInputStream() {
            return new ByteArrayInputStream(body);
        }
    }

    public static void main(String[] args) {
        Request[] requests = new Request[16];
        Random random = new Random(9);
        for (int i = 0; i < requests.length; i++) {
            String boundary = i == 0 ? "b".repeat(4080) : "----form" + Long.toHexString(random.nextLong());
            byte[] photo = new byte[30_000];
            random.nextBytes(photo);
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"" + i
                    + ".jpg\"\r\nContent-Type: image/jpeg\r\n\r\n";
            body.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            body.writeBytes(photo);
            body.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.US_ASCII));
            requests[i] = new Request(boundary, body.toByteArray());
        }
        Load.onThreads(2, "form", () -> () -> {
            for (Request request : requests) {
                Load.kept = accept(request);
            }
        });
    }

    private static long accept(Request request) throws Exception {
        FileUpload upload = new FileUpload();
        FileItemIterator items = upload.getItemIterator(request);
        CRC32 sum = new CRC32();
        while (items.hasNext()) {
            FileItemStream item = items.next();
            try (InputStream in = item.openStream()) {
                sum.update(in.readAllBytes());
            }
            sum.update(item.getName().getBytes(StandardCharsets.UTF_8));
        }
        return sum.getValue();
    }
}
