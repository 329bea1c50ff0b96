//! Which requests on the wire are also marked by the code inside the program. Marked requests have better values, so the others are left
//! out.
//!
//! ```text
//! thread 14   read "GET /a" ── begin of an item of HTTP ── hands the request over
//! thread 10                                                                       write "HTTP/1.1 200"
//! ```
//!
//! The item began while the request was being answered, on the thread that read it: it is the same request. From then on, all requests on
//! this port are known from the program itself.

use crate::kernel::layout::{HttpRequest, Item};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// So many last items of a thread are known. The request of an item is told at the latest when the next request of its connection begins.
const LAST_ITEMS: usize = 64;

/// Maximum number of threads whose items are known. Ports become known with the first requests, so few threads are enough.
const MAX_THREADS: usize = 1024;

/// The requests that the code inside the program marks.
#[derive(Debug, Default)]
pub(super) struct Marked {
    /// Processes and ports of which all requests are marked.
    ports: FxHashSet<(u32, u16)>,
    /// When the last items of each process and thread began.
    begins_ns: FxHashMap<(u32, u32), VecDeque<u64>>,
}

impl Marked {
    /// The program has marked a request.
    pub(super) fn add(&mut self, item: &Item) {
        let thread = (item.head.process_id, item.head.thread_id);
        if self.begins_ns.len() >= MAX_THREADS && !self.begins_ns.contains_key(&thread) {
            return;
        }
        let begins_ns = self.begins_ns.entry(thread).or_default();
        begins_ns.truncate(LAST_ITEMS - 1);
        begins_ns.push_front(item.start_ns);
    }

    /// Whether the program has marked this request, too.
    pub(super) fn contains(&mut self, request: &HttpRequest) -> bool {
        let port = (request.head.process_id, request.port);
        if request.is_marked != 0 || self.has_item(request) {
            self.ports.insert(port);
        }
        self.ports.contains(&port)
    }

    /// Whether the thread that read the request began an item until the end of the answer.
    fn has_item(&self, request: &HttpRequest) -> bool {
        let thread = (request.head.process_id, request.head.thread_id);
        let begins_ns = self.begins_ns.get(&thread).into_iter().flatten();
        begins_ns.into_iter().any(|begin_ns| (request.start_ns..=request.end_ns).contains(begin_ns))
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
        marked.add(&item(15, 350));
        marked.add(&item(14, 450));
        assert!(!marked.contains(&request(80, (300, 400))), "an item of another thread, and one after the answer");
        assert!(marked.contains(&request(80, (430, 500))));
        assert!(marked.contains(&request(80, (700, 800))), "the port is known");
        assert!(!marked.contains(&request(81, (700, 800))), "another port");
    }
}
