//! `profile --add` makes an opponent from games, and every front end lists the opponent at once.

use std::fs;
use std::path::PathBuf;

use crate::common::{Engine, Finished, Folder, run_with_input};

/// Ann's games, with clock times if there is a time control.
fn games(count: usize, time_control: &str) -> String {
    let clock = |ply: usize| match time_control {
        "" => String::new(),
        // Ten seconds for each move by Ann, and one for each move by Bob.
        _ => {
            let left = 600 - if ply.is_multiple_of(2) { 10 * (ply / 2) } else { ply / 2 };
            format!("{{[%clk 0:{:02}:{:02}]}}", left / 60, left % 60)
        }
    };
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6 Bb3 Ba7 h3 h6 Nbd2 Re8 Nf1 Be6 \
         Bxe6 Rxe6 Ng3 d5 exd5 Qxd5 d4 exd4 Rxe6 fxe6 Nxd4 Nxd4 cxd4 Bxd4 Be3 Bxe3 Qxd5 Bxf2+ \
         Kxf2 Nxd5";
    let moves = moves.split_whitespace().enumerate();
    let moves: Vec<String> = moves.map(|(ply, san)| format!("{san} {}", clock(ply))).collect();
    let tags = |round: usize| {
        format!(
            "[Round \"{round}\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[TimeControl \"{time_control}\"]\n\n"
        )
    };
    (1..=count).map(|round| tags(round) + &moves.join(" ") + " 1-0\n\n").collect()
}

/// Adds Ann with these games, searching one ply.
fn add(folder: &Folder, games: &str, more: &[&str]) -> Finished {
    let games = folder.write("games.pgn", games);
    let words = ["profile", &games, "--player", "Ann", "--depth", "1", "--skip", "2", "--add"];
    run_with_input(folder, &[&words, more].concat(), b"")
}

/// The file that the output names.
fn saved_file(finished: &Finished) -> PathBuf {
    assert_eq!(finished.code, 0, "{}", finished.error);
    let line =
        finished.out.lines().find(|line| line.contains(" profile ann in ")).expect("it is printed");
    PathBuf::from(line.split_once(" in ").expect("a file").1)
}

#[test]
fn an_added_player_is_listed_everywhere_at_once() {
    let folder = Folder::new();
    let added = add(&folder, &games(3, ""), &[]);
    let path = saved_file(&added);
    assert!(
        added.out.contains("Added profile ann")
            && added.out.contains("stopdown play --profile ann")
    );
    for (what, expected) in [
        ("rating", "  rating: "),
        ("openings", "White: 1. e4  3 of 3   100%"),
        ("castling", "castling: kingside in 100% of the games"),
        ("results", "3 won, 0 drawn, 0 lost"),
    ] {
        assert!(added.out.contains(expected), "{what}: {}", added.out);
    }
    let text = fs::read_to_string(&path).expect("it was saved");
    assert!(text.contains("[profiles.ann]") && text.contains("\"3 e4\""), "{text}");

    let chosen = run_with_input(&folder, &["choose", "--profile", "ann", "--json"], b"");
    assert!(chosen.out.contains("\"games\":3"), "{}{}", chosen.out, chosen.error);
    let mut engine = Engine::start_in(folder, &[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    let profiles =
        lines.iter().find(|line| line.starts_with("option name Profile ")).expect("it is listed");
    assert!(profiles.contains(" var ann"), "{profiles}");
    engine.send("setoption name Profile value ann\nucinewgame");
    let said = engine.drain().join("\n");
    assert!(said.contains("Plays as ann. Ann, rated about "), "{said}");
}

#[test]
fn adding_again_replaces_the_player_and_spares_the_users_files() {
    let folder = Folder::new();
    let path = saved_file(&add(&folder, &games(3, ""), &[]));
    let configuration = path.parent().and_then(|players| players.parent()).expect("a folder");
    let own = "# My settings.\n[options]\nHash = 32 # MiB\n\n[profiles.uncle]\ncompetence = 1\n";
    fs::write(configuration.join("engine.toml"), own).expect("it can be written");
    let again = add(&folder, &games(2, ""), &[]);
    assert_eq!(saved_file(&again), path);
    assert!(again.out.contains("Replaced profile ann"), "{}", again.out);
    let text = fs::read_to_string(&path).expect("it exists");
    assert!(text.contains("\"2 e4\"") && !text.contains("\"3 e4\""), "{text}");
    let left = |name: &str| fs::read_to_string(configuration.join(name)).expect("it exists");
    assert_eq!(left("engine.toml"), own);
    let files = fs::read_dir(path.parent().expect("a folder")).expect("it exists").count();
    assert_eq!(files, 1, "another file was left in the folder");
    // The user's own profiles and options remain in force.
    for profile in ["uncle", "ann", "club"] {
        let chosen = run_with_input(&folder, &["choose", "--profile", profile, "--json"], b"");
        assert_eq!(chosen.code, 0, "{profile}: {}", chosen.error);
    }
}

#[test]
fn a_profile_in_the_users_own_file_is_kept_and_reported() {
    let folder = Folder::new();
    let path = saved_file(&add(&folder, &games(3, ""), &[]));
    fs::remove_file(&path).expect("it exists");
    let configuration = path.parent().and_then(|players| players.parent()).expect("a folder");
    fs::write(configuration.join("engine.toml"), "[profiles.ann]\ncompetence = 1\n")
        .expect("writable");
    let added = add(&folder, &games(3, ""), &[]);
    let note = "It takes precedence over the profile of that name in your engine.toml.";
    assert!(added.out.contains(note), "{}", added.out);
}

#[test]
fn a_file_given_by_config_takes_precedence_and_can_mix_added_players() {
    let folder = Folder::new();
    let added = add(&folder, &games(3, ""), &[]);
    let file = folder
        .write("own.toml", "[profiles.Ann]\ncompetence = 1\n\n[profiles.uncle]\ncompetence = 2\n");
    let choose = |file: &str, profile: &str| {
        let words = ["--config", file, "choose", "--profile", profile, "--depth", "1", "--json"];
        run_with_input(&folder, &words, b"")
    };
    let chosen = choose(&file, "ann");
    assert!(chosen.out.contains("\"competence\":1.0,"), "{}{}", chosen.out, chosen.error);
    // A mix in the user's own file can name a player that has been added.
    let mix = "mix = [{ profile = \"ann\", weight = 1 }, { profile = \"club\", weight = 1 }]";
    let mixed = folder.write("mix.toml", &format!("[profiles.two]\n{mix}\n"));
    for profile in ["two", "ann"] {
        let chosen = choose(&mixed, profile);
        assert_eq!(chosen.code, 0, "{profile}: {}", chosen.error);
        assert!(!chosen.out.contains("\"competence\":1.0,"), "{}", chosen.out);
    }
    // Adding the player again says that the file is used instead.
    let path = saved_file(&added);
    let words =
        ["--config", &file, "profile", "games.pgn", "--player", "Ann", "--add", "--depth", "1"];
    folder.write("games.pgn", &games(2, ""));
    let again = run_with_input(&folder, &words, b"");
    assert_eq!(saved_file(&again), path);
    assert!(again.out.contains("--config takes precedence"), "{}", again.out);
}

#[test]
fn pace_comes_from_the_clocks() {
    let folder = Folder::new();
    let added = add(&folder, &games(3, "600+0"), &[]);
    let text = fs::read_to_string(saved_file(&added)).expect("it was saved");
    assert!(added.out.contains("  pace: 10.0 s per move"), "{}", added.out);
    assert!(text.contains("\nthinking-time = "), "{text}");
    let without = add(&folder, &games(3, ""), &[]);
    let text = fs::read_to_string(saved_file(&without)).expect("it was saved");
    assert!(!text.contains("thinking-time"), "{text}");
}

#[test]
fn built_in_names_are_refused() {
    let folder = Folder::new();
    let refused = add(&folder, &games(3, ""), &["--name", "Club"]);
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("club is a built-in profile"), "{}", refused.error);
    assert!(!folder.path().join("stopdown").exists(), "nothing was written");
}

#[test]
fn names_without_letters_are_refused() {
    let folder = Folder::new();
    for name in ["", "\u{1f642}"] {
        let refused = add(&folder, &games(3, ""), &["--name", name]);
        assert_eq!(refused.code, 2, "{}", refused.out);
        let expected =
            format!("\"{name}\" cannot be the name of a profile; use at least one letter");
        assert!(refused.error.contains(&expected), "{}", refused.error);
    }
    assert!(!folder.path().join("stopdown").exists(), "nothing was written");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_games_are_read() {
    let folder = Folder::new();
    folder.write("stopdown", "a file in the place of the configuration folder");
    let missing = ["profile", "missing.pgn", "--player", "Ann", "--add"];
    let refused = run_with_input(&folder, &missing, b"");
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("cannot write"), "{}", refused.error);
    assert!(refused.error.contains("players"), "{}", refused.error);
}

#[test]
fn a_broken_players_file_is_named_with_its_line_and_left_out() {
    let folder = Folder::new();
    let path = saved_file(&add(&folder, &games(3, ""), &[]));
    let other = path.with_file_name("bob.toml");
    fs::write(other, "[profiles.bob]\nelo = 1500\n").expect("the folder is ours");
    for (text, mistake) in [
        ("[profiles.ann]\nelo = \"high\"\n", "ann.toml:2: profile \"ann\": elo"),
        ("[profiles.ann]\nelo = 1500\n\n[options]\nHash = 1\n", "ann.toml:4: unknown section"),
        ("[profiles.ann]\nthinking-time = 0\nelo = 1500\n", "thinking-time must be from 0.1 to 10"),
        ("[profiles.ann\n", "ann.toml:1: "),
    ] {
        fs::write(&path, text).expect("it is ours");
        let finished = run_with_input(&folder, &["choose", "--profile", "ann"], b"");
        assert_eq!(finished.code, 2, "{text}");
        assert!(finished.error.contains(mistake), "{text}: {}", finished.error);
        let finished = run_with_input(&folder, &["choose", "--profile", "bob"], b"");
        assert_eq!(finished.code, 0, "{text}: {}", finished.error);
    }
    // Over UCI, the error is reported and the engine plays on.
    let mut engine = Engine::start_in(folder, &[]);
    let line = engine.line();
    assert!(line.contains("ann.toml") && line.contains("no players were loaded from it"), "{line}");
    assert_eq!(engine.go("depth 1").best().len(), 4);
}

#[test]
fn added_players_are_offered_over_uci_even_if_engine_toml_is_broken() {
    let folder = Folder::new();
    saved_file(&add(&folder, &games(3, ""), &[]));
    folder.write("engine.toml", "[options]\nHash = \"big\"\n");
    let mut engine = Engine::start_in(folder, &[]);
    let line = engine.line();
    assert!(line.contains("engine.toml:2: ") && line.contains("defaults are used"), "{line}");
    engine.send("uci");
    let lines = std::iter::from_fn(|| Some(engine.line()).filter(|line| line != "uciok"));
    let offers: Vec<String> = lines.filter(|line| line.contains("name Profile ")).collect();
    assert!(offers.len() == 1 && offers[0].contains(" var ann"), "{offers:?}");
}
