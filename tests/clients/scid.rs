//! Scid: serious games, the options dialog (which sends every option), and its analysis.

use std::path::Path;

use super::common::Folder;
use super::screen::Screen;
use super::traffic::Traffic;
use super::{DrivenProgram, reply_of_a_level};

#[test]
fn games_are_played_at_levels_taken_back_and_analysed() {
    let Some(screen) = Screen::start(&[("scid", "scid"), ("tkscid", "scid")]) else { return };
    let folder = Folder::new();
    let (mut traffic, engine) = Traffic::new(&folder);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/scid.tcl");
    let mut scid = DrivenProgram::start(screen.command("tkscid", folder.path()).arg(script));
    let engine = engine.display();
    scid.ask(&format!("::enginecfg::add [list Stopdown {engine} {{}} {{}} {{}} 0 {{}} 1 {{}}]"));
    // The human can move once the game has started.
    let play = |scid: &mut DrivenProgram, how: &str| {
        scid.ask(&format!("set ::sergame::waitPlayerMove 0; playEngine {how}"));
        scid.ask("when {[info exists ::playMode] && $::sergame::waitPlayerMove}");
    };
    let set_up = |scid: &mut DrivenProgram, fen: &str| {
        scid.ask(&format!("sc_game startBoard {{{fen}}}; ::notify::GameChanged"));
    };

    // An opponent with a rating from the dialog. All other options are sent with their defaults.
    play(&mut scid, "4 0 {UCI_LimitStrength true UCI_Elo 1500}");
    scid.ask("addMoveUCI e2e4");
    traffic.to_engine.until("go depth 4");
    assert_ne!(traffic.answer(), "(none)");
    let levels = traffic.from_engine.recorded("info string Plays ");
    assert!(levels[0].contains("like a player rated about 1500"), "{levels:?}");
    assert!(traffic.to_engine.recorded("setoption name ").len() > 20);
    // The move and its reply are taken back, and the game continues at full strength.
    scid.ask("when {[llength [sc_game moves coord list]] == 2}");
    scid.ask("$::playMode stop");
    scid.ask("::move::Back; ::move::Back");
    play(&mut scid, "4 1 {UCI_LimitStrength false}");
    scid.ask("addMoveUCI d2d4 replace");
    let position = traffic.to_engine.until("position fen rnbqkbnr/pppppppp/8/8/3P4/");
    assert!(position.contains(" b KQkq "), "{position}");
    traffic.to_engine.until("go depth 4");
    traffic.answer();
    let levels = traffic.from_engine.recorded("info string Plays ");
    assert_eq!(levels.len(), 2, "{levels:?}");
    assert!(levels[1].starts_with("info string Plays at full strength."), "{levels:?}");
    scid.ask("$::playMode stop");

    // A game is played to the end.
    set_up(&mut scid, "7K/5k2/8/6q1/8/8/8/8 w - - 0 1");
    play(&mut scid, "4 1 {}");
    scid.ask("addMoveUCI h8h7");
    traffic.to_engine.until("go depth 4");
    traffic.answer();
    scid.ask("when {[string index [sc_game info previousMove] end] eq {#}}");
    scid.ask("$::playMode stop");

    // The level plays the same move as in every other program.
    set_up(&mut scid, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    play(&mut scid, "4 1 {UCI_LimitStrength true UCI_Elo 1500 Seed 7 Depth 4}");
    scid.ask("addMoveUCI e2e4");
    traffic.to_engine.until("go depth 4");
    assert_eq!(traffic.answer(), reply_of_a_level());
    scid.ask("when {[llength [sc_game moves coord list]] == 2}");
    scid.ask("$::playMode stop");

    // The analysis follows the moves, and then stops.
    set_up(&mut scid, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    scid.ask("::enginewin::start {} Stopdown");
    for depth in ["info depth 6 ", "info depth 8 "] {
        traffic.to_engine.until("go infinite");
        traffic.from_engine.until(depth);
        scid.ask("addMoveUCI [lindex [sc_pos moves] 0]");
    }
    traffic.to_engine.until("go infinite");
    scid.ask("::enginewin::toggleStartStop 1");
    traffic.to_engine.until("stop");
    traffic.answer();
    scid.ask("when {$::enginewin::engState(1) eq {idle}}");
    let complaints = traffic.from_engine.recorded("info string");
    assert!(!complaints.iter().any(|line| line.contains("out of range")), "{complaints:?}");
}
