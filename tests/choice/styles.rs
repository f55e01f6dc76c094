//! A playing style changes which moves a level likes, and nothing else.

use stopdown::api;
use stopdown::board::{Game, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::player::{
    Elo, EloScale, Engine, Perception, PlayingStyle, Skill, TargetRating, distribution,
};
use stopdown::player::{PlayerSpec, Profile, Roster, Who};
use stopdown::selector::{Distribution, Selector, Values};

const DEPTH: u8 = 4;

/// An open game, a gambit, opposite castling, an endgame and a position with two legal moves.
const POSITIONS: [&str; 5] = [
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "rnbqkbnr/ppp2ppp/8/8/3pP3/2P5/PP3PPP/RNBQKBNR b KQkq - 0 4",
    "2kr1b1r/pp1q1ppp/2n1pn2/3p4/3P1Bb1/2PB1N2/PP1N1PPP/R2Q1RK1 b - - 4 10",
    "8/5pk1/4p1p1/3pP2p/r2P1P1P/6P1/4RK2/8 w - - 0 40",
    "7k/8/8/8/8/8/6q1/K7 w - - 0 50",
];

fn skill(elo: f64) -> Skill {
    let curve = TargetRating::new(Elo(elo), None, EloScale::Fide).curve();
    Skill::new(Selector::new(curve), DEPTH)
}

/// Calls `visitor` with each position, its evaluation, and how much each move loses.
fn visit(mut visitor: impl FnMut(&Game, &RootEvaluation, &[f64])) {
    let mut engine = Engine::built_in(1);
    for fen in POSITIONS {
        let game = Game::new(Position::from_fen(fen, false).expect(fen));
        let evaluation = api::evaluate(&mut engine, &game, DEPTH);
        let losses = Values::of(&evaluation, DEPTH).deltas();
        visitor(&game, &evaluation, &losses);
    }
}

#[test]
fn a_style_keeps_the_expected_loss_of_the_level() {
    let mut changed = 0;
    visit(|game, evaluation, losses| {
        for elo in [600.0, 1500.0, 2100.0, 2800.0] {
            let plain = skill(elo).distribution(game, evaluation);
            for style in PlayingStyle::ALL {
                let styled = Skill { style: Some(style), ..skill(elo) };
                let styled = styled.distribution(game, evaluation);
                let sum: f64 = styled.probabilities().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{style} {elo} {sum}");
                let [before, after] = [&plain, &styled].map(|d| d.expected(losses));
                assert!((before - after).abs() < 1e-6, "{style} {elo} {before} {after}");
                changed += usize::from(styled != plain);
            }
        }
    });
    assert!(changed > 20, "{changed}");
}

#[test]
fn a_level_without_a_style_is_the_bare_curve() {
    visit(|game, evaluation, _| {
        let plain = skill(1500.0);
        let curve = plain.selector.curve;
        let ratings = &[curve.scale()];
        let perception = Perception { depth: DEPTH, family: curve.family(), ratings };
        let values = perception.values(game, evaluation);
        let expected: Distribution = plain.selector.distribution(&values);
        assert_eq!(distribution(game, evaluation, &Profile::plain("", plain), 0), expected);
    });
}

#[test]
fn a_gambiteer_offers_a_pawn_and_a_trader_queens() {
    let mut engine = Engine::built_in(1);
    for (style, fen, text) in [
        (PlayingStyle::Gambiteer, POSITIONS[0], "f2f4"),
        (PlayingStyle::Trader, "3q1rk1/5ppp/8/8/8/8/5PPP/3Q1RK1 w - - 0 25", "d1d8"),
    ] {
        let game = Game::new(Position::from_fen(fen, false).expect(fen));
        let evaluation = api::evaluate(&mut engine, &game, DEPTH);
        let index = evaluation.moves.iter().position(|m| game.position().uci(m.mv) == text);
        let index = index.expect(text);
        let plain = skill(1500.0).distribution(&game, &evaluation);
        let styled = Skill { style: Some(style), ..skill(1500.0) };
        let styled = styled.distribution(&game, &evaluation);
        assert!(styled.probability(index) > plain.probability(index), "{style} {text}");
    }
}

#[test]
fn profiles_and_players_of_matches_have_styles() {
    let roster = Roster::parse(
        "[profiles.tal]\nelo = 2100\nstyle = \"attacker\"\n[profiles.mixed]\n\
         mix = [{ profile = \"tal\", weight = 1 }, { player = { competence = 5 }, weight = 1 }]\n",
    );
    let roster = roster.expect("both are sound");
    let style_of = |name: &str| roster.get(name).expect(name).style();
    assert_eq!(style_of("tal"), Some(PlayingStyle::Attacker));
    assert_eq!(style_of("mixed"), Some(PlayingStyle::Attacker));
    let profile = roster.get("mixed").ok().cloned();
    let spec = PlayerSpec { profile, style: Some(PlayingStyle::Solid), ..PlayerSpec::default() };
    let Ok(Who::Profile(solid)) = spec.player() else { panic!("a profile") };
    let styles = solid.parts().iter().map(|(_, skill)| skill.style);
    assert_eq!(styles.collect::<Vec<_>>(), [Some(PlayingStyle::Solid), None]);
    let bad =
        Roster::parse("[profiles.x]\nelo = 1500\nstyle = \"atacker\"\n").expect_err("unknown");
    assert_eq!(bad.line(), Some(3));
    assert!(bad.to_string().contains("did you mean \"Attacker\"?"), "{bad}");
}
