//! The games of a study, round by round, each kept as soon as it is finished.
//!
//! After every round the ratings are fitted anew, and the next round is made from them. What a round
//! is hangs on the games of the rounds before it alone, so that a study that was killed goes on as
//! if it had not been.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::entrants::Entrant;
use super::expectation::Kinds;
use super::fit::{Model, Scores};
use super::rounds::{first_pair, meetings, present, schedule};
use crate::arena::{
    Archive, Book, BookError, ContestantError, ContestantSpec, GameRecord, JournalError, Opening,
    Order, Pairing, Rules, Settings, Tournament, introduce, journal_path,
};
use crate::external::Fault;
use crate::player::Roster;

/// Players who seldom mate would go on for ever. Nothing else is adjudicated: the weak lose what is
/// won.
const RULES: Rules = Rules { draw: None, resign: None, max_moves: Some(150) };

/// So many studies are kept beside one.
const MOST_ASIDE: usize = 99;

/// Everything that a study is made of.
#[derive(Clone, Debug)]
pub struct Study<'a> {
    pub event: &'a str,
    pub entrants: &'a [Entrant],
    /// Where the games are kept.
    pub pgn: &'a Path,
    pub seed: u64,
    /// In each, everybody who comes has two games.
    pub rounds: usize,
    pub concurrency: usize,
    /// Of the weights that the players of this program have.
    pub identity: String,
    pub guard: Option<PathBuf>,
}

/// What is told while a study runs.
#[derive(Debug)]
pub enum Told<'a> {
    /// Games of other players were in the way and are now called so.
    SetAside(PathBuf),
    /// Games of these players had been set aside there, and go on.
    TakenUp(PathBuf),
    /// The file had other games than its journal: they are there now, and it is made anew.
    MadeAnew(PathBuf),
    /// So many games are there now, of so many; the last of them, where one was played.
    Games { done: usize, all: usize, last: Option<&'a GameRecord> },
}

/// Why a study cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{} cannot be set aside: {}", .0.display(), .1)]
    SetAside(PathBuf, io::Error),
    #[error(
        "{} has games of other players, and so have {MOST_ASIDE} files beside it: remove some, or name \
         another folder with --work",
        .0.display()
    )]
    Full(PathBuf),
    #[error("a game could not be saved to {}: {}", .0.display(), .1)]
    Save(PathBuf, io::Error),
    #[error("no thread could be started: {0}")]
    Threads(io::Error),
    #[error(transparent)]
    Player(#[from] ContestantError),
    #[error(transparent)]
    Opening(#[from] BookError),
    #[error("{0} cannot play: {1}")]
    Entrant(String, Fault),
}

impl Study<'_> {
    /// Plays what is outstanding, and gives all games in the order of their numbers.
    pub fn run(&self, told: &mut dyn FnMut(Told<'_>)) -> Result<Vec<GameRecord>, StudyError> {
        let tournament = self.tournament()?;
        let settings = self.settings(&tournament.players)?;
        let (mut archive, mut records) = open(self.pgn, &settings, self.entrants.len(), told)?;
        archive.set_aside.take().into_iter().for_each(|aside| told(Told::MadeAnew(aside)));
        // Everybody present has two games with one other.
        let all = (0..self.rounds).map(|round| present(round, self.entrants).len()).sum();
        for round in 0..self.rounds {
            let pairings = self.pairings(round, &records);
            let there: HashSet<usize> = records.iter().map(|record| record.game).collect();
            let outstanding: Vec<Pairing> =
                pairings.into_iter().filter(|pairing| !there.contains(&pairing.game)).collect();
            if outstanding.is_empty() {
                continue;
            }
            told(Told::Games { done: self.wanted(&records).count(), all, last: None });
            let mut saved = Ok(());
            let run = tournament.run(&outstanding, |record| {
                saved = archive.append(&record);
                if saved.is_err() {
                    return ControlFlow::Break(());
                }
                records.push(record);
                let done = self.wanted(&records).count();
                told(Told::Games { done, all, last: records.last() });
                ControlFlow::Continue(())
            });
            run.map_err(StudyError::Threads)?;
            saved.map_err(|error| StudyError::Save(self.pgn.to_owned(), error))?;
        }
        let mut wanted: Vec<GameRecord> = self.wanted(&records).cloned().collect();
        wanted.sort_by_key(|record| record.game);
        Ok(wanted)
    }

    /// The games of a round, when those of earlier rounds are among the records.
    pub fn pairings(&self, round: usize, records: &[GameRecord]) -> Vec<Pairing> {
        let first = first_pair(round, self.entrants.len());
        let earlier = records.iter().filter(|record| record.pair < first);
        let guesses = self.guesses();
        let model = Model { guesses: &guesses, rows: &[], kinds: &Kinds::default() };
        let ratings = model.fit(&Scores::of_records(earlier)).ratings;
        let pairs = meetings(round, self.seed, self.entrants, &ratings);
        let games = pairs.into_iter().enumerate().flat_map(|(index, (one, other))| {
            let pair = first + index;
            [(2 * pair - 1, one, other), (2 * pair, other, one)]
                .map(|(game, white, black)| Pairing { game, pair, white, black })
        });
        games.collect()
    }

    /// The games that belong to the rounds: a longer study may have been played before.
    fn wanted<'a>(&self, records: &'a [GameRecord]) -> impl Iterator<Item = &'a GameRecord> {
        let end = first_pair(self.rounds, self.entrants.len());
        records.iter().filter(move |record| record.pair < end)
    }

    fn guesses(&self) -> Vec<f64> {
        self.entrants.iter().map(|entrant| entrant.guess).collect()
    }

    fn tournament(&self) -> Result<Tournament, StudyError> {
        let spec = |entrant: &Entrant| ContestantSpec::parse(&entrant.words, &Roster::default());
        let players: Vec<ContestantSpec> =
            self.entrants.iter().map(spec).collect::<Result<_, _>>()?;
        let openings: Vec<Opening> =
            Book::built_in().select(Order::Random(self.seed), None, usize::MAX)?;
        Ok(Tournament {
            event: self.event.to_owned(),
            names: self.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            players,
            openings,
            rules: RULES,
            tables: None,
            concurrency: self.concurrency,
            guard: self.guard.clone(),
        })
    }

    /// What must be the same for games to belong together.
    fn settings(&self, players: &[ContestantSpec]) -> Result<Settings, StudyError> {
        let mut settings = BTreeMap::from([
            ("players are".to_owned(), self.identity.clone()),
            ("openings".to_owned(), "built-in".to_owned()),
            ("seed".to_owned(), self.seed.to_string()),
            ("rules".to_owned(), format!("{RULES:?}")),
            ("schedule".to_owned(), schedule(self.entrants)),
        ]);
        for (number, (entrant, player)) in (1..).zip(self.entrants.iter().zip(players)) {
            settings.insert(format!("player {number}"), player.text.clone());
            if entrant.is_anchor {
                let card = introduce(player, self.guard.as_ref())
                    .map_err(|fault| StudyError::Entrant(entrant.name.clone(), fault))?;
                settings.insert(format!("player {number} is"), card.identity);
            }
        }
        Ok(Settings(settings))
    }
}

/// Opens the files of a study. Those of other players or another seed make room, and what had to make
/// room for them before comes back.
fn open(
    pgn: &Path,
    settings: &Settings,
    players: usize,
    told: &mut dyn FnMut(Told<'_>),
) -> Result<(Archive, Vec<GameRecord>), StudyError> {
    let is_there = |path: &Path| path.exists() || journal_path(path).exists();
    let asides = || (1..=MOST_ASIDE).map(|number| pgn.with_extension(format!("{number}.pgn")));
    if is_there(pgn) {
        match Archive::open(pgn, settings, true, players) {
            Err(JournalError::OtherSettings(..)) => (),
            opened => return Ok(opened?),
        }
        let free = asides().find(|aside| !is_there(aside));
        let free = free.ok_or_else(|| StudyError::Full(pgn.to_owned()))?;
        rename(pgn, &free)?;
        told(Told::SetAside(free));
    }
    let is_ours =
        |aside: &PathBuf| is_there(aside) && Archive::open(aside, settings, true, players).is_ok();
    if let Some(ours) = asides().find(is_ours) {
        rename(&ours, pgn)?;
        told(Told::TakenUp(ours));
    }
    Ok(Archive::open(pgn, settings, true, players)?)
}

/// Gives games another name, with their journal.
fn rename(from: &Path, to: &Path) -> Result<(), StudyError> {
    for (from, to) in [(from.to_owned(), to.to_owned()), (journal_path(from), journal_path(to))] {
        if from.exists() {
            std::fs::rename(&from, to).map_err(|e| StudyError::SetAside(from, e))?;
        }
    }
    Ok(())
}
