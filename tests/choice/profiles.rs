//! Profiles are parsed exactly, invalid ones are rejected with a reason, and choices are
//! repeatable.

use crate::synthetic::{evaluate, simulation};
use stopdown::board::Game;
use stopdown::evaluation::RootEvaluation;
use stopdown::math::streams::Occasion;
use stopdown::player::{Elo, EloScale, Levels, Profile, Roster, choose};
use stopdown::policy::GameKind;
use stopdown::selector::Family;

const SHIPPED: &str = include_str!("../../engine.toml");

fn shipped() -> Roster {
    Roster::parse(SHIPPED).expect("the shipped profiles are valid")
}

fn profile(name: &str) -> Profile {
    shipped().get(name).expect("it is shipped").clone()
}

fn occasions(count: u64) -> impl Iterator<Item = Occasion> {
    (0..count).map(|n| Occasion { seed: 5, game: n / 40, ply: n % 40 })
}

#[test]
fn twelve_profiles_are_shipped_with_descriptions() {
    let roster = shipped();
    assert!(roster.iter().count() >= 12);
    assert!(roster.iter().all(|profile| !profile.description.is_empty()));
    assert_eq!(roster.get(" Club "), roster.get("club"));
    // Mixes in a user's file use the profiles in that file. Built-in mixes use the built-in
    // profiles.
    let own = "[profiles.Expert]\nmix = [{ player = { competence = 9 }, weight = 1 }]\n";
    let changed = Roster::of_files(&[SHIPPED, own]).expect("the profiles of a shipped mix exist");
    assert_eq!(changed.iter().count(), roster.iter().count());
    assert_eq!(changed.get("moody"), roster.get("moody"));
    assert_ne!(changed.get("expert"), roster.get("expert"));
    let twice = "[profiles.Fox]\ncompetence = 1\n[profiles.fox]\ncompetence = 2";
    assert_eq!(Roster::parse(twice).expect("one of them counts").iter().count(), 1);
    let nameless = Roster::parse("[profiles.\"\"]\ncompetence = 0").expect_err("no name");
    assert!(nameless.to_string().contains("choose another"), "{nameless}");
    let blank = Roster::parse("[profiles.\" spaced \"]\ncompetence = 0").expect_err("no name");
    assert!(blank.to_string().contains("begins or ends with a space"), "{blank}");
    let forged = "[profiles.\"a\\nuciok\"]\ncompetence = 0";
    let forged = Roster::parse(forged).expect_err("a line break").to_string();
    assert!(forged.contains("line break") && !forged.contains('\n'), "{forged}");
    let mix = "[profiles.two]\nmix = [{ profile = \"Club\", weight = 1 }]";
    let two = Roster::of_files(&[SHIPPED, mix]).expect("names ignore case");
    assert_eq!(
        two.get("two").expect("it exists").parts(),
        roster.get("club").expect("a built-in profile").parts()
    );
    let itself = "[profiles.One]\nmix = [{ profile = \"one\", weight = 1 }]";
    let itself = Roster::parse(itself).expect_err("a mix that contains itself").to_string();
    assert!(itself.contains("cannot contain itself"), "{itself}");
    let missing = roster.get("clubb").expect_err("no such profile").to_string();
    assert_eq!(missing, "unknown profile \"clubb\"; did you mean \"club\"?");
}

/// Loading takes a second. If the time grew with the square of the number of profiles, this would take minutes.
#[test]
fn many_profiles_are_loaded_and_found() {
    let count = 50_000;
    let profile = |n| format!("[profiles.p{n}]\ncompetence = {}\ndepth = 2\n", n % 20);
    let mix = "[profiles.mix]\nmix = [{ profile = \"P7\", weight = 1 }]\n".to_owned();
    let text: String = (0..count).map(profile).chain([mix]).collect();
    let roster = Roster::parse(&text).expect("all profiles are valid");
    assert_eq!(roster.iter().count(), count + 1);
    for n in 0..count {
        assert_eq!(roster.get(&format!("P{n}")).expect("it exists").name, format!("p{n}"));
    }
}

#[test]
fn errors_name_the_profile_and_field() {
    let cases = [
        ("curve = \"softmax\"", "unknown curve \"softmax\""),
        ("competence = nan", "competence cannot be \"nan\""),
        ("competence = 3\nkappa = 0", "kappa cannot be \"0\""),
        ("curve = \"regan\"\nconsistency = 0.5\nsensitivity = 0", "sensitivity cannot be \"0\""),
        (
            "curve = \"regan\"\nconsistency = 0.5\nsensitivity = -0.1",
            "sensitivity cannot be \"-0.1\"; write a number above 0",
        ),
        (
            "curve = \"regan\"\ncompetence = 5",
            "competence is not a parameter of the curve \"regan\"",
        ),
        (
            "curve = \"human\"\nrating = 5000",
            "rating cannot be \"5000\"; write a number from 600 to 3000",
        ),
        ("elo = 1500\ncompetence = 5", "competence cannot be combined with elo"),
        ("elo = 9999", "9999 is out of range: FIDE ratings must be from 400 to 3400"),
        ("elo = nan", "elo cannot be \"nan\"; write a rating"),
        ("competence = 3\nsensitivity = 1", "profile \"x\": sensitivity is not a parameter"),
        ("competence = 3\ndraw = \"move\"", "only a mix can have the key \"draw\""),
        (
            "competence = 3\ndepth = 0",
            "depth cannot be \"0\"; write a number of plies from 1 to 190",
        ),
        ("competence = 3\ndepth = 1000", "depth cannot be \"1000\""),
        ("competence = 3\ndepth-weights = [1, -1]", "weight of depth 2 is -1"),
        ("competence = 3\ndepth-weights = [0, 0]", "add up to zero"),
        ("competence = 3\ndepth-weights = [nan]", "weight of depth 1 is NaN"),
        ("competence = 3\ndepth = 1\ndepth-weights = [1, 1]", "2 depth weights"),
        ("competence = 3\ncolour = 1", "unknown field \"colour\""),
        ("competence = \"high\"", "profile \"x\": competence cannot be \"high\""),
        ("mix = [{ profile = \"x\", weight = 1 }]", "cannot contain itself"),
        ("mix = [{ profile = \"y\", weight = 1 }]", "unknown profile \"y\""),
        ("mix = [{ profile = \"moody\", weight = 1 }]", "\"moody\" is a mix too"),
        ("mix = [{ profile = \"ok\", weight = -1 }]", "weights of a mix"),
        ("mix = [{ profile = \"ok\", weight = inf }]", "weights of a mix"),
        ("mix = [{ profile = \"ok\", weight = 0 }]", "weights of a mix"),
        ("mix = []", "weights of a mix"),
        ("mix = [{ weight = 1 }]", "either a profile or a player"),
        ("mix = [{ profile = \"ok\", player = {}, weight = 1 }]", "either a profile or a player"),
        (
            "mix = [{ player = { competence = 3, seed = 4 }, weight = 1 }]",
            "cannot have its own seed",
        ),
        ("mix = [{ player = { mix = [] }, weight = 1 }]", "cannot have its own mix"),
        (
            "competence = 3\nmix = [{ profile = \"ok\", weight = 1 }]",
            "cannot have its own competence",
        ),
        ("elo = 1500\nmix = [{ profile = \"ok\", weight = 1 }]", "cannot have its own elo"),
    ];
    let rest = "\n[profiles.ok]\ncompetence = 1\n\
                [profiles.moody]\nmix = [{ profile = \"ok\", weight = 1 }]\n";
    for (text, expected) in cases {
        let file = format!("[profiles.x]\n{text}{rest}");
        let error = Roster::parse(&file).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn errors_name_the_line_of_the_field() {
    for (text, line) in [
        ("elo = 9999", 3),
        ("depth = 3\ncurve = \"levelld\"", 4),
        ("elo = 1500\nendgame = \"kept\"", 4),
        ("elo = 1500\nopenings = 3", 4),
        ("draw = \"game\"\nmix = [\n{ profile = \"nobody\", weight = 1 }]", 4),
        ("seed = -1", 3),
        ("elo = \n", 3),
    ] {
        let error = Roster::parse(&format!("\n[profiles.x]\n{text}\n")).expect_err(text);
        assert_eq!(error.line(), Some(line), "{text}: {error}");
    }
}

#[test]
fn a_rating_sets_the_parameters_of_any_curve() {
    let levels = Levels::built_in();
    for (line, family) in
        [("", Family::human(GameKind::Board)), ("curve = \"levelled\"", Family::LEVELLED)]
    {
        let roster = Roster::parse(&format!("[profiles.x]\nelo = 1500\n{line}")).expect("valid");
        let [(_, skill)] = roster.get("x").expect("it exists").parts() else { panic!("a mix") };
        assert_eq!(skill.selector.curve, levels.curve(family, Elo(1500.0), EloScale::Fide));
        assert_eq!(skill.depth, levels.depth);
    }
    // On the human curve, the rating also sets how deep players with this rating look ahead.
    let roster = Roster::parse("[profiles.x]\nrating = 1500\ncurve = \"human\"").expect("valid");
    let [(_, skill)] = roster.get("x").expect("it exists").parts() else { panic!("a mix") };
    assert_eq!((skill.selector.curve.scale(), skill.depth), (1500.0, 12));
}

#[test]
fn every_finite_competence_is_allowed() {
    for c in ["inf", "-inf", "-3.5", "0", "300", "1e300"] {
        let roster = Roster::parse(&format!("[profiles.x]\ncompetence = {c}\n"));
        assert!(roster.is_ok(), "{c}: {roster:?}");
    }
}

#[test]
fn a_choice_depends_only_on_evaluation_profile_and_occasion() {
    let evaluation = evaluate(&Game::default(), &mut simulation(1, 1));
    let mut moves = std::collections::HashSet::new();
    for name in ["beginner", "master", "regan", "moody", "sleepy", "anti-player", "human-1200"] {
        let profile = profile(name);
        for occasion in occasions(50) {
            let once =
                choose(&Game::default(), &evaluation, &profile, occasion).expect("there are moves");
            assert_eq!(
                choose(&Game::default(), &evaluation, &profile, occasion),
                Some(once.clone())
            );
            assert_eq!(evaluation.moves[once.index].mv, once.mv);
            moves.insert(once.mv);
        }
    }
    assert!(moves.len() > 10, "the draws do not vary from game to game");
}

#[test]
fn draws_follow_the_probabilities() {
    let evaluation = evaluate(&Game::default(), &mut simulation(1, 2));
    let profile = profile("club");
    let mut counts = vec![0.0; evaluation.moves.len()];
    let total = 3_000;
    for occasion in occasions(total) {
        counts[choose(&Game::default(), &evaluation, &profile, occasion)
            .expect("there are moves")
            .index] += 1.0;
    }
    let expected = stopdown::player::expectation(&Game::default(), &evaluation, &profile);
    let chi_square: f64 = counts
        .iter()
        .zip(expected.probabilities())
        .map(|(count, p)| (count - p * total as f64).powi(2) / (p * total as f64).max(1.0))
        .sum();
    // With 19 degrees of freedom, chi-squared exceeds 44 by chance once in a thousand runs.
    assert!(chi_square < 44.0, "{chi_square}");
}

#[test]
fn mixes_draw_for_each_game_or_each_move() {
    let (moody, sleepy) = (profile("moody"), profile("sleepy"));
    let mut by_game = [0; 2];
    let mut by_move = [0; 2];
    for game in 0..400 {
        let parts: Vec<usize> =
            (0..20).map(|ply| moody.part_at(Occasion { seed: 9, game, ply })).collect();
        assert!(parts.windows(2).all(|w| w[0] == w[1]), "the player changed during a game");
        by_game[parts[0]] += 1;
        by_move[sleepy.part_at(Occasion { seed: 9, game: 0, ply: game })] += 1;
    }
    assert!((150..250).contains(&by_game[0]), "{by_game:?}");
    assert!((15..55).contains(&by_move[1]), "{by_move:?}");
}

#[test]
fn without_moves_there_is_no_choice() {
    let nothing = RootEvaluation::default();
    for player in shipped().iter() {
        assert_eq!(choose(&Game::default(), &nothing, player, Occasion::default()), None);
    }
}
