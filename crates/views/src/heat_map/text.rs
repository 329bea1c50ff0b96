//! The layout of a heat map: a line per row, the latest part of a column's time first. CSV has one row per cell.

use crate::heat_map::HeatMapView;
use whittle_profile::amounts::{amount, seconds};
use whittle_render::layout::{footer, selection};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

/// Shades from a little to the most.
const SHADES: [char; 4] = ['░', '▒', '▓', '█'];

impl View for HeatMapView {
    fn sheet(&self) -> Sheet {
        let value = self.column.field();
        let heads = ["column", "row", "start_ns", &value];
        let rows = self.filled_cells().map(|cell| {
            let numbers = [cell.column as f64, cell.row as f64, cell.start_ns as f64, cell.value];
            SheetRow { cells: numbers.into_iter().map(Cell::Count).collect(), ..SheetRow::default() }
        });
        Sheet {
            heads: heads.into_iter().map(|field| Head::text(field, field)).collect(),
            rows: rows.collect(),
            ..Sheet::default()
        }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let header = &self.header;
        let rows = (0..header.rows).rev().map(|row| {
            let cells = vec![Cell::Nanos(self.shape.start_of(row) as f64), Cell::Text(self.strip(row))];
            SheetRow { cells, ..SheetRow::default() }
        });
        let heads = vec![Head::number("after s", "row"), Head::text(&self.axis(), "cells")];
        let mut footer = footer(&header.preamble, header.rows, header.rows);
        footer.push(self.legend());
        vec![Sheet { heading: self.heading(), heads, rows: rows.collect(), footer }]
    }
}

impl HeatMapView {
    fn heading(&self) -> Vec<String> {
        let header = &self.header;
        let mut lines = vec![format!(
            "Heat map of {} s, {}, {} columns of {} s, {} rows of {} s",
            seconds(header.to_ns as f64),
            header.title,
            header.columns,
            seconds(header.column_ns as f64),
            header.rows,
            seconds(header.column_ns as f64 / header.rows as f64),
        )];
        lines.extend(selection(&header.preamble));
        lines
    }

    /// The times at both ends of the columns, if they fit.
    fn axis(&self) -> String {
        let (from, to) = (seconds(0.0), seconds(self.header.to_ns as f64));
        match self.header.columns.checked_sub(from.len() + to.len()) {
            Some(room) if room > 0 => format!("{from}{}{to}", " ".repeat(room)),
            _ => from,
        }
    }

    /// One character per column.
    fn strip(&self, row: usize) -> String {
        (0..self.header.columns).map(|column| self.shade(self.cells[column * self.header.rows + row])).collect()
    }

    fn shade(&self, value: f64) -> char {
        if value <= 0.0 {
            return ' ';
        }
        let steps = SHADES.len();
        SHADES[((value / self.header.most * steps as f64).ceil() as usize).clamp(1, steps) - 1]
    }

    fn legend(&self) -> String {
        let most = amount(&self.column, self.header.most);
        format!("░ ▒ ▓ █ up to a quarter, half, three quarters and all of the most in a cell, {most}; blank: nothing")
    }
}
