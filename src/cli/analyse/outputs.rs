//! What `analyse` writes about every game while it goes: a page and a table of moves.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::moves::MovesTable;
use crate::analyser::{EvaluatedGame, StudyPlan, StudyReport};
use crate::cli::page::{can_save, command_line, save};
use crate::files::Draft;
use crate::report::{AnalysisPage, CSV_HEAD, TournamentTables, game_csv};

/// The files that are asked for.
pub struct Outputs {
    page: Option<(PathBuf, AnalysisPage)>,
    table: Option<TableFile>,
    moves: Option<MovesTable>,
    games: usize,
}

/// A file that is written line by line, and is there when it is whole.
struct TableFile {
    path: PathBuf,
    file: BufWriter<Draft>,
}

impl Outputs {
    /// A page, a table and one of Parquet, none of which is one of the inputs, nor of the other outputs.
    pub fn new<'a>(
        [page, table, moves]: [Option<&'a PathBuf>; 3],
        others: impl Iterator<Item = &'a PathBuf>,
        inputs: &[impl AsRef<Path>],
    ) -> anyhow::Result<Outputs> {
        can_save(page.into_iter().chain(table).chain(moves).chain(others), inputs)?;
        let page = page.map(|path| (path.clone(), AnalysisPage::default()));
        let table = table.map(|path| TableFile::new(path)).transpose()?;
        let moves = moves.map(|path| MovesTable::new(path)).transpose()?;
        Ok(Outputs { page, table, moves, games: 0 })
    }

    /// Does anybody look at every single move, whether it counts or not?
    pub fn want_all_moves(&self) -> bool {
        self.page.is_some() || self.table.is_some()
    }

    pub fn add(&mut self, evaluated: &EvaluatedGame, plan: &StudyPlan) -> anyhow::Result<()> {
        if !self.want_all_moves() && self.moves.is_none() {
            return Ok(());
        }
        self.games += 1;
        let is_shown = self.page.as_ref().is_some_and(|(_, page)| !page.is_full());
        let entries = match is_shown || self.table.is_some() || self.moves.is_some() {
            true => plan.account(evaluated),
            false => Vec::new(),
        };
        if let Some((_, page)) = &mut self.page {
            page.add(evaluated, &entries);
        }
        if let Some(table) = &mut self.table {
            table.write(&game_csv(self.games, evaluated, &entries))?;
        }
        if let Some(moves) = &mut self.moves {
            moves.add(self.games, evaluated, &entries)?;
        }
        Ok(())
    }

    pub fn finish(
        self,
        reports: &[StudyReport],
        tournament: Option<&TournamentTables>,
        plan: &StudyPlan,
        honest: f64,
    ) -> anyhow::Result<()> {
        if let Some((path, page)) = self.page {
            save(&path, page.finish(reports, tournament, plan, honest, &command_line()))?;
        }
        self.moves.map_or(Ok(()), MovesTable::finish)?;
        self.table.map_or(Ok(()), TableFile::finish)
    }
}

impl TableFile {
    fn new(path: &Path) -> anyhow::Result<TableFile> {
        let draft = Draft::new(path).with_context(|| path.display().to_string())?;
        let mut table = TableFile { path: path.to_owned(), file: BufWriter::new(draft) };
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

/// Goes on when its reader has left, for there may be files to write; and says so in the end.
pub struct Patient<'a> {
    pub out: &'a mut dyn Write,
    pub gone: Option<io::Error>,
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.endure(|out| out.write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.endure(|out| out.flush())
    }
}

impl Patient<'_> {
    fn endure(&mut self, say: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.gone.is_some() {
            return Ok(());
        }
        match say(self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.gone = Some(error),
            said => return said,
        }
        Ok(())
    }
}
