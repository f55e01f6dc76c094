//! PyChess: games at levels of its slider and with options of its dialog, moves taken back, its analysis.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Driven;
use super::common::{Folder, word_after};
use super::screen::Screen;
use super::traffic::Traffic;

/// Nothing asks or advises before there is a board, and no book answers instead of the engine.
const SETTINGS: &str = "[General]\n\
    book_depth_max = 0\n\
    dont_show_externals_at_startup = True\n\
    show_tip_at_startup = False\n";

fn start(screen: &Screen, folder: &Folder, engine: &Path) -> Driven {
    fs::create_dir(folder.path().join("pychess")).expect("it can be made");
    folder.write("pychess/config", SETTINGS);
    let engines = serde_json::json!([{
        "name": "Stopdown", "protocol": "uci", "command": engine, "recheck": true,
        "country": "unknown", "comment": "", "level": 20,
    }]);
    folder.write("pychess/engines.json", &engines.to_string());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/pychess_hands.py");
    // Debian's own Python has its libraries.
    let mut command: Command = screen.command("/usr/bin/python3", folder.path());
    Driven::start(command.arg(script))
}

/// The rating that PyChess asks for at a level of its slider, which ends at 20, from the range that the engine offers.
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
    // It has the list of options before anybody plays.
    assert_eq!(pychess.ask("ready"), "Strength");
    let answered = |pychess: &mut Driven| pychess.ask("when|len(model.moves) == 2");

    // At the end of the slider nobody is weakened. The game is analysed from the first move on.
    pychess.ask("play|20");
    traffic.to_engine.until("setoption name UCI_AnalyseMode value true");
    pychess.ask("move|e2e4");
    answered(&mut pychess);
    traffic.from_engine.until("info depth 10 ");
    // A move and its answer are taken back, and then the analysis stops.
    pychess.ask("back");
    pychess.ask("move|d2d4");
    answered(&mut pychess);
    traffic.to_engine.until("position startpos moves d2d4");
    pychess.ask("silence");
    traffic.to_engine.until("stop");
    pychess.ask("wake");
    let levels = traffic.from_engine.heard("info string Plays ");
    assert!(levels.iter().all(|line| line.ends_with(" at full strength.")), "{levels:?}");

    // A level in the middle of the slider is a rating in the middle of ours.
    let range = traffic.from_engine.heard("option name UCI_Elo ");
    let rating = rating_at(8, range.first().expect("the engine offers ratings"));
    pychess.ask("play|8");
    pychess.ask("move|e2e4");
    answered(&mut pychess);
    traffic.to_engine.until(&format!("setoption name UCI_Elo value {rating}"));
    traffic.from_engine.until(&format!("info string Plays like a person rated about {rating}"));

    // An opponent of the dialog of options.
    pychess.ask("play|20||Strength|Elo|UCI_Elo|1500");
    pychess.ask("move|e2e4");
    answered(&mut pychess);
    traffic.from_engine.until("info string Plays like a person rated about 1500");

    // A game is played to its end.
    pychess.ask("play|20|7K/5k2/8/6q1/8/8/8/8 w - - 0 1");
    pychess.ask("move|h8h7");
    pychess.ask("when|model.status == BLACKWON");
    let faults = traffic.from_engine.heard("info string error");
    assert!(faults.is_empty(), "{faults:?}");
}
