//! The field's words as types: tables, ids, units, metric definitions. No I/O.
