//! The page of a study.

use std::fmt::Display;

use super::document::{Cell, Column, Document, Table};
use super::html;
pub use super::html::escape;

/// A page whose charts are drawn already.
#[derive(Clone, Debug)]
pub struct Page(Document);

impl Page {
    pub fn new(title: &str) -> Page {
        Page(Document::new(title))
    }

    pub fn heading(&mut self, text: &str) {
        self.0.heading(text);
    }

    pub fn paragraph(&mut self, text: &str) {
        self.0.paragraph(text);
    }

    pub fn figure(&mut self, svg: &str, caption: &str) {
        self.0.embed(html::figure(svg, caption));
    }

    pub fn table(&mut self, headers: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let mut table = Table::of_numbers(headers.iter().copied());
        rows.into_iter().for_each(|row| table.row(row));
        self.0.table(table);
    }

    pub fn shaded(
        &mut self,
        corner: &str,
        headers: impl IntoIterator<Item = impl Display>,
        rows: impl IntoIterator<Item = (String, Vec<(String, f64)>)>,
    ) {
        let headers = headers.into_iter().map(|header| Column::right(header.to_string()));
        let mut table = Table::new(std::iter::once(Column::left(corner)).chain(headers));
        for (name, cells) in rows {
            let cells = cells.into_iter().map(|(text, shade)| Cell::shaded(text, shade));
            table.row(std::iter::once(Cell::from(name)).chain(cells));
        }
        self.0.table(table);
    }

    pub fn finish(self, made_by: &str) -> String {
        html::page(&self.0, made_by)
    }
}
