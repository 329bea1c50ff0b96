//! What the collector reads: files of the observed program, texts and records of the kernel, messages of hands.

use whittle_collect::fuzzing;

/// Reads a jar, its manifest, and the jars in it.
pub(crate) fn jar(bytes: &[u8]) {
    fuzzing::read_jar(bytes);
}

/// Reads HotSpot's counters.
pub(crate) fn hsperfdata(bytes: &[u8]) {
    fuzzing::read_jvm_counters(bytes);
}

/// Reads the text of a thread dump.
pub(crate) fn thread_dump(bytes: &[u8]) {
    fuzzing::read_thread_dump(bytes);
}

/// Reads a text of `/proc/PID` or of a control group.
pub(crate) fn process_text(bytes: &[u8]) {
    fuzzing::read_process_text(bytes);
}

/// Reads a packet between whittle and a hand.
pub(crate) fn hand_packet(bytes: &[u8]) {
    fuzzing::read_hand_packet(bytes);
}

/// Sends requests to a hand with these responses.
pub(crate) fn hand_talk(bytes: &[u8]) {
    fuzzing::talk_to_hand(bytes);
}

/// Reads records of perf events.
pub(crate) fn process_events(bytes: &[u8]) {
    fuzzing::read_process_events(bytes);
}

/// Reads a record of whittle's programs in the kernel.
pub(crate) fn kernel_record(bytes: &[u8]) {
    fuzzing::read_kernel_record(bytes);
}

/// Finds numbers in the output of a program.
pub(crate) fn program_output(bytes: &[u8]) {
    fuzzing::read_program_output(bytes);
}
