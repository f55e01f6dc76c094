//! `stopdown completions` and `stopdown man`: what a package has beside a program, for its shells and for
//! man. Both are hidden, since only who makes a package asks for them; `stopdown-lab` has them too.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use super::CommandOutcome;

/// Write what completes the command line in a shell
#[derive(Debug, Args)]
pub struct Completions {
    shell: Shell,
}

/// Write a page for man about the program and about each of its commands
#[derive(Debug, Args)]
pub struct ManPages {
    /// Where the pages are written
    folder: PathBuf,
}

impl Completions {
    pub fn run(&self, mut program: Command, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
        let name = program.get_name().to_owned();
        // The generator panics where it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, name, &mut script);
        out.write_all(&script)?;
        Ok(CommandOutcome::Done)
    }
}

impl ManPages {
    pub fn run(&self, program: Command) -> anyhow::Result<CommandOutcome> {
        let folder = self.folder.display();
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(program, &self.folder))
            .with_context(|| format!("the pages cannot be written to {folder}"))?;
        Ok(CommandOutcome::Done)
    }
}
