//! Readers of other tools' formats. Bytes in, tables out, no I/O.
