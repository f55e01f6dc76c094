//! Renders documents as self-contained HTML.

use std::fmt::Write;

use super::document::{Align, Block, Cell, Document, Fact, Table};
#[cfg(feature = "program")]
use super::drawing;

/// A plain style that suits paper and phones, with a dark mode.
pub(crate) const PAGE_STYLE: &str = include_str!("style.css");

/// Renders a whole file. `made_by` is the command that created it.
pub fn page(document: &Document, made_by: &str) -> String {
    let (title, made_by) = (escape(&document.title), escape(made_by));
    let (body, version) = (fragment(&document.blocks), env!("CARGO_PKG_VERSION"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{PAGE_STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n{body}\
         <footer><p>Made by <code>{made_by}</code>, Stopdown {version}.</p></footer>\n\
         </body>\n</html>\n"
    )
}

/// Renders blocks without the surrounding page.
pub(crate) fn fragment(blocks: &[Block]) -> String {
    let mut html = String::new();
    for block in blocks {
        let _ = match block {
            Block::Heading(text) => writeln!(html, "<h2>{}</h2>", escape(text)),
            Block::Paragraph(text) => writeln!(html, "<p>{}</p>", escape(text)),
            Block::Facts(facts) => writeln!(html, "{}", self::facts(facts)),
            Block::Table(table) => writeln!(html, "{}", self::table(table)),
            #[cfg(feature = "program")]
            Block::Chart(chart) => {
                let label = format!("<svg role=\"img\" aria-label=\"{}\"", escape(&chart.title));
                let svg = drawing::svg(chart).replacen("<svg", &label, 1);
                writeln!(html, "{}", figure(&svg, &chart.caption))
            }
            // In WebAssembly, plotters needs a browser window to measure text, and a Web Worker has
            // none.
            #[cfg(not(feature = "program"))]
            Block::Chart(_) => Ok(()),
            Block::Details(summary, blocks) => {
                let (summary, inner) = (escape(summary), fragment(blocks));
                writeln!(html, "<details><summary>{summary}</summary>\n{inner}</details>")
            }
            Block::Embedded(inner) => writeln!(html, "{inner}"),
        };
    }
    html
}

/// A picture with a caption. If it is too wide, it can be scrolled.
pub fn figure(svg: &str, caption: &str) -> String {
    // The namespace is implied within HTML.
    let svg = svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    let caption = escape(caption);
    format!("<figure><div class=\"wide\">{svg}</div><figcaption>{caption}</figcaption></figure>")
}

fn facts(facts: &[Fact]) -> String {
    let row = |Fact { label, value, note }: &Fact| {
        let (label, value) = (escape(label), escape(value));
        let note = escape(note.as_deref().unwrap_or_default());
        format!(
            "<tr><th scope=\"row\">{label}</th><td>{value}</td><td class=\"note\">{note}</td></tr>\n"
        )
    };
    let rows: String = facts.iter().map(row).collect();
    format!("<table class=\"facts\"><tbody>\n{rows}</tbody></table>")
}

fn table(table: &Table) -> String {
    let headers = table.columns.iter().map(|column| {
        let class = class(column.align, false);
        format!("<th scope=\"col\"{class}>{}</th>", escape(&column.header))
    });
    let headers: String = headers.collect();
    let row = |row: &Vec<Cell>| {
        let cells = row.iter().zip(&table.columns);
        let cells: String = cells.map(|(cell, column)| self::cell(cell, column.align)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = table.rows.iter().map(row).collect();
    let is_matrix = table.rows.iter().flatten().any(|cell| cell.shade.is_some());
    let matrix = if is_matrix { " class=\"matrix\"" } else { "" };
    format!(
        "<div class=\"wide\"><table{matrix}><thead><tr>{headers}</tr></thead>\n<tbody>\n{rows}\
         </tbody></table></div>"
    )
}

fn cell(cell: &Cell, align: Align) -> String {
    let (text, class) = (escape(&cell.text), class(align, cell.shade.is_some()));
    let colour = cell.shade.map(|shade| format!(" style=\"background:{}\"", colour(shade)));
    format!("<td{class}{}>{text}</td>", colour.unwrap_or_default())
}

fn class(align: Align, is_shaded: bool) -> &'static str {
    match (align, is_shaded) {
        (_, true) => " class=\"shaded\"",
        (Align::Left, false) => " class=\"left\"",
        (Align::Right, false) => "",
    }
}

fn colour(shade: f64) -> String {
    let shade = if shade.is_nan() { 0.0 } else { shade };
    let full = if shade < 0.0 { [86.0, 150.0, 214.0] } else { [240.0, 140.0, 50.0] };
    let [red, green, blue] =
        full.map(|part: f64| (245.0 + (part - 245.0) * shade.abs().min(1.0)).round() as u8);
    format!("rgb({red} {green} {blue})")
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::{Chart, ChartCurve};

    #[test]
    fn a_page_is_self_contained_and_escapes_markup() {
        let evil = "<script>&\"";
        let mut document = Document::new(evil);
        document.heading(evil);
        document.paragraph(evil);
        document.facts(vec![Fact::new(evil, evil).with_note(evil)]);
        let mut table = Table::of_numbers([evil, evil]);
        table.row([Cell::from(evil), Cell::shaded(evil, 1.0)]);
        document.table(table);
        let curves = vec![ChartCurve::line(evil, vec![(0.0, 0.0)])];
        document.chart(Chart::new(evil, evil, evil, curves).with_caption(evil));
        let details = document.clone();
        document.details(details);
        let html = page(&document, evil);
        assert!(html.contains("&lt;script&gt;&amp;&quot;") && !html.contains("<script"));
        assert!(!html.contains("http:") && !html.contains("https:"), "nothing is fetched");
        assert!(html.contains("<details><summary>") && html.contains("rgb(240 140 50)"));
    }
}
