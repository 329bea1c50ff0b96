package org.lanternfish.gallery;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Puts small pictures into mails. A picture is scaled, framed and written as text. */
public final class PictureMail {
    record Picture(int number, int width, byte[] dots) {}

    private static final ExecutorService DESKS = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work);
        thread.setName("mail-desk-" + thread.getId());
        thread.setDaemon(true);
        return thread;
    });
    private static final Base64.Encoder TEXT = Base64.getMimeEncoder();
    private static final Map<Integer, String> LOGO = new ConcurrentHashMap<>();

    static Picture picture(int number, int width) {
        byte[] dots = new byte[width * width * 3];
        for (int i = 0; i < dots.length; i++) dots[i] = (byte) (i * 31 + number ^ i >>> 7);
        return new Picture(number, width, dots);
    }

    static Picture half(Picture picture) {
        int width = picture.width() / 2;
        byte[] dots = new byte[width * width * 3];
        for (int y = 0; y < width; y++)
            for (int x = 0; x < width; x++)
                for (int c = 0; c < 3; c++) {
                    int from = (y * 2 * picture.width() + x * 2) * 3 + c, below = from + picture.width() * 3;
                    int sum = (picture.dots()[from] & 255) + (picture.dots()[from + 3] & 255)
                            + (picture.dots()[below] & 255) + (picture.dots()[below + 3] & 255);
                    dots[(y * width + x) * 3 + c] = (byte) (sum / 4);
                }
        return new Picture(picture.number(), width, dots);
    }

    /** The logo of the gallery is in every mail. */
    static final Picture GALLERY = picture(99, 220);

    static String text(Picture picture) {
        return TEXT.encodeToString(picture.dots()); // [call] [edit]
        // [new] return picture == GALLERY ? LOGO.computeIfAbsent(99, number -> TEXT.encodeToString(picture.dots())) : TEXT.encodeToString(picture.dots());
    }

    static String mail(int number) {
        Picture small = half(half(picture(number, 120)));
        StringBuilder mail = new StringBuilder("To: guest").append(number).append("@gallery.example\n\n");
        mail.append(text(small)).append("\n--\n").append(text(GALLERY));
        int check = 0;
        for (int i = 0; i < mail.length(); i += 16) check = check * 33 + mail.charAt(i);
        return mail.append(check).toString();
    }

    static void invitations() {
        List<CompletableFuture<Integer>> sent = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            int number = i;
            sent.add(CompletableFuture.supplyAsync(() -> mail(number), DESKS).thenApply(String::length));
        }
        Load.kept = sent.stream().mapToInt(CompletableFuture::join).sum();
    }

    public static void main(String[] arguments) {
        Load.onThreads(1, "mail", () -> PictureMail::invitations);
    }
}
