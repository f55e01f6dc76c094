//! The output files of `analyse`: the page and the tables, which are written during the run, and
//! the statistics for `stopdown report`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

#[cfg(feature = "parquet")]
use super::moves::MovesTable;
use super::source::STANDARD_INPUT;
use super::study::StudyArguments;
use crate::analyser::{
    EvaluatedGame, PlayerSummaries, ReportedMove, ShardWriter, Sides, StudyPart, StudyPlan,
    StudySettings,
};
use crate::cli::output::{NamedDraft, check_outputs, save, save_by};
use crate::files::beside;
use crate::report::{AnalysisPage, CSV_HEAD, PageResults, game_csv};

/// The requested output files.
pub struct Outputs {
    page: Option<(PathBuf, AnalysisPage)>,
    table: Option<NamedDraft>,
    moves: Option<MovesTable>,
    games: usize,
}

impl Outputs {
    /// Opens a page, a CSV table and a Parquet table. Each file must differ from the inputs and
    /// from the other outputs.
    pub fn new<'a>(
        [page, table, moves]: [Option<&'a PathBuf>; 3],
        others: impl Iterator<Item = &'a PathBuf>,
        inputs: &[impl AsRef<Path>],
    ) -> anyhow::Result<Outputs> {
        check_outputs(page.into_iter().chain(table).chain(moves).chain(others), inputs)?;
        let page = page.map(|path| (path.clone(), AnalysisPage::default()));
        let mut table = table.map(|path| NamedDraft::new(path)).transpose()?;
        if let Some(table) = &mut table {
            table.write(CSV_HEAD)?;
        }
        let moves = moves.map(|path| MovesTable::new(path)).transpose()?;
        Ok(Outputs { page, table, moves, games: 0 })
    }

    /// Whether any output needs every move, including moves that are not counted.
    pub fn need_all_moves(&self) -> bool {
        self.page.is_some() || self.table.is_some()
    }

    /// Adds a game. Exercises are made only from mistakes of the selected sides.
    pub fn add(
        &mut self,
        evaluated: &EvaluatedGame,
        plan: &StudyPlan,
        sides: &Sides,
    ) -> anyhow::Result<()> {
        if !self.need_all_moves() && self.moves.is_none() {
            return Ok(());
        }
        self.games += 1;
        let is_shown = self.page.as_ref().is_some_and(|(_, page)| !page.is_full());
        let entries = match is_shown || self.table.is_some() || self.moves.is_some() {
            true => ReportedMove::of_game(plan, evaluated),
            false => Vec::new(),
        };
        if let Some((_, page)) = &mut self.page {
            page.add(evaluated, &entries, plan, |colour| sides.has(&evaluated.pgn, colour));
        }
        if let Some(table) = &mut self.table {
            table.write(&game_csv(self.games, evaluated, &entries))?;
        }
        if let Some(moves) = &mut self.moves {
            moves.add(self.games, evaluated, &entries)?;
        }
        Ok(())
    }

    pub fn finish(self, results: &PageResults<'_>) -> anyhow::Result<()> {
        if let Some((path, page)) = self.page {
            save(&path, page.finish(results)?)?;
        }
        self.moves.map_or(Ok(()), MovesTable::finish)?;
        self.table.map_or(Ok(()), NamedDraft::finish)
    }
}

/// Without Parquet support, `--moves` reports an error.
#[cfg(not(feature = "parquet"))]
enum MovesTable {}

#[cfg(not(feature = "parquet"))]
impl MovesTable {
    fn new(_path: &Path) -> anyhow::Result<MovesTable> {
        anyhow::bail!(
            "this program was built without --moves; use --csv, or build it with cargo build \
             --release --features parquet"
        )
    }

    fn add<T>(&mut self, _: usize, _: &EvaluatedGame, _: &[T]) -> anyhow::Result<()> {
        match *self {}
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {}
    }
}

/// Standard output that ignores writes once its reader has closed the pipe, because files may still
/// need to be written. The command reports the broken pipe at the end.
pub struct PersistentOutput<'a> {
    pub out: &'a mut dyn Write,
    pub broken_pipe: Option<io::Error>,
}

impl Write for PersistentOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.survive_broken_pipe(|out| out.write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.survive_broken_pipe(|out| out.flush())
    }
}

impl PersistentOutput<'_> {
    fn survive_broken_pipe(
        &mut self,
        say: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.broken_pipe.is_some() {
            return Ok(());
        }
        match say(self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.broken_pipe = Some(error)
            }
            result => return result,
        }
        Ok(())
    }
}

/// The statistics file and its manifest. `None` for standard output, which has no manifest.
pub struct StatisticsFile(Option<[PathBuf; 2]>);

impl StatisticsFile {
    pub fn new(path: &Path) -> StatisticsFile {
        let is_piped = path == Path::new(STANDARD_INPUT);
        StatisticsFile((!is_piped).then(|| [path.to_owned(), beside(path, "manifest.json")]))
    }

    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().flatten()
    }

    /// The file to write instead if games are missing, and its name. Scripts that look for the file
    /// itself, or merge all files, do not find it.
    pub fn incomplete(&self) -> Option<(PathBuf, StatisticsFile)> {
        let [path, _] = self.0.as_ref()?;
        let name = beside(path, "incomplete");
        Some((name.clone(), StatisticsFile::new(&name)))
    }

    /// Writes both files. The manifest comes last, so its presence shows that the statistics are
    /// complete.
    pub fn write(
        &self,
        summaries: &PlayerSummaries,
        settings: &StudySettings,
        study: &StudyArguments,
        (part, left_out): (&StudyPart, &[String]),
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let Some([path, manifest]) = &self.0 else {
            return write(summaries, part, settings, out);
        };
        save_by(path, |draft| write(summaries, part, settings, draft))?;
        let size = |file: &PathBuf| std::fs::metadata(file).ok().map(|file| file.len());
        let input = |file: &String| json!({"file": file, "bytes": size(&PathBuf::from(file))});
        let inputs: Vec<_> = study.games.iter().map(input).collect();
        let contents = json!({
            "settings": settings,
            "inputs": inputs,
            "shard": study.shard.map(|shard| shard.to_string()),
            "games": part.games,
            "fingerprint": part.fingerprint,
            "left_out": left_out,
            "subjects": summaries.iter().count(),
            "bytes": size(path),
        });
        save(manifest, format!("{contents:#}\n"))
    }
}

fn write(
    summaries: &PlayerSummaries,
    part: &StudyPart,
    settings: &StudySettings,
    out: impl Write,
) -> anyhow::Result<()> {
    let mut shard = ShardWriter::new(out, std::slice::from_ref(part), settings)?;
    for (name, summary) in summaries.iter() {
        shard.put(name, summary)?;
    }
    Ok(shard.finish()?)
}
