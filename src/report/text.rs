//! Renders documents as text for a terminal.

use super::document::{Align, Block, Document, Fact, Table};

/// A non-breaking space.
pub(crate) const NO_BREAK: char = '\u{a0}';

/// The maximum length of a line, for readability.
pub const MAX_WIDTH: usize = 100;

/// The gap between two columns of a table.
const GAP: &str = "  ";

/// The indentation of a fact, and of its continuation lines.
const INDENT: &str = "  ";
const CONTINUED: &str = "    ";

/// Renders a document. Prose is wrapped to the width. Tables may be wider, if they need to be.
pub fn render(document: &Document, width: usize) -> String {
    let mut lines = Vec::new();
    if !document.title.is_empty() {
        lines.push(document.title.clone());
    }
    blocks(&document.blocks, width, &mut lines);
    lines.into_iter().map(|line| line + "\n").collect()
}

fn blocks(blocks: &[Block], width: usize, lines: &mut Vec<String>) {
    let mut before: Option<&Block> = None;
    for block in blocks {
        let mut part = match block {
            Block::Heading(text) => vec![text.clone()],
            Block::Paragraph(text) => wrap(text, width),
            Block::Facts(facts) => facts.iter().flat_map(|fact| self::fact(fact, width)).collect(),
            Block::Table(table) => self::table(table),
            Block::Details(summary, _) => vec![summary.clone()],
            Block::Chart(_) | Block::Embedded(_) => continue,
        };
        if let Block::Details(_, inner) = block {
            self::blocks(inner, width, &mut part);
        }
        if before.is_some_and(|before| has_blank_line_between(before, block)) {
            lines.push(String::new());
        }
        lines.append(&mut part);
        before = Some(block);
    }
}

/// Whether a blank line separates two blocks. Facts directly follow the sentence that introduces
/// them.
fn has_blank_line_between(before: &Block, block: &Block) -> bool {
    let introduces = matches!(before, Block::Heading(_));
    let belongs = matches!(
        (before, block),
        (Block::Paragraph(_) | Block::Facts(_), Block::Facts(_) | Block::Details(..))
    );
    !introduces && !belongs
}

fn fact(Fact { label, value, note }: &Fact, width: usize) -> Vec<String> {
    let note = note.iter().map(|note| format!("; {note}"));
    let text = format!("{label}: {value}{}", note.collect::<String>());
    let wrapped = wrap(&text, width.saturating_sub(CONTINUED.len()).max(1));
    let indents = std::iter::once(INDENT).chain(std::iter::repeat(CONTINUED));
    indents.zip(wrapped).map(|(indent, line)| format!("{indent}{line}")).collect()
}

fn table(table: &Table) -> Vec<String> {
    let headers = table.columns.iter().map(|column| column.header.clone()).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(|cell| cell.text.clone()).collect());
    let rows: Vec<Vec<String>> = std::iter::once(headers).chain(rows).collect();
    let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    let widths = column_widths(&rows, usize::MAX);
    rows.iter().flat_map(|row| table_row(row, &aligns, &widths)).collect()
}

/// The lines of a table row. Cells that are wider than their column are wrapped.
pub(crate) fn table_row(cells: &[String], aligns: &[Align], widths: &[usize]) -> Vec<String> {
    let wrapped: Vec<Vec<String>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, &width)| match cell.chars().count() <= width {
            true => vec![cell.replace(NO_BREAK, " ")],
            false => wrap(cell, width),
        })
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let parts = wrapped.iter().zip(aligns).zip(widths).map(|((cell, align), &width)| {
            let part = cell.get(number).map_or("", String::as_str);
            match align {
                Align::Left => format!("{part:<width$}"),
                Align::Right => format!("{part:>width$}"),
            }
        });
        parts.collect::<Vec<String>>().join(GAP).trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// The column widths of a table. If the table is too wide, the widest columns are narrowed, but not
/// below their longest words.
pub(crate) fn column_widths(rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let largest = |column: usize, measure: &dyn Fn(&str) -> usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| measure(cell)).max().unwrap_or(0)
    };
    let length = |cell: &str| cell.chars().count();
    let longest_word = |cell: &str| cell.split(' ').map(length).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns).map(|column| largest(column, &length)).collect();
    let min_widths: Vec<usize> =
        (0..columns).map(|column| largest(column, &longest_word)).collect();
    while widths.iter().sum::<usize>() + GAP.len() * columns.saturating_sub(1) > width {
        let shrinkable = (0..columns).filter(|&column| widths[column] > min_widths[column]);
        let Some(widest) = shrinkable.max_by_key(|&column| widths[column]) else { break };
        widths[widest] -= 1;
    }
    widths
}

/// Breaks text into lines of at most this width. Words that are longer are not broken.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let more = word.chars().count();
        if length > 0 && length + 1 + more > width {
            lines.push(String::new());
            length = 0;
        }
        let line = lines.last_mut().expect("there is a line from the beginning");
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.extend(word.chars().map(|letter| if letter == NO_BREAK { ' ' } else { letter }));
        length += more;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::Chart;

    #[test]
    fn columns_are_aligned_and_blocks_are_separated() {
        let mut document = Document::new("Ratings");
        document.paragraph("Two players.");
        let mut table = Table::of_numbers(["player", "Elo"]);
        table.row(["Ann", "2000.5"]);
        table.row(["Gelfand, Boris", "-"]);
        document.table(table);
        document.heading("More");
        document.paragraph("one two three four");
        let expected = "\
Ratings
Two players.

player             Elo
Ann             2000.5
Gelfand, Boris       -

More
one two
three four
";
        assert_eq!(render(&document, 12), expected);
    }

    #[test]
    fn facts_follow_their_sentence_and_are_indented() {
        let mut document = Document::default();
        document.paragraph("Ann played.");
        document.facts(vec![Fact::new("rating", "2100").with_note("1900 to 2300")]);
        let mut more = Document::new("All figures");
        more.facts(vec![Fact::new("c", "9")]);
        more.chart(Chart::default());
        document.details(more);
        let expected = "\
Ann played.
  rating: 2100; 1900
    to 2300
All figures
  c: 9
";
        assert_eq!(render(&document, 22), expected);
    }
}
