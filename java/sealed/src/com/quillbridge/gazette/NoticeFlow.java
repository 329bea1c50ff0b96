package com.quillbridge.gazette;

import com.acme.load.Load;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Publishes the court notices of a gazette: each notice is indexed and filed under its docket on the way to the readers. */
public final class NoticeFlow {
    record Notice(int number, String body) {}

    record Filed(int number, long docket, int terms, String leading) {}

    /** Hands on what a function makes of each item, on the thread of the sender. */
    static class Step<I, O> implements Flow.Subscriber<I> {
        private final Function<I, O> work;
        private final Flow.Subscriber<? super O> next;

        Step(Function<I, O> work, Flow.Subscriber<? super O> next) {
            this.work = work;
            this.next = next;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
            next.onSubscribe(subscription);
        }

        @Override
        public void onNext(I item) {
            next.onNext(work.apply(item));
        }

        @Override
        public void onError(Throwable failure) {
            next.onError(failure);
        }

        @Override
        public void onComplete() {
            next.onComplete();
        }
    }

    static final class Readers implements Flow.Subscriber<Filed> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {}

        @Override
        public void onNext(Filed filed) {
            Load.kept = filed;
        }

        @Override
        public void onError(Throwable failure) {
            failure.printStackTrace();
        }

        @Override
        public void onComplete() {}
    }

    /** Files one notice after the other. */
    static final class Registry {
        private static final Pattern DOCKET = Pattern.compile("\\bDocket:\\s*(\\d{1,12})"); // [or]

        Filed file(Notice notice) {
            Map<String, Integer> counts = new HashMap<>();
            String body = notice.body();
            String before = "", earlier = "";
            int start = 0;
            for (int i = 0; i <= body.length(); i++)
                if (i == body.length() || !Character.isLetterOrDigit(body.charAt(i))) {
                    if (i - start > 3) {
                        String term = body.substring(start, i).toLowerCase(Locale.ROOT);
                        counts.merge(term, 1, Integer::sum);
                        counts.merge(before + ' ' + term, 1, Integer::sum);
                        counts.merge(earlier + ' ' + before + ' ' + term, 1, Integer::sum);
                        earlier = before;
                        before = term;
                    }
                    start = i + 1;
                }
            String leading = counts.entrySet().stream()
                    .max(Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                    .map(Map.Entry::getKey).orElse("");
            return new Filed(notice.number(), docketOf(body), counts.size(), leading);
        }

        private long docketOf(String body) {
            Matcher matcher = DOCKET.matcher(body);
            // [new] int at = body.indexOf("Docket:");
            return matcher.find() ? Long.parseLong(matcher.group(1)) : -1; // [call] [edit]
            // [new] return at >= 0 && matcher.find(at) ? Long.parseLong(matcher.group(1)) : -1;
        }
    }

    private static String sampleBody(Random random) {
        String[] words = "appellant respondent hearing adjourned whereas estate creditor petition counsel the of to and in for"
                .split(" ");
        StringBuilder body = new StringBuilder();
        int length = 9_000 + random.nextInt(6_000);
        while (body.length() < length)
            body.append(words[random.nextInt(words.length)]).append(random.nextInt(9) == 0 ? ".\n" : " ");
        return body.append("Civil Docket: ").append(100_000 + random.nextInt(900_000)).append("\nBy order of the court.").toString();
    }

    public static void main(String[] args) {
        Random random = new Random(1871);
        String[] bodies = new String[32];
        for (int i = 0; i < bodies.length; i++)
            bodies[i] = sampleBody(random);
        Load.onThreads(2, "gazette", () -> {
            var publisher = new SubmissionPublisher<Notice>(Runnable::run, 8);
            publisher.subscribe(new Step<>(new Registry()::file, new Readers()));
            int[] number = {0};
            return () -> publisher.submit(new Notice(number[0], bodies[number[0]++ % bodies.length]));
        });
    }
}
