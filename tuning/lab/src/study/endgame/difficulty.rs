//! The difficulty of an endgame: averages over all positions with a material signature (Haworth
//! 2002, section 6.5), and games between fallible players (section 6.4).

use super::markov::{self, Endgame, Matrix};
use super::walk::{Course, HORIZON, Walk};
use stopdown::board::{Colour, Move, Position};
use stopdown::endgame::{
    Material, Metric, MissingTable, Outcome, RepetitionHistory, Rfep, TableKey, TablePosition,
    TableResult, Tables,
};
use stopdown::math::exact::exp;
use stopdown::math::streams::{Occasion, Purpose, Stream};

/// The settings of a study.
#[derive(Clone, Debug)]
pub struct EndgamePlan {
    pub material: Material,
    pub metric: Metric,
    pub kappa: f64,
    /// The competences for which averages are computed.
    pub competences: Vec<f64>,
    /// The competences of the players in games. Each player plays both sides against perfect play,
    /// and also plays against every player, including itself.
    pub players: Vec<f64>,
    /// The number of games for each pair of players, or 0 for none.
    pub games: u64,
    /// Whether each pair is also followed position by position.
    pub exact: bool,
    pub seed: u64,
    /// The number of moves by the winner after which a game is stopped and counts as not won.
    pub longest_game: u32,
}

/// The results of a study. Depths are in moves of the winning side, which is White. The indices are
/// depths.
#[derive(Clone, Debug)]
pub struct Study {
    pub plan: EndgamePlan,
    pub deepest: usize,
    /// The number of won positions on the full board, with White to move and with Black to move.
    pub white_to_move: Vec<u64>,
    pub black_to_move: Vec<u64>,
    /// The c* of theorem 7, and the depth that determines it.
    pub critical: Option<(f64, usize)>,
    pub averages: Vec<Average>,
    /// The transition matrices of the players.
    pub matrices: Vec<Matrices>,
    /// A position with the longest win, from which games are played.
    pub start: String,
    pub trials: Vec<TrialResult>,
    /// The same pairs of players, followed exactly if possible.
    pub courses: Vec<Course>,
}

/// The averaged chains of one competence.
#[derive(Clone, Debug)]
pub struct Average {
    pub competence: f64,
    /// The expected depth after one move by a fallible White (Black) from each depth.
    pub after_white: Vec<f64>,
    pub after_black: Vec<f64>,
    /// The expected depth after n moves of a fallible White from the deepest position, for n from
    /// 0 to 100.
    pub expected_depth: Vec<f64>,
    /// The probability of a win within n moves from the deepest position.
    pub won_within: Vec<f64>,
    /// The expected number of White's moves from each depth to the end.
    pub expected_moves: Vec<f64>,
}

/// The transition probabilities of one move: row i is the distribution after a move from depth i.
#[derive(Clone, Debug)]
pub struct Matrices {
    pub competence: f64,
    /// MW_c and MB_c of the paper.
    pub white: Matrix,
    pub black: Matrix,
}

/// The results of games between two competences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialResult {
    pub winner: f64,
    pub loser: f64,
    /// The winner's number of moves in the won games.
    pub moves: MeanEstimate,
    pub within_50: MeanEstimate,
    /// The number of games that were not won within [`EndgamePlan::longest_game`] moves.
    pub unfinished: u64,
}

impl TrialResult {
    /// The winner's mean number of moves. Unknown if a game was not won, because the mean of the others is too low.
    pub fn moves_to_win(&self) -> Option<MeanEstimate> {
        (self.unfinished == 0).then_some(self.moves)
    }
}

/// Runs a study. `progress` receives the completed fraction, from 0 to 1.
pub fn study(
    plan: EndgamePlan,
    tables: &Tables,
    progress: &mut dyn FnMut(f64),
) -> Result<Study, MissingTable> {
    let metric = plan.metric.stored_for(plan.material);
    let missing = MissingTable(TableKey { material: plan.material, metric });
    let table = tables.table(plan.material, metric).ok_or(missing.clone())?;
    let endgame = Endgame::new(&table, tables)?;
    let (white_to_move, black_to_move) =
        (endgame.counts(Colour::White), endgame.counts(Colour::Black));
    let critical = endgame.critical_competence(plan.kappa, 1_000.0);
    let plies_to_win = |entry: &TablePosition| match (entry.turn, entry.outcome) {
        (Colour::White, Outcome::Win(plies)) => Some(plies),
        _ => None,
    };
    let longest = table.entries().filter(|e| plies_to_win(e).is_some()).max_by_key(plies_to_win);
    let start = longest.map(|entry| table.layout.fen(&entry.squares, entry.turn));
    let matrices = |&competence: &f64| Matrices {
        competence,
        white: endgame.white(competence, plan.kappa),
        black: endgame.black(competence, plan.kappa),
    };
    let mut study = Study {
        deepest: endgame.deepest,
        white_to_move,
        black_to_move,
        critical,
        averages: Vec::new(),
        matrices: plan.players.iter().map(matrices).collect(),
        start: start.unwrap_or_default(),
        trials: Vec::new(),
        courses: Vec::new(),
        plan,
    };
    let pairs = study.plan.pairs();
    let walk = if study.plan.exact { Walk::new(&table, tables)? } else { None };
    let played = if study.plan.games > 0 { pairs.len() } else { 0 };
    let followed = walk.as_ref().map_or(0, |_| pairs.len());
    let steps = (study.plan.competences.len() + played + followed).max(1) as f64;
    for &competence in &study.plan.competences {
        study.averages.push(Average::new(&endgame, competence, study.plan.kappa));
        progress(study.averages.len() as f64 / steps);
    }
    let Ok(start) = Position::from_fen(&study.start, false) else { return Ok(study) };
    for &(winner, loser) in pairs.iter().take(played) {
        let trial = study.plan.play(tables, &start, winner, loser).ok_or(missing.clone())?;
        study.trials.push(trial);
        progress((study.averages.len() + study.trials.len()) as f64 / steps);
    }
    for (winner, loser) in pairs {
        let kappa = study.plan.kappa;
        let follow = |walk: &Walk| walk.follow(&table, &start, winner, loser, kappa);
        study.courses.extend(walk.as_ref().and_then(follow));
        let done = study.averages.len() + study.trials.len() + study.courses.len();
        progress(done as f64 / steps);
    }
    Ok(study)
}

impl EndgamePlan {
    /// The pairs of players: each player against perfect play, on either side, and each against
    /// every player, including itself.
    pub fn pairs(&self) -> Vec<(f64, f64)> {
        let players = || self.players.iter().copied();
        let mut pairs: Vec<(f64, f64)> = players().map(|c| (c, f64::INFINITY)).collect();
        pairs.extend(players().map(|c| (f64::INFINITY, c)));
        pairs.extend(players().flat_map(|winner| players().map(move |loser| (winner, loser))));
        pairs
    }

    fn play(
        &self,
        tables: &Tables,
        start: &Position,
        winner: f64,
        loser: f64,
    ) -> Option<TrialResult> {
        let player = |competence| Rfep {
            kappa: self.kappa,
            metric: self.metric,
            ..Rfep::as_published(competence)
        };
        let trial = Trial {
            winner: player(winner),
            loser: player(loser),
            goal: self.metric,
            games: self.games,
            seed: self.seed,
            longest: self.longest_game,
        };
        let played = trial.play(tables, start)?;
        Some(TrialResult {
            winner,
            loser,
            moves: played.mean_moves(),
            within_50: played.share_within(50),
            unfinished: played.unfinished,
        })
    }
}

impl Average {
    fn new(endgame: &Endgame, competence: f64, kappa: f64) -> Average {
        let white = endgame.white(competence, kappa);
        let black = endgame.black(competence, kappa);
        let chain = markov::product(&white, &markov::infallible(white.len()));
        let mut state = vec![0.0; white.len()];
        state[endgame.deepest] = 1.0;
        let mut expected_depth = Vec::new();
        let mut won_within = Vec::new();
        for _ in 0..=HORIZON {
            let depths = state.iter().enumerate();
            expected_depth.push(depths.map(|(depth, p)| depth as f64 * p).sum());
            won_within.push(state[0]);
            state = markov::step(&state, &chain);
        }
        Average {
            competence,
            after_white: markov::expected_depths(&white),
            after_black: markov::expected_depths(&black),
            expected_depth,
            won_within,
            expected_moves: markov::expected_moves(&chain),
        }
    }
}

/// The players in a trial, as winner and loser, and the conditions that end a game.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub winner: Rfep,
    pub loser: Rfep,
    /// A game ends when this goal is reached.
    pub goal: Metric,
    pub games: u64,
    pub seed: u64,
    /// If the winner needs more moves than this, a game is stopped and counts as not won.
    pub longest: u32,
}

/// The games of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialGames {
    /// The winner's number of moves in each game that reached the goal, in order of play.
    pub moves: Vec<u32>,
    /// The number of games in which the win was given away, or that took too long.
    pub unfinished: u64,
}

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanEstimate {
    pub value: f64,
    pub error: f64,
    pub count: usize,
}

impl Trial {
    /// Plays from a decided position. Returns `None` if a table is missing or the position is
    /// drawn.
    pub fn play(&self, tables: &Tables, start: &Position) -> Option<TrialGames> {
        let result = tables.result(start).filter(|&result| result != TableResult::Draw)?;
        let winner_begins = result == TableResult::Win;
        let mut played = TrialGames::default();
        for game in 0..self.games {
            match self.game(tables, start, winner_begins, game)? {
                Some(moves) => played.moves.push(moves),
                None => played.unfinished += 1,
            }
        }
        Some(played)
    }

    /// Plays one game. The inner value is the winner's number of moves to the goal, or `None` if
    /// the goal was not reached.
    fn game(
        &self,
        tables: &Tables,
        start: &Position,
        winner_begins: bool,
        game: u64,
    ) -> Option<Option<u32>> {
        let mut position = start.clone();
        let mut keys = Vec::new();
        let mut moves = 0;
        let mut winners_turn = winner_begins;
        for ply in 0.. {
            let player = if winners_turn { &self.winner } else { &self.loser };
            let occasion = Occasion { seed: self.seed, game, ply };
            let mut stream = Stream::new(occasion, Purpose::Simulation);
            let Some(mv) = choose(tables, &position, player, &keys, &mut stream)? else {
                let mated = position.in_check() && !winners_turn;
                return Some(mated.then_some(moves));
            };
            moves += u32::from(winners_turn);
            keys.push(position.key());
            position.play(mv);
            if Metric::Dtz.is_reached_by(mv) {
                keys.clear();
            }
            winners_turn = !winners_turn;
            let wanted = if winners_turn { TableResult::Win } else { TableResult::Loss };
            if tables.result(&position)? != wanted {
                return Some(None);
            }
            if self.goal.is_reached_by(mv) {
                return Some(Some(moves));
            }
            if moves > self.longest {
                return Some(None);
            }
        }
        None
    }
}

/// Draws a player's move. The inner value is `None` if there is no move to choose. `keys` are the
/// earlier positions, as far back as the fifty-move counter reaches.
pub fn choose(
    tables: &Tables,
    position: &Position,
    player: &Rfep,
    keys: &[u64],
    stream: &mut Stream,
) -> Option<Option<Move>> {
    let report = tables.report(position)?;
    let past = RepetitionHistory::new(position, keys);
    let ln = player.ln_probabilities(&report, position.halfmoves(), Some(&past));
    let weights: Vec<f64> = ln.into_iter().map(exp).collect();
    Some(stream.index(&weights).map(|index| report.moves[index].mv))
}

impl TrialGames {
    pub fn mean_moves(&self) -> MeanEstimate {
        let numbers: Vec<f64> = self.moves.iter().map(|&moves| f64::from(moves)).collect();
        MeanEstimate::mean(&numbers)
    }

    /// The fraction of games that reached the goal within `moves` moves by the winner.
    pub fn share_within(&self, moves: u32) -> MeanEstimate {
        let mut hits: Vec<f64> =
            self.moves.iter().map(|&m| f64::from(u8::from(m <= moves))).collect();
        hits.resize(self.moves.len() + self.unfinished as usize, 0.0);
        MeanEstimate::mean(&hits)
    }
}

impl MeanEstimate {
    fn mean(numbers: &[f64]) -> MeanEstimate {
        let count = numbers.len();
        let n = count as f64;
        let value = numbers.iter().sum::<f64>() / n;
        let squares: f64 = numbers.iter().map(|x| (x - value) * (x - value)).sum();
        MeanEstimate { value, error: (squares / (n - 1.0) / n).sqrt(), count }
    }
}
