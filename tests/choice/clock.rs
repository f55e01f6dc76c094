//! With little time left, a level makes more mistakes. Nothing else depends on the clock.

use std::time::Duration;

use stopdown::api;
use stopdown::board::{Game, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::player::{
    Elo, EloScale, Engine, PlayerSpec, Profile, Roster, Skill, TargetRating, Who, distribution,
};
use stopdown::search::Clock;
use stopdown::selector::{Selector, Values};

const DEPTH: u8 = 6;

/// Middlegames and endgames with better and worse moves.
const POSITIONS: [&str; 8] = [
    "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQK2R w KQkq - 0 6",
    "2kr1b1r/pp1q1ppp/2n1pn2/3p4/3P1Bb1/2PB1N2/PP1N1PPP/R2Q1RK1 b - - 4 10",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/P1N1B3/1PPQB1PP/R4RK1 w - - 0 13",
    "r4rk1/pp1b1ppp/1qn1p3/3pP3/3P4/P2B1N2/1P3PPP/R2Q1RK1 w - - 1 14",
    "3r1rk1/p1q2pbp/1pn1p1p1/2p5/4PP2/2PPBN2/PP1Q2PP/3R1RK1 b - - 0 18",
    "8/5pk1/4p1p1/3pP2p/r2P1P1P/6P1/4RK2/8 w - - 0 40",
    "3r2k1/5ppp/p1n1p3/1p6/4P3/1P3N1P/P4PP1/3R2K1 w - - 0 26",
    "8/1p3k2/p1p2p2/P1P1pP2/1P2P1Kp/7P/8/8 b - - 2 45",
];

/// The most that a good move loses, in scaled pawns.
const GOOD: f64 = 0.3;

fn clock(left: f64) -> Clock {
    let seconds = Duration::from_secs_f64;
    Clock { remaining: Some(seconds(left)), base: Some(seconds(300.0)), ..Clock::default() }
}

fn level(elo: f64) -> Profile {
    let curve = TargetRating::new(Elo(elo), None, EloScale::LichessBlitz).curve();
    Profile::plain("", Skill::new(Selector::new(curve), DEPTH))
}

fn evaluations() -> Vec<(Game, RootEvaluation)> {
    let mut engine = Engine::built_in(1);
    let position = |fen: &str| Game::new(Position::from_fen(fen, false).expect(fen));
    POSITIONS
        .map(|fen| {
            let game = position(fen);
            let evaluation = api::evaluate(&mut engine, &game, DEPTH);
            (game, evaluation)
        })
        .into()
}

/// The share of good moves, summed over the positions.
fn good_moves(evaluations: &[(Game, RootEvaluation)], player: &Profile) -> f64 {
    let share = |(game, evaluation): &(Game, RootEvaluation)| {
        let losses = Values::of(evaluation, DEPTH).deltas();
        let shares = distribution(game, evaluation, player, 0);
        let pairs = losses.iter().zip(shares.probabilities());
        pairs.filter(|(loss, _)| **loss <= GOOD).map(|(_, share)| share).sum::<f64>()
    };
    evaluations.iter().map(share).sum()
}

#[test]
fn good_moves_become_rarer_as_the_time_runs_out() {
    let evaluations = evaluations();
    for elo in [900.0, 1500.0, 2100.0, 2600.0] {
        let player = level(elo);
        let good = [2.0, 5.0, 15.0, 60.0, 300.0]
            .map(|left| good_moves(&evaluations, &player.at_clock(&clock(left))));
        assert!(good.is_sorted_by(|less, more| less < more), "{elo}: {good:?}");
        let usual = good_moves(&evaluations, &player);
        assert!(good[1] < usual && usual < good[4], "{elo}: {usual} {good:?}");
    }
}

#[test]
fn only_a_running_clock_and_a_human_curve_have_an_effect() {
    let player = level(1500.0);
    let per_move = Clock { move_time: Some(Duration::from_secs(1)), ..Clock::default() };
    assert_eq!(*player.at_clock(&Clock::default()), player);
    assert_eq!(*player.at_clock(&per_move), player);
    let hurried = |player: &Profile| player.at_clock(&clock(5.0)).into_owned();
    assert_ne!(hurried(&player), player);
    let steady = player.clone().without_clock_effect();
    assert_eq!(hurried(&steady), steady);
    let roster = Roster::parse("[profiles.haworth]\ncompetence = 5").expect("it is sound");
    let haworth = roster.get("haworth").expect("it is there");
    assert_eq!(hurried(haworth), *haworth);
}

#[test]
fn a_profile_and_a_specification_can_turn_the_effect_off() {
    let text = "[profiles.ann]\nelo = 1500\n[profiles.calm]\nelo = 1500\nclock-effect = false";
    let roster = Roster::parse(text).expect("both are sound");
    let has_effect = |name: &str, clock_effect| {
        let profile = roster.get(name).ok().cloned();
        let spec = PlayerSpec { profile, clock_effect, ..PlayerSpec::default() };
        let Ok(Who::Profile(profile)) = spec.player() else { panic!("a profile") };
        profile.has_clock_effect()
    };
    assert!(has_effect("ann", None) && !has_effect("ann", Some(false)));
    assert!(!has_effect("calm", None) && !has_effect("calm", Some(true)));
    let wrong = Roster::parse("[profiles.x]\nelo = 1500\nclock-effect = 2").expect_err("wrong");
    assert!(wrong.to_string().contains("write true or false"), "{wrong}");
}
