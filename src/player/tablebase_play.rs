//! Play in tablebase positions. In such a position, a player below full strength is Haworth's
//! fallible endgame player F_c (2002; 2007, section 2). It chooses by tablebase depth, not by
//! evaluation.
//!
//! - In a won position, a move of depth d has a probability `q ∝ (1 + d)^-c`, among the moves that
//!   win within the fifty-move rule. As the fifty-move counter rises, slow moves drop out, so that
//!   even F_0 mates. In a lost position, `q ∝ (1 + d)^c` among all moves.
//! - A player with c > 0 promotes to a queen, unless an underpromotion is better.
//! - In a drawn position, the player chooses by evaluation among the moves that keep the draw. Some
//!   sets of Syzygy files have results without distances. There, the player also chooses by
//!   evaluation, among the moves that keep the result.
//!
//! A profile says whether results may be thrown away ([`EndgameRule`]). The value of c depends on
//! its curve:
//!
//! | curve | c of F_c |
//! |---|---|
//! | haworth | its c: Ep(c) is F_c with evaluations in place of depths (2007, section 3) |
//! | levelled | twice its c |
//! | Regan's | 2/s, with the sign of the consistency |
//! | human | its c times 19 for a grandmaster, falling linearly to 0 for a beginner |
//!
//! Mating a bare king with a queen, a rook or a pawn is a technique that players learn once. For
//! such mates c is three times as large, except for the curve `haworth`, which follows the paper.
//! As a result, players rated 1200 mate with a rook in about twenty moves from the hardest positions.
//!
//! The c of `levelled` is on a lower scale than the c for depths. A grandmaster showed c = 19 in
//! KQKR (2002, section 5), but players of that strength have c = 9 to 10 with evaluations. With the
//! conversion `Share` and an exponent of 1, Regan's curves are a power law with c = 1/s for the
//! side that is not ahead. κ is always 1 here, because the κ of a profile is in pawns.

use super::choice::{Choice, distribution, draw, explain};
use super::decision::Decision;
use super::exploit::{Exploit, endgame_competence};
use super::full_strength::{self, PerfectLine};
use super::{EndgameRule, Profile, Tablebases, bare_king};
use crate::board::{Game, Move, Role};
use crate::clock::Instant;
use crate::endgame::{MoveReport, ProbeReport, RepetitionHistory, Rfep, TableResult};
use crate::evaluation::{MoveEvaluation, RootEvaluation};
use crate::math::streams::Occasion;
use crate::search::Observer;
use crate::selector::{Curve, Distribution, Family};
use crate::value::Value;

/// A position in the tablebases, for a player that uses them.
#[derive(Debug)]
pub(super) struct TablebasePlay<'a> {
    tablebases: &'a Tablebases,
    exploit: Option<&'a Exploit>,
    game: &'a Game,
    report: ProbeReport,
    rule: EndgameRule,
}

/// The profile that chooses the move, and the occasion.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChoiceContext<'a> {
    pub profile: &'a Profile,
    pub occasion: Occasion,
    /// Whether to report the probability of each move.
    pub explain: bool,
}

impl<'a> TablebasePlay<'a> {
    /// Returns `None` if no tablebase has the position, or if the player does not use them.
    pub fn enter(
        tablebases: &'a Tablebases,
        exploit: Option<&'a Exploit>,
        game: &'a Game,
        rule: EndgameRule,
    ) -> Option<TablebasePlay<'a>> {
        let report =
            (rule != EndgameRule::Blind).then(|| tablebases.report_with_history(game))??;
        Some(TablebasePlay { tablebases, exploit, game, report, rule })
    }

    /// Returns whether the tablebases have the depths of all moves that win or lose.
    pub fn knows_depths(&self) -> bool {
        let player = Rfep::default();
        let is_known =
            |m: &MoveReport| m.result == TableResult::Draw || player.moves_left(m).is_some();
        self.report.moves.iter().all(is_known)
    }

    /// Chooses the move by its depth in a won or lost position, and reports its true score. Returns
    /// `None` in a drawn position, or if the depths are not known.
    pub fn decide(
        &self,
        context: &ChoiceContext<'_>,
        observer: &mut dyn Observer,
    ) -> Option<Decision> {
        let start = Instant::now();
        let ChoiceContext { profile, occasion, .. } = *context;
        let moves = &self.report.moves;
        if self.report.result == TableResult::Draw || !self.knows_depths() {
            return None;
        }
        let part = profile.part_at(occasion);
        let curve = profile.skill(part, self.game.position()).selector.curve;
        let distribution = self.distribution(&curve);
        let index = self.prefer_exploiting(draw(&distribution, occasion)?, &distribution);
        let choice = Choice { mv: moves[index].mv, index, distribution, part, curve };
        if context.explain {
            let c = endgame_competence(&curve);
            observer.remark(&format!("chosen from the {} table, c = {c:.2}", self.report.material));
            explain(self.game, moves.iter().map(|m| m.mv), &choice, observer);
        }
        let (value, line) = self.tablebases.value(self.game.position(), &self.report, choice.mv);
        let found = [PerfectLine { value, line }];
        let best = full_strength::report_lines(&found, start, moves.len() as u64, observer);
        Some(Decision { best, choice: Some(choice) })
    }

    /// Chooses the move by evaluation. A player that keeps results never chooses a move with a worse
    /// one.
    pub fn choose_by_evaluation(
        &self,
        evaluation: &RootEvaluation,
        context: &ChoiceContext<'_>,
    ) -> Option<Choice> {
        let ChoiceContext { profile, occasion, .. } = *context;
        let part = profile.part_at(occasion);
        let free = distribution(self.game, evaluation, profile, part);
        let keeps = |j: usize| self.keeps_result(&evaluation.moves[j]);
        let keeping = self.rule == EndgameRule::Keep;
        let distribution = if keeping { free.among(keeps) } else { free };
        let index = draw(&distribution, occasion)?;
        let mv = evaluation.moves.get(index)?.mv;
        let curve = profile.skill(part, self.game.position()).selector.curve;
        Some(Choice { mv, index, distribution, part, curve })
    }

    /// Returns whether a move keeps the result of the position.
    pub fn keeps_result(&self, m: &MoveEvaluation) -> bool {
        let known = self.report.moves.iter().find(|known| known.mv == m.mv);
        known.is_some_and(|known| known.result >= self.report.result)
    }

    /// The true score of a move, or its evaluation if the tablebases do not have it.
    pub fn value(&self, m: &MoveEvaluation) -> Value {
        let known = self.report.moves.iter().any(|known| known.mv == m.mv);
        let position = self.game.position();
        if known { self.tablebases.value(position, &self.report, m.mv).0 } else { m.value() }
    }

    /// The probability that F_c chooses each move in the report.
    fn distribution(&self, curve: &Curve) -> Distribution {
        let position = self.game.position();
        let past = RepetitionHistory::of(self.game);
        let wins = self.report.result == TableResult::Win;
        let is_elementary_mate =
            wins && curve.family() != Family::HAWORTH && bare_king::is_elementary_mate(position);
        let player = Rfep {
            competence: endgame_competence(curve)
                * if is_elementary_mate { ELEMENTARY_MATE_FACTOR } else { 1.0 },
            keeps_result: self.rule == EndgameRule::Keep,
            ..Rfep::default()
        };
        let all = player.ln_probabilities(&self.report, position.halfmoves(), Some(&past));
        let all = Distribution::from_ln(all);
        match player.competence > 0.0 {
            true => all.among(|j| !self.is_needless_underpromotion(j, &all)),
            false => all,
        }
    }

    /// Returns whether this is an underpromotion that is not better than promoting to a queen.
    /// Tablebase depths count the plies to the next conversion. A promotion is a conversion, so the
    /// depths do not distinguish between promotion pieces.
    fn is_needless_underpromotion(&self, j: usize, all: &Distribution) -> bool {
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

    /// Replaces the move that was drawn with an equally good one that gives the opponent more
    /// chances to make an error.
    fn prefer_exploiting(&self, drawn: usize, distribution: &Distribution) -> usize {
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

/// The factor by which c is larger in elementary mates.
const ELEMENTARY_MATE_FACTOR: f64 = 3.0;
