//! By default, every game in a file is rated on the scale that its own ratings use.

use serde_json::Value as Json;

use crate::common::{Finished, Folder, run_with_input};

const MOVES: &str = "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6\n\
    9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 1-0\n\n";

const LICHESS: &str = "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/AbCd1234\"]\n\
    [White \"Ann\"]\n[Black \"Bob\"]\n[TimeControl \"300+0\"]\n\n";
const CHESSCOM: &str = "[Event \"Live Chess\"]\n[Site \"Chess.com\"]\n[White \"Ann\"]\n[Black \"Cid\"]\n\
    [TimeControl \"600\"]\n\n";
const BOARD: &str = "[Event \"Club\"]\n[Site \"Leeds\"]\n[White \"Ann\"]\n[Black \"Eve\"]\n\n";

fn pgn(heads: &[&str]) -> String {
    let round = |(number, head): (usize, &&str)| format!("[Round \"{number}\"]\n{head}{MOVES}");
    heads.iter().enumerate().map(round).collect()
}

fn rate(folder: &Folder, words: &[&str], input: &str) -> Finished {
    let start = ["rate", "--depth", "1", "--skip", "4"];
    run_with_input(folder, &[&start, words].concat(), input.as_bytes())
}

#[test]
fn games_on_several_scales_get_a_list_for_each() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &pgn(&[BOARD, LICHESS, LICHESS, CHESSCOM]));
    let finished = rate(&folder, &[&games, "--json"], "");
    let players = finished.out.lines().map(|line| {
        let json: Json = serde_json::from_str(line).expect(line);
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        (text("scale"), text("name"))
    });
    let mut players: Vec<(String, String)> = players.collect();
    players.sort();
    let expected = [
        ("Chesscom-Rapid", "Ann"),
        ("Chesscom-Rapid", "Cid"),
        ("FIDE", "Ann"),
        ("FIDE", "Eve"),
        ("Lichess-Blitz", "Ann"),
        ("Lichess-Blitz", "Bob"),
    ];
    assert_eq!(players, expected.map(|(scale, name)| (scale.to_owned(), name.to_owned())));
    let lists = rate(&folder, &[&games], "").out;
    // Each list is below the name of its scale. The scale with the most games comes first.
    let lines: Vec<&str> = lists.lines().collect();
    let headings = lines.windows(2).filter(|pair| pair[1].starts_with("player "));
    let mut headings: Vec<&str> = headings.map(|pair| pair[0]).collect();
    assert_eq!(lines[0], "Lichess-Blitz", "{lists}");
    headings.sort_unstable();
    let expected = ["Chesscom-Rapid", "FIDE (games over the board)", "Lichess-Blitz"];
    assert_eq!(headings, expected, "{lists}");
    // The notes follow the last list, once.
    assert_eq!(lists.matches("Players with fewer than 20 moves").count(), 1, "{lists}");
    assert!(lines.last().is_some_and(|line| line.contains("are not rated.")), "{lists}");
}

#[test]
fn an_unreadable_game_is_reported_once_for_several_scales() {
    let folder = Folder::new();
    let broken = format!("{BOARD}1. e4 e5 2. Ke3 *\n\n");
    let games = folder.write("games.pgn", &(pgn(&[LICHESS, CHESSCOM]) + &broken));
    let finished = rate(&folder, &[&games], "");
    assert_eq!(finished.code, 2);
    assert_eq!(finished.error.matches("illegal move").count(), 1, "{}", finished.error);
    assert!(finished.error.contains("skipped 1 unreadable game;"), "{}", finished.error);
}

#[test]
fn a_named_scale_applies_to_all_games() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &pgn(&[BOARD, LICHESS, CHESSCOM]));
    let finished = rate(&folder, &[&games, "--scale", "chesscom-blitz"], "");
    let scales = finished.out.matches("Scale: ").count();
    assert_eq!((scales, finished.out.matches("Scale: Chesscom-Blitz").count()), (1, 1));
    // All of Ann's games are rated on that scale.
    assert!(finished.out.contains("Ann"), "{}", finished.out);
}

#[test]
fn a_report_on_games_of_several_scales_says_which_one_it_uses() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &pgn(&[BOARD, LICHESS, LICHESS]));
    let finished = run_with_input(&folder, &["analyse", "--depth", "1", &games], b"");
    let text =
        "several rating scales (2 Lichess-Blitz, 1 FIDE); all are rated on the scale Lichess-Blitz";
    assert!(finished.error.contains(text), "{}", finished.error);
    let alone = folder.write("alone.pgn", &pgn(&[CHESSCOM]));
    let finished = run_with_input(&folder, &["analyse", "--depth", "1", &alone], b"");
    assert!(finished.out.contains("Chesscom-Rapid"), "{}", finished.out);
    assert!(!finished.error.contains("scale"), "{}", finished.error);
}

#[test]
fn standard_input_is_rated_on_the_fide_scale_with_a_warning_if_that_is_wrong() {
    let folder = Folder::new();
    let finished = rate(&folder, &["-"], &pgn(&[LICHESS, BOARD]));
    let text = "1 game is not on the scale FIDE; set --scale";
    assert!(finished.error.contains(text), "{}", finished.error);
    assert!(finished.out.contains("Scale: FIDE"), "{}", finished.out);
    let finished = rate(&folder, &["-"], &pgn(&[BOARD]));
    assert!(!finished.error.contains("not on the scale"), "{}", finished.error);
}

#[test]
fn a_profile_uses_only_the_games_of_the_named_player() {
    let folder = Folder::new();
    let joanne = LICHESS.replace("Ann", "Joanne");
    let games =
        folder.write("games.pgn", &pgn(&[BOARD, BOARD, BOARD, &joanne, &joanne, &joanne, &joanne]));
    let profile = |player: &str, file: &str| {
        let words = ["--skip", "4", "--advantage", "20", "--player", player, "-o", file];
        run_with_input(&folder, &[&["profile", "--depth", "1", &games], &words[..]].concat(), b"")
    };
    let ann = profile("ann", "ann.toml");
    assert_eq!(ann.code, 0, "{}", ann.error);
    assert!(ann.out.contains("FIDE") && !ann.error.contains("several"), "{}{}", ann.out, ann.error);
    // Only the moves of this player are evaluated: three games of ten moves.
    assert!(ann.out.contains("30 counted moves"), "{}", ann.out);
    let joanne = profile("joan", "joanne.toml");
    assert!(joanne.out.contains("Lichess-Blitz"), "{}{}", joanne.out, joanne.error);
    // There is no curve for chess.com. `--no-openings` leaves the openings out of the profile.
    let games = folder.write("online.pgn", &pgn(&[CHESSCOM, CHESSCOM, CHESSCOM]));
    let online = |more: &[&str]| {
        let words =
            ["profile", &games, "--player", "Ann", "--depth", "1", "--skip", "4", "-o", "o.toml"];
        let finished =
            run_with_input(&folder, &[&words[..], &["--advantage", "20"], more].concat(), b"");
        let text = std::fs::read_to_string(folder.path().join("o.toml")).expect(&finished.error);
        (finished.out, text.contains("openings = "))
    };
    let (printed, has_openings) = online(&[]);
    assert!(printed.contains("Lichess-Rapid is equivalent to about"), "{printed}");
    assert!(has_openings && printed.contains("1. e4"), "{printed}");
    let (printed, has_openings) = online(&["--no-openings"]);
    assert!(!has_openings && !printed.contains("1. e4"), "{printed}");
    for (more, has_openings) in [(&[][..], true), (&["--no-openings"], false)] {
        assert_eq!(online(&[&["--curve", "levelled"], more].concat()).1, has_openings, "{more:?}");
    }
    // A name that fits several players is refused before the games are evaluated.
    let both = profile("nn", "both.toml");
    assert!(both.code == 2 && both.error.contains("several players match"), "{}", both.error);
    assert!(!both.error.contains("positions"), "{}", both.error);
}
