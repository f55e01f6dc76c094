//! XBoard, with Polyglot between it and the engine, operated from the keyboard.

use std::process::{Child, Stdio};
use std::time::Duration;

use stopdown::board::{Game, GameEnd, Position};

use super::common::Folder;
use super::reply_of_a_level;
use super::screen::Screen;
use super::traffic::Traffic;

/// A key press is lost if the program cannot accept it yet. The test, like a person, then presses
/// the key again after this time.
const AGAIN: Duration = Duration::from_secs(3);

struct Board {
    screen: Screen,
    program: Child,
    traffic: Traffic,
    folder: Folder,
}

impl Board {
    fn start(words: &[&str]) -> Option<Board> {
        let screen = Screen::start(&[("xboard", "xboard"), ("polyglot", "polyglot")])?;
        let folder = Folder::new();
        let (mut traffic, engine) = Traffic::new(&folder);
        let mut xboard = screen.command("xboard", folder.path());
        xboard.args(["-fcp", &engine.display().to_string(), "-fUCI"]);
        let program = xboard.args(words).stderr(Stdio::null()).spawn().expect("it starts");
        traffic.from_engine.until("readyok");
        screen.focus("xboard");
        Some(Board { screen, program, traffic, folder })
    }

    /// Repeats key presses until the engine receives the resulting command.
    fn press(&mut self, keys: impl Fn(&Screen), received: &str) -> String {
        for _ in 0..10 {
            keys(&self.screen);
            if let Some(rest) = self.traffic.to_engine.within(AGAIN, received) {
                return rest;
            }
            // Abandon a move that was typed only in part.
            self.screen.keys(&["Escape"]);
        }
        panic!("the engine did not receive {received:?}: {:?}", self.traffic);
    }

    /// Types a move and waits for the reply.
    fn play(&mut self, text: &str) -> (String, String) {
        let write = |screen: &Screen| {
            screen.write(text);
            screen.keys(&["Return"]);
        };
        let position = self.press(write, "position ");
        self.traffic.to_engine.until("go ");
        (position, self.traffic.answer())
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_game_is_played_to_mate_and_saved() {
    let words = ["-searchDepth", "6", "-ponderNextMove", "false", "-saveGameFile", "games.pgn"];
    let Some(mut board) = Board::start(&words) else { return };
    let mut game = Game::new(Position::default());
    // A player that always makes the first legal move is mated in the end.
    loop {
        let careless = game.position().legal_moves()[0];
        let text = game.position().uci(careless);
        let (received, best) = board.play(&text);
        game.play(careless);
        assert!(received.ends_with(&text), "{received}");
        game.play(game.position().parse_uci(&best).expect("it is legal"));
        if game.ending().is_some() {
            break;
        }
    }
    assert_eq!(game.ending(), Some(GameEnd::Checkmate));
    // XBoard saves the game, so it agrees that the game is over.
    board.screen.keys(&["ctrl+n"]);
    board.traffic.to_engine.until("ucinewgame");
    let text = std::fs::read_to_string(board.folder.path().join("games.pgn")).expect("it exists");
    assert!(text.contains("[Result \"0-1\"]") && text.contains("Checkmate"), "{text}");
}

#[test]
fn moves_are_taken_back_positions_analysed_and_games_started() {
    let Some(mut board) = Board::start(&["-searchDepth", "4", "-ponderNextMove", "true"]) else {
        return;
    };
    let (received, _) = board.play("e2e4");
    assert_eq!(received, "startpos moves e2e4");
    // The engine ponders. A move other than the expected one stops it.
    board.traffic.to_engine.until("go wtime ");
    board.press(|screen| screen.keys(&["ctrl+x"]), "stop");
    board.traffic.answer();
    let (received, _) = board.play("d2d4");
    assert_eq!(received, "startpos moves d2d4");
    board.press(|screen| screen.keys(&["ctrl+a"]), "setoption name UCI_AnalyseMode value true");
    board.traffic.to_engine.until("go infinite");
    board.traffic.from_engine.until("info depth 10 ");
    board.press(|screen| screen.keys(&["ctrl+n"]), "stop");
    board.traffic.answer();
    board.traffic.to_engine.until("ucinewgame");
    let (received, _) = board.play("c2c4");
    assert_eq!(received, "startpos moves c2c4");
}

#[test]
fn an_opponent_of_a_given_rating_plays_and_says_so() {
    let options = "UCI_LimitStrength=1,UCI_Elo=1500,Seed=7,Depth=4,Clock Effect=0";
    let words = ["-firstOptions", options, "-ponderNextMove", "false"];
    let Some(mut board) = Board::start(&words) else { return };
    let (_, reply) = board.play("e2e4");
    assert_eq!(reply, reply_of_a_level());
    let received =
        board.traffic.from_engine.recorded("info string Plays like a player rated about 1500");
    assert_eq!(received.len(), 1, "{:?}", board.traffic);
}
