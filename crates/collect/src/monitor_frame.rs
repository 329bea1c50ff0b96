//! The frame of a wait for a monitor whose native stack is not known.

use whittle_model::{BinaryIndex, FrameIndex, FrameKind, FunctionKind, NewFrame, NewFunction, TableBuilder};

/// The function of the JVM in which threads wait for monitors. Other waits have it on their walked stacks.
const ENTER: &str = "ObjectMonitor::enter";

/// Adds the frame.
pub(crate) fn monitor_frame(builder: &mut TableBuilder) -> FrameIndex {
    let function = builder.function(&NewFunction {
        display_name: ENTER,
        internal_name: ENTER,
        kind: FunctionKind::Jvm,
        binary: BinaryIndex::NONE,
    });
    builder.frame(NewFrame { function, kind: FrameKind::Jvm, line: None, bytecode_index: None, address: None })
}
