//! Which requests on the wire are also marked by the code inside the program. Marked requests have better values, so the others are left
//! out.
//!
//! ```text
//! thread 14   read "GET /a" ── begin of an item of HTTP ── hands the request over
//! thread 10                                                                       write "HTTP/1.1 200"
//! ```
//!
//! The item began while the request was being answered, on the thread that read it: it is the same request. From then on, all requests on
//! this port are known from the program itself. If the item is a span of OpenTelemetry, only this request is known, because a sampler can
//! leave out the spans of other requests.

use crate::kernel::layout::{HttpRequest, Item};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// So many last items of a thread are known. The request of an item is told at the latest when the next request of its connection begins.
const LAST_ITEMS: usize = 64;

/// Maximum number of threads whose items are known. Ports become known with the first requests, so few threads are enough.
const MAX_THREADS: usize = 1024;

/// The begin of an item.
#[derive(Debug, Clone, Copy)]
struct Begin {
    time_ns: u64,
    is_span: bool,
}

/// The requests that the code inside the program marks.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// Processes and ports of which all requests are marked.
    ports: FxHashSet<(u32, u16)>,
    /// When the last items of each process and thread began.
    begins: FxHashMap<(u32, u32), VecDeque<Begin>>,
}

impl Marked {
    /// The program has marked a request. `is_span`: the item is a span.
    pub(super) fn add(&mut self, item: &Item, is_span: bool) {
        let thread = (item.head.process_id, item.head.thread_id);
        if self.begins.len() >= MAX_THREADS && !self.begins.contains_key(&thread) {
            return;
        }
        let begins = self.begins.entry(thread).or_default();
        begins.truncate(LAST_ITEMS - 1);
        begins.push_front(Begin { time_ns: item.start_ns, is_span });
    }

    /// Whether the program has marked this request, too.
    pub(super) fn contains(&mut self, request: &HttpRequest) -> bool {
        let port = (request.head.process_id, request.port);
        let begin = self.begin_within(request);
        if request.is_marked != 0 || begin.is_some_and(|begin| !begin.is_span) {
            self.ports.insert(port);
        }
        begin.is_some() || self.ports.contains(&port)
    }

    /// An item that the thread that read the request began until the end of the answer.
    fn begin_within(&self, request: &HttpRequest) -> Option<Begin> {
        let thread = (request.head.process_id, request.head.thread_id);
        let mut begins = self.begins.get(&thread).into_iter().flatten();
        begins.find(|begin| (request.start_ns..=request.end_ns).contains(&begin.time_ns)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::{Head, read};

    fn request(port: u16, ends_ns: (u64, u64)) -> HttpRequest {
        let zero: HttpRequest = read(&vec![0; size_of::<HttpRequest>()]).unwrap();
        let head = Head { process_id: 1, thread_id: 14, ..Head::default() };
        HttpRequest { head, port, start_ns: ends_ns.0, end_ns: ends_ns.1, ..zero }
    }

    fn item(thread_id: u32, start_ns: u64) -> Item {
        let zero: Item = read(&vec![0; size_of::<Item>()]).unwrap();
        Item { head: Head { process_id: 1, thread_id, ..Head::default() }, start_ns, ..zero }
    }

    #[test]
    fn a_port_is_marked_from_the_first_item_on() {
        let mut marked = Marked::default();
        assert!(!marked.contains(&request(80, (100, 200))), "before the agent");
        marked.add(&item(15, 350), false);
        marked.add(&item(14, 450), false);
        assert!(!marked.contains(&request(80, (300, 400))), "an item of another thread, and one after the answer");
        assert!(marked.contains(&request(80, (430, 500))));
        assert!(marked.contains(&request(80, (700, 800))), "the port is known");
        assert!(!marked.contains(&request(81, (700, 800))), "another port");
    }

    #[test]
    fn a_span_marks_its_own_request_only() {
        let mut marked = Marked::default();
        marked.add(&item(14, 450), true);
        assert!(marked.contains(&request(80, (430, 500))));
        assert!(!marked.contains(&request(80, (700, 800))), "a request without a span");
    }
}
