//! Opens the endgame tables that a command needs.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::anyhow;

use super::progress::TableProgress;
use crate::cli::value_parsers;
use crate::endgame::{self, Material, Metric, TableKey, Tables, default_directory, plan};
use crate::player::is_built_automatically;
use crate::threads::cores;

/// Arguments of every subcommand: where the tables are and how results are written.
#[derive(Debug, clap::Args)]
pub struct TableArguments {
    /// Folder for the tables [default: your cache folder]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,

    /// Number of threads for building tables [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parsers::whole(1..=512_u16))]
    threads: Option<u16>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl TableArguments {
    /// Opens the tables in the given or default folder, or in memory if there is no folder.
    pub fn open(&self) -> Tables {
        match self.dir.clone().or_else(default_directory) {
            Some(directory) => Tables::in_directory(directory),
            None => Tables::in_memory(),
        }
    }

    /// The number of threads for building tables. The default is the number of cores.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }

    /// Builds missing tables, except for large ones, which the user must ask for.
    pub fn prepare(
        &self,
        tables: &Tables,
        materials: &BTreeSet<Material>,
        metrics: &[Metric],
    ) -> anyhow::Result<()> {
        let jobs: Vec<TableKey> = plan(tables, materials.iter().copied(), metrics);
        if let Some(job) = jobs.iter().find(|job| !is_built_automatically(job.material)) {
            return Err(not_made(job.material, job.metric));
        }
        if !jobs.is_empty() {
            endgame::build(tables, &jobs, self.threads(), &TableProgress::new())?;
        }
        report_notices(tables);
        Ok(())
    }
}

/// The error for a missing table that is so large that it is built only if the user asks for it.
pub fn not_made(material: Material, metric: Metric) -> anyhow::Error {
    anyhow!(
        "the {metric} table for {material} is missing or corrupt; build it with \
         `stopdown endgame build {material} --metric {metric}`"
    )
}

/// Prints the problems found in table files.
pub fn report_notices(tables: &Tables) {
    for notice in tables.take_notices() {
        let _ = writeln!(io::stderr(), "stopdown: {notice}");
    }
}
