package com.acme.faults.netty;

import com.acme.load.Load;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.FileUpload;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;

/** The upload part of an HTTP server: takes a multipart body chunk by chunk, and computes the file's checksum. */
public final class UploadServer {
    private static final String BOUNDARY = "----formBoundary7MA4YWxkTrZu0gW";
    private static final int CHUNK = 8192;

    private UploadServer() {}

    public static void main(String[] args) {
        byte[] file = new byte[600_000];
        new Random(15).nextBytes(file);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        body.writeBytes(file);
        body.writeBytes(("\r\n--" + BOUNDARY + "--\r\n").getBytes(StandardCharsets.US_ASCII));
        byte[] bytes = body.toByteArray();
        Load.onThreads(2, "upload", () -> () -> Load.kept = receive(bytes));
    }

    private static long receive(byte[] body) throws Exception {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/upload");
        request.headers().set(HttpHeaderNames.CONTENT_TYPE, "multipart/form-data; boundary=" + BOUNDARY);
        HttpPostRequestDecoder decoder = new HttpPostRequestDecoder(new DefaultHttpDataFactory(false), request);
        for (int at = 0; at < body.length; at += CHUNK) {
            ByteBuf chunk = Unpooled.wrappedBuffer(Arrays.copyOfRange(body, at, Math.min(body.length, at + CHUNK)));
            decoder.offer(at + CHUNK < body.length ? new DefaultHttpContent(chunk) : new DefaultLastHttpContent(chunk));
            chunk.release();
        }
        FileUpload upload = (FileUpload) decoder.getBodyHttpData("file");
        CRC32 sum = new CRC32();
        sum.update(upload.get());
        decoder.destroy();
        return sum.getValue();
    }
}
