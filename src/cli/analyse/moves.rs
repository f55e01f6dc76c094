//! `analyse --moves`: writes all evaluated moves as a Parquet table, for DuckDB, Polars, Spark and
//! similar tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use arrow_array::builder::{Float32Builder, ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::analyser::{EvaluatedGame, ReportedMove, each_move};
use crate::board::Colour;
use crate::files::PendingFile;

/// A table that is being written. It appears under its name when it is complete.
pub struct MovesTable {
    path: PathBuf,
    writer: Option<ArrowWriter<PendingFile>>,
    rows: MoveColumns,
}

/// The rows of the next row group, stored by column.
#[derive(Default)]
struct MoveColumns {
    count: usize,
    game: UInt32Builder,
    fingerprint: StringBuilder,
    event: StringBuilder,
    site: StringBuilder,
    date: StringBuilder,
    white: StringBuilder,
    black: StringBuilder,
    player: StringBuilder,
    ply: UInt32Builder,
    fen: StringBuilder,
    played: StringBuilder,
    value: Float32Builder,
    best_value: Float32Builder,
    rank: UInt32Builder,
    probability: Float32Builder,
    surprise: Float32Builder,
    competence: Float32Builder,
    left_out: StringBuilder,
    moves: ListBuilder<StringBuilder>,
    values: ListBuilder<Float32Builder>,
    probabilities: ListBuilder<Float32Builder>,
}

/// The number of rows in a row group.
const GROUP: usize = 16_384;

impl MovesTable {
    pub fn new(path: &Path) -> anyhow::Result<MovesTable> {
        let mut table =
            MovesTable { path: path.to_owned(), writer: None, rows: MoveColumns::default() };
        let named = || path.display().to_string();
        let empty = table.rows.take().with_context(named)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let draft = PendingFile::new(path).with_context(named)?;
        let writer = ArrowWriter::try_new(draft, empty.schema(), Some(properties));
        table.writer = Some(writer.with_context(named)?);
        Ok(table)
    }

    /// Adds the evaluated moves of a game. `number` is the number of the game in the input, counted
    /// from 1.
    pub fn add(
        &mut self,
        number: usize,
        evaluated: &EvaluatedGame,
        entries: &[ReportedMove],
    ) -> anyhow::Result<()> {
        self.rows.add(number, evaluated, entries);
        if self.rows.count >= GROUP { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let named = || self.path.display().to_string();
        let batch = self.rows.take().with_context(named)?;
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(&batch)).with_context(named)
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        self.write()?;
        let named = || self.path.display().to_string();
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.into_inner().with_context(named)?.finish().with_context(named)
    }
}

impl MoveColumns {
    fn add(&mut self, number: usize, evaluated: &EvaluatedGame, entries: &[ReportedMove]) {
        let pgn = &evaluated.pgn;
        let name = |colour| pgn.name(colour).unwrap_or("?");
        let fingerprint = format!("{:016x}", pgn.fingerprint());
        let known = |tag| pgn.tag(tag).filter(|value| !value.is_empty() && *value != "?");
        let date = known("Date").or(known("UTCDate"));
        each_move(evaluated, entries, |played, position, mv, said| {
            if let Some((entry, evaluation)) = said {
                let (decision, expected) = (&entry.decision, &entry.expected);
                self.count += 1;
                self.game.append_value(number as u32);
                self.fingerprint.append_value(&fingerprint);
                self.event.append_option(known("Event"));
                self.site.append_option(known("Site"));
                self.date.append_option(date);
                self.white.append_value(name(Colour::White));
                self.black.append_value(name(Colour::Black));
                self.player.append_value(name(decision.colour));
                self.ply.append_value(played as u32 + 1);
                self.fen.append_value(position.fen());
                self.played.append_value(position.uci(mv));
                self.value.append_value(decision.value(decision.chosen) as f32);
                self.best_value.append_value(decision.best() as f32);
                self.rank.append_value(decision.ranks()[decision.chosen] as u32 + 1);
                self.probability.append_value(expected.probability(decision.chosen) as f32);
                self.surprise.append_value(entry.surprise() as f32);
                self.competence.append_value(entry.competence.0 as f32);
                self.left_out.append_option(entry.omission.map(|reason| reason.name()));
                for (index, found) in evaluation.moves.iter().enumerate() {
                    self.moves.values().append_value(position.uci(found.mv));
                    self.values.values().append_value(decision.value(index) as f32);
                    let probability = expected.probability(index) as f32;
                    self.probabilities.values().append_value(probability);
                }
                self.moves.append(true);
                self.values.append(true);
                self.probabilities.append(true);
            }
        });
    }

    /// Returns the rows collected so far and clears them.
    fn take(&mut self) -> Result<RecordBatch, arrow_schema::ArrowError> {
        self.count = 0;
        let column = |name, array: ArrayRef| (name, array, true);
        RecordBatch::try_from_iter_with_nullable([
            column("game", Arc::new(self.game.finish())),
            column("fingerprint", Arc::new(self.fingerprint.finish())),
            column("event", Arc::new(self.event.finish())),
            column("site", Arc::new(self.site.finish())),
            column("date", Arc::new(self.date.finish())),
            column("white", Arc::new(self.white.finish())),
            column("black", Arc::new(self.black.finish())),
            column("player", Arc::new(self.player.finish())),
            column("ply", Arc::new(self.ply.finish())),
            column("fen", Arc::new(self.fen.finish())),
            column("move", Arc::new(self.played.finish())),
            column("value", Arc::new(self.value.finish())),
            column("best_value", Arc::new(self.best_value.finish())),
            column("rank", Arc::new(self.rank.finish())),
            column("probability", Arc::new(self.probability.finish())),
            column("surprise", Arc::new(self.surprise.finish())),
            column("competence", Arc::new(self.competence.finish())),
            column("left_out", Arc::new(self.left_out.finish())),
            column("moves", Arc::new(self.moves.finish())),
            column("values", Arc::new(self.values.finish())),
            column("probabilities", Arc::new(self.probabilities.finish())),
        ])
    }
}
