package whittle.tests.trial;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.text.SimpleDateFormat;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Stack;
import java.util.Vector;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import javax.crypto.Cipher;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.xpath.XPathFactory;

/** Small programs, one for each remedy or refusal. */
final class SmallPrograms {
    private static List<String> list;
    private static StringBuffer shared;

    private SmallPrograms() {
    }

    static String digest(String algorithm, String text) throws Exception {
        MessageDigest digest = MessageDigest.getInstance(algorithm);
        digest.update(text.getBytes("UTF-8"));
        return Arrays.toString(digest.digest()) + digest.getProvider();
    }

    static Object newDigest() throws Exception {
        return MessageDigest.getInstance("SHA-256");
    }

    static Object cipher() throws Exception {
        return Cipher.getInstance("AES");
    }

    static String dates(String pattern) {
        SimpleDateFormat format = new SimpleDateFormat(pattern);
        String text = format.format(new Date(0));
        format.applyPattern("yy");
        return text;
    }

    static String datesOf(String pattern, boolean isGerman) {
        return new SimpleDateFormat(pattern, isGerman ? Locale.GERMANY : Locale.US).format(new Date(0));
    }

    static String decimals(String pattern) {
        return new DecimalFormat(pattern).format(1234.5);
    }

    /** The format stays in the method. A text with a time zone changes the format that parses it. */
    static String datesThatStay(String pattern, String text) throws Exception {
        SimpleDateFormat format = new SimpleDateFormat(pattern);
        return format.parse(text).getTime() + format.format(new Date(0));
    }

    static String numbersThatStay(Locale locale, double number) {
        return NumberFormat.getInstance(locale).format(number);
    }

    static String decimalsOf(String pattern, DecimalFormatSymbols symbols) {
        return new DecimalFormat(pattern, symbols).format(1234.5);
    }

    static String message(String pattern, Object... arguments) {
        return MessageFormat.format(pattern, arguments);
    }

    static Object paths() {
        return XPathFactory.newInstance();
    }

    static void parks(long timeNs) {
        LockSupport.parkNanos(timeNs);
    }

    static String numbers() {
        NumberFormat format = NumberFormat.getInstance();
        String text = format.format(1234.5);
        format.setMaximumFractionDigits(0);
        return text;
    }

    static String ofPattern(String pattern) {
        return DateTimeFormatter.ofPattern(pattern).format(LocalDate.of(2024, 5, 6));
    }

    static Object documents() {
        return DocumentBuilderFactory.newInstance();
    }

    static Object parsers() {
        return SAXParserFactory.newInstance();
    }

    static Object transformers() {
        return TransformerFactory.newInstance();
    }

    static String presizedMap(int size) {
        Map<Integer, Integer> map = new HashMap<>();
        for (int index = 0; index < size; index++) {
            map.put(index, index * index);
        }
        return map.toString();
    }

    static String presizedBuilder(int size) {
        return new StringBuilder().append("x".repeat(size)).toString();
    }

    static int presizedList(boolean isLong) {
        return (isLong ? new ArrayList<>(Arrays.asList(1, 2)) : new ArrayList<>()).size();
    }

    static String linked(int size) {
        LinkedList<Integer> numbers = new LinkedList<>();
        for (int index = 0; index < size; index++) {
            numbers.add(index);
        }
        int sum = 0;
        for (int index = 0; index < numbers.size(); index++) {
            sum += numbers.get(index);
        }
        numbers.remove(Integer.valueOf(1));
        return numbers.get(0) + " " + sum;
    }

    static int vector(int size) {
        Vector<Integer> numbers = new Vector<>();
        for (int index = 0; index < size; index++) {
            numbers.add(index);
        }
        return numbers.get(size - 1) + numbers.size();
    }

    static int elements() {
        Vector<Integer> numbers = new Vector<>();
        numbers.addElement(1);
        return numbers.size();
    }

    static Object linkedFor(Collection<String> values) {
        list = new LinkedList<>(values);
        return list;
    }

    static String linkedEach(Collection<String> values) {
        List<String> copies = new LinkedList<>(values);
        StringBuilder text = new StringBuilder();
        for (String value : copies) {
            text.append(value);
        }
        List<String> all = new ArrayList<>(copies);
        all.addAll(copies);
        return text.append(all).toString();
    }

    static List<String> linkedList() {
        return new LinkedList<>();
    }

    static void linkedPassed(Collection<String> values) {
        values.addAll(Collections.unmodifiableList(new LinkedList<>(values)));
    }

    /** The removal of the last element ends the loop over a LinkedList, but an ArrayList throws an exception. */
    static int linkedRemoved() {
        List<String> values = new LinkedList<>(List.of("a", "b"));
        for (String value : values) {
            if (value.equals("b")) {
                values.remove(value);
            }
        }
        return values.size();
    }

    static Object queue() {
        LinkedList<String> queue = new LinkedList<>();
        queue.addFirst("first");
        return queue.poll();
    }

    static Object deque() {
        Deque<String> deque = new LinkedList<>();
        return deque.peek();
    }

    static String buffer(int count, boolean isReversed) {
        StringBuffer text = new StringBuffer(5);
        for (int index = 0; index < count; index++) {
            text.append(index).append(',');
            if (index % 2 == 0) {
                text.insert(0, isReversed);
            }
        }
        if (isReversed) {
            text = text.reverse();
        }
        text.setLength(Math.max(text.length() - 1, 0));
        return text.toString();
    }

    static StringBuffer returnedBuffer() {
        StringBuffer text = new StringBuffer();
        return text.append('x');
    }

    static String mixedBuffer(boolean isFirst) {
        StringBuffer text = isFirst ? new StringBuffer("1") : new StringBuffer("2");
        return text.append('x').toString();
    }

    static String sharedBuffer() {
        StringBuffer text = new StringBuffer();
        shared = text;
        return text.append(shared.length()).toString();
    }

    static int lowered(int level, boolean isWithoutHeader) throws Exception {
        return inflated(new Deflater(level, isWithoutHeader), isWithoutHeader);
    }

    static int loweredDefault() throws Exception {
        return inflated(new Deflater(), false);
    }

    static int setLevel() throws Exception {
        Deflater deflater = new Deflater(1);
        deflater.setLevel(9);
        return inflated(deflater, false);
    }

    static DecimalFormatSymbols symbols() {
        return DecimalFormatSymbols.getInstance();
    }

    static DecimalFormatSymbols symbolsOf(Locale locale) {
        return DecimalFormatSymbols.getInstance(locale);
    }

    static int zipped(byte[] bytes) throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream stream = new GZIPOutputStream(zipped)) {
            stream.write(bytes);
        }
        byte[] unzipped = new GZIPInputStream(new ByteArrayInputStream(zipped.toByteArray())).readAllBytes();
        return Arrays.equals(bytes, unzipped) ? zipped.size() : -1;
    }

    /** The writer flushes each line. */
    static PrintWriter lines(OutputStream out) {
        PrintWriter writer = new PrintWriter(out, true);
        for (int line = 0; line < 3; line++) {
            writer.println(line);
        }
        return writer;
    }

    static PrintWriter unflushedLines(OutputStream out) {
        PrintWriter writer = new PrintWriter(out, false);
        writer.println("line");
        return writer;
    }

    /** All usual methods, also with wrong indexes and while it iterates. */
    static String stack() {
        Stack<Integer> stack = new Stack<>();
        StringBuilder text = new StringBuilder();
        for (int element = 0; element < 30; element++) {
            stack.push(element);
            stack.add(-element);
        }
        text.append(stack.pop()).append(stack.peek()).append(stack.set(3, 99)).append(stack.get(3)).append(stack.elementAt(4))
            .append(stack.firstElement()).append(stack.lastElement()).append(stack.size()).append(stack.isEmpty()).append(stack.empty())
            .append(stack.search(7)).append(stack).append(stack.equals(new ArrayList<>(stack)));
        for (int index : new int[] {-1, 1000}) {
            text.append(thrown(() -> stack.get(index))).append(thrown(() -> stack.elementAt(index))).append(thrown(() -> stack.set(index, 1)));
        }
        text.append(thrown(() -> {
            for (Integer element : stack) {
                stack.push(element);
            }
            return null;
        }));
        stack.clear();
        return text.append(thrown(stack::pop)).append(thrown(stack::peek)).append(thrown(stack::lastElement)).append(stack.empty())
            .append(thrown(stack::firstElement)).toString();
    }

    private static String thrown(Callable<?> action) {
        try {
            return String.valueOf(action.call());
        } catch (Exception exception) {
            return exception.toString();
        }
    }

    static String vectorOf(int capacity) {
        Vector<String> vector = new Vector<>(capacity);
        vector.addElement("a");
        vector.add("b");
        vector.remove(0);
        return vector + " " + vector.capacity();
    }

    /** Another thread uses the object. */
    static int stackOfTwoThreads() throws Exception {
        Stack<Integer> stack = new Stack<>();
        stack.push(1);
        Thread other = new Thread(() -> stack.push(2));
        other.start();
        other.join();
        return stack.size();
    }

    /** Single bytes, and blocks that are larger than a buffer. */
    static byte[] zippedBytes(byte[] bytes) throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (OutputStream stream = new GZIPOutputStream(zipped)) {
            for (byte single : bytes) {
                stream.write(single);
            }
            stream.flush();
            stream.write(bytes);
        }
        return zipped.toByteArray();
    }

    /** The method ends the compressed data itself. */
    static byte[] finished(byte[] bytes) throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        GZIPOutputStream stream = new GZIPOutputStream(zipped);
        stream.write(bytes);
        stream.finish();
        return zipped.toByteArray();
    }

    static byte[] zippedByOwn(byte[] bytes) throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (DeflaterOutputStream stream = new DeflaterOutputStream(zipped, new Deflater(9))) {
            stream.write(bytes);
        }
        return zipped.toByteArray();
    }

    private static int inflated(Deflater deflater, boolean isWithoutHeader) throws Exception {
        byte[] bytes = new byte[100];
        deflater.setInput(new byte[500]);
        deflater.finish();
        int size = 0;
        while (!deflater.finished()) {
            size += deflater.deflate(bytes, size, bytes.length - size);
        }
        Inflater inflater = new Inflater(isWithoutHeader);
        inflater.setInput(bytes, 0, size);
        return inflater.inflate(new byte[1000]);
    }

    static void collect() {
        System.gc();
    }

    static void collectByRuntime(boolean isNull) {
        Runtime runtime = isNull ? null : Runtime.getRuntime();
        runtime.gc();
    }

    static int flushes(OutputStream out) throws IOException {
        for (int index = 0; index < 40; index++) {
            out.write(index);
            out.flush();
        }
        return 40;
    }

    static void flushesOnce(OutputStream out) throws IOException {
        out.flush();
    }

    static long forces(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.force(true);
            return channel.size();
        }
    }

    static int spins() {
        int count = 0;
        while (count < 20) {
            Thread.onSpinWait();
            count++;
        }
        return count;
    }

    static int bytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new PrintStream(out).flush();
        return out.size();
    }
}
