//! Players with tables win every won ending in time, regardless of their competence. They hold
//! drawn endings, and report true results.

use std::sync::LazyLock;

use crate::common::{Folder, data};
use crate::mates;
use stopdown::board::{Game, GameEnd, Position, Role};
use stopdown::endgame::{Metric, TableResult, Tables};
use stopdown::player::{
    Aim, Elo, EloScale, Engine, EngineHost, Exploit, ExploitedOpponent, ImitatorConfig,
    ImitatorPlayer, MoveRequest, OpponentKnowledge, Player, Profile, Roster, Sources, StoppedDown,
    TableFolder, Tablebases,
};
use stopdown::search::{BestMove, Controls, Limits, NoObserver, Observer, Report};
use stopdown::value::{Meaning, Value};

static TABLES: LazyLock<Tables> = LazyLock::new(mates::reference);

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen, false).expect(fen))
}

/// An engine with the tables that a position needs.
fn ready(fen: &str) -> EngineHost {
    let mut host = mates::host(TableFolder::Memory, 1);
    let position = game(fen).position().clone();
    host.tablebases.prepare(&position, true);
    host.tablebases.finish();
    assert!(host.tablebases.report(&position).is_some(), "{fen}");
    host
}

fn profile(text: &str, seed: u64) -> Player {
    let roster = Roster::parse(&format!("[profiles.x]\n{text}\n")).expect(text);
    let profile: Profile = roster.get("x").expect("it was written above").clone();
    Player::StoppedDown(Box::new(StoppedDown { profile, seed, game: 1, explain: false }))
}

fn decide(player: &Player, host: &mut EngineHost, game: &Game) -> BestMove {
    decide_within(player, host, game, &Limits::depth(4))
}

fn decide_within(player: &Player, host: &mut EngineHost, game: &Game, limits: &Limits) -> BestMove {
    host.engine = Engine::built_in(1);
    let request = MoveRequest { game, limits, controls: &Controls::new() };
    mates::decide(host, &mut player.clone(), &request, &mut NoObserver).best
}

#[test]
fn every_competence_mates_in_time_without_tables_at_the_start() {
    for name in mates::MATERIALS {
        let mut host = mates::host(TableFolder::Memory, 1);
        let starts = mates::won(&TABLES, name, 12);
        let found = mates::play(&TABLES, &mut host, &starts);
        assert_eq!(found.moves.len(), found.games, "{name}: {:?}", found.failures);
    }
}

#[test]
fn even_a_random_player_mates_with_a_high_halfmove_counter() {
    // A mate in 31 plies, with 31 plies left before the fifty-move rule applies.
    let fen = "8/8/8/8/8/2k5/1R6/K7 w - - 69 80";
    let mut host = ready(fen);
    let mut game = game(fen);
    let random = profile("competence = 0", 3);
    while game.ending().is_none() {
        let best = decide(&random, &mut host, &game);
        game.play(best.mv.expect("the game is not over"));
        if game.ending().is_none() {
            let report = host.tablebases.report(game.position()).expect("it exists");
            game.play(
                report.moves.iter().max_by_key(|m| m.depths.dtm).expect("there is a legal move").mv,
            );
        }
    }
    assert_eq!(game.ending(), Some(GameEnd::Checkmate), "{:?}", game.moves());
}

#[test]
fn a_won_pawn_ending_is_not_drawn_by_repetition() {
    // Many shuffling moves are possible before the pawn moves. Games from these positions used to
    // end in draws.
    for (fen, c) in [("8/1k6/8/8/2K5/3P4/8/8 w - - 0 1", 4), ("8/1k6/8/8/2K5/8/2P5/8 w - - 0 1", 5)]
    {
        let mut host = ready(fen);
        for seed in 1..=30 {
            let player = profile(&format!("competence = {c}"), seed);
            let mut game = game(fen);
            while game.ending().is_none() {
                let white = game.position().turn() == stopdown::board::Colour::White;
                let best = if white {
                    decide(&player, &mut host, &game).mv
                } else {
                    // The defender returns to an earlier position, if possible.
                    let keys = game.repeatable_keys();
                    let moves = game.position().legal_moves();
                    let again = |m: &&_| keys.contains(&game.position().after(**m).key());
                    moves.iter().find(again).or_else(|| moves.first()).copied()
                };
                game.play(best.expect("the game is not over"));
            }
            assert_eq!(game.ending(), Some(GameEnd::Checkmate), "{fen} {seed}");
        }
    }
}

#[test]
fn full_strength_plays_and_reports_the_quickest_mate() {
    struct Lines(Vec<Report>);
    impl Observer for Lines {
        fn line(&mut self, report: &Report) {
            self.0.push(report.clone());
        }
    }
    let fen = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";
    let mut host = ready(fen);
    let game = game(fen);
    let mut lines = Lines(Vec::new());
    let limits = Limits { lines: 3, ..Limits::default() };
    let mut player = Player::FullStrength;
    let request = MoveRequest { game: &game, limits: &limits, controls: &Controls::new() };
    let best = mates::decide(&mut host, &mut player, &request, &mut lines).best;
    let plies = TABLES.probe(game.position(), Metric::Dtm).and_then(|o| o.plies()).expect("won");
    assert_eq!(best.value, Value::mate_in(usize::from(plies)));
    assert_eq!(lines.0.len(), 3);
    assert!(lines.0.windows(2).all(|pair| pair[0].value >= pair[1].value));
    for report in &lines.0 {
        let mut end = game.clone();
        report.line.iter().for_each(|&m| end.play(m));
        assert_eq!(end.ending(), Some(GameEnd::Checkmate), "the line does not end in mate");
        assert_eq!(report.value, Value::mate_in(report.line.len()));
    }
    // `searchmoves` is respected, although better moves are known.
    let worse = lines.0[2].line[0];
    let limits = Limits { moves: vec![worse], ..Limits::default() };
    assert_eq!(decide_within(&player, &mut host, &game, &limits).mv, Some(worse));
}

#[test]
fn syzygy_files_alone_win_at_any_strength() {
    let Some(path) = data("syzygy") else { return };
    let tablebases = Tablebases::new(Sources {
        syzygy: path.display().to_string(),
        probe_limit: 7,
        fifty_moves: true,
        own: TableFolder::Off,
    });
    let mut host = EngineHost::new(Engine::built_in(1));
    host.tablebases = tablebases;
    let limits = Limits::nodes(500);
    for (number, start) in mates::won(&TABLES, "KBNK", 8).iter().enumerate() {
        let mut player =
            if number % 2 == 0 { Player::FullStrength } else { mates::player(number as f64) };
        let mut game = Game::new(start.clone());
        while game.ending().is_none() {
            let mv = if game.position().turn() == start.turn() {
                let controls = &Controls::new();
                let request = MoveRequest { game: &game, limits: &limits, controls };
                let best = mates::decide(&mut host, &mut player, &request, &mut NoObserver).best;
                assert_eq!(best.value.raw().signum(), 1, "the win was lost: {}", start.fen());
                best.mv.expect("the game is not over")
            } else {
                mates::defend(&TABLES, &game, number / 2)
            };
            game.play(mv);
        }
        let moves = game.moves();
        assert_eq!(game.ending(), Some(GameEnd::Checkmate), "{player}, {}: {moves:?}", start.fen());
    }
}

#[test]
fn results_without_distances_are_kept_and_won() {
    let Some(path) = data("syzygy") else { return };
    let folder = Folder::new();
    for name in ["KQvKR", "KQvK", "KRvK", "KRvKQ"] {
        let file = format!("{name}.rtbw");
        if path.join(&file).exists() {
            std::fs::copy(path.join(&file), folder.path().join(&file)).expect("there is room");
        }
    }
    let mut host = EngineHost::new(Engine::built_in(1));
    host.tablebases = Tablebases::new(Sources {
        syzygy: folder.path().display().to_string(),
        probe_limit: 7,
        fifty_moves: true,
        own: TableFolder::Off,
    });
    let player = |seed| profile("curve = \"human\"\nrating = 1000\ndepth = 6", seed);
    let mate = game("7k/8/6K1/8/8/8/8/R7 w - - 0 1");
    let report = host.tablebases.report(mate.position()).expect("there are results");
    // Only the distances of mates are known.
    assert!(report.moves.iter().any(|m| m.depths.dtz.is_none()));
    for seed in 1..=5 {
        let best = decide(&player(seed), &mut host, &mate);
        assert_eq!(best.mv.map(|mv| mate.position().uci(mv).to_string()).as_deref(), Some("a1a8"));
    }
    let won = game("8/8/2k5/8/8/8/5r2/Q2K4 w - - 0 1");
    let report = host.tablebases.report(won.position()).expect("there are results");
    assert_eq!(report.result, TableResult::Win);
    for seed in 1..=5 {
        let best = decide(&player(seed), &mut host, &won).mv;
        let result = report.moves.iter().find(|m| Some(m.mv) == best).map(|m| m.result);
        assert_eq!(result, Some(TableResult::Win), "{seed}");
    }
}

#[test]
fn a_win_beyond_the_fifty_move_rule_is_reported_as_a_draw() {
    for (halfmoves, is_won) in [(60, true), (95, false)] {
        let fen = format!("8/8/8/3k4/8/8/8/R3K3 w - - {halfmoves} 80");
        let mut host = ready(&fen);
        for player in [Player::FullStrength, profile("competence = 5", 1)] {
            let best = decide(&player, &mut host, &game(&fen));
            assert_eq!(best.value > Value::DRAW, is_won, "{player} {halfmoves}: {:?}", best.value);
            assert!(is_won || best.value == Value::DRAW, "{player}: {:?}", best.value);
        }
    }
}

#[test]
fn players_who_keep_results_hold_draws() {
    // The only drawing move is the king's straight retreat.
    let fen = "8/8/4k3/8/3PK3/8/8/8 b - - 0 1";
    let mut host = ready(fen);
    let game = game(fen);
    let report = host.tablebases.report(game.position()).expect("it exists");
    assert_eq!(report.result, TableResult::Draw);
    let loses: Vec<_> =
        report.moves.iter().filter(|m| m.result == TableResult::Loss).map(|m| m.mv).collect();
    assert!(!loses.is_empty());
    let losses = |text: &str, host: &mut EngineHost| {
        let chosen = (1..=40).map(|seed| decide(&profile(text, seed), host, &game));
        chosen.filter(|best| loses.contains(&best.mv.expect("there is a move"))).count()
    };
    let random = "competence = 0\ndepth = 1";
    assert_eq!(losses(random, &mut host), 0);
    for rule in ["free", "blind"] {
        assert!(losses(&format!("{random}\nendgame = \"{rule}\""), &mut host) > 0, "{rule}");
    }
}

#[test]
fn players_mate_with_a_rook_about_as_fast_as_humans() {
    let fen = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";
    let mut host = ready(fen);
    let mut moves = |rating: u32| {
        let mut length = |seed| {
            let winner = profile(&format!("curve = \"human\"\nrating = {rating}"), seed);
            let mut game = game(fen);
            while game.ending().is_none() {
                let is_winner = game.position().turn().is_white();
                let player = if is_winner { &winner } else { &Player::FullStrength };
                game.play(decide(player, &mut host, &game).mv.expect("the game goes on"));
            }
            assert_eq!(game.ending(), Some(GameEnd::Checkmate));
            game.ply().div_ceil(2)
        };
        (1..=12).map(&mut length).sum::<usize>() as f64 / 12.0
    };
    let (weak, middle, strong) = (moves(800), moves(1200), moves(2000));
    assert!(strong <= middle && middle <= weak, "{weak} {middle} {strong}");
    assert!(
        (15.0..=25.0).contains(&middle) && weak < 40.0 && strong < 18.0,
        "{weak} {middle} {strong}"
    );
}

#[test]
fn a_move_depends_only_on_seed_and_ply() {
    let fen = "8/8/8/8/8/1k6/8/K1Q5 w - - 0 1";
    let mut host = ready(fen);
    let play = |seed, host: &mut EngineHost| {
        let mut game = game(fen);
        let player = profile("competence = 1", seed);
        while game.ending().is_none() && game.ply() < 20 {
            game.play(decide(&player, host, &game).mv.expect("the game is not over"));
        }
        game.moves().to_vec()
    };
    assert_eq!(play(1, &mut host), play(1, &mut host));
    assert_ne!(play(1, &mut host), play(2, &mut host));
}

#[test]
fn curves_without_a_power_law_exponent_get_an_equivalent() {
    // Regan's curve gets the exponent 1/s: with a small sensitivity the player mates sooner, and
    // with an exponent of zero it plays at random.
    let fen = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";
    let mut host = ready(fen);
    let left = |text: &str, host: &mut EngineHost| {
        let depth = |seed| {
            let best = decide(&profile(text, seed), host, &game(fen));
            let mut after = game(fen).position().clone();
            after.play(best.mv.expect("there is a move"));
            TABLES.probe(&after, Metric::Dtm).and_then(|o| o.plies()).expect("still won")
        };
        (1..=60).map(depth).map(u32::from).sum::<u32>()
    };
    let regan = |s: &str, c: &str| {
        format!("curve = \"regan\"\nsensitivity = {s}\nconsistency = {c}\ndepth = 1")
    };
    let [sharp, dull, random] = [regan("0.01", "0.5"), regan("0.3", "0.5"), regan("0.01", "0")];
    let [sharp, dull, random] = [sharp, dull, random].map(|text| left(&text, &mut host));
    assert!(sharp < dull && dull < random, "{sharp} {dull} {random}");
}

#[test]
fn a_pawn_promotes_to_a_queen_except_at_random_or_to_avoid_stalemate() {
    let pieces = |fen: &str, competence: &str| {
        let mut host = ready(fen);
        let text = format!("competence = {competence}\ndepth = 1");
        let moves = (1..=40).map(|seed| decide(&profile(&text, seed), &mut host, &game(fen)).mv);
        let mut found: Vec<_> =
            moves.filter_map(|mv| mv.expect("there is a move").promoted()).collect();
        found.sort();
        found.dedup();
        found
    };
    let queening = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(pieces(queening, "20"), [Role::Queen]);
    assert!(pieces(queening, "0").contains(&Role::Rook));
    // Promoting to a queen is stalemate.
    assert_eq!(pieces("8/5P1k/5K2/8/8/8/8/8 w - - 0 1", "20"), [Role::Rook]);
}

#[test]
fn equally_good_moves_differ_against_a_fallible_opponent() {
    let fen = "8/8/8/8/3k4/8/8/K4R2 b - - 0 1";
    let mut host = ready(fen);
    host.opponent = Some(ExploitedOpponent::rated(Elo(1500.0), EloScale::Fide));
    let game = game(fen);
    let report = host.tablebases.report(game.position()).expect("it exists");
    let deepest = report.moves.iter().filter_map(|m| m.depths.dtm).max();
    let equal: Vec<_> =
        report.moves.iter().filter(|m| m.depths.dtm == deepest).map(|m| m.mv).collect();
    let chosen = [0.5, 40.0].map(|c| {
        host.exploit = Some(Exploit::against(Some(c), true));
        let mv = decide(&Player::FullStrength, &mut host, &game).mv.expect("there is a move");
        game.position().san(mv)
    });
    assert_ne!(chosen[0], chosen[1], "the choice does not depend on the opponent");
    host.exploit = Some(Exploit::against(None, false));
    let mv = decide(&Player::FullStrength, &mut host, &game).mv.expect("there is a move");
    assert!(equal.contains(&mv), "the move is not equally good");
    assert!(matches!(
        decide(&Player::FullStrength, &mut host, &game).value.meaning(),
        Meaning::Mate(_)
    ));
}

#[test]
fn expected_errors_follow_the_imitators_estimate() {
    let fen = "8/8/8/8/3k4/8/8/K4R2 b - - 0 1";
    let mut host = ready(fen);
    let game = game(fen);
    let mut expected = |rating: f64, known_rating: Option<f64>| {
        host.exploit = Some(Exploit::against(known_rating, false));
        let config = ImitatorConfig::with_defaults(Aim::Equal);
        let prior = OpponentKnowledge::new(&config.hypotheses(), Some(Elo(rating)));
        let player = Player::Imitator(Box::new(ImitatorPlayer::new(config, prior)));
        assert!(decide(&player, &mut host, &game).mv.is_some());
        let belief = host.exploit.take().expect("it was set above").belief;
        // The infallible player is very unlikely, but would dominate a mean.
        belief.iter().map(|(c, weight)| c.min(1000.0) * weight).sum::<f64>()
    };
    let (weak, strong) = (expected(1000.0, None), expected(2600.0, None));
    assert!(2.0 * weak < strong, "{weak} {strong}");
    assert_eq!(expected(1000.0, Some(30.0)), 30.0, "the user's setting was ignored");
}
