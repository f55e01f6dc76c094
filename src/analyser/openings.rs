//! The openings that a player has played, as lines in a profile.
//!
//! This file counts the player's own choices in the first twelve moves of games from the standard
//! starting position. Choices are counted by position, so transpositions are merged.
//!
//! A position is written if it came up in at least two games. Positions in the first four moves are
//! always written, because even one game shows how the player answers. If a position is written,
//! all of its choices are written, so that their proportions stay correct. The most frequent
//! positions come first, up to a limit that keeps the file readable.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::board::{Colour, Game};

/// The number of the player's moves that are counted in each game.
const COUNTED_MOVES: usize = 12;
/// Positions within this many of the player's own moves are written even if they occurred in only
/// one game.
const ALWAYS_WRITTEN: usize = 4;
/// Later positions are written only if they occurred in at least this many games.
const MIN_GAMES: usize = 2;
/// The maximum number of lines, which keeps the file readable.
const MAX_LINES: usize = 200;
/// The number of White's first moves that are listed for the player's games as Black.
const LISTED_FIRST_MOVES: usize = 3;
/// The number of the player's choices that are listed in each position.
const LISTED_CHOICES: usize = 3;

/// The opening choices of one player.
#[derive(Clone, Debug, Default)]
pub struct PlayedOpenings {
    /// Positions by their hash keys.
    positions: BTreeMap<u64, PlayedPosition>,
}

/// A first move of the player, or a reply to White's first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpeningCount {
    /// The player's side.
    pub colour: Colour,
    /// The moves from the start, such as `1. e4 c5`.
    pub line: String,
    /// The number of games with this move.
    pub games: usize,
    /// The number of games with the position before this move, whichever move was played.
    pub all: usize,
}

#[derive(Clone, Debug)]
struct PlayedPosition {
    colour: Colour,
    /// The smallest number of the player's own moves before this position.
    number: usize,
    games: usize,
    /// The move sequences that led to this position, and the moves chosen in it, each with its
    /// number of games.
    paths: BTreeMap<String, usize>,
    choices: BTreeMap<String, usize>,
}

impl PlayedOpenings {
    /// Adds the choices of one side in a game. Chess960 games and games that do not start from the
    /// standard starting position are ignored.
    pub fn add(&mut self, game: &Game, colour: Colour) {
        if !game.is_from_usual_start() {
            return;
        }
        let (mut position, mut path) = (game.start().clone(), String::new());
        let mut seen_positions = HashSet::new();
        for (ply, &mv) in game.moves().iter().take(2 * COUNTED_MOVES).enumerate() {
            let san = position.plain_san(mv);
            if position.turn() == colour && seen_positions.insert(position.key()) {
                let played = self.positions.entry(position.key()).or_insert(PlayedPosition {
                    colour,
                    number: ply / 2,
                    games: 0,
                    paths: BTreeMap::new(),
                    choices: BTreeMap::new(),
                });
                played.number = played.number.min(ply / 2);
                played.games += 1;
                *played.paths.entry(path.clone()).or_default() += 1;
                *played.choices.entry(san.clone()).or_default() += 1;
            }
            path.extend([if path.is_empty() { "" } else { " " }, &san]);
            position.play(mv);
        }
    }

    /// The lines as White and as Black, sorted by moves. Each starts with its number of games: `31
    /// e4`, `14 e4 c5 Nf3`.
    pub fn lines(&self) -> [Vec<String>; 2] {
        let is_written =
            |played: &&PlayedPosition| played.games >= MIN_GAMES || played.number < ALWAYS_WRITTEN;
        let mut written: Vec<&PlayedPosition> =
            self.positions.values().filter(is_written).collect();
        written.sort_by_key(|played| (Reverse(played.games), played.number, played.path()));
        let mut room = MAX_LINES;
        let fits = |played: &&PlayedPosition| {
            let left = room.checked_sub(played.choices.len());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let written: Vec<&PlayedPosition> = written.into_iter().take_while(fits).collect();
        [Colour::White, Colour::Black].map(|colour| {
            let of_side = written.iter().filter(|played| played.colour == colour);
            let mut lines: Vec<(String, usize)> = of_side.flat_map(|p| p.lines()).collect();
            lines.sort();
            lines.into_iter().map(|(moves, games)| format!("{games} {moves}")).collect()
        })
    }

    /// The player's first moves as White, and the player's replies as Black to White's most
    /// frequent first moves. The most frequent come first.
    pub(crate) fn frequencies(&self) -> Vec<OpeningCount> {
        let mut firsts: Vec<&PlayedPosition> =
            self.positions.values().filter(|played| played.number == 0).collect();
        firsts.sort_by_key(|played| (Reverse(played.games), played.path()));
        let of_side = |colour| firsts.iter().filter(move |played| played.colour == colour);
        let sides = of_side(Colour::White).chain(of_side(Colour::Black).take(LISTED_FIRST_MOVES));
        let counts = sides.flat_map(|played| {
            let choices = played.most_frequent().into_iter().take(LISTED_CHOICES);
            choices.map(|(san, games)| OpeningCount {
                colour: played.colour,
                line: match played.path() {
                    "" => format!("1. {san}"),
                    path => format!("1. {path} {san}"),
                },
                games,
                all: played.games,
            })
        });
        counts.collect()
    }
}

impl PlayedPosition {
    /// The most frequent move sequence that led to this position.
    fn path(&self) -> &str {
        let most = self.paths.iter().max_by_key(|&(path, &games)| (games, Reverse(path)));
        most.map_or("", |(path, _)| path)
    }

    fn lines(&self) -> impl Iterator<Item = (String, usize)> {
        let path = self.path();
        let blank = if path.is_empty() { "" } else { " " };
        self.choices.iter().map(move |(san, &games)| (format!("{path}{blank}{san}"), games))
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
    fn choices_are_counted_by_position_and_survive_a_round_trip() {
        let openings = played(&[
            ("d4 Nf6 c4 e6 Nc3", Colour::White),
            ("c4 e6 d4 Nf6 Nf3", Colour::White),
            ("d4 e6 c4 Nf6 Nc3", Colour::White),
            ("e4 c5 Nf3 d6", Colour::Black),
        ]);
        let [white, black] = openings.lines();
        let merged_lines = ["2 d4 Nf6 c4 e6 Nc3", "1 d4 Nf6 c4 e6 Nf3"];
        assert!(merged_lines.iter().all(|line| !white.contains(&(*line).to_owned())), "{white:?}");
        // Ties are broken alphabetically.
        assert!(white.contains(&"2 c4 e6 d4 Nf6 Nc3".to_owned()), "{white:?}");
        assert!(white.contains(&"1 c4 e6 d4 Nf6 Nf3".to_owned()), "{white:?}");
        assert_eq!(black, ["1 e4 c5", "1 e4 c5 Nf3 d6"]);
        let lines = white.iter().chain(&black).map(String::as_str);
        let repertoire = Repertoire::parse(lines).expect("they are our own");
        let reached = game("d4 Nf6 c4 e6");
        let position = reached.position();
        let moves = ["Nc3", "Nf3", "g3"].map(|san| position.parse_san(san).expect("legal"));
        assert_eq!(repertoire.games(position, moves.into_iter()), Some(vec![2, 1, 0]));
        let frequencies = openings.frequencies();
        let frequencies = frequencies.iter().map(|count| (&*count.line, count.games, count.all));
        let expected = [("1. d4", 2, 3), ("1. c4", 1, 3), ("1. e4 c5", 1, 1)];
        assert_eq!(frequencies.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn later_positions_from_a_single_game_are_left_out() {
        let long = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5";
        let longest = |games: &[(&str, Colour)]| {
            let [white, _] = played(games).lines();
            white.iter().map(|line| line.split_whitespace().count()).max()
        };
        assert_eq!(longest(&[(long, Colour::White)]), Some(8));
        assert_eq!(longest(&[(long, Colour::White), (long, Colour::White)]), Some(12));
        assert_eq!(played(&[]).frequencies(), []);
    }

    #[test]
    fn games_from_other_positions_have_no_openings() {
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
    fn the_number_of_lines_is_limited() {
        let mut openings = PlayedOpenings::default();
        let mut most_frequent_games = 0;
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
            most_frequent_games += usize::from(number % 4 == 0);
            openings.add(&game, Colour::White);
        }
        let [white, black] = openings.lines();
        assert!(white.len() <= MAX_LINES && white.len() > MAX_LINES / 2 && black.is_empty());
        let games = |line: &String| line.split(' ').next().and_then(|n| n.parse::<usize>().ok());
        let frequent_lines =
            white.iter().filter_map(games).filter(|&games| games >= most_frequent_games).count();
        assert!(frequent_lines >= COUNTED_MOVES, "the most frequent line is incomplete: {white:?}");
    }
}
