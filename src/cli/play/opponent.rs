//! Who the human plays against: how it is made, how it moves, and when it gives up or would rather
//! have a draw.

use crate::arena::{
    Adjudication, Choice, Contestant, ContestantSpec, DrawRule, EngineSpec, MoveLimits, Own,
    Request, ResignRule, Rules,
};
use crate::board::Game;
use crate::external::Fault;
use crate::player::{Dial, EloScale, Library, Roster, Who};

use super::Arguments;
use super::table::Table;

/// Full strength without a depth: about half a second, and the same move on every machine.
const USUAL_NODES: u64 = 500_000;

/// When the opponent thinks a game decided. Only its own moves are counted: the human's have no
/// values.
const RULES: Rules = Rules {
    // For a draw the moves of both sides would be counted, so it takes twice as many of one's.
    draw: Some(DrawRule { from: 40, moves: 3, centipawns: 20 }),
    resign: Some(ResignRule { moves: 4, centipawns: 1000 }),
    max_moves: None,
};

/// What the command line says of the opponent, so that it can be made again with another rating.
#[derive(Debug)]
pub(super) struct Maker<'a> {
    pub arguments: &'a Arguments,
    pub profiles: &'a Roster,
    /// Where none is given.
    pub fresh_seed: u64,
}

impl Maker<'_> {
    /// The opponent with this rating, if it is one of a rating.
    pub fn make(&self, dial: Option<Dial>) -> anyhow::Result<ContestantSpec> {
        let mut made = ContestantSpec::of_words(&self.words(dial), self.profiles)?;
        if made.limits == MoveLimits::default() {
            made.limits.nodes = Some(USUAL_NODES);
        }
        if let EngineSpec::Own(own) = &mut made.engine {
            let has_own = matches!(&own.who, Who::Profile(profile) if profile.seed > 0);
            own.seed = own.seed.or_else(|| (!has_own).then_some(self.fresh_seed));
            if let Some(dial) = dial.filter(|dial| dial.scale != EloScale::default()) {
                own.label = format!("{} {}", dial.scale, dial.nearest());
            }
        }
        Ok(made)
    }

    /// The opponent in the words of `stopdown match`, which has FIDE's ratings.
    fn words(&self, dial: Option<Dial>) -> Vec<String> {
        let Arguments { profile, imitator, depth, seed, .. } = self.arguments;
        let mut words = vec!["self".to_owned()];
        words.extend(seed.map(|seed| format!("seed={seed}")));
        words.extend(dial.iter().flat_map(|dial| {
            let Dial { elo, family, .. } = dial.on_fide();
            [format!("curve={family}"), format!("elo={}", elo.0)]
        }));
        words.extend(profile.as_ref().map(|name| format!("profile={name}")));
        words.extend(imitator.then(|| "imitator=0".to_owned()));
        words.extend(depth.map(|depth| format!("depth={depth}")));
        words
    }

    /// The rating in words, as it is said to the human.
    pub fn introduction(&self, dial: &Dial) -> String {
        let departure = self.arguments.depth.and_then(Dial::departure).unwrap_or_default();
        format!("{dial}.{departure}").trim_end_matches('.').to_owned()
    }
}

/// What the opponent does when it is its turn.
#[derive(Debug)]
pub(super) enum Answer {
    Plays(Choice),
    /// The same, and it would have a draw.
    Offers(Choice),
    Resigns,
}

/// The opponent of all games of a session.
#[derive(Debug)]
pub(super) struct Opponent {
    own: Own,
    spec: ContestantSpec,
    pub name: String,
    pub is_imitator: bool,
    /// Games that were begun.
    games: u64,
    /// An offer was declined after so many plies: what was before says nothing any more.
    declined_at: usize,
}

impl Opponent {
    pub fn new(spec: ContestantSpec, library: Library) -> anyhow::Result<Opponent> {
        let (own, name, is_imitator) = player(&spec)?;
        let own = own.with_tables(library);
        Ok(Opponent { own, spec, name, is_imitator, games: 0, declined_at: 0 })
    }

    pub fn begin(&mut self, game: &Game) -> Result<(), Fault> {
        self.games += 1;
        self.declined_at = 0;
        self.own.begin(game, self.games)
    }

    /// From the next move on plays as somebody else.
    pub fn become_another(&mut self, spec: ContestantSpec, game: &Game) -> anyhow::Result<()> {
        let (own, name, is_imitator) = player(&spec)?;
        self.own.make_room_for(own);
        (self.spec, self.name, self.is_imitator) = (spec, name, is_imitator);
        self.own.begin(game, self.games)?;
        Ok(())
    }

    pub fn handicap(&self) -> Option<String> {
        self.own.handicap()
    }

    /// The human plays on, or takes back what the offer was about.
    pub fn decline(&mut self, plies: usize) {
        self.declined_at = plies;
    }

    pub fn answer(&mut self, table: &Table) -> Result<Answer, Fault> {
        let choice = self.own.choose(&Request::without_clock(&table.game, &self.spec))?;
        let since = self.declined_at.min(table.game.ply());
        Ok(match table.adjudicated(RULES, since, &choice) {
            Some(Adjudication::Loss(_)) => Answer::Resigns,
            Some(Adjudication::Draw) => Answer::Offers(choice),
            _ => Answer::Plays(choice),
        })
    }
}

/// The player, its name, and whether it imitates.
fn player(spec: &ContestantSpec) -> anyhow::Result<(Own, String, bool)> {
    let EngineSpec::Own(own) = &spec.engine else { anyhow::bail!("the opponent is Stopdown") };
    let name = match own.who {
        Who::FullStrength => own.label.clone(),
        _ => format!("Stopdown ({})", own.label),
    };
    let is_imitator = matches!(own.who, Who::Imitator(_));
    Ok((Own::new(spec, own, 0, None), name, is_imitator))
}
