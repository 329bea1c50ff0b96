//! Tests loops that only wait for another thread, and loops that look like them.

use crate::edit_site::tests::*;
use std::collections::BTreeSet;

const WAITS: &str = "package a;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
class Waits {
    volatile boolean ready;
    boolean plain;
    int rounds;
    final AtomicInteger turn = new AtomicInteger();
    final AtomicBoolean locked = new AtomicBoolean();
    final AtomicIntegerArray turns = new AtomicIntegerArray(4);
    final Queue<String> queue = new ConcurrentLinkedQueue<>();
    static <T> T future(Future<T> begun) throws Exception {
        while (!begun.isDone()) // WAIT
            Thread.onSpinWait(); // WAIT
        return begun.get(); // OTHER
    }
    void flag() {
        while (!ready) {} // WAIT
    }
    void empty() {
        while (queue.isEmpty()) Thread.yield(); // WAIT
    }
    String polled() {
        String job;
        while ((job = queue.poll()) == null) Thread.yield(); // WAIT
        return job; // OTHER
    }
    String polledAgain() {
        for (String job = queue.poll();; job = queue.poll()) {
            if (job != null) return job;
            Thread.yield(); // WAIT
        }
    }
    String polledAtTheEnd() {
        String job;
        do {
            job = queue.poll(); // WAIT
        } while (job == null);
        return job; // OTHER
    }
    void consumer() {
        while (true) {
            String job;
            while ((job = queue.poll()) == null) Thread.onSpinWait(); // WAIT
            use(job); // OTHER
        }
    }
    void continued() {
        while (true) {
            if (queue.isEmpty()) { Thread.yield(); continue; } // WAIT
            use(queue.poll()); // OTHER
        }
    }
    void use(Object job) { rounds += job.hashCode(); }
    private boolean isReady() { return ready; }
    synchronized boolean isPlain() { return plain; }
    boolean isAnything() { return isReady() || isPlain(); }
    void asked() {
        while (!isReady()) {} // WAIT
    }
    void askedTwice() {
        while (!isAnything()) Thread.onSpinWait(); // WAIT
    }
    void atomic(int number) {
        while (turn.get() != number) {} // WAIT
    }
    void element(int number) {
        while (turns.get(number & 3) == 0) {} // WAIT
    }
    void counted() {
        int spins = 0;
        while (!ready) {
            spins++; // WAIT
            if (spins > 100) Thread.yield(); // WAIT
        }
    }
    void countedLong() {
        for (long spins = 0; !ready; spins++) Thread.onSpinWait();
        use(this); // OTHER
    }
    void countedField() {
        while (!ready) {
            rounds++; // WAIT
            Thread.onSpinWait(); // WAIT
        }
    }
    boolean limited() {
        for (int i = 0; i < 100 && !ready; i++) Thread.onSpinWait();
        return ready; // OTHER
    }
    void backedOff() {
        while (!ready) {
            for (int i = 0; i < 50; i++) Thread.onSpinWait(); // WAIT
        }
    }
    void spinLock() {
        while (!locked.compareAndSet(false, true)) {} // WAIT
        plain = true; // OTHER
        locked.set(false); // OTHER
    }
    void plainWithPause() {
        while (!plain) Thread.yield(); // WAIT
    }
    void until(long deadline) {
        while (!ready && System.nanoTime() < deadline) Thread.yield(); // WAIT
    }
    void joined(Thread thread) {
        do { Thread.onSpinWait(); } while (thread.isAlive() || thread.getState() == Thread.State.NEW); // WAIT
    }
}
";

const WORKS: &str = "package a;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
abstract class Works {
    static class Node { volatile Node next; volatile int value; }
    volatile boolean ready;
    boolean plain;
    int rounds;
    Works other;
    final AtomicInteger count = new AtomicInteger();
    final AtomicIntegerArray parents = new AtomicIntegerArray(4);
    final Queue<Future<?>> queue = new ConcurrentLinkedQueue<>();
    final BlockingQueue<String> jobs = new LinkedBlockingQueue<>();
    final Semaphore permits = new Semaphore(1);
    int searchArray(int[] all, int x) {
        int i = 0;
        while (all[i] != x) i++;
        return i;
    }
    int searchArrayPaused(int[] all, int x) {
        int i = 0;
        while (all[i] != x) { i++; Thread.yield(); }
        return i;
    }
    int searchAtomicArray(int x) {
        int i = 0;
        while (parents.get(i) != x) { i++; Thread.yield(); }
        return i;
    }
    int searchList(List<String> all, String x) {
        for (int i = 0; i < all.size(); i++) if (all.get(i).equals(x)) return i;
        return -1;
    }
    Node last(Node node) {
        while (node.next != null) node = node.next;
        return node;
    }
    Node lastOtherWay(Node node) {
        Node next;
        while ((next = node.next) != null) node = next;
        return node;
    }
    volatile Node tail;
    void append(Node node) {
        for (;;) {
            Node last = tail, next = last.next;
            if (last != tail) continue;
            if (next == null) { last.next = node; return; }
            tail = next;
        }
    }
    Node pop() {
        for (;;) {
            Node first = tail;
            if (first == null) continue;
            if (count.compareAndSet(first.value, first.value + 1)) return first;
        }
    }
    int stable() {
        int value;
        do { value = count.get(); } while (value != count.get());
        return value;
    }
    int consistent() {
        int version, copy;
        do {
            version = count.get();
            copy = rounds;
        } while ((version & 1) != 0);
        return copy;
    }
    Node find(Node node, int x) {
        for (; node != null && node.value != x; node = node.next) {}
        return node;
    }
    int root(int x) {
        int parent;
        while ((parent = parents.get(x)) != x) x = parent;
        return x;
    }
    void drain() {
        while (queue.poll() != null) {}
    }
    void drainSome() {
        Future<?> some;
        while ((some = queue.poll()) != null) {
            if (some.isDone()) continue;
            some.cancel(true);
        }
    }
    void drainExpired() {
        while (queue.peek() != null && queue.peek().isDone()) queue.poll();
    }
    void drainPermits() {
        while (permits.tryAcquire()) {}
    }
    void addOne() {
        int old;
        do { old = count.get(); } while (!count.compareAndSet(old, old + 1));
    }
    void addWithPause() {
        int old;
        do { old = count.get(); Thread.onSpinWait(); } while (!count.compareAndSet(old, old + 1));
    }
    void neverEnds() {
        while (!plain) {}
    }
    void sleeps() throws InterruptedException {
        while (!ready) Thread.sleep(1);
    }
    String timed() throws InterruptedException {
        String job;
        while ((job = jobs.poll(1, TimeUnit.SECONDS)) == null) {}
        return job;
    }
    String timedWait() throws InterruptedException {
        synchronized (this) { while (!ready) wait(); }
        return \"\";
    }
    int sum(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += i * rounds;
        return sum;
    }
    void delay() {
        for (int i = 0; i < 1000; i++) Thread.onSpinWait();
    }
    void burn(long until) {
        while (System.nanoTime() < until) {}
    }
    void counts() {
        while (!ready) rounds++;
    }
    int countsLocal() {
        int n = 0;
        while (!ready) n++;
        return n;
    }
    void works() {
        while (!ready) step();
    }
    boolean step() { rounds += 3; return rounds > 1000; }
    void steps() {
        while (!step()) Thread.onSpinWait();
    }
    abstract boolean isOver();
    void over() {
        while (!isOver()) Thread.onSpinWait();
    }
    static class Runner extends Works {
        boolean isOver() { return rounds > 7; }
    }
    static class Stepper extends Works {
        boolean isOver() { return step(); }
    }
    int probe(Object[] keys, Object key) {
        int i = key.hashCode() & (keys.length - 1);
        while (keys[i] != null && !keys[i].equals(key)) i = (i + 1) & (keys.length - 1);
        return i;
    }
    int random(Random random) {
        int x;
        do { x = random.nextInt(10); } while (x < 5);
        return x;
    }
    int iterated(Iterator<String> all) {
        int n = 0;
        while (all.hasNext()) n += all.next().length();
        return n;
    }
    int gcd(int a, int b) {
        while (b != 0 && !ready) { int rest = a % b; a = b; b = rest; }
        return a;
    }
    int bits(long mask) {
        int n = 0;
        while (mask != 0 && !ready) { mask &= mask - 1; }
        return n;
    }
}
";

/// Every instruction of a class, as a place.
fn instructions<'a>(program: &'a Program, class: &'a str) -> Vec<CallPlace<'a>> {
    let file = ClassFile::parse(&program.classes.0[class]).unwrap();
    let mut places = Vec::new();
    for method in &file.methods {
        let Some(code) = &method.code else { continue };
        for instruction in code.instructions().flatten() {
            let [name, descriptor] = [&method.name, &method.descriptor].map(|text| leak(text.clone().into_owned()));
            let line = code.line_at(instruction.bytecode_index).map(u32::from);
            let bytecode_index = Some(instruction.bytecode_index);
            places.push(CallPlace { class, method: name, descriptor, bytecode_index, line });
        }
    }
    places
}

/// The lines of the instructions for which `is_wanted` is true.
fn lines(places: &[CallPlace<'_>], is_wanted: impl Fn(&CallPlace<'_>) -> bool) -> BTreeSet<u32> {
    places.iter().filter(|place| is_wanted(place)).filter_map(|place| place.line).collect()
}

#[test]
fn loops_that_only_test_what_other_threads_change_wait() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Waits.java", WAITS)], &["-g"]);
        let code = CodeOfLines::new(&program.classes);
        let places = instructions(&program, "a/Waits");
        let waiting = lines(&places, |place| code.waiting_loop(place).is_some());
        let of = |mark: &str| -> BTreeSet<u32> { program.marked(mark).into_iter().map(|(_, line)| line).collect() };
        let missing: Vec<u32> = of("// WAIT").difference(&waiting).copied().collect();
        assert_eq!(missing, [0; 0], "JDK {}", jdk.version);
        let others: Vec<u32> = of("// OTHER").intersection(&waiting).copied().collect();
        assert_eq!(others, [0; 0], "JDK {}", jdk.version);
        // Without a bytecode index, all code of the line must wait: the first instruction of a `for` does not.
        let by_line = |method: &str| {
            let of_method: Vec<_> = places.iter().filter(|place| place.method == method).copied().collect();
            lines(&of_method, |place| code.waiting_loop(&CallPlace { bytecode_index: None, ..*place }).is_some()).len()
        };
        assert_eq!((by_line("future"), by_line("flag"), by_line("limited")), (2, 1, 0), "JDK {}", jdk.version);
        for method in ["countedLong", "limited", "polledAgain"] {
            let has = |place: &&CallPlace<'_>| place.method == method && code.waiting_loop(place).is_some();
            assert!(places.iter().any(|place| has(&place)), "JDK {}: {method}", jdk.version);
        }
    }
}

#[test]
fn loops_that_search_count_drain_or_work_do_not_wait() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Works.java", WORKS)], &["-g"]);
        let code = CodeOfLines::new(&program.classes);
        let places = instructions(&program, "a/Works");
        let waiting: BTreeSet<&str> =
            places.iter().filter(|place| code.waiting_loop(place).is_some()).map(|place| place.method).collect();
        assert_eq!(waiting, BTreeSet::new(), "JDK {}", jdk.version);
    }
}

#[test]
fn the_loop_is_the_line_to_edit_and_its_pause_the_instruction() {
    let rule = rule(SiteKind::Waiting, &[]);
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Waits.java", WAITS)], &["-g"]);
        let places = instructions(&program, "a/Waits");
        let site = |method: &str, wanted: fn(&[CallPlace<'_>]) -> usize| {
            let of_method: Vec<_> = places.iter().filter(|place| place.method == method).copied().collect();
            let callers = [of_method[wanted(&of_method)]];
            (
                callers[0].line,
                find_site(&SiteQuestion { rule: &rule, callers: &callers, called: &[] }, &program.classes).unwrap(),
            )
        };
        let first_mark = program.marked("// WAIT")[0].1;
        // The second line of the loop leads to the first.
        let (line, future) =
            site("future", |all| all.iter().rposition(|place| place.line < all.last().unwrap().line).unwrap());
        assert!(line >= Some(first_mark), "JDK {}", jdk.version);
        assert_eq!(future.line, Some(first_mark), "JDK {}", jdk.version);
        assert_eq!(future.what, "the loop that only waits, with java.lang.Thread.onSpinWait()");
        let operation = future.instruction.map(|instruction| instruction.operation);
        assert_eq!(operation.as_deref(), Some("call java/lang/Thread.onSpinWait"));
        let (line, flag) = site("flag", |_| 0);
        assert_eq!((flag.line, flag.what.as_str(), flag.instruction), (line, "the loop that only waits", None));
        // Outside such a loop, the calling line.
        let (line, other) = site("use", |_| 0);
        assert_eq!((other.line, other.what.as_str()), (line, "java.lang.Object.hashCode()"));
    }
}
