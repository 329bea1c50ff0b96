//! Views over stack weights: functions, callers-callees, call tree. No I/O.
