//! What `analyse` writes about every game while it goes: a page and a table of moves.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::analyser::{Plan, Report, Surveyed};
use crate::cli::page::{can_save, command_line, save};
use crate::files::Draft;
use crate::report::{AnalysisPage, CSV_HEAD, Tournament, game_csv};

/// The files that are asked for.
pub struct Outputs {
    page: Option<(PathBuf, AnalysisPage)>,
    table: Option<Table>,
    games: usize,
}

/// A file that is written line by line, and is there when it is whole.
struct Table {
    path: PathBuf,
    file: BufWriter<Draft>,
}

impl Outputs {
    /// A page and a table, neither of which is one of the inputs.
    pub fn new(
        page: Option<&PathBuf>,
        table: Option<&PathBuf>,
        inputs: &[impl AsRef<Path>],
    ) -> anyhow::Result<Outputs> {
        can_save(page.into_iter().chain(table), inputs)?;
        let page = page.map(|path| (path.clone(), AnalysisPage::default()));
        Ok(Outputs { page, table: table.map(|path| Table::new(path)).transpose()?, games: 0 })
    }

    /// Does anybody look at single moves?
    pub fn want_moves(&self) -> bool {
        self.page.is_some() || self.table.is_some()
    }

    pub fn add(&mut self, surveyed: &Surveyed, plan: &Plan) -> anyhow::Result<()> {
        if !self.want_moves() {
            return Ok(());
        }
        self.games += 1;
        let is_shown = self.page.as_ref().is_some_and(|(_, page)| !page.is_full());
        let entries = match is_shown || self.table.is_some() {
            true => plan.account(surveyed),
            false => Vec::new(),
        };
        if let Some((_, page)) = &mut self.page {
            page.add(surveyed, &entries);
        }
        if let Some(table) = &mut self.table {
            table.write(&game_csv(self.games, surveyed, &entries))?;
        }
        Ok(())
    }

    pub fn finish(
        self,
        reports: &[Report],
        tournament: Option<&Tournament>,
        plan: &Plan,
        honest: f64,
    ) -> anyhow::Result<()> {
        if let Some((path, page)) = self.page {
            save(&path, page.finish(reports, tournament, plan, honest, &command_line()))?;
        }
        self.table.map_or(Ok(()), Table::finish)
    }
}

impl Table {
    fn new(path: &Path) -> anyhow::Result<Table> {
        let draft = Draft::new(path).with_context(|| path.display().to_string())?;
        let mut table = Table { path: path.to_owned(), file: BufWriter::new(draft) };
        table.write(CSV_HEAD)?;
        Ok(table)
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.file.write_all(text.as_bytes()).with_context(|| self.path.display().to_string())
    }

    fn finish(self) -> anyhow::Result<()> {
        self.file
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)
            .and_then(Draft::finish)
            .with_context(|| self.path.display().to_string())
    }
}
