//! The zone of tables, where a stopped-down player is Haworth's fallible endgame player F_c (2002;
//! 2007, section 2): he chooses by the depth that the tables give, not by values.
//!
//! - Winning, a move of depth d is taken with `q ∝ (1 + d)^-c`, among those that keep the win in
//!   time for the fifty-move rule: as the counter runs, what no longer fits drops out, so that even
//!   F_0 mates. Losing, `q ∝ (1 + d)^c` among all.
//! - Who is not at random promotes to a queen, unless less is better by the tables.
//! - A draw is kept, and which move keeps it is chosen by values, as elsewhere.
//!
//! A profile says whether results may be thrown away ([`EndgameRule`]). Which c it plays with here
//! depends on its curve:
//!
//! | curve | c of F_c |
//! |---|---|
//! | haworth | its c: Ep(c) is F_c with values for depths (2007, section 3) |
//! | levelled | twice its c |
//! | Regan's | 2/s, with the sign of the consistency |
//! | human | its c times 19 for a grandmaster, falling evenly to 0 for a beginner |
//!
//! To mate a bare king with a queen, a rook or a pawn is learnt once and then known: who does that
//! plays with three times this c, except by the curve of the paper. So players rated 1200 mate with a
//! rook in about twenty moves.
//!
//! The levelled scale runs lower than that of depths: a grandmaster showed c = 19 in KQKR (2002,
//! section 5), where on values players of such strength have c = 9 to 10. Regan's curves by share,
//! with an exponent of 1, are a power law with c = 1/s for whoever is not ahead. κ is 1 for everyone;
//! that of a profile is in pawns.

use std::time::Instant;

use super::choice::{Choice, distribution, draw, explain};
use super::decision::Decision;
use super::exploit::{Exploit, endgame_competence};
use super::full_strength::{self, PerfectLine};
use super::{EndgameRule, Profile, Tablebases, bare_king};
use crate::board::{Game, Move, Role};
use crate::endgame::{Past, ProbeReport, Rfep, TableResult};
use crate::evaluation::{MoveEvaluation, RootEvaluation};
use crate::math::streams::Occasion;
use crate::search::Observer;
use crate::selector::{Curve, Distribution, Family};
use crate::value::Value;

/// A position that the tables know, for a player who goes by them.
#[derive(Debug)]
pub(super) struct TablebasePlay<'a> {
    tablebases: &'a Tablebases,
    exploit: Option<&'a Exploit>,
    game: &'a Game,
    report: ProbeReport,
    rule: EndgameRule,
}

/// Who chooses, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<'a> {
    pub profile: &'a Profile,
    pub occasion: Occasion,
    /// Tell how likely each move was.
    pub explain: bool,
}

impl<'a> TablebasePlay<'a> {
    /// `None` where no table is at hand, or the player does not go by them.
    pub fn enter(
        tablebases: &'a Tablebases,
        exploit: Option<&'a Exploit>,
        game: &'a Game,
        rule: EndgameRule,
    ) -> Option<TablebasePlay<'a>> {
        let report = (rule != EndgameRule::Blind).then(|| tablebases.report_in(game))??;
        Some(TablebasePlay { tablebases, exploit, game, report, rule })
    }

    /// The move in a decided position, with what it is truly worth.
    pub fn decide(&self, turn: &Turn<'_>, observer: &mut dyn Observer) -> Option<Decision> {
        let start = Instant::now();
        let Turn { profile, occasion, .. } = *turn;
        let moves = &self.report.moves;
        if self.report.result == TableResult::Draw {
            return None;
        }
        let part = profile.part_at(occasion);
        let curve = profile.skill(part, self.game.position()).selector.curve;
        let distribution = self.distribution(&curve);
        let index = self.exploited(draw(&distribution, occasion)?, &distribution);
        let choice = Choice { mv: moves[index].mv, index, distribution, part, curve };
        if turn.explain {
            let c = endgame_competence(&curve);
            observer.remark(&format!("by the depths of {}, c = {c:.2}", self.report.material));
            explain(self.game, moves.iter().map(|m| m.mv), &choice, observer);
        }
        let (value, line) = self.tablebases.value(self.game.position(), &self.report, choice.mv);
        let found = [PerfectLine { value, line }];
        let best = full_strength::tell(&found, start, moves.len() as u64, observer);
        Some(Decision { best, choice: Some(choice) })
    }

    /// The choice in a drawn position, by values; who keeps results leaves out what loses.
    pub fn choose_in_draw(&self, evaluation: &RootEvaluation, turn: &Turn<'_>) -> Option<Choice> {
        let Turn { profile, occasion, .. } = *turn;
        let part = profile.part_at(occasion);
        let free = distribution(self.game, evaluation, profile, part);
        let keeps = |j: usize| self.value(&evaluation.moves[j]) >= Value::DRAW;
        let keeping = self.rule == EndgameRule::Keep;
        let distribution = if keeping { free.among(keeps) } else { free };
        let index = draw(&distribution, occasion)?;
        let mv = evaluation.moves.get(index)?.mv;
        let curve = profile.skill(part, self.game.position()).selector.curve;
        Some(Choice { mv, index, distribution, part, curve })
    }

    /// What a move is truly worth, whatever the search thinks.
    pub fn value(&self, m: &MoveEvaluation) -> Value {
        let known = self.report.moves.iter().any(|known| known.mv == m.mv);
        let position = self.game.position();
        if known { self.tablebases.value(position, &self.report, m.mv).0 } else { m.value() }
    }

    /// How likely F_c is to choose each move of the report.
    fn distribution(&self, curve: &Curve) -> Distribution {
        let position = self.game.position();
        let past = Past::of(self.game);
        let wins = self.report.result == TableResult::Win;
        let is_learnt = wins && curve.family() != Family::HAWORTH && bare_king::is_learnt(position);
        let player = Rfep {
            competence: endgame_competence(curve) * if is_learnt { LEARNT } else { 1.0 },
            keeps_result: self.rule == EndgameRule::Keep,
            ..Rfep::default()
        };
        let all = player.ln_probabilities(&self.report, position.halfmoves(), Some(&past));
        let all = Distribution::from_ln(all);
        match player.competence > 0.0 {
            true => all.among(|j| !self.is_needless(j, &all)),
            false => all,
        }
    }

    /// Is this a promotion to less than a queen, where a queen is worth as much? Depths count to the next
    /// conversion, and a promotion is one: what is promoted to makes no difference to them.
    fn is_needless(&self, j: usize, all: &Distribution) -> bool {
        let (moves, mv) = (&self.report.moves, self.report.moves[j].mv);
        let is_queening = |other: Move| {
            (other.from(), other.to(), other.promoted()) == (mv.from(), mv.to(), Some(Role::Queen))
        };
        let is_as_good = |k: usize| {
            moves[k].result == moves[j].result && all.probability(k) >= all.probability(j)
        };
        mv.promoted().is_some_and(|role| role != Role::Queen)
            && (0..moves.len()).any(|k| is_queening(moves[k].mv) && is_as_good(k))
    }

    /// Of the moves that are as good as the one drawn, the one that the opponent's errors favour.
    fn exploited(&self, drawn: usize, distribution: &Distribution) -> usize {
        let Some(exploit) = self.exploit else { return drawn };
        let (moves, likely) = (&self.report.moves, distribution.ln_probability(drawn));
        let alike = (0..moves.len()).filter(|&j| {
            moves[j].result == moves[drawn].result && distribution.ln_probability(j) == likely
        });
        let alike = alike.map(|j| moves[j].mv).collect();
        let preferred = exploit.prefer(self.tablebases, self.game.position(), alike);
        let is_preferred = |j: &usize| preferred.contains(&moves[*j].mv);
        if is_preferred(&drawn) {
            drawn
        } else {
            (0..moves.len()).find(is_preferred).unwrap_or(drawn)
        }
    }
}

/// How much larger c is where the way to mate is known by heart.
const LEARNT: f64 = 3.0;
