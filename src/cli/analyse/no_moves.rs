//! The program was built without Parquet: `analyse --moves` says so.

use std::path::Path;

use crate::analyser::{EvaluatedGame, ReportedMove};

pub enum MovesTable {}

impl MovesTable {
    pub fn new(_path: &Path) -> anyhow::Result<MovesTable> {
        anyhow::bail!(
            "--moves needs a program built with it: cargo build --release --features parquet; \
             without it there is --csv"
        )
    }

    pub fn add(&mut self, _: usize, _: &EvaluatedGame, _: &[ReportedMove]) -> anyhow::Result<()> {
        match *self {}
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {}
    }
}
