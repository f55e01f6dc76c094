//! The imitator attributes moves to the right opponent, regardless of what the GUI does to the move
//! list.

use crate::synthetic::{evaluate, play, prior_of_mean, simulation};
use stopdown::board::{Colour, Game};
use stopdown::math::statistics::median;
use stopdown::player::{
    Aim, Elo, EloScale, Hypotheses, Imitator, LevelEstimate, Levels, Observation, OpponentKnowledge,
};
use stopdown::selector::{DepthWeights, Family, Selector};
use stopdown::value::Value;

fn imitator(rating: Option<Elo>) -> Imitator {
    Imitator::new(scale(), 1, OpponentKnowledge::new(&scale(), rating))
}

fn scale() -> Hypotheses {
    Hypotheses::of_rating(Family::LEVELLED, EloScale::Fide, &DepthWeights::deepest())
}

fn game(moves: &[&str]) -> Game {
    Game::from_uci(None, moves.iter().copied(), false).expect("legal moves")
}

fn moves(game: &Game, observations: &[Observation]) -> Vec<String> {
    let mut position = game.start().clone();
    let mut words = Vec::new();
    for (ply, &mv) in game.moves().iter().enumerate() {
        if observations.iter().any(|o| o.ply == ply) {
            words.push(position.uci(mv));
        }
        position.play(mv);
    }
    words
}

/// Evaluates all positions that have not been evaluated yet, each with its own random stream.
fn catch_up(imitator: &mut Imitator, game: &Game, observations: &[Observation]) -> usize {
    let wanted = imitator.wanted(game, observations);
    for (observation, before) in &wanted {
        let evaluation = evaluate(before, &mut simulation(7, before.position().key()));
        imitator.learn(observation, before, &evaluation);
    }
    wanted.len()
}

fn estimate(imitator: &mut Imitator, game: &Game, opponent: Colour) -> LevelEstimate {
    let observations = imitator.observe(game, opponent);
    catch_up(imitator, game, &observations);
    imitator.estimate(&observations)
}

#[test]
fn only_the_opponents_moves_count_from_any_start() {
    let game = game(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]);
    let mut imitator = imitator(None);
    let white = imitator.observe(&game, Colour::White);
    assert_eq!(moves(&game, &white), ["e2e4", "g1f3", "f1b5"]);
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let later = Game::from_uci(Some(fen), ["e8e7", "e2e4", "e7e6"], false).expect("legal");
    let mut fresh = self::imitator(None);
    let black = fresh.observe(&later, Colour::Black);
    assert_eq!(moves(&later, &black), ["e8e7", "e7e6"]);
}

#[test]
fn takebacks_leave_no_trace_and_need_no_second_evaluation() {
    let short = game(&["e2e4", "e7e5"]);
    let long = game(&["e2e4", "e7e5", "d1h5", "b8c6"]);
    let other = game(&["e2e4", "e7e5", "g1f3", "b8c6"]);
    let mut wandering = imitator(None);
    let first = estimate(&mut wandering, &short, Colour::White);
    estimate(&mut wandering, &long, Colour::White);
    let back = wandering.observe(&short, Colour::White);
    assert!(wandering.wanted(&short, &back).is_empty());
    assert_eq!(wandering.estimate(&back), first);
    // The estimate is the same as that of an imitator that saw only the new branch.
    let after = estimate(&mut wandering, &other, Colour::White);
    assert_eq!(after, estimate(&mut imitator(None), &other, Colour::White));
}

#[test]
fn a_position_evaluated_early_is_not_evaluated_again() {
    let before = game(&["e2e4", "e7e5"]);
    let mut imitator = imitator(None);
    let evaluation = evaluate(&before, &mut simulation(7, before.position().key()));
    imitator.expect_reply(&before, &evaluation);
    assert!(imitator.expects_reply(&before));
    for mv in ["g1f3", "d1h5"] {
        let after = game(&["e2e4", "e7e5", mv]);
        let observations = imitator.observe(&after, Colour::White);
        let wanted = imitator.wanted(&after, &observations);
        assert_eq!(wanted.iter().map(|(o, _)| o.ply).collect::<Vec<usize>>(), [0]);
    }
}

#[test]
fn a_new_game_starts_from_the_last_estimate() {
    let long =
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3";
    let long = game(&long.split(' ').collect::<Vec<&str>>());
    let next = game(&["d2d4"]);
    let mut uninformed = imitator(None);
    let learnt = estimate(&mut uninformed, &long, Colour::White);
    let after = estimate(&mut uninformed, &next, Colour::White);
    assert_eq!((uninformed.earlier().informative, after.informative), (learnt.informative, 1));
    let mut informed = imitator(None);
    estimate(&mut informed, &long, Colour::White);
    informed.next_game();
    assert_eq!(estimate(&mut informed, &next, Colour::White), after);
    // The old game is sent once more. Its choices have already been counted.
    let again = estimate(&mut uninformed, &long, Colour::White);
    assert_eq!((again.informative, again.pending), (0, 0));
}

#[test]
fn a_repeated_opening_counts_once_however_many_games_are_played() {
    let mut imitator = imitator(None);
    let opening = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"];
    let first = estimate(&mut imitator, &game(&opening), Colour::White);
    assert_eq!(first.informative, 3);
    // Long enough to fill the list of remembered choices several times.
    for number in 0..60 {
        let mut stream = simulation(5, number);
        let mut long = game(&opening);
        for _ in 0..16 {
            let moves = long.position().legal_moves();
            long.play(moves[stream.index(&vec![1.0; moves.len()]).expect("a move")]);
        }
        imitator.next_game();
        let observations = imitator.observe(&long, Colour::White);
        assert!(imitator.wanted(&long, &observations).iter().all(|(o, _)| o.ply > 4), "{number}");
        estimate(&mut imitator, &long, Colour::White);
    }
}

#[test]
fn the_level_moves_in_small_steps_across_games() {
    let mut imitator = imitator(None);
    let first = imitator.estimate(&[]).level.0;
    let mut last = first;
    // These games are so short that the level lags behind the estimate.
    for mv in ["a2a3", "h2h3", "a2a4", "h2h4", "b1a3", "g1h3"] {
        let game = game(&[mv]);
        let observations = imitator.observe(&game, Colour::White);
        let mut evaluation = evaluate(&Game::default(), &mut simulation(7, 1));
        // The opponent plays by far the worst move.
        for m in &mut evaluation.moves {
            let pawns = if m.mv == observations[0].mv { -9 } else { 0 };
            m.by_depth[0].value = Value::centipawns(100 * pawns);
        }
        imitator.learn(&observations[0], &Game::default(), &evaluation);
        let LevelEstimate { level, posterior, .. } = imitator.estimate(&observations);
        assert!((level.0 - last).abs() <= 100.0 + 1e-9, "{last} to {level}, {}", posterior.mean());
        last = level.0;
        imitator.next_game();
        assert_eq!(imitator.estimate(&[]).level.0, last);
    }
    assert!(last < first - 599.0, "{first} to {last}");
    // An imitator that remembers the opponent from these games goes on from the same level.
    let remembering = Imitator::new(scale(), 1, imitator.earlier().clone());
    let level = remembering.estimate(&[]).level.0;
    assert!((level - last).abs() < 1e-9, "{level} instead of {last}");
}

#[test]
fn swapping_colours_keeps_each_move_with_its_player() {
    let mut imitator = imitator(None);
    // The opponent is White and we reply. Then the colours are swapped and we play White's third
    // move.
    let before = game(&["e2e4"]);
    imitator.observe(&before, Colour::White);
    imitator.played(&before, before.position().parse_uci("e7e5").expect("legal"));
    let before = game(&["e2e4", "e7e5", "g1f3", "b8c6"]);
    imitator.observe(&game(&["e2e4", "e7e5", "g1f3"]), Colour::White);
    imitator.played(&before, before.position().parse_uci("f1b5").expect("legal"));
    let now = game(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]);
    let observations = imitator.observe(&now, Colour::Black);
    assert_eq!(moves(&now, &observations), ["e2e4", "g1f3", "b8c6", "a7a6"]);
}

#[test]
fn moves_are_inferred_when_a_gui_sends_only_positions() {
    let bare = |game: &Game| Game::new(game.position().clone());
    let mut imitator = imitator(None);
    let mut sent = Vec::new();
    let mut whole = Game::default();
    for pair in [["e2e4", "e7e5"], ["g1f3", "b8c6"], ["f1b5", "a7a6"]] {
        whole.play(whole.position().parse_uci(pair[0]).expect("legal"));
        let joined = imitator.joined(&bare(&whole));
        sent = moves(&joined, &imitator.observe(&joined, Colour::White));
        let answer = whole.position().parse_uci(pair[1]).expect("legal");
        imitator.played(&joined, answer);
        whole.play(answer);
    }
    // Moves before the first position are unknown.
    assert_eq!(sent, ["g1f3", "f1b5"]);
    // The opponent's last move is taken back and replaced. Then a position from another game
    // arrives.
    let other = game(&["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"]);
    let joined = imitator.joined(&bare(&other));
    assert_eq!(moves(&joined, &imitator.observe(&joined, Colour::White)), ["g1f3", "f1c4"]);
    let foreign = bare(&game(&["d2d4", "d7d5", "c2c4"]));
    assert!(imitator.joined(&foreign).moves().is_empty());
}

#[test]
fn a_forced_move_is_uninformative_and_missing_evaluations_wait() {
    let fen = "7k/5Q2/8/8/8/8/8/K6r w - - 0 1";
    let game = Game::from_uci(Some(fen), ["a1b2"], false).expect("legal");
    let mut imitator = imitator(Some(Elo(1300.0)));
    let observations = imitator.observe(&game, Colour::White);
    let waiting = imitator.estimate(&observations);
    assert_eq!((waiting.informative, waiting.pending), (0, 1));
    let legal = game.start().legal_moves().len();
    assert_eq!(catch_up(&mut imitator, &game, &observations), 1);
    let known = imitator.estimate(&observations);
    assert_eq!(known.pending, 0);
    assert_eq!(known.informative, usize::from(legal > 1));
    // Black's only move out of check.
    let fen = "7k/5Q2/8/8/8/8/6r1/K7 b - - 0 1";
    let forced = Game::from_uci(Some("k7/8/1K6/8/8/8/8/7R b - - 0 1"), ["a8b8"], false);
    let forced = forced.unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(forced.start().legal_moves().len(), 1);
    let mut imitator = self::imitator(Some(Elo(1300.0)));
    let result = estimate(&mut imitator, &forced, Colour::Black);
    assert_eq!((result.informative, result.pending), (0, 0));
    assert!((result.level.0 - 1300.0).abs() < 50.0);
}

/// Simulates matches against an opponent with this rating. For each count in `after`, returns our
/// levels once the opponent has made that number of moves.
fn levels(
    opponent: f64,
    prior: &OpponentKnowledge,
    matches: u64,
    after: &[usize],
) -> Vec<Vec<f64>> {
    let levels = Levels::built_in();
    let choices = Selector::new(levels.curve(Family::LEVELLED, Elo(opponent), EloScale::Fide));
    let mut levels = vec![Vec::new(); after.len()];
    for number in 0..matches {
        let mut stream = simulation(31, number);
        let mut imitator = Imitator::new(scale(), 1, prior.clone());
        let mut seen = 0;
        while seen < *after.last().expect("there are counts") {
            let mut game = Game::default();
            let mut last: Option<f64> = None;
            while game.ending().is_none() && game.ply() < 80 {
                let evaluation = evaluate(&game, &mut stream);
                let mv = play(&choices, &evaluation, &mut stream);
                let before = game.clone();
                game.play(mv);
                if before.position().turn() == Colour::Black {
                    imitator.played(&before, mv);
                    continue;
                }
                let observations = imitator.observe(&game, Colour::White);
                imitator.learn(observations.last().expect("a move"), &before, &evaluation);
                seen += 1;
                let level = imitator.estimate(&observations).level.0;
                let jump = last.map_or(0.0, |last| (level - last).abs());
                assert!(jump <= 100.0 + 1e-9, "the level jumped by {jump}");
                last = Some(level);
                if let Some(i) = after.iter().position(|&count| count == seen) {
                    levels[i].push(level);
                }
            }
            imitator.next_game();
        }
    }
    levels
}

/// The median distance between the levels and the opponent's rating.
fn median_distance(levels: &[f64], opponent: f64) -> f64 {
    median(&levels.iter().map(|level| (level - opponent).abs()).collect::<Vec<f64>>())
}

#[test]
fn the_level_finds_an_opponent_600_elo_away() {
    let scale = scale();
    let (lowest, highest) = (scale.points()[0], scale.points()[scale.points().len() - 1]);
    for (opponent, start) in [(lowest, lowest + 600.0), (highest, highest - 600.0)] {
        let belief = prior_of_mean(&scale, start);
        let prior = OpponentKnowledge { belief, ..OpponentKnowledge::new(&scale, None) };
        let levels = levels(opponent, &prior, 100, &[40, 200]);
        let (early, late) =
            (median_distance(&levels[0], opponent), median_distance(&levels[1], opponent));
        assert!(early <= 300.0, "{opponent}: {early} away after 40 moves");
        assert!(late <= 150.0, "{opponent}: {late} away after 200 moves");
    }
}

#[test]
fn a_known_rating_gives_a_close_level_from_the_start() {
    let prior = OpponentKnowledge::new(&scale(), Some(Elo(1300.0)));
    let levels = levels(1300.0, &prior, 20, &[1, 5, 20, 40]);
    for levels in levels {
        assert!(median_distance(&levels, 1300.0) <= 150.0, "{levels:?}");
    }
}

#[test]
fn moves_correct_a_wrong_rating() {
    let scale = scale();
    let prior = OpponentKnowledge::new(&scale, Some(Elo(2500.0)));
    let (low, high) = prior.interval(0.5);
    assert!(low > 2100.0, "the stated rating was ignored: {low} to {high}");
    let (low, high) = prior.interval(0.95);
    assert!(low < 2000.0, "the stated rating was not doubted: {low} to {high}");
    // Between 900 and 2500 Elo, c only doubles on this curve, so a move reveals little about the
    // rating.
    let levels = levels(900.0, &prior, 20, &[15, 60]);
    assert!(median_distance(&levels[1], 900.0) <= 250.0, "{levels:?}");
}

#[test]
fn targets_are_relative_to_the_opponent() {
    let opponent = Elo(1500.0);
    assert_eq!(Aim::Equal.level(opponent), opponent);
    assert_eq!(Aim::Offset(-200.0).level(opponent), Elo(1300.0));
    assert!((Aim::Score(0.75).level(opponent).0 - 1690.85).abs() < 0.01);
    assert!(Aim::Score(0.0).level(opponent).0.is_finite());
}
