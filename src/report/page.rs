//! The frame of every page: one HTML file that needs nothing else.

use std::fmt::{Display, Write};

/// Plain, readable on paper and on a telephone, dark where the reader prefers that.
pub const PAGE_STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b646e; --line: #d8dde3;
  --ground: #fff; --mark: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --soft: #a2abb5; --line: #3a424b;
  --ground: #16191d; --mark: #56b4e9; } }
body { margin: 0 auto; padding: 1rem 1rem 3rem; max-width: 64rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 0.3rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.4rem; }
p { max-width: 44rem; }
p.soft, footer, figcaption { color: var(--soft); font-size: 0.9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.55rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { font-weight: 600; color: var(--soft); }
th:first-child, td.name { text-align: left; }
figure { margin: 0.5rem 0; }
figure svg { min-width: 36rem; max-width: 100%; height: auto; background: #fff;
  border-radius: 4px; }
table.shaded td { color: #1c2024; border: 1px solid #fff3; padding: 0.15rem 0.4rem; }
table.shaded td.name { color: inherit; position: sticky; left: 0; background: var(--ground);
  max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
code { font-size: 0.85rem; overflow-wrap: anywhere; }
";

/// A page in the making.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    pub fn new(title: &str) -> Page {
        Page { title: title.to_owned(), body: String::new() }
    }

    pub fn heading(&mut self, text: &str) {
        let _ = writeln!(self.body, "<h2>{}</h2>", escape(text));
    }

    pub fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.body, "<p>{}</p>", escape(text));
    }

    /// A picture with a line under it. What is wider than the page is scrolled.
    pub fn figure(&mut self, svg: &str, caption: &str) {
        let caption = escape(caption);
        let _ = writeln!(
            self.body,
            "<figure><div class=\"wide\">{svg}</div><figcaption>{caption}</figcaption></figure>"
        );
    }

    /// A table of text; the first column holds names.
    pub fn table(&mut self, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let heads: String = heads.iter().map(|head| format!("<th>{}</th>", escape(head))).collect();
        let head = format!("<div class=\"wide\"><table><thead><tr>{heads}</tr></thead>\n<tbody>");
        self.body += &head;
        for row in rows {
            self.body += "<tr>";
            for (index, text) in row.iter().enumerate() {
                let class = if index == 0 { " class=\"name\"" } else { "" };
                let _ = write!(self.body, "<td{class}>{}</td>", escape(text));
            }
            self.body += "</tr>\n";
        }
        self.body += "</tbody></table></div>\n";
    }

    /// A table of numbers with shades behind them: from -1, blue, over 0, none, to 1, orange. Each row
    /// has a name.
    pub fn shaded(
        &mut self,
        corner: &str,
        heads: impl IntoIterator<Item = impl Display>,
        rows: impl IntoIterator<Item = (String, Vec<(String, f64)>)>,
    ) {
        let heads: String = heads.into_iter().map(|head| format!("<th>{head}</th>")).collect();
        let _ = writeln!(
            self.body,
            "<div class=\"wide\"><table class=\"shaded\"><thead><tr><th>{}</th>{heads}</tr></thead><tbody>",
            escape(corner)
        );
        for (name, cells) in rows {
            let name = escape(&name);
            let _ = write!(self.body, "<tr><td class=\"name\" title=\"{name}\">{name}</td>");
            for (text, shade) in cells {
                let (colour, text) = (colour(shade), escape(&text));
                let _ = write!(self.body, "<td style=\"background:{colour}\">{text}</td>");
            }
            self.body += "</tr>\n";
        }
        self.body += "</tbody></table></div>\n";
    }

    /// Anything that is HTML already.
    pub fn raw(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// The whole file; `made_by` says which command it comes from.
    pub fn finish(self, made_by: &str) -> String {
        let (title, made_by) = (escape(&self.title), escape(made_by));
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
             name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}\
             </title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{}<footer><p>Made \
             by <code>{made_by}</code>, Stopdown {}.</p></footer>\n</body>\n</html>\n",
            self.body,
            env!("CARGO_PKG_VERSION")
        )
    }
}

fn colour(shade: f64) -> String {
    // What cannot be compared has none.
    let shade = if shade.is_nan() { 0.0 } else { shade };
    let full = if shade < 0.0 { [86.0, 150.0, 214.0] } else { [240.0, 140.0, 50.0] };
    let [red, green, blue] =
        full.map(|part: f64| (245.0 + (part - 245.0) * shade.abs().min(1.0)).round() as u8);
    format!("rgb({red} {green} {blue})")
}

/// Text that cannot be taken for markup.
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

    #[test]
    fn a_page_is_one_file_and_holds_no_markup_of_others() {
        let mut page = Page::new("A & B");
        page.table(&["x"], [vec!["<script>".to_owned()]]);
        page.figure("<svg></svg>", "\"quoted\"");
        let html = page.finish("stopdown x");
        assert!(html.contains("&lt;script&gt;") && !html.contains("<script"));
        assert!(html.contains("A &amp; B") && html.contains("<svg></svg>"));
        assert!(!html.contains("http://") && !html.contains("https://"));
    }
}
