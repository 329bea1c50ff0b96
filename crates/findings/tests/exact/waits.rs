//! Findings about waits, in drawn experiments.

use whittle_findings::{Evidence, Figure, Finding, FindingsOptions, FindingsView, SiteAnswer, findings};
use whittle_model::{
    ArchivedClass, EventKind, Request, RequestKind, RequestTimes, Table, Tables, ThreadIndex, WaitReason, Wake,
    WakeTable, WakerKind,
};
use whittle_profile::Profile;
use whittle_profile::query::Query;
use whittle_testkit::experiment_from_text;
use whittle_views::source::NoFiles;

const PARK: &str = "java/util/concurrent/locks/LockSupport.park";

/// Equal samples of one second: how many, the thread, the event, and the frames from the root.
pub(crate) type Stack<'a> = (usize, &'a str, &'a str, &'a [&'a str]);

/// The findings of an experiment with these samples.
pub(crate) fn found(stacks: &[Stack<'_>]) -> FindingsView {
    found_with(stacks, 1)
}

/// The same, with waits of this many seconds. So the waits of several threads can be at the same time.
fn found_with(stacks: &[Stack<'_>], wait_seconds: u32) -> FindingsView {
    found_in(stacks, wait_seconds, |_| {})
}

/// The same, with more tables.
fn found_in(stacks: &[Stack<'_>], wait_seconds: u32, add: impl FnOnce(&mut Tables)) -> FindingsView {
    let columns: Vec<&Stack<'_>> = stacks.iter().flat_map(|stack| std::iter::repeat_n(stack, stack.0)).collect();
    let width = |stack: &Stack<'_>| 2 + stack.3.iter().map(|frame| frame.len()).max().unwrap_or(0).max(20);
    let row = |key: &str, cell: &dyn Fn(&Stack<'_>) -> String| {
        let cells: String = columns.iter().map(|stack| format!("{:<1$}", cell(stack), width(stack))).collect();
        format!("{key:<8}  {cells}\n")
    };
    let mut text = row("@thread", &|stack| stack.1.to_owned()) + &row("@event", &|stack| stack.2.to_owned());
    let seconds = |stack: &Stack<'_>| if stack.2 == "cpu" { 1 } else { wait_seconds };
    text += &row("@weight", &|stack| seconds(stack).to_string());
    let depth = stacks.iter().map(|stack| stack.3.len()).max().unwrap_or(0);
    for level in 0..depth {
        text += &row("", &|stack| stack.3.get(level).map_or_else(String::new, |frame| (*frame).to_owned()));
    }
    let (manifest, mut tables) = experiment_from_text(&text);
    add_classes(&mut tables);
    add(&mut tables);
    let profile = Profile::load(manifest, tables).expect("drawn experiments are valid");
    let options = FindingsOptions { third_party: vec!["lib".to_owned(), "io.netty".to_owned()], ..Default::default() };
    let nobody = NoFiles { reason: "no files here" };
    findings(&profile, &Query::default(), &options, &nobody).expect("findings")
}

/// Class files of the drawn programs.
const CLASSES: [(&str, &[u8]); 5] = [
    ("app/Storage", include_bytes!("../fixtures/Storage.class")),
    ("app/Locked", include_bytes!("../fixtures/Locked.class")),
    ("app/Lines", include_bytes!("../fixtures/Lines.class")),
    ("app/Spins", include_bytes!("../fixtures/Spins.class")),
    ("app/Spins$Packed", include_bytes!("../fixtures/Spins$Packed.class")),
];
/// Bytecode indices: the method, the line, and the index. In `Locked.sell`, line 9 is at the block's `monitorenter`, and line
/// 10 is at the next instruction. In `Lines`, the indices are those of calls.
const INDICES: [(&str, u32, u32); 5] = [
    ("app/Locked.sell", 9, 6),
    ("app/Locked.sell", 10, 7),
    ("app/Lines.pay", 13, 9),
    ("app/Lines.report", 26, 5),
    ("app/Lines.prices", 31, 28),
];

/// Adds the class files, and the bytecode indices of their frames.
fn add_classes(tables: &mut Tables) {
    for (name, bytes) in CLASSES {
        let (class_name, origin, bytes) = (name.to_owned(), "/opt/classes/".to_owned(), Some(bytes.to_vec()));
        tables.archive.push(ArchivedClass { class_name, origin, digest: None, bytes });
    }
    for row in 0..tables.frames.len() {
        let (function, line) = (tables.frames.function[row].row(), tables.frames.line[row]);
        let name = &tables.functions.internal_name[function];
        let known = INDICES.iter().find(|(method, at, _)| name.starts_with(method) && line == Some(*at));
        tables.frames.bytecode_index[row] = known.map(|(.., index)| *index).or(tables.frames.bytecode_index[row]);
    }
}

pub(crate) fn of<'a>(view: &'a FindingsView, detector: &str) -> Option<&'a Finding> {
    view.findings.iter().find(|finding| finding.detector == detector)
}

const LOOP: &str = "io/netty/channel/nio/NioEventLoop.run";

#[test]
fn a_wait_that_pins_a_virtual_thread_is_found_at_the_own_line() {
    const ROOT: &str = "java/lang/VirtualThread.run";
    const PARK_PINNED: &str = "java/lang/VirtualThread.parkOnCarrierThread";
    let pinned = [ROOT, "app.Stock.load:31", "java/lang/Thread.sleep", PARK_PINNED];
    let notified = [ROOT, "app.Stock.take:52", "java/lang/Object.wait0"];
    let left =
        ["java/lang/VirtualThread.run", "app.Stock.load:31", "java/lang/Thread.sleep", "java/lang/VirtualThread.park"];
    for (stack, line) in [(&pinned[..], 31), (&notified[..], 52)] {
        let view = found(&[(30, "booking-# (pinned)", "off_cpu:futex", stack), (10, "main", "cpu", &["app.Main.run"])]);
        let finding = of(&view, "pinned-virtual-thread").expect("a finding");
        assert_eq!(finding.calling.line, Some(line));
    }
    let view = found(&[(30, "booking-# (virtual)", "off_cpu:futex", &left), (10, "main", "cpu", &["app.Main.run"])]);
    assert!(of(&view, "pinned-virtual-thread").is_none(), "it leaves its carrier");
}

#[test]
fn a_wait_below_an_event_loop_is_found_at_the_own_line() {
    let sleep = [LOOP, "app.Quote.handle:30", "app.Quote.settle:46", "java/lang/Thread.sleep"];
    let select = [LOOP, "io/netty/channel/nio/NioEventLoop.select", "sun/nio/ch/SelectorImpl.select"];
    let work = [LOOP, "app.Quote.handle:31"];
    let view = found(&[
        (10, "loop", "off_cpu:futex", &sleep),
        (10, "loop", "off_cpu:poll", &select),
        (10, "loop", "cpu", &work),
    ]);
    let finding = of(&view, "blocking-on-event-loop").expect("a finding");
    assert_eq!((finding.calling.function.as_str(), finding.calling.line), ("app.Quote.settle", Some(46)));
    // Waiting for events is idle, and not a part of the whole.
    assert_eq!(finding.spent.ratio, 0.5);
}

#[test]
fn the_same_wait_in_a_worker_is_none_of_an_event_loop() {
    let sleep =
        [LOOP, "java/util/concurrent/ThreadPoolExecutor.runWorker", "app.Quote.settle:46", "java/lang/Thread.sleep"];
    let view = found(&[(10, "worker", "off_cpu:futex", &sleep), (10, "worker", "cpu", &["app.Quote.handle:31"])]);
    assert!(of(&view, "blocking-on-event-loop").is_none());
    assert!(of(&view, "sleep-in-task").is_some());
}

/// The line to look at is where the transaction begins to call, not the line of the client that waits.
#[test]
fn a_remote_call_in_a_transaction_is_found_at_its_line_in_the_transaction() {
    let scope = "org/springframework/transaction/support/TransactionTemplate.execute";
    let call = [
        "app.Shop.order:10",
        scope,
        "app.Shop.save:20",
        "app.Client.pay:30",
        "jdk/internal/net/http/HttpClientImpl.send",
        PARK,
    ];
    let query = [
        "app.Shop.order:10",
        scope,
        "app.Shop.save:21",
        "org/postgresql/jdbc/PgStatement.execute",
        "sun/nio/ch/NioSocketImpl.implRead",
    ];
    let view = found(&[
        (10, "worker", "off_cpu:futex", &call),
        (10, "worker", "off_cpu:socket", &query),
        (10, "worker", "cpu", &["app.Shop.order:11"]),
    ]);
    let finding = of(&view, "remote-call-in-transaction").expect("a finding");
    assert_eq!((finding.calling.line, finding.spent.ratio), (Some(20), 1.0 / 3.0));
}

/// Ten threads wait for results, and the two threads of the pool are never idle: by Little's law, four fifths of the tasks are
/// in the queue.
#[test]
fn tasks_wait_in_the_queue_of_a_pool_without_a_free_thread() {
    let wait = ["app.Shop.order:10", "java/util/concurrent/FutureTask.get", PARK];
    let task =
        ["java/util/concurrent/ThreadPoolExecutor.runWorker", "app.Price.ask:5", "sun/nio/ch/NioSocketImpl.implRead"];
    let idle =
        ["java/util/concurrent/ThreadPoolExecutor.runWorker", "java/util/concurrent/ThreadPoolExecutor.getTask", PARK];
    let work = (10, "request 1", "cpu", ["app.Shop.order:11"].as_slice());
    let busy = [work, (50, "request 1", "off_cpu:futex", &wait), (10, "pool-1-thread-1", "off_cpu:socket", &task)];
    let view = found_with(&busy, 6);
    let finding = of(&view, "executor-queue-wait").expect("a finding");
    let queued = finding.evidence.iter().find(|evidence| evidence.figure == Figure::QueuedRatio).map(|it| it.value);
    assert_eq!((finding.calling.line, queued), (Some(10), Some(0.8)));
    // A pool with free threads does not make tasks wait.
    let with_idle: Vec<Stack<'_>> =
        busy.into_iter().chain([(10, "pool-1-thread-2", "off_cpu:futex", idle.as_slice())]).collect();
    assert!(of(&found_with(&with_idle, 6), "executor-queue-wait").is_none());
}

/// A request from the start of the experiment, which one thread answered.
fn request(name: &str, thread: usize, seconds: u64) -> Request {
    let length_ns = seconds * 1_000_000_000;
    let request = Request::unknown(RequestKind::Http, name, ThreadIndex(thread as u32), (0, length_ns));
    request.with_times(Some(RequestTimes { on_cpu_ns: length_ns, ..RequestTimes::default() }))
}

#[test]
fn a_finding_says_what_it_takes_of_the_time_of_requests() {
    let enter = ["app.Shop.order:10", "app.Shop.receipt:68", "ObjectMonitor::enter[j]"];
    let stacks: [Stack<'_>; 2] =
        [(20, "worker 1", "off_cpu:futex", &enter), (20, "worker 2", "cpu", &["app.Shop.list:11"])];
    let view = found_in(&stacks, 1, |tables| {
        let thread = |name: &str| tables.threads.name.iter().position(|other| other == name).unwrap();
        let requests =
            [request("POST /orders", thread("worker 1"), 80), request("GET /orders", thread("worker 2"), 20)];
        requests.into_iter().for_each(|request| tables.requests.push(request));
    });
    let evidence = &of(&view, "lock-contention").expect("a finding").evidence[0];
    // The first wait ends when the request begins, so it is no part of the request.
    assert_eq!((evidence.figure, evidence.value), (Figure::RequestRatio, 0.19));
    assert_eq!(evidence.text, "19 % of the time of all requests, and 24 % of the time of `POST /orders`");
    // Without requests, nothing is said about them.
    let without = found(&stacks);
    let is_told = |finding: &Finding| finding.evidence.iter().any(|evidence| evidence.figure == Figure::RequestRatio);
    assert!(!without.findings.iter().any(is_told));
}

/// A lock that takes little of the program's time, because eight threads execute something else.
#[test]
fn a_wait_with_much_of_the_time_of_a_request_is_a_finding() {
    let enter = ["app.Shop.order:10", "app.Shop.receipt:68", "ObjectMonitor::enter[j]"];
    let mut stacks: Vec<Stack<'_>> =
        vec![(30, "worker 1", "off_cpu:futex", &enter), (70, "worker 1", "cpu", &["app.Shop.order:12"])];
    let others: Vec<String> = (0..30).map(|number| format!("batch {number}")).collect();
    others.iter().for_each(|name| stacks.push((100, name, "cpu", &["app.Batch.run:3"])));
    let with = |requests: &[(&str, &str, u64)]| {
        let view = found_in(&stacks, 1, |tables| {
            let thread = |name: &str| tables.threads.name.iter().position(|other| other == name).unwrap();
            requests.iter().for_each(|(name, of, seconds)| tables.requests.push(request(name, thread(of), *seconds)));
        });
        of(&view, "lock-contention").is_some()
    };
    assert!(!with(&[]), "1 % of the program's time is too small");
    assert!(with(&[("POST /orders", "worker 1", 100)]), "30 % of the time of the requests");
    // The name has less than a twentieth of the time of all requests.
    let many = [("POST /orders", "worker 1", 100), ("GET /a", "batch 1", 1_000), ("GET /b", "batch 2", 1_200)];
    assert!(!with(&many), "the requests do not matter");
}

#[test]
fn a_lock_is_found_with_what_its_holder_waits_for() {
    let enter = ["app.Shop.order:10", "app.Shop.receipt:68", "ObjectMonitor::enter[j]"];
    let held = ["app.Shop.order:10", "app.Shop.receipt:69", "lib.Client.pay", "sun/nio/ch/NioSocketImpl.implRead"];
    let view = found(&[
        (20, "worker 1", "off_cpu:futex", &enter),
        (9, "worker 1", "off_cpu:socket", &held),
        (1, "worker 1", "cpu", &["app.Shop.order:10", "app.Shop.receipt:70"]),
    ]);
    let finding = of(&view, "lock-contention").expect("a finding");
    let held = finding.evidence.iter().find(|evidence| evidence.figure == Figure::HeldRatio).expect("the holder");
    assert_eq!(held.value, 0.9);
    assert!(held.text.contains("wait for data from a socket in 90 %"), "{}", held.text);
    assert!(finding.fix.starts_with("If threads wait while they hold the lock"), "{}", finding.fix);
}

/// The kernel reported that `loader` gave the lock back. It waited for a database while it held the lock.
#[test]
fn the_holder_of_a_lock_is_named_if_the_kernel_told_who_woke_the_waiter() {
    let enter = ["app.Shop.order:10", "app.Shop.receipt:68", "ObjectMonitor::enter[j]"];
    let read = ["app.Dao.save:6", "app.Dao.load:5", "sun/nio/ch/NioSocketImpl.implRead"];
    let stacks: [Stack<'_>; 3] = [
        (20, "loader", "off_cpu:socket", &read),
        (1, "loader", "cpu", &["app.Dao.save:7"]),
        (20, "web", "off_cpu:futex", &enter),
    ];
    let view = found_in(&stacks, 1, |tables| {
        let samples = &tables.samples;
        let save = (0..samples.len()).find(|row| samples.event[*row] == EventKind::Cpu).expect("a sample of a CPU");
        let (waker, stack) = (samples.thread[save], samples.stack[save]);
        let waits = (0..samples.len()).filter(|row| samples.reason[*row] == WaitReason::Futex);
        let wake = |row: usize| Wake {
            time_ns: samples.time_ns[row],
            thread: samples.thread[row],
            reason: samples.reason[row],
            kind: WakerKind::Thread,
            waker: Some(waker),
            stack,
            duration_ns: 100_000_000_000,
            weight_ns: samples.duration_ns[row],
        };
        tables.wakes = waits.map(wake).fold(WakeTable::default(), |mut table, wake| {
            table.push(wake);
            table
        });
    });
    let finding = of(&view, "lock-contention").expect("a finding");
    let holder = finding.evidence.iter().find(|one| one.figure == Figure::KnownHolderRatio).expect("the holder");
    assert_eq!(
        holder.text,
        "in 100 % of the waiting time, mostly of web, the lock is held by loader in app.Dao.save, while waiting for data from a socket: 95 % of this time, according to 20 samples"
    );
    assert!(finding.fix.starts_with("First shorten what the named holder does"), "{}", finding.fix);
    let guess = |one: &Evidence| matches!(one.figure, Figure::HeldRatio | Figure::HolderRatio);
    assert!(!finding.evidence.iter().any(guess), "{:?}", finding.evidence);
}

/// Only another synchronized method with the same lock can hold it: no static method, and no method that is not synchronized.
/// Waits for the lock are no time of a holder.
#[test]
fn the_synchronized_method_that_probably_holds_the_lock_is_named() {
    let enter = ["app.Shop.order:10", "app/Storage.accept:9", "ObjectMonitor::enter[j]"];
    let holder = |method: &'static str| ["app.Shop.order:20", method];
    let [links, size, create] = ["app/Storage.links:13", "app/Storage.size:21", "app/Storage.create:17"].map(holder);
    let view = found(&[
        (40, "worker 1", "off_cpu:futex", &enter),
        (2, "worker 1", "cpu", &enter[..2]),
        (8, "worker 2", "cpu", &links),
        (30, "worker 2", "off_cpu:futex", &[links[0], links[1], "ObjectMonitor::enter[j]"]),
        // A thread that waits for the lock also spins.
        (9, "worker 2", "cpu", &[links[0], links[1], "ObjectMonitor::enter[j]"]),
        (9, "worker 1", "cpu", &enter),
        (5, "worker 3", "cpu", &size),
        (5, "worker 3", "cpu", &create),
    ]);
    let finding = view.findings.iter().find(|finding| finding.calling.function.contains("accept")).expect("a finding");
    assert_eq!(finding.detector, "lock-contention");
    let holder = finding.evidence.iter().find(|evidence| evidence.figure == Figure::HolderRatio).expect("the holder");
    assert_eq!(holder.value, 0.8);
    assert!(holder.text.contains("synchronized methods of Storage"), "{}", holder.text);
    assert!(holder.text.contains("if the objects are the same, links probably holds the lock"), "{}", holder.text);
    assert!(finding.fix.starts_with("If the method that the evidence names holds the lock"), "{}", finding.fix);
    // No other method holds the lock of `links` for long.
    let of_links = view.findings.iter().find(|finding| finding.calling.function.contains("links")).expect("a finding");
    assert!(of_links.evidence.iter().all(|evidence| evidence.figure != Figure::HolderRatio), "{:?}", of_links.evidence);
}

/// The interpreter goes to the instruction after `monitorenter` before it locks. Compiled code does not.
#[test]
fn the_calling_line_of_a_lock_is_the_line_of_its_block() {
    let (interpreted, compiled) =
        (["app/Shop.order:10", "app/Locked.sell:10"], ["app/Shop.order:10", "app/Locked.sell:9"]);
    let view = found(&[
        (
            20,
            "worker 1",
            "off_cpu:futex",
            &[interpreted[0], interpreted[1], "InterpreterRuntime::monitorenter[j]", "ObjectMonitor::enter[j]"],
        ),
        (10, "worker 1", "off_cpu:futex", &[compiled[0], compiled[1], "ObjectMonitor::enter[j]"]),
        (1, "worker 1", "cpu", &interpreted),
    ]);
    let finding = of(&view, "lock-contention").expect("a finding");
    let lines: Vec<_> = finding.calling.lines.iter().map(|part| (part.line, part.ratio)).collect();
    assert_eq!((finding.calling.line, lines), (Some(9), vec![(Some(9), 1.0)]));
    let SiteAnswer::Found(site) = &finding.site else { panic!("{:?}", finding.site) };
    assert_eq!((site.line, site.what.as_str()), (Some(9), "synchronized on field Locked.lock"));
}

/// Requests wait in half of their time. A hundred other threads wait all the time, and do not make this small.
#[test]
fn threads_that_only_wait_do_not_hide_a_wait_of_the_threads_that_work() {
    let pool = ["app.Shop.order:10", "com/zaxxer/hikari/util/ConcurrentBag.borrow", PARK];
    let other = ["app.Watch.run:5", "app.Watch.look:6", "java/lang/Object.wait"];
    let view = found(&[
        (10, "request 1", "off_cpu:futex", &pool),
        (10, "request 1", "cpu", &["app.Shop.order:11"]),
        (1000, "watch 1", "off_cpu:futex", &other),
    ]);
    let finding = of(&view, "connection-pool-wait").expect("a finding");
    assert_eq!((finding.spent.ratio, finding.spent.work_ratio), (0.5, 0.5));
    assert!(finding.spent.program_ratio < 0.01);
}

const SERVLET: &str = "jakarta/servlet/http/HttpServlet.service";

/// No pattern knows why a request reads a file. A pattern that a condition denies leaves its waits to the next pattern.
#[test]
fn a_long_wait_of_requests_is_told_at_its_line_after_known_causes() {
    let file = [SERVLET, "app.Shop.order:10", "app.Shop.load:12", "java/io/FileInputStream.readBytes"];
    let result = [SERVLET, "app.Shop.order:20", "java/util/concurrent/FutureTask.get", PARK];
    let mapper = [SERVLET, "app.Shop.order:30", "com/fasterxml/jackson/databind/ObjectMapper.<init>"];
    let view = found(&[
        (30, "request 1", "off_cpu:file", &file),
        (40, "request 1", "off_cpu:futex", &result),
        (10, "request 1", "cpu", &mapper),
        (20, "request 1", "cpu", &[SERVLET, "app.Shop.order:31"]),
    ]);
    let told: Vec<_> = view.findings.iter().map(|it| (it.detector.as_str(), it.calling.line)).collect();
    assert_eq!(told.first(), Some(&("mapper-per-call", Some(30))));
    let waits: Vec<_> = told.into_iter().filter(|(detector, _)| *detector == "long-wait").collect();
    assert_eq!(waits, [("long-wait", Some(20)), ("long-wait", Some(12))]);
    // A thread without a request, a task or a client library waits for its own reasons.
    let alone = found(&[(90, "main", "off_cpu:file", &file[1..]), (10, "main", "cpu", &["app.Shop.order:31"])]);
    assert!(of(&alone, "long-wait").is_none());
}

/// Ten sleeps of a thread that does nothing else are on purpose, and five samples are few. Both are told.
#[test]
fn large_waits_that_are_no_finding_are_told_with_the_reason() {
    let task = "java/util/concurrent/ThreadPoolExecutor.runWorker";
    let sleep = [task, "app.Clock.tick:5", "java/lang/Thread.sleep"];
    let reason = |count: usize, work: usize| {
        let stacks: [Stack<'_>; 2] =
            [(count, "clock 1", "off_cpu:sleep", &sleep), (work, "clock 1", "cpu", &[task, "app.Clock.tick:6"])];
        let view = found(&stacks);
        assert!(of(&view, "sleep-in-task").is_none());
        view.denied.iter().find(|denied| denied.detector == "sleep-in-task").expect("a reason").reason.clone()
    };
    assert!(reason(90, 10).starts_with("it takes 90 % of the elapsed time"), "{}", reason(90, 10));
    assert_eq!(reason(5, 5), "there are only 5 samples (required: at least 8)");
}

#[test]
fn a_call_that_fails_and_is_repeated_is_found_with_its_handler() {
    let [call, exception] = ["app/Lines.send:22", "java/io/IOException.<init>"];
    let fails = ["app/Shop.order:1", "app/Lines.pay:13", call, exception, "java/lang/Throwable.fillInStackTrace"];
    let waits = ["app/Shop.order:1", "app/Lines.pay:13", call, "sun/nio/ch/NioSocketImpl.implRead"];
    let works = ["app/Shop.order:1", "app/Lines.pay:13", call];
    let stacks = |failing: usize| -> [Stack<'_>; 3] {
        [
            (20, "worker 1", "off_cpu:socket", &waits),
            (failing, "worker 1", "cpu", &fails),
            (20, "worker 1", "cpu", &works),
        ]
    };
    let view = found(&stacks(2));
    let finding = of(&view, "repeated-call").expect("a finding");
    let SiteAnswer::Found(site) = &finding.site else { panic!("{:?}", finding.site) };
    assert_eq!((finding.calling.line, site.line), (Some(13), Some(14)));
    assert_eq!(finding.spent.ratio, 1.0);
    // A call that does not fail is not repeated.
    assert!(of(&found(&stacks(0)), "repeated-call").is_none());
}

/// The loop is in the caller of the method that uses the client.
#[test]
fn remote_calls_in_a_loop_are_told_at_the_loop() {
    let client = ["org/springframework/web/client/RestClient.get", "sun/nio/ch/NioSocketImpl.read"];
    let serial = [SERVLET, "app/Shop.order:1", "app/Lines.prices:31", "app/Client.ask:7", client[0], client[1]];
    let once = [SERVLET, "app/Shop.order:2", "app/Client.ask:7", client[0], client[1]];
    let lock =
        [SERVLET, "app/Shop.order:1", "app/Lines.prices:31", "java/util/concurrent/locks/ReentrantLock.lock", PARK];
    let view = found(&[
        (40, "request 1", "off_cpu:socket", &serial),
        (30, "request 1", "off_cpu:socket", &once),
        (20, "request 1", "off_cpu:futex", &lock),
        (10, "request 1", "cpu", &[SERVLET, "app/Shop.order:3"]),
    ]);
    let finding = of(&view, "serial-remote-calls").expect("a finding");
    assert_eq!((finding.calling.line, finding.spent.ratio), (Some(31), 0.4));
    // Other waits are not part of it.
    assert_eq!(of(&view, "lock-contention").map(|finding| finding.spent.ratio), Some(0.2));
}

#[test]
fn a_text_for_a_logger_that_does_nothing_is_found() {
    let text = ["app/Shop.order:1", "app/Lines.report:26", "java/lang/String.valueOf", "app/Row.toString:9"];
    let others = ["app/Shop.order:2"];
    let view = found(&[(10, "worker 1", "cpu", &text), (30, "worker 1", "cpu", &others)]);
    let finding = of(&view, "unused-log-text").expect("a finding");
    assert_eq!((finding.calling.line, finding.spent.ratio), (Some(26), 0.25));
}

#[test]
fn waiting_for_the_common_pool_counts_only_with_a_blocking_call_in_it() {
    let evaluate = "java/util/stream/AbstractPipeline.evaluate";
    let wait = "java/util/concurrent/ForkJoinTask.awaitDone";
    // The thread waits for the pool, and meanwhile it executes another task of the stream, which reads from a socket.
    let helps = [
        "app.Quote.fees:51",
        evaluate,
        wait,
        "java/util/concurrent/ForkJoinTask.doExec",
        "java/util/stream/AbstractTask.compute",
        "app.Payment.fee:46",
        "java/net/SocketInputStream.read",
    ];
    let waits = ["app.Quote.fees:51", evaluate, wait, PARK];
    let work = ["app.Quote.total:60"];
    let both = found(&[
        (4, "request", "off_cpu:socket", &helps),
        (30, "request", "off_cpu:futex", &waits),
        (10, "request", "cpu", &work),
    ]);
    let finding = of(&both, "blocking-in-common-pool").expect("a finding");
    assert_eq!((finding.calling.function.as_str(), finding.calling.line), ("app.Quote.fees", Some(51)));
    assert_eq!(finding.spent.ratio, 34.0 / 44.0);
    // The tasks may compute.
    let alone = found(&[(34, "request", "off_cpu:futex", &waits), (10, "request", "cpu", &work)]);
    assert!(of(&alone, "blocking-in-common-pool").is_none());
}
