//! Players with perfect scores, whose strength is not finite.
//!
//! If a player has won or lost every game, the most likely strength is infinite. Such players are set aside. Others may
//! then have perfect scores among the remaining players, so this is repeated. After the fit, the players set aside get
//! a bound: the strength that would have followed from one draw instead of a win or loss (Ordo manual, "Perfect winners
//! and losers").

use super::encounter::{Encounter, FitError, Strength};
use crate::math::exact::logistic;
use crate::math::root;

/// The players who remain after those with perfect scores have been set aside.
pub struct Peeled<'p> {
    /// The strength of every player, if it is given.
    fixed: &'p [Option<f64>],
    encounters: &'p [Encounter],
    pub active: Vec<bool>,
    /// The players set aside, in this order. For each, whether the player won every game.
    aside: Vec<(usize, bool)>,
}

impl<'p> Peeled<'p> {
    pub fn new(
        fixed: &'p [Option<f64>],
        encounters: &'p [Encounter],
    ) -> Result<Peeled<'p>, FitError> {
        let active = vec![false; fixed.len()];
        let mut peeled = Peeled { fixed, encounters, active, aside: Vec::new() };
        for encounter in encounters.iter().filter(|encounter| encounter.games() > 0.0) {
            peeled.active[encounter.first] = true;
            peeled.active[encounter.second] = true;
        }
        if !peeled.active.contains(&true) {
            return Err(FitError::NoGames);
        }
        while peeled.peel() {}
        peeled.check()?;
        Ok(peeled)
    }

    /// Sets aside all players with a perfect score among the remaining ones. At least one player always remains.
    fn peel(&mut self) -> bool {
        let players = self.active.len();
        let (mut games, mut points) = (vec![0.0; players], vec![0.0; players]);
        for (one, other, score, count) in self.results() {
            games[one] += count;
            points[one] += score;
            games[other] += count;
            points[other] += count - score;
        }
        let is_perfect = |&one: &usize| {
            let extreme = points[one] == 0.0 || points[one] == games[one];
            self.active[one] && self.fixed[one].is_none() && games[one] > 0.0 && extreme
        };
        let mut perfect: Vec<usize> = (0..players).filter(is_perfect).collect();
        if perfect.len() == self.active.iter().filter(|&&active| active).count() {
            let most = |&&one: &&usize| (games[one] as u64, std::cmp::Reverse(one));
            let stays = perfect.iter().max_by_key(most).copied();
            perfect.retain(|&one| Some(one) != stays);
        }
        for &one in &perfect {
            self.active[one] = false;
            self.aside.push((one, points[one] > 0.0));
        }
        !perfect.is_empty()
    }

    /// The encounters of active players: first player, second player, points and games.
    fn results(&self) -> impl Iterator<Item = (usize, usize, f64, f64)> + '_ {
        let all = self.encounters.iter().map(|e| (e.first, e.second, e.points(), e.games()));
        all.filter(|&(one, other, ..)| self.active[one] && self.active[other])
    }

    /// Checks that there are finite strengths. This holds if every player is linked to every other by a chain of
    /// players, each of whom has scored against the next. All players with a given strength count as one.
    fn check(&self) -> Result<(), FitError> {
        let players = self.active.len();
        let given = (0..players).find(|&one| self.active[one] && self.fixed[one].is_some());
        let node = |one: usize| if self.fixed[one].is_some() { given.unwrap_or(one) } else { one };
        let mut scored = vec![Vec::new(); players];
        let mut conceded = vec![Vec::new(); players];
        for (one, other, points, games) in self.results() {
            let (one, other) = (node(one), node(other));
            for (winner, loser, gain) in [(one, other, points), (other, one, games - points)] {
                if gain > 0.0 && winner != loser {
                    scored[winner].push(loser);
                    conceded[loser].push(winner);
                }
            }
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut grouped = vec![false; players];
        for one in (0..players).filter(|&one| self.active[one] && node(one) == one) {
            if !grouped[one] {
                let (below, above) = (reached(one, &scored), reached(one, &conceded));
                let group: Vec<usize> = (0..players).filter(|&p| below[p] && above[p]).collect();
                group.iter().for_each(|&member| grouped[member] = true);
                groups.push(group);
            }
        }
        if groups.len() > 1 { Err(FitError::Disconnected(groups)) } else { Ok(()) }
    }

    /// Those opponents of a player whose strengths are known. For each opponent: its strength, minus the player's
    /// advantage from moving first, and the number of games.
    fn known_opponents(
        &self,
        player: usize,
        advantage: f64,
        strengths: &[Strength],
    ) -> Vec<(f64, f64)> {
        let mut opponents = Vec::new();
        for encounter in self.encounters {
            let (opponent, head_start) = match player {
                one if one == encounter.first => (encounter.second, advantage),
                one if one == encounter.second => (encounter.first, -advantage),
                _ => continue,
            };
            if let Some(value) = strengths[opponent].value() {
                opponents.push((value - head_start, encounter.games()));
            }
        }
        opponents
    }

    /// Sets bounds for the players set aside, in reverse order, because those set aside last are closest to the players
    /// with finite strengths.
    pub fn restore(&self, advantage: f64, strengths: &mut [Strength]) {
        let mut waiting: Vec<(usize, bool)> = self.aside.iter().rev().copied().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|&(one, won)| {
                let opponents = self.known_opponents(one, advantage, strengths);
                let Some(value) = bound(&opponents, won) else { return true };
                strengths[one] =
                    if won { Strength::AtLeast(value) } else { Strength::AtMost(value) };
                false
            });
            if waiting.len() == before {
                return;
            }
        }
    }
}

/// Returns the strength at which the expected score against these opponents is half a point below the maximum, or half
/// a point above zero. `None` if there are no opponents.
fn bound(opponents: &[(f64, f64)], won: bool) -> Option<f64> {
    /// A strength beyond all others.
    const FAR: f64 = 200.0;
    let games: f64 = opponents.iter().map(|(_, games)| games).sum();
    let points = if won { games - 0.5 } else { 0.5 };
    let expected =
        |x: f64| opponents.iter().map(|&(value, games)| games * logistic(x - value)).sum::<f64>();
    (games > 0.0).then(|| root(-FAR, FAR, |x| expected(x) - points))
}

/// The nodes of a graph that can be reached from a node, including the node itself.
fn reached(from: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut waiting = vec![from];
    while let Some(one) = waiting.pop() {
        if !std::mem::replace(&mut seen[one], true) {
            waiting.extend(edges[one].iter().filter(|&&other| !seen[other]));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::outcomes::Outcomes;
    use crate::math::paired::{Fit, GamePool};

    fn pool(players: usize, results: &[(usize, usize, [u64; 3])]) -> GamePool {
        let encounter =
            |&(first, second, counts)| Encounter { first, second, outcomes: Outcomes(counts) };
        let encounters = results.iter().map(encounter).collect();
        GamePool { fixed: vec![None; players], encounters, advantage: Some(0.0) }
    }

    fn fit(players: usize, results: &[(usize, usize, [u64; 3])]) -> Result<Fit, FitError> {
        pool(players, results).fit()
    }

    #[test]
    fn a_perfect_score_is_bounded_as_if_one_game_were_drawn() {
        // Player 2 has won ten games against players 0 and 1, who are equally strong.
        let results = [(0, 1, [2, 0, 2]), (2, 0, [0, 0, 5]), (2, 1, [0, 0, 5])];
        let fit = fit(3, &results).expect("connected");
        let bound = (9.5f64 / 0.5).ln();
        assert!(matches!(fit.strengths[2], Strength::AtLeast(x) if (x - bound).abs() < 1e-9));
        assert!(matches!(fit.strengths[0], Strength::Estimated(x) if x.abs() < 1e-9));
    }

    #[test]
    fn chains_of_perfect_scores_get_bounds_in_order() {
        let ladder = [(0, 1, [0, 0, 4]), (1, 2, [0, 0, 4]), (2, 3, [0, 0, 4])];
        let fit = fit(5, &ladder).expect("one player stays");
        let values: Vec<Option<f64>> = fit.strengths.iter().map(|s| s.value()).collect();
        assert!(values[..4].windows(2).all(|w| w[0] > w[1]), "{values:?}");
        assert_eq!(fit.strengths[4], Strength::Unknown);
        assert_eq!(self::fit(2, &[]), Err(FitError::NoGames));
    }

    #[test]
    fn groups_without_results_between_them_are_named() {
        let apart = [(0, 1, [1, 0, 1]), (2, 3, [1, 0, 1])];
        let groups = FitError::Disconnected(vec![vec![0, 1], vec![2, 3]]);
        assert_eq!(fit(4, &apart), Err(groups.clone()));
        let one_way = [apart[0], apart[1], (0, 2, [0, 0, 3])];
        assert_eq!(fit(4, &one_way), Err(groups));
        let mut anchored = pool(4, &one_way);
        anchored.fixed = vec![Some(1.0), None, None, Some(-1.0)];
        assert!(anchored.fit().is_ok(), "fixed players connect the groups");
    }
}
