//! Renders the manual's Markdown as plain text with a given width. It supports the elements used in
//! the manual: headings, paragraphs, lists, tables and code.

use std::fmt::Write;

use crate::report::Align;
use crate::report::text::{NO_BREAK, column_widths, table_row, wrap};

/// The indentation of code blocks.
const INDENT: &str = "    ";

/// Inline code of up to this length is not broken across lines.
const MAX_UNBROKEN: usize = 40;

/// Renders a page as plain text.
pub fn render(markdown: &str, width: usize) -> String {
    let mut text = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                let _ = writeln!(text, "{}", format!("{INDENT}{line}").trim_end());
            }
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(line));
            }
            table(&mut text, &rows, width);
        } else if let Some(title) = line.strip_prefix("# ") {
            let _ = writeln!(text, "{}", inline(title).to_uppercase());
        } else if let Some(title) = line.strip_prefix("## ") {
            let title = inline(title);
            let _ = writeln!(text, "{title}\n{}", "-".repeat(title.chars().count()));
        } else if line.is_empty() {
            text.push('\n');
        } else {
            let mut joined = line.to_owned();
            while let Some(more) = lines.next_if(|line| continues(line)) {
                joined = format!("{joined} {}", more.trim());
            }
            paragraph(&mut text, &joined, width);
        }
    }
    text
}

/// Whether a line continues the previous paragraph or list item.
fn continues(line: &str) -> bool {
    let starts_block = ["```", "|", "#"].iter().any(|start| line.starts_with(start));
    !line.is_empty() && !starts_block && list_marker(line).is_empty()
}

/// The marker of a list item, such as `- ` or `1. `.
fn list_marker(line: &str) -> &str {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match line[digits..].chars().next() {
        Some('-') if digits == 0 && line.starts_with("- ") => &line[..2],
        Some('.') if digits > 0 && line[digits..].starts_with(". ") => &line[..digits + 2],
        _ => "",
    }
}

fn paragraph(text: &mut String, joined: &str, width: usize) {
    let list_marker = list_marker(joined);
    let wrapped =
        wrap(&inline(&joined[list_marker.len()..]), width.saturating_sub(list_marker.len()).max(1));
    for (number, line) in wrapped.iter().enumerate() {
        let before =
            if number == 0 { list_marker.to_owned() } else { " ".repeat(list_marker.len()) };
        let _ = writeln!(text, "{before}{line}");
    }
}

/// Removes the markup for code and emphasis. Spaces in short code become non-breaking.
fn inline(text: &str) -> String {
    let mut plain = String::new();
    for (number, part) in text.split('`').enumerate() {
        match number % 2 {
            0 => plain.extend(part.chars().filter(|&letter| letter != '*')),
            _ if part.chars().count() > MAX_UNBROKEN => plain.push_str(part),
            _ => plain.extend(part.chars().map(|letter| match letter {
                ' ' => NO_BREAK,
                letter => letter,
            })),
        }
    }
    plain
}

/// The cells of a table row.
fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(|cell| inline(cell.trim())).collect()
}

/// Renders a table. The second line of its Markdown is a rule.
fn table(text: &mut String, rows: &[Vec<String>], width: usize) {
    let is_rule = |row: &[String]| row.iter().all(|cell| cell.starts_with("--"));
    let (rules, rows): (Vec<_>, Vec<_>) = rows.iter().cloned().partition(|row| is_rule(row));
    let widths = column_widths(&rows, width);
    let aligns = vec![Align::Left; widths.len()];
    for (number, row) in rows.iter().enumerate() {
        for line in table_row(row, &aligns, &widths) {
            let _ = writeln!(text, "{line}");
        }
        if number == 0 && !rules.is_empty() {
            let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            let _ = writeln!(text, "{}", table_row(&rule, &aligns, &widths).join("\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_code_is_not() {
        let page = "# Title\n\nSome words **that** go\non and on.\n\n- an item\n  of `two words`\n\n```sh run\n\
                    a  line of code that is long\n```\n";
        let expected = "TITLE\n\nSome words that go\non and on.\n\n- an item of\n  two words\n\n    \
                        a  line of code that is long\n";
        assert_eq!(render(page, 18), expected);
    }

    #[test]
    fn the_widest_column_of_a_table_is_narrowed() {
        let page = "| a | what |\n|---|---|\n| `x y` | one two three |\n";
        assert_eq!(render(page, 14), "a    what\n---  ---------\nx y  one two\n     three\n");
    }

    #[test]
    fn list_markers_are_recognised() {
        for (line, expected) in
            [("- a", "- "), ("12. a", "12. "), ("-1 a", ""), ("1.5 a", ""), ("a", ""), ("", "")]
        {
            assert_eq!(list_marker(line), expected, "{line}");
        }
    }
}
