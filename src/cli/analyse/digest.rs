//! `analyse --statistics`: what a run has measured, for `stopdown report` to add up.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::source::STANDARD_INPUT;
use super::study::StudyArguments;
use crate::analyser::{Digest, Ledger, StudySettings};
use crate::cli::page::{save, save_by};
use crate::files::beside;

/// The file of a shard and its manifest; neither on standard output.
pub struct DigestFile(Option<[PathBuf; 2]>);

impl DigestFile {
    pub fn new(path: &Path) -> DigestFile {
        let is_piped = path == Path::new(STANDARD_INPUT);
        DigestFile((!is_piped).then(|| [path.to_owned(), beside(path, "manifest.json")]))
    }

    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().flatten()
    }

    /// Writes both, the manifest last: where it is, all is there.
    pub fn write(
        &self,
        ledger: &Ledger,
        settings: &StudySettings,
        study: &StudyArguments,
        (games, left_out): (usize, &[String]),
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let Some([path, manifest]) = &self.0 else {
            return write(ledger, settings, out);
        };
        save_by(path, |draft| write(ledger, settings, draft))?;
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

fn write(ledger: &Ledger, settings: &StudySettings, out: impl Write) -> anyhow::Result<()> {
    let mut digest = Digest::new(out, settings)?;
    for (name, sums) in ledger.written() {
        digest.put(name, sums)?;
    }
    Ok(digest.finish()?)
}
