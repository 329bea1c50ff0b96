//! The frame that pins a virtual thread: it keeps the virtual thread on its carrier while it waits.
//!
//! ```text
//! Thread.sleep                    the wait
//! Stock.load()          line 40
//! Stock.refresh()       line 31   is inside the block of line 30: this block pins (until JDK 23)
//! Handler.run()
//! VirtualThread.run
//! ```
//!
//! From JDK 24 on, only native code pins: a native method that calls Java code, or the JVM that initialises a class. So such a frame comes
//! before a lock.

use super::CallPlace;
use super::context::{Context, Entered};
use super::lock;
use super::monitors;
use super::names;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use crate::class_file::Method;
use std::rc::Rc;

/// The class whose method `run` is the root of a virtual thread's own frames.
const ROOT: &str = "java/lang/VirtualThread";
const INITIALISER: &str = "<clinit>";

/// Finds the line to edit.
///
/// # Errors
/// No frame with a known class file pins.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let places = places(search);
    let native = (0..places.len()).find_map(|frame| native_code(search, &places[frame..]));
    let found = native.or_else(|| places.iter().find_map(|place| held_lock(search, place)));
    found.ok_or_else(|| "no frame with a known class file is native, initialises a class, or holds a lock".to_owned())
}

/// The frames of the virtual thread, from the wait on.
fn places<'q>(search: &Search<'q, '_>) -> Vec<CallPlace<'q>> {
    let question = search.question;
    let nearest_first = question.called.iter().rev().skip_while(|place| place.class == ROOT).chain(question.callers);
    nearest_first.take_while(|place| place.class != ROOT).copied().collect()
}

fn context<'c>(search: &Search<'_, 'c>, place: &CallPlace<'_>) -> Option<Rc<Context<'c>>> {
    let class = search.classes.get(place.class)?;
    let number = class.numbered(place)?;
    Context::new(class, number, Entered::Unknown)
}

/// The line of an initialiser that leads to the wait, or the call of a native method. `places`: the frame, and those that called it.
fn native_code(search: &Search<'_, '_>, places: &[CallPlace<'_>]) -> Option<EditSite> {
    let place = places.first()?;
    let (of, what) = if place.method == INITIALISER {
        (place, "initialiser of a class, which the JVM calls through native code".to_owned())
    } else if is_native(search, place) {
        (places.get(1)?, format!("call of the native method {}", names::field(place.class, place.method)))
    } else {
        return None;
    };
    let context = context(search, of)?;
    let spot = Spot { what, ..Spot::new(&context, of.bytecode_index.unwrap_or(0)) };
    Some(spot.site(vec![format!("{} keeps the virtual thread on its carrier", context.shown_method())]))
}

fn is_native(search: &Search<'_, '_>, place: &CallPlace<'_>) -> bool {
    let Some(class) = search.classes.get(place.class) else { return false };
    let method = class.numbered(place).and_then(|number| class.method(number));
    method.is_some_and(Method::is_native)
}

/// The lock that the frame holds: of a block, or of the whole method.
fn held_lock(search: &Search<'_, '_>, place: &CallPlace<'_>) -> Option<EditSite> {
    let context = context(search, place)?;
    if let Some(index) = place.bytecode_index.and_then(|index| monitors::around(&context, index)) {
        return Some(lock::synchronized_block(search, &context, index));
    }
    let is_synchronized = context.class.method(context.method).is_some_and(Method::is_synchronized);
    is_synchronized.then(|| lock::synchronized_method(&context))
}
