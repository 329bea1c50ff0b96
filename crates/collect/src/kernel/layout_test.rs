//! Compares the Rust version of the shared data layout with the types in the BPF objects (BTF).
//!
//! Format: <https://docs.kernel.org/bpf/btf.html>. The objects are made by `cargo xtask bpf`, so the reader trusts them.

use super::layout::{
    AccountKey, AccountValue, COUNT_COMPAT_CALLS, COUNT_COUNT, COUNT_DROPPED_RECORDS, COUNT_DROPPED_TICK_NS,
    COUNT_FULL_TABLES, COUNT_HANDLER_NS, COUNT_HANDLERS, COUNT_UNACCOUNTED_CALLS, COUNT_UNKNOWN_THREADS,
    COUNT_UNSEEN_REQUESTS, COUNT_UNSURE_ITEMS, Event, FileSeen, Head, HttpRequest, Item, ItemKey, PEER_CLIENTS,
    PEER_LISTENS, PEER_MARK, PEER_UDP, PartSeen, PinnedWait, ProcessValue, STATE_COUNT, STATE_FILE, STATE_FUTEX,
    STATE_ON_CPU, STATE_OTHER, STATE_PAGE_FAULT, STATE_PIPE, STATE_POLL, STATE_PREEMPTION, STATE_QUOTA,
    STATE_RUN_QUEUE, STATE_SLEEP, STATE_SOCKET, SettingsValue, StatementSeen, ThreadLife, ThreadValue, UserStackHead,
    VirtualThreadValue, VirtualWait, WakeRecord, kind, request,
};
use std::collections::BTreeMap;
use std::mem::{offset_of, size_of};
use whittle_model::{FileKind, WaitReason, WakerKind};

const OBJECTS: [&[u8]; 2] =
    [include_bytes!("../../bpf/whittle.x86_64.bpf.o"), include_bytes!("../../bpf/whittle.aarch64.bpf.o")];

/// The structs and enums of an object, by name.
struct Types {
    /// Size, and offsets of the members in bytes.
    structs: BTreeMap<String, (usize, BTreeMap<String, usize>)>,
    enums: BTreeMap<String, BTreeMap<String, u32>>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn text(strings: &[u8], at: usize) -> String {
    let end = strings[at..].iter().position(|byte| *byte == 0).unwrap();
    String::from_utf8(strings[at..at + end].to_vec()).unwrap()
}

/// The section `.BTF` of a 64-bit ELF file.
fn btf(object: &[u8]) -> &[u8] {
    let long = |at: usize| u64::from_le_bytes(object[at..at + 8].try_into().unwrap()) as usize;
    let short = |at: usize| usize::from(u16::from_le_bytes([object[at], object[at + 1]]));
    let (sections, section_bytes, section_count) = (long(40), short(58), short(60));
    let header = |number: usize| sections + number * section_bytes;
    let content = |header: usize| &object[long(header + 24)..long(header + 24) + long(header + 32)];
    let names = content(header(short(62)));
    let of = (0..section_count).map(header).find(|header| text(names, word(object, *header)) == ".BTF");
    content(of.unwrap())
}

impl Types {
    fn read(object: &[u8]) -> Self {
        let btf = btf(object);
        let header_bytes = word(btf, 4);
        let from = |at: usize| &btf[header_bytes + word(btf, at)..][..word(btf, at + 4)];
        let (types, strings) = (from(8), from(16));
        let mut found = Self { structs: BTreeMap::new(), enums: BTreeMap::new() };
        let mut at = 0;
        while at < types.len() {
            let (name, info, size) = (text(strings, word(types, at)), word(types, at + 4), word(types, at + 8));
            let (kind, count) = (info >> 24 & 0x1f, info & 0xffff);
            at += 12;
            let entries = |bytes: usize| (0..count).map(move |entry| at + entry * bytes);
            let entry_name = |entry: usize| text(strings, word(types, entry));
            match kind {
                // Struct and union: each member has a name, a type and an offset in bits.
                4 | 5 => {
                    let members = entries(12).map(|entry| (entry_name(entry), word(types, entry + 8) / 8)).collect();
                    found.structs.insert(name, (size, members));
                }
                6 => {
                    let values = entries(8).map(|entry| (entry_name(entry), word(types, entry + 4) as u32)).collect();
                    found.enums.insert(name, values);
                }
                _ => {}
            }
            at += match kind {
                4 | 5 | 15 | 19 => 12 * count,
                6 | 13 => 8 * count,
                3 => 12,
                1 | 14 | 17 => 4,
                _ => 0,
            };
        }
        found
    }

    /// Asserts that the struct has exactly these members. `size`: the struct's size, if the Rust version has all of it.
    fn assert_struct(&self, name: &str, size: Option<usize>, members: &[(&str, usize)]) {
        let (found_size, found) = &self.structs[name];
        let expected: BTreeMap<String, usize> = members.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect();
        assert_eq!(*found, expected, "{name}");
        assert!(size.is_none_or(|size| size == *found_size), "{name} has {found_size} bytes");
    }

    fn assert_enum(&self, name: &str, prefix: &str, values: &[(&str, u32)]) {
        for (value_name, value) in values {
            let full = format!("{prefix}_{value_name}");
            assert_eq!(self.enums[name].get(&full), Some(value), "{name}: {full}");
        }
    }
}

/// Names and offsets of fields. A name in C that differs from the name in Rust comes after `as`.
macro_rules! members {
    ($type:ty: $($field:ident $(as $name:literal)?),+ $(,)?) => {
        &[$((members!(@name $field $($name)?), offset_of!($type, $field))),+]
    };
    (@name $field:ident $name:literal) => { $name };
    (@name $field:ident) => { stringify!($field) };
}

#[test]
fn structs_are_those_of_the_objects() {
    for object in OBJECTS {
        let types = Types::read(object);
        let of = |name: &str, size: usize, members: &[(&str, usize)]| types.assert_struct(name, Some(size), members);
        let head = members!(Head: time_ns, process_id, thread_id, epoch, kind, request, is_kernel_mode);
        of("record", size_of::<Head>(), head);
        let event = members!(Event: head as "record", weight, call, error, call_bytes, call_duration_ns, inode, device,
            file_kind, reason, kernel_frame_count);
        of("event", size_of::<Event>(), event);
        let wake = members!(WakeRecord: event, waited_ns, process_id, thread_id, waker, reserved);
        of("wake", size_of::<WakeRecord>(), wake);
        of("virtual_wait", size_of::<VirtualWait>(), members!(VirtualWait: event, wait, name));
        of("pinned", size_of::<PinnedWait>(), members!(PinnedWait: head as "record", name));
        of("item_key", size_of::<ItemKey>(), members!(ItemKey: id, process_id, reserved));
        let waiter = members!(VirtualThreadValue: parked_ns, multiple, wait, item, again, name);
        of("virtual_thread", size_of::<VirtualThreadValue>(), waiter);
        let life = members!(ThreadLife: head as "record", namespaced_id, parent_process_id, cpu_ns, user_ns, system_ns,
            start_ns, voluntary_switches, involuntary_switches, minor_faults, major_faults, state_ns, name);
        of("thread_life", size_of::<ThreadLife>(), life);
        let file = members!(FileSeen: head as "record", inode, device, file_kind, descriptor, reserved, remote,
            name);
        of("file_seen", size_of::<FileSeen>(), file);
        let request = members!(HttpRequest: head as "record", start_ns, end_ns, read_bytes, written_bytes, before_ns,
            spent_ns, answering_thread_id, number, item_number, text_bytes, port, status, has_times, is_over, is_marked, text);
        of("http_request", size_of::<HttpRequest>(), request);
        let item = members!(Item: head as "record", id, start_ns, end_ns, spent_ns, worker, helpers, lock, ending_thread_id, part_count,
            text_bytes, kind, status, statement_count, statement_ns, trace, is_named_by_span, reserved, text);
        of("item", size_of::<Item>(), item);
        let statement = members!(StatementSeen: head as "record", start_ns, spent_ns, beginning_thread_id, has_times,
            text_bytes, reserved, text);
        of("statement_seen", size_of::<StatementSeen>(), statement);
        of("part_seen", size_of::<PartSeen>(), members!(PartSeen: head as "record", id, start_ns));
        of("process", size_of::<ProcessValue>(), members!(ProcessValue: handler, seen_handler, thread_count));
        let thread = members!(ThreadValue: process_id, namespaced_id, epoch, call, is_in_call, state, is_old, parks,
            state_since_ns, woken_ns, waking_since_ns, waking_weight, fault_wait_multiple, queue, queue_quota_ns, state_ns);
        of("thread", size_of::<ThreadValue>(), thread);
        of("account_key", size_of::<AccountKey>(), members!(AccountKey: thread_id, call, inode, device, file_kind));
        let account = members!(AccountValue: calls, errors, bytes, duration_ns, longest_ns, latencies);
        of("account", size_of::<AccountValue>(), account);
        let settings = members!(SettingsValue: only_process, follows, has_accounts, has_calls, drop_every, generation,
            has_pressure, by_place, has_marks, reserved, intervals, calls);
        of("settings", size_of::<SettingsValue>(), settings);
        // The stack's bytes follow the head.
        let mut stack = members!(UserStackHead: head as "record", registers, stack_byte_count, reserved).to_vec();
        stack.push(("stack", size_of::<UserStackHead>()));
        types.assert_struct("user_stack", None, &stack);
    }
}

#[test]
fn values_of_enums_are_those_of_the_objects() {
    for object in OBJECTS {
        let types = Types::read(object);
        let kinds = [
            ("TICK", kind::TICK),
            ("CALLS", kind::CALLS),
            ("BYTES", kind::BYTES),
            ("CALL_TIME", kind::CALL_TIME),
            ("BLOCKED", kind::BLOCKED),
            ("FAULTS", kind::FAULTS),
            ("WAKE", kind::WAKE),
            ("VIRTUAL_PARKED", kind::VIRTUAL_PARKED),
            ("VIRTUAL_RESUMED", kind::VIRTUAL_RESUMED),
            ("VIRTUAL_RETURNED", kind::VIRTUAL_RETURNED),
            ("DELIVERY", kind::DELIVERY),
            ("USER_STACK", kind::USER_STACK),
            ("SPARE_STACK", kind::SPARE_STACK),
            ("THREAD_START", kind::THREAD_START),
            ("THREAD_END", kind::THREAD_END),
            ("EXEC", kind::EXEC),
            ("FILE", kind::FILE),
            ("HTTP", kind::HTTP),
            ("ITEM", kind::ITEM),
            ("PART", kind::PART),
            ("PINNED", kind::PINNED),
            ("STATEMENT", kind::STATEMENT),
        ];
        types.assert_enum("record_kind", "RECORD", &kinds.map(|(name, value)| (name, u32::from(value))));
        assert_eq!(types.enums["record_kind"].len(), kinds.len());
        let requests =
            [("DEFERRED", request::DEFERRED), ("NO_HANDLER", request::NO_HANDLER), ("FAILED", request::FAILED)];
        types.assert_enum("request", "REQUEST", &requests.map(|(name, value)| (name, u32::from(value))));
        let counts = [
            ("DROPPED_RECORDS", COUNT_DROPPED_RECORDS),
            ("DROPPED_TICK_NS", COUNT_DROPPED_TICK_NS),
            ("UNACCOUNTED_CALLS", COUNT_UNACCOUNTED_CALLS),
            ("UNKNOWN_THREADS", COUNT_UNKNOWN_THREADS),
            ("FULL_TABLES", COUNT_FULL_TABLES),
            ("COMPAT_CALLS", COUNT_COMPAT_CALLS),
            ("HANDLERS", COUNT_HANDLERS),
            ("HANDLER_NS", COUNT_HANDLER_NS),
            ("UNSEEN_REQUESTS", COUNT_UNSEEN_REQUESTS),
            ("UNSURE_ITEMS", COUNT_UNSURE_ITEMS),
            ("COUNT", COUNT_COUNT),
        ];
        types.assert_enum("count", "COUNT", &counts);
        let states = [
            ("ON_CPU", STATE_ON_CPU),
            ("FUTEX", STATE_FUTEX),
            ("SOCKET", STATE_SOCKET),
            ("FILE", STATE_FILE),
            ("SLEEP", STATE_SLEEP),
            ("POLL", STATE_POLL),
            ("PIPE", STATE_PIPE),
            ("PAGE_FAULT", STATE_PAGE_FAULT),
            ("RUN_QUEUE", STATE_RUN_QUEUE),
            ("PREEMPTION", STATE_PREEMPTION),
            ("OTHER", STATE_OTHER),
            ("QUOTA", STATE_QUOTA),
        ];
        let peers = [("MARK", PEER_MARK), ("UDP", PEER_UDP), ("LISTENS", PEER_LISTENS), ("CLIENTS", PEER_CLIENTS)];
        types.assert_enum("peer", "PEER", &peers);
        types.assert_enum("state", "STATE", &states.map(|(name, value)| (name, u32::from(value))));
    }
}

/// The kernel side stores the model's numbers.
#[test]
fn states_kinds_of_files_and_wakers_have_the_numbers_of_the_model() {
    for object in OBJECTS {
        let types = Types::read(object);
        let reasons = WaitReason::ALL.iter().filter(|reason| **reason != WaitReason::None);
        for reason in reasons {
            types.assert_enum("state", "STATE", &[(&reason.name().to_uppercase(), *reason as u32)]);
        }
        assert_eq!(types.enums["state"]["STATE_COUNT"] as usize, STATE_COUNT);
        assert_eq!(WaitReason::ALL.len(), STATE_COUNT);
        for kind in FileKind::ALL.iter() {
            types.assert_enum("file_kind", "FILE", &[(&kind.name().to_uppercase(), *kind as u32)]);
        }
        // Only thread dumps tell holders.
        let of_kernel = WakerKind::ALL.iter().filter(|waker| **waker != WakerKind::Holder);
        for waker in of_kernel.clone() {
            types.assert_enum("waker", "WAKER", &[(&waker.name().to_uppercase(), *waker as u32)]);
        }
        assert_eq!(types.enums["waker"].len(), of_kernel.count());
        assert_eq!(types.enums["file_kind"].len(), FileKind::ALL.len());
    }
}
