//! PyChess: games at its slider's levels and with options from its dialog, takebacks, and analysis.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::common::{Folder, word_after};
use super::screen::Screen;
use super::traffic::Traffic;
use super::{DrivenProgram, reply_of_a_level};

/// Settings that suppress dialogs and hints at the start, and turn off the opening book.
const SETTINGS: &str = "[General]\n\
    book_depth_max = 0\n\
    dont_show_externals_at_startup = True\n\
    show_tip_at_startup = False\n";

fn start(screen: &Screen, folder: &Folder, engine: &Path) -> DrivenProgram {
    fs::create_dir(folder.path().join("pychess")).expect("it can be made");
    folder.write("pychess/config", SETTINGS);
    let engines = serde_json::json!([{
        "name": "Stopdown", "protocol": "uci", "command": engine, "recheck": true,
        "country": "unknown", "comment": "", "level": 20,
    }]);
    folder.write("pychess/engines.json", &engines.to_string());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/pychess_driver.py");
    // Debian's own Python has the libraries that PyChess needs.
    let mut command: Command = screen.command("/usr/bin/python3", folder.path());
    DrivenProgram::start(command.arg(script))
}

/// The rating that PyChess requests at a level of its slider, which goes up to 20. PyChess computes
/// it from the range that the engine offers.
fn rating_at(level: u32, option: &str) -> u32 {
    let number = |key: &str| word_after(option, key).parse::<u32>().expect(option);
    let (lowest, highest) = (number(" min "), number(" max "));
    lowest + level * (highest - lowest) / 20
}

#[test]
fn games_are_played_at_levels_taken_back_and_analysed() {
    let Some(screen) = Screen::start(&[("pychess", "pychess")]) else { return };
    let folder = Folder::new();
    let (mut traffic, engine) = Traffic::new(&folder);
    let mut pychess = start(&screen, &folder, &engine);
    // PyChess reads the list of options before a game starts.
    assert_eq!(pychess.ask("ready"), "Strength");
    let answered = |pychess: &mut DrivenProgram| pychess.ask("when|len(model.moves) == 2");

    // At the end of the slider, PyChess does not weaken the engine. PyChess analyses the game from
    // the first move.
    pychess.ask("play|20");
    traffic.to_engine.until("setoption name UCI_AnalyseMode value true");
    pychess.ask("move|e2e4");
    answered(&mut pychess);
    traffic.from_engine.until("info depth 10 ");
    // A move and its reply are taken back, and then the analysis stops.
    pychess.ask("take_back");
    pychess.ask("move|d2d4");
    answered(&mut pychess);
    traffic.to_engine.until("position startpos moves d2d4");
    pychess.ask("pause_analysis");
    traffic.to_engine.until("stop");
    pychess.ask("resume_analysis");
    let levels = traffic.from_engine.recorded("info string Plays ");
    assert!(levels.iter().all(|line| line.contains(" at full strength.")), "{levels:?}");

    // A level in the middle of the slider requests a rating in the middle of our range.
    let range = traffic.from_engine.recorded("option name UCI_Elo ");
    let rating = rating_at(8, range.first().expect("the engine offers ratings"));
    pychess.ask("play|8");
    pychess.ask("move|e2e4");
    answered(&mut pychess);
    traffic.to_engine.until(&format!("setoption name UCI_Elo value {rating}"));
    traffic.from_engine.until(&format!("info string Plays like a player rated about {rating}"));

    // An opponent that is set in the options dialog.
    pychess.ask("play|20||Strength|Elo|UCI_Elo|1500");
    pychess.ask("move|e2e4");
    answered(&mut pychess);
    traffic.from_engine.until("info string Plays like a player rated about 1500");

    // The level plays the same move as in every other program.
    pychess.ask("play|20||Strength|Elo|UCI_Elo|1500|Seed|7|Depth|4|Clock Effect|false");
    pychess.ask("move|e2e4");
    let reply = reply_of_a_level();
    pychess.ask(&format!("when|len(model.moves) == 2 and model.moves[-1].as_uci() == '{reply}'"));

    // A game is played to the end.
    pychess.ask("play|20|7K/5k2/8/6q1/8/8/8/8 w - - 0 1");
    pychess.ask("move|h8h7");
    pychess.ask("when|model.status == BLACKWON");
    let faults = traffic.from_engine.recorded("info string error");
    assert!(faults.is_empty(), "{faults:?}");
}
