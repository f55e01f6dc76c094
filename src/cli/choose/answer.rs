//! What a player would do, with values that are given or found.

use anyhow::Context as _;

use crate::board::{Game, Position};
use crate::cli::engine;
use crate::endgame::Material;
use crate::evaluation::RootEvaluation;
use crate::math::exact::exp;
use crate::player::{self, EndgameRule, Engine, Profile, Skill, is_made_unasked};
use crate::search::{Controls, EvaluationRequest, Silent};
use crate::selector::{Distribution, Values};

/// The answer, in the order in which the moves were given or best first.
#[derive(Debug)]
pub struct ChoiceReport {
    pub names: Vec<String>,
    pub pawns: Vec<f64>,
    pub distribution: Distribution,
    /// For curves about people: what the values alone would make of each move, and what the
    /// policy says.
    pub reasons: Option<Vec<[f64; 2]>>,
    pub chosen: Option<usize>,
    /// Where small tables are at hand, the player goes by these and not by values.
    pub tables: Option<Material>,
}

impl ChoiceReport {
    /// The moves are called 1, 2, ... in the order given.
    pub fn to_values(
        text: &str,
        profile: &Profile,
        part: Option<usize>,
    ) -> anyhow::Result<ChoiceReport> {
        let number = |word: &str| {
            let word = word.trim();
            word.parse::<f64>().with_context(|| {
                format!("--values: \"{word}\" is not a value in pawns (write 0.5,0.2,-1.0)")
            })
        };
        let rows: anyhow::Result<Vec<Vec<f64>>> =
            text.split(';').map(|row| row.split(',').map(number).collect()).collect();
        let values = Values::by_depth(&rows?).context("--values")?;
        let of_part = |part: usize| profile.parts()[part].1.selector.distribution(&values);
        let distribution = match part {
            Some(part) => of_part(part),
            None => {
                let parts = profile.parts().iter().enumerate();
                let parts: Vec<_> = parts.map(|(i, (weight, _))| (*weight, of_part(i))).collect();
                Distribution::mixture(&parts)
            }
        };
        let names = (1..=values.moves()).map(|j| j.to_string()).collect();
        let pawns = values.deepest().to_vec();
        Ok(ChoiceReport { names, pawns, distribution, reasons: None, chosen: None, tables: None })
    }

    pub fn to_position(
        position: Position,
        engine: &mut Engine,
        profile: &Profile,
        part: Option<usize>,
    ) -> anyhow::Result<ChoiceReport> {
        let (material, _) = Material::of(&position);
        let is_known = is_made_unasked(material) && position.castling_rooks().is_empty();
        let game = Game::new(position);
        let depth = part.map_or(profile.depth(), |part| profile.parts()[part].1.depth);
        let request = EvaluationRequest::depth(depth);
        let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut Silent);
        engine::check(engine)?.map_err(anyhow::Error::msg)?;
        let distribution = match part {
            Some(part) => player::distribution(&game, &evaluation, profile, part),
            None => player::expectation(&game, &evaluation, profile),
        };
        let moves = &evaluation.moves;
        let alone = if profile.parts().len() == 1 { Some(0) } else { part };
        let reasons = alone.and_then(|part| reasons(&game, &evaluation, &profile.parts()[part].1));
        Ok(ChoiceReport {
            names: moves.iter().map(|m| game.position().uci(m.mv)).collect(),
            pawns: moves.iter().map(|m| m.value().pawns()).collect(),
            distribution,
            reasons,
            chosen: None,
            tables: (is_known && profile.endgame != EndgameRule::Blind).then_some(material),
        })
    }
}

/// What the values alone would make of each move, and the policy.
fn reasons(game: &Game, evaluation: &RootEvaluation, skill: &Skill) -> Option<Vec<[f64; 2]>> {
    let (selector, curve) = (&skill.selector, &skill.selector.curve);
    let ratings = [curve.scale()];
    let seen = player::seen(game, evaluation, skill.depth, curve.family(), &ratings);
    let policy = seen.ln_shares(curve.scale())?;
    let by_values = selector.distribution(&Values::of(evaluation, skill.depth));
    let pair = |(&value, ln_share): (&f64, &f64)| [value, exp(*ln_share)];
    Some(by_values.probabilities().iter().zip(&policy).map(pair).collect())
}
