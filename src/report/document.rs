//! The document model of all reports.
//!
//! A report is built once from a result and then rendered as text or HTML, so both have the same
//! content. Reports do not align columns or write markup themselves.

use super::chart::Chart;

/// A report: a title and blocks in reading order.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The title of the whole report.
    pub(crate) title: String,
    /// The content in reading order.
    pub(crate) blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// The heading of the blocks that follow.
    Heading(String),
    /// A paragraph of text.
    Paragraph(String),
    /// A list of labelled values.
    Facts(Vec<Fact>),
    /// A table of text.
    Table(Table),
    /// A chart. It is omitted from text.
    Chart(Chart),
    /// Additional blocks, which are collapsed in HTML.
    Details(String, Vec<Block>),
    /// HTML outside the model, such as the game viewer. It is omitted from text.
    Embedded(String),
}

/// A labelled value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The name of the value.
    pub label: String,
    /// The value as text, with its unit.
    pub value: String,
    /// A note about the value, such as its interval or what was left out.
    pub note: Option<String>,
}

/// A table of text. Every row has one cell for each column.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The header and alignment of each column.
    pub(crate) columns: Vec<Column>,
    /// The rows from top to bottom, each with one cell for each column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The header and alignment of a column.
#[derive(Clone, Debug)]
pub struct Column {
    /// The text above the column.
    pub(crate) header: String,
    /// The alignment of the header and the cells.
    pub(crate) align: Align,
}

/// How the text in a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// The alignment for names.
    Left,
    /// The alignment for numbers.
    Right,
}

/// The text of a cell, with an optional colour.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The text.
    pub(crate) text: String,
    /// The background colour of the cell in HTML, from -1 (blue) to 1 (orange).
    pub(crate) shade: Option<f64>,
}

impl Document {
    /// Creates a document without blocks.
    pub fn new(title: impl Into<String>) -> Document {
        Document { title: title.into(), blocks: Vec::new() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds a list of labelled values.
    pub(crate) fn facts(&mut self, facts: Vec<Fact>) {
        self.blocks.push(Block::Facts(facts));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds a chart.
    pub fn chart(&mut self, chart: Chart) {
        self.blocks.push(Block::Chart(chart));
    }

    /// Adds the blocks of another document, collapsed in HTML.
    pub fn details(&mut self, part: Document) {
        self.blocks.push(Block::Details(part.title, part.blocks));
    }

    /// Adds another document as a section with its title as the heading.
    pub fn section(&mut self, part: Document) {
        self.heading(part.title);
        self.blocks.extend(part.blocks);
    }

    /// Adds HTML that is not escaped. It is omitted from text.
    pub fn embed(&mut self, html: impl Into<String>) {
        self.blocks.push(Block::Embedded(html.into()));
    }
}

impl Fact {
    /// Creates a labelled value without a note.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Fact {
        Fact { label: label.into(), value: value.into(), note: None }
    }

    /// Adds a note about the value.
    pub fn with_note(self, note: impl Into<String>) -> Fact {
        Fact { note: Some(note.into()), ..self }
    }
}

impl Table {
    /// Creates a table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// A table with names in the first column and numbers in the others.
    pub fn of_numbers<'a>(headers: impl IntoIterator<Item = &'a str>) -> Table {
        let align = |number: usize| if number == 0 { Align::Left } else { Align::Right };
        let columns = headers.into_iter().enumerate();
        Table::new(columns.map(|(number, header)| Column::new(header, align(number))))
    }

    /// Adds a row, with one cell for each column.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl Column {
    /// Creates a column.
    pub(crate) fn new(header: impl Into<String>, align: Align) -> Column {
        Column { header: header.into(), align }
    }

    /// Creates a column for names.
    pub fn left(header: impl Into<String>) -> Column {
        Column::new(header, Align::Left)
    }

    /// Creates a column for numbers.
    pub fn right(header: impl Into<String>) -> Column {
        Column::new(header, Align::Right)
    }
}

impl Cell {
    /// Creates a cell with a background colour from -1 (blue) to 1 (orange).
    pub fn shaded(text: impl Into<String>, shade: f64) -> Cell {
        Cell { text: text.into(), shade: Some(shade) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, shade: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::from(text.to_owned())
    }
}
