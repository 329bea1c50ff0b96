//! Writes sheets as comma-separated values (RFC 4180). Lines end with CRLF. Texts have quotes if necessary, and quotes
//! inside texts are doubled.

use crate::sheet::Sheet;

/// Writes the sheet's rows below a line with the field names.
pub(crate) fn render(sheet: &Sheet) -> String {
    let mut lines = vec![line(sheet.heads.iter().filter(|head| !head.is_text_only).map(|head| head.field.clone()))];
    for row in sheet.rows.iter().filter(|row| !row.is_text_only) {
        let cells = row.cells.iter().zip(&sheet.heads).filter(|(_, head)| !head.is_text_only);
        lines.push(line(cells.map(|(cell, _)| cell.raw())));
    }
    lines.concat()
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}

fn quoted(field: String) -> String {
    if field.contains([',', '"', '\r', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}
