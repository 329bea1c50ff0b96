//! Every reader of outside bytes as a function of bytes. The fuzzer in `fuzz` calls these functions with new inputs. The
//! tests of this crate call them with the inputs in `fuzz/corpus`, which need no fuzzer.
//!
//! A reader may refuse any input. It must not panic, hang, or need much memory, and its result must keep the documented
//! promises. To add a reader, add it to [`READERS`] and a folder with seeds to `fuzz/corpus`.

mod code;
mod collected;
mod profiles;
mod pushed;
mod stored;
mod text;

/// A reader of outside bytes.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The name, and the folder of its inputs.
    pub name: &'static str,
    /// Reads any bytes, and panics if the result breaks a promise.
    pub read: fn(&[u8]),
}

/// All readers.
pub static READERS: [Reader; 31] = [
    Reader { name: "catalogue", read: stored::catalogue },
    Reader { name: "class_file", read: code::class_file },
    Reader { name: "collapsed", read: profiles::collapsed },
    Reader { name: "elf", read: code::elf },
    Reader { name: "filter", read: text::filter },
    Reader { name: "firefox", read: profiles::firefox },
    Reader { name: "hand_packet", read: collected::hand_packet },
    Reader { name: "hand_talk", read: collected::hand_talk },
    Reader { name: "hsperfdata", read: collected::hsperfdata },
    Reader { name: "import", read: profiles::any_format },
    Reader { name: "jar", read: collected::jar },
    Reader { name: "jfr", read: profiles::jfr },
    Reader { name: "jfr_file", read: profiles::jfr_file },
    Reader { name: "jvm_log", read: profiles::jvm_log },
    Reader { name: "kernel_record", read: collected::kernel_record },
    Reader { name: "otlp", read: profiles::otlp },
    Reader { name: "packed", read: stored::packed },
    Reader { name: "perf_data", read: profiles::perf_data },
    Reader { name: "pprof", read: profiles::pprof },
    Reader { name: "process_events", read: collected::process_events },
    Reader { name: "process_map", read: code::process_map },
    Reader { name: "process_text", read: collected::process_text },
    Reader { name: "program_output", read: collected::program_output },
    Reader { name: "push", read: pushed::push },
    Reader { name: "push_tokens", read: pushed::push_tokens },
    Reader { name: "request", read: text::request },
    Reader { name: "segment", read: stored::segment },
    Reader { name: "segment_name", read: stored::segment_name },
    Reader { name: "source_map", read: code::source_map },
    Reader { name: "speedscope", read: profiles::speedscope },
    Reader { name: "thread_dump", read: collected::thread_dump },
];

/// The reader with this name.
pub fn reader(name: &str) -> Option<Reader> {
    READERS.into_iter().find(|reader| reader.name == name)
}
