//! `analyse --statistics`: what a run has measured, for `stopdown report` to add up.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::json;

use super::source::STANDARD_INPUT;
use super::study::StudyArguments;
use crate::analyser::{Digest, Ledger, Settings};
use crate::cli::page::save;
use crate::files::{Draft, beside};

/// The file of a shard and its manifest; neither on standard output.
pub struct DigestFile(Option<[PathBuf; 2]>);

impl DigestFile {
    pub fn new(path: &Path) -> anyhow::Result<DigestFile> {
        let is_piped = path == Path::new(STANDARD_INPUT);
        Ok(DigestFile((!is_piped).then(|| [path.to_owned(), beside(path, "manifest.json")])))
    }

    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().flatten()
    }

    /// Writes both, the manifest last: where it is, all is there.
    pub fn write(
        &self,
        ledger: &Ledger,
        settings: &Settings,
        study: &StudyArguments,
        (games, left_out): (usize, &[String]),
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let Some([path, manifest]) = &self.0 else {
            write(ledger, settings, out)?;
            return Ok(());
        };
        let named = || path.display().to_string();
        let draft = BufWriter::new(Draft::new(path).with_context(named)?);
        let draft = write(ledger, settings, draft).with_context(named)?;
        let draft = draft.into_inner().map_err(std::io::IntoInnerError::into_error);
        draft.and_then(Draft::finish).with_context(named)?;
        let size = |file: &PathBuf| std::fs::metadata(file).ok().map(|file| file.len());
        let input = |file: &String| json!({"file": file, "bytes": size(&PathBuf::from(file))});
        let inputs: Vec<_> = study.games.iter().map(input).collect();
        let what = json!({
            "settings": settings,
            "inputs": inputs,
            "shard": study.shard.map(|shard| shard.to_string()),
            "games": games,
            "left_out": left_out,
            "subjects": ledger.subjects().len(),
            "bytes": size(path),
        });
        save(manifest, format!("{what:#}\n"))
    }
}

fn write<W: Write>(ledger: &Ledger, settings: &Settings, out: W) -> anyhow::Result<W> {
    let mut digest = Digest::new(out, settings)?;
    for (name, sums) in ledger.written() {
        digest.put(name, sums)?;
    }
    Ok(digest.finish()?)
}
