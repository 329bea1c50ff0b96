//! Casebook case 2, temporary direct buffers that are not kept. The test checks the tree below the write, and the
//! throughput.

use crate::hypotheses::buffers;
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Workspace, printed};
use whittle_model::EventKind;
use whittle_testkit::Jdk;

const WRITE: &str = "whittle.workloads.buffers.SocketMuxer.write(";
const TAKES_BUFFER: &str = "sun.nio.ch.Util.getTemporaryDirectBuffer(";
const MAKES_BUFFER: &str = "java.nio.DirectByteBuffer.<init>(";
const ALLOCATES: &str = "jdk.internal.misc.Unsafe.allocateMemory(";
const FREES: &str = "jdk.internal.misc.Unsafe.freeMemory(";

/// One of the two programs, collected.
struct Run {
    collected: Collected,
    output: String,
}

impl Run {
    fn of(jdk: &Jdk, program: &str) -> Self {
        let workspace = Workspace::new();
        let metric = r"messages_per_second=(?<messages_per_second>\d+)|received=(?<messages_count>\d+)";
        let program = [&format!("whittle.workloads.buffers.{program}"), "--seconds", "6"];
        // Shares of about 1 % need many samples.
        let options = ["-q", "-o", "a.whittle", "--interval", "1ms", "--metric", metric];
        let output = workspace.collect_launched(&options, jdk, &program);
        Self { collected: Collected::read(&workspace, "a.whittle"), output }
    }

    /// Share of the CPU time below `SocketMuxer.write` that is also below a function.
    ///
    /// The JVM's stub that copies a message has no debug information about its caller. The stub can appear below any
    /// method that is inlined at that place. So the stub's time counts only as copying.
    fn share(&self, function: &str) -> f64 {
        let cpu = |functions: &[&str]| {
            self.collected.weight(EventKind::Cpu, |stack| {
                let names = self.collected.names(stack);
                let copies = names.iter().any(|name| name.contains("_arraycopy"));
                let is_taking = functions.contains(&TAKES_BUFFER) || functions.contains(&MAKES_BUFFER);
                !(copies && is_taking)
                    && functions.iter().all(|function| names.iter().any(|name| name.contains(function)))
            })
        };
        cpu(&[WRITE, function]) / cpu(&[WRITE])
    }

    /// Checks the numbers in the lines that the program printed. Whittle captured these numbers while the program ran.
    fn assert_throughput_is_kept(&self, what: &str) {
        let manifest = &self.collected.manifest;
        let messages = manifest.units_of_work.iter().find(|unit| unit.name == "messages");
        assert_eq!(messages.unwrap().amount, printed(&self.output, "sent=", "received"), "{what}");
        let counters = &self.collected.tables.counters;
        let rows = (0..counters.value.len()).filter(|row| counters.counter[*row] == "messages_per_second");
        let rates: Vec<f64> = rows.map(|row| counters.value[row]).collect();
        assert!(rates.len() >= 5, "{what}: a line each second, not {rates:?}");
        assert_eq!(rates.last().copied().unwrap(), printed(&self.output, "total ", "messages_per_second"), "{what}");
    }
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn the_tree_below_the_write_shows_who_makes_buffers_and_both_experiments_their_throughput() {
    for jdk in kernel_jdks() {
        let [slow, fixed] = ["Slow", "Fixed"].map(|program| Run::of(&jdk, program));
        for (run, name) in [(&slow, "Slow"), (&fixed, "Fixed")] {
            let what = format!("JDK {} {name}", jdk.version);
            let [write, writev] = ["sun.nio.ch.IOUtil.write(", ".writev("].map(|function| run.share(function));
            let [takes, makes] = [TAKES_BUFFER, MAKES_BUFFER].map(|function| run.share(function));
            let rate = printed(&run.output, "total ", "messages_per_second");
            eprintln!(
                "{what}: write {write:.3} writev {writev:.3} takes {takes:.3} makes {makes:.3}, {rate} messages/s"
            );
            assert!(write >= buffers::COPIES_HAVE_CALLERS_OR_NOT, "{what}: {write:.3}");
            assert!(buffers::CALL_AND_COPIES_OR_ONLY_ONE.contains(&writev), "{what}: {writev:.3}");
            run.assert_throughput_is_kept(&what);
        }
        let what = format!("JDK {}", jdk.version);
        let [takes, without] = [&slow, &fixed].map(|run| run.share(TAKES_BUFFER));
        let is_found = takes >= buffers::TAKES_FOUND_OR_NOT;
        let is_kept = without <= buffers::BUFFERS_KEPT_OR_NOT * takes;
        assert!(is_found && is_kept, "{what}: {takes:.4} against {without:.4}");
        let [allocates, frees] = [ALLOCATES, FREES].map(|function| [&slow, &fixed].map(|run| run.share(function)));
        eprintln!("{what}: allocates {allocates:.4?} frees {frees:.4?}");
        for [slow, fixed] in [allocates, frees] {
            let is_as_made = slow >= buffers::MEMORY_FOR_EACH_WRITE && fixed <= buffers::MEMORY_KEPT;
            assert!(is_as_made, "{what}: {allocates:?} {frees:?}");
        }
        // Newer JDKs allocate this memory without clearing and counting it.
        let makes = slow.share(MAKES_BUFFER);
        assert_eq!(makes >= buffers::JDK_CLEARS_OR_NOT, jdk.version == 17, "{what}: {makes:.4}");
        assert!(fixed.share(MAKES_BUFFER) <= buffers::CLEARED_ONCE, "{what}");
    }
}
