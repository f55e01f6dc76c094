//! The openings that a player has played, as lines for a profile.
//!
//! Counted are the player's own choices in the first twelve moves of games from the usual start, by
//! position, so that it does not matter in which order moves were played. Written are the positions
//! that came up in two games or more, and those of the first four moves, where even one game says what
//! somebody answers. A position is written with all of its choices or not at all, so that their shares
//! stay true, and what came up most often first, until a file would get too long to be read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::board::{Colour, Game};

/// The player's own moves that are counted.
const MOVES: usize = 12;
/// So many own moves are written even if they come from one game.
const FIRST_MOVES: usize = 4;
/// In how many games a later position has to come up.
const LEAST_GAMES: usize = 2;
/// More lines are too many for a person to read.
const MOST_LINES: usize = 200;
/// How much of it is said in a sentence.
const SAID: usize = 2;

/// What one player chose in openings.
#[derive(Clone, Debug, Default)]
pub struct PlayedOpenings {
    /// By their keys.
    positions: BTreeMap<u64, PlayedPosition>,
}

#[derive(Clone, Debug)]
struct PlayedPosition {
    colour: Colour,
    /// The player's own moves before it, at the least.
    number: usize,
    games: usize,
    /// The moves that led to it, and those chosen in it, each with their number of games.
    ways: BTreeMap<String, usize>,
    choices: BTreeMap<String, usize>,
}

impl PlayedOpenings {
    /// Takes in what a side of a game chose. Games from other positions and of Chess960 have no
    /// openings.
    pub fn add(&mut self, game: &Game, colour: Colour) {
        let start = game.start();
        if start.is_chess960() || start.key() != Game::default().position().key() {
            return;
        }
        let (mut position, mut way) = (start.clone(), String::new());
        let mut met = HashSet::new();
        for (ply, &mv) in game.moves().iter().take(2 * MOVES).enumerate() {
            let san = position.plain_san(mv);
            if position.turn() == colour && met.insert(position.key()) {
                let played = self.positions.entry(position.key()).or_insert(PlayedPosition {
                    colour,
                    number: ply / 2,
                    games: 0,
                    ways: BTreeMap::new(),
                    choices: BTreeMap::new(),
                });
                played.number = played.number.min(ply / 2);
                played.games += 1;
                *played.ways.entry(way.clone()).or_default() += 1;
                *played.choices.entry(san.clone()).or_default() += 1;
            }
            way.extend([if way.is_empty() { "" } else { " " }, &san]);
            position.play(mv);
        }
    }

    /// The lines with White and those with Black, in how many games and by which moves, what has the
    /// same beginning together: `31 e4`, `14 e4 c5 Nf3`.
    pub fn lines(&self) -> [Vec<String>; 2] {
        let is_kept =
            |played: &&PlayedPosition| played.games >= LEAST_GAMES || played.number < FIRST_MOVES;
        let mut kept: Vec<&PlayedPosition> = self.positions.values().filter(is_kept).collect();
        kept.sort_by_key(|played| (Reverse(played.games), played.number, played.way()));
        let mut room = MOST_LINES;
        let fits = |played: &&PlayedPosition| {
            let left = room.checked_sub(played.choices.len());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let kept: Vec<&PlayedPosition> = kept.into_iter().take_while(fits).collect();
        [Colour::White, Colour::Black].map(|colour| {
            let of_side = kept.iter().filter(|played| played.colour == colour);
            let mut lines: Vec<(String, usize)> = of_side.flat_map(|p| p.lines()).collect();
            lines.sort();
            lines.into_iter().map(|(moves, games)| format!("{games} {moves}")).collect()
        })
    }

    /// What the player opens with, and what the most frequent first moves of others are met with; empty
    /// without openings.
    pub fn words(&self) -> String {
        let mut firsts: Vec<&PlayedPosition> =
            self.positions.values().filter(|played| played.number == 0).collect();
        firsts.sort_by_key(|played| (Reverse(played.games), played.way()));
        let of_side = |colour| firsts.iter().filter(move |played| played.colour == colour);
        let opens = of_side(Colour::White).map(|played| {
            let choices = played.most_frequent().into_iter().take(SAID).enumerate();
            let said = choices.map(|(number, (san, games))| match number {
                0 => format!("1. {san} in {games} of {} games", played.games),
                _ => format!("1. {san} in {games}"),
            });
            format!("opens {}", said.collect::<Vec<String>>().join(", "))
        });
        let answers = of_side(Colour::Black).take(SAID).filter_map(|played| {
            let (san, games) = played.most_frequent().into_iter().next()?;
            let (way, all) = (played.way(), played.games);
            Some(format!("answers 1. {way} with 1... {san} in {games} of {all}"))
        });
        opens.chain(answers).collect::<Vec<String>>().join(", ")
    }
}

impl PlayedPosition {
    /// The moves that led to it in most games.
    fn way(&self) -> &str {
        let most = self.ways.iter().max_by_key(|&(way, &games)| (games, Reverse(way)));
        most.map_or("", |(way, _)| way)
    }

    fn lines(&self) -> impl Iterator<Item = (String, usize)> {
        let way = self.way();
        let blank = if way.is_empty() { "" } else { " " };
        self.choices.iter().map(move |(san, &games)| (format!("{way}{blank}{san}"), games))
    }

    fn most_frequent(&self) -> Vec<(&str, usize)> {
        let mut all: Vec<(&str, usize)> =
            self.choices.iter().map(|(san, &games)| (san.as_str(), games)).collect();
        all.sort_by_key(|&(san, games)| (Reverse(games), san));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::player::Repertoire;

    fn game(moves: &str) -> Game {
        let mut game = Game::default();
        for san in moves.split_whitespace() {
            game.play(game.position().parse_san(san).expect("legal"));
        }
        game
    }

    fn played(games: &[(&str, Colour)]) -> PlayedOpenings {
        let mut openings = PlayedOpenings::default();
        games.iter().for_each(|&(moves, colour)| openings.add(&game(moves), colour));
        openings
    }

    #[test]
    fn choices_are_counted_by_position_and_written_as_lines_that_are_read_again() {
        let openings = played(&[
            ("d4 Nf6 c4 e6 Nc3", Colour::White),
            ("c4 e6 d4 Nf6 Nf3", Colour::White),
            ("d4 e6 c4 Nf6 Nc3", Colour::White),
            ("e4 c5 Nf3 d6", Colour::Black),
        ]);
        let [white, black] = openings.lines();
        let joined = ["2 d4 Nf6 c4 e6 Nc3", "1 d4 Nf6 c4 e6 Nf3"];
        assert!(joined.iter().all(|line| !white.contains(&(*line).to_owned())), "{white:?}");
        // The first way by the alphabet of those that were as frequent.
        assert!(white.contains(&"2 c4 e6 d4 Nf6 Nc3".to_owned()), "{white:?}");
        assert!(white.contains(&"1 c4 e6 d4 Nf6 Nf3".to_owned()), "{white:?}");
        assert_eq!(black, ["1 e4 c5", "1 e4 c5 Nf3 d6"]);
        let lines = white.iter().chain(&black).map(String::as_str);
        let repertoire = Repertoire::parse(lines).expect("they are our own");
        let reached = game("d4 Nf6 c4 e6");
        let position = reached.position();
        let moves = ["Nc3", "Nf3", "g3"].map(|san| position.parse_san(san).expect("legal"));
        assert_eq!(repertoire.games(position, moves.into_iter()), Some(vec![2, 1, 0]));
        assert_eq!(
            openings.words(),
            "opens 1. d4 in 2 of 3 games, 1. c4 in 1, answers 1. e4 with 1... c5 in 1 of 1"
        );
    }

    #[test]
    fn what_one_game_reached_after_the_first_moves_is_left_out() {
        let long = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5";
        let longest = |games: &[(&str, Colour)]| {
            let [white, _] = played(games).lines();
            white.iter().map(|line| line.split_whitespace().count()).max()
        };
        assert_eq!(longest(&[(long, Colour::White)]), Some(8));
        assert_eq!(longest(&[(long, Colour::White), (long, Colour::White)]), Some(12));
        assert_eq!(played(&[]).words(), "");
    }

    #[test]
    fn other_starts_have_no_openings() {
        let mut openings = PlayedOpenings::default();
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let mut other = Game::new(Position::from_fen(fen, false).expect("legal"));
        other.play(other.position().parse_san("e5").expect("legal"));
        openings.add(&other, Colour::Black);
        let mut shuffled =
            Game::new(Position::from_fen(crate::board::STARTING_FEN, true).expect("legal"));
        shuffled.play(shuffled.position().parse_san("e4").expect("legal"));
        openings.add(&shuffled, Colour::White);
        assert_eq!(openings.lines(), [Vec::<String>::new(), Vec::new()]);
    }

    #[test]
    fn a_thousand_games_stay_a_file_that_one_can_read() {
        let mut openings = PlayedOpenings::default();
        let mut often = 0;
        for number in 0..1000_usize {
            let mut game = Game::default();
            for ply in 0..24 {
                let legal = game.position().legal_moves();
                let pick = if number % 4 == 0 { 0 } else { number * 7 + ply * number % 13 };
                game.play(legal[pick % legal.len()]);
                if game.ending().is_some() {
                    break;
                }
            }
            often += usize::from(number % 4 == 0);
            openings.add(&game, Colour::White);
        }
        let [white, black] = openings.lines();
        assert!(white.len() <= MOST_LINES && white.len() > MOST_LINES / 2 && black.is_empty());
        let games = |line: &String| line.split(' ').next().and_then(|n| n.parse::<usize>().ok());
        let whole = white.iter().filter_map(games).filter(|&games| games >= often).count();
        assert!(whole >= MOVES, "the most frequent line is there to its end: {white:?}");
    }
}
