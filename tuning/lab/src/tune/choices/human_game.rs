//! A human game with the data needed for training, and its compact form.
//!
//! The compact form stores each move as its index among the legal moves. A game takes about 80 bytes, or 40 after
//! compression. Use this form to send millions of choices to a machine without the PGN files. The format of a game:
//!
//! | bytes | content |
//! |-------|---------|
//! | 2, 2  | the ratings of White and Black; 0: unknown |
//! | 1     | the kind of game, see [`GameKind`] |
//! | 1     | flags: 1 guessed kind, 2 White is a collector, 4 Black is a collector, 8 chess.com ratings, 16 clocks |
//! | 2     | plies |
//! | plies | the moves |
//! | 2 × plies | the seconds left after each move, if there are clocks; 65535: unknown |

use std::io::{Read, Result};

use super::tags::{is_chesscom, rating, stated_or_likely};
use stopdown::board::{Colour, Game};
use stopdown::games::pgn::PgnGame;
use stopdown::policy::GameKind;

/// The start of a file of compact games.
pub const TITLE: &[u8] = b"stopdown games 1\n";

const KIND_GUESSED: u8 = 1;
const WHITE_COLLECTED: u8 = 2;
const BLACK_COLLECTED: u8 = 4;
const CHESSCOM: u8 = 8;
const CLOCKS: u8 = 16;

/// A human game, with its players' ratings and clocks.
#[derive(Clone, Debug)]
pub struct HumanGame {
    pub game: Game,
    /// The ratings of White and Black, if they are known and established.
    pub ratings: [Option<u16>; 2],
    pub kind: GameKind,
    pub is_kind_stated: bool,
    /// Whether White and Black are collectors. Some collections contain the games of a single
    /// player, who is called the collector.
    pub collectors: [bool; 2],
    pub is_chesscom: bool,
    /// The seconds left after each move.
    pub clocks: Vec<Option<u32>>,
}

impl HumanGame {
    /// Returns `None` for broken games and for games of an unknown kind.
    pub fn of(pgn: &PgnGame) -> Option<HumanGame> {
        let (kind, is_kind_stated) = stated_or_likely(pgn)?;
        let collector = pgn.tag("CollectorSide").unwrap_or("");
        Some(HumanGame {
            game: pgn.replay(None).ok()?,
            ratings: [Colour::White, Colour::Black].map(|colour| rating(pgn, colour)),
            kind,
            is_kind_stated,
            collectors: ['w', 'b'].map(|side| collector.starts_with(side)),
            is_chesscom: is_chesscom(pgn),
            clocks: pgn.clocks.clone(),
        })
    }

    /// Whether the game has a compact form. Its moves must start from the standard position.
    pub fn is_compactable(&self) -> bool {
        self.game.start() == Game::default().start()
    }

    /// Returns `None` for games without a compact form.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        if !self.is_compactable() {
            return None;
        }
        let has_clocks = self.clocks.iter().any(Option::is_some);
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let flags = flag(!self.is_kind_stated, KIND_GUESSED)
            | flag(self.collectors[0], WHITE_COLLECTED)
            | flag(self.collectors[1], BLACK_COLLECTED)
            | flag(self.is_chesscom, CHESSCOM)
            | flag(has_clocks, CLOCKS);
        let mut bytes = Vec::new();
        bytes.extend(self.ratings.iter().flat_map(|elo| elo.unwrap_or(0).to_le_bytes()));
        bytes.extend([self.kind as u8, flags]);
        bytes.extend((self.game.ply() as u16).to_le_bytes());
        let mut before = Game::default();
        for &mv in self.game.moves() {
            let number = before.position().legal_moves().iter().position(|&legal| legal == mv)?;
            bytes.push(number as u8);
            before.play(mv);
        }
        if has_clocks {
            let clocks = (0..self.game.ply()).map(|ply| self.clocks.get(ply).copied().flatten());
            let shorts = clocks.map(|clock| clock.map_or(u16::MAX, |s| s.min(65_534) as u16));
            bytes.extend(shorts.flat_map(u16::to_le_bytes));
        }
        Some(bytes)
    }

    /// Returns the next compact game in a file, or `None` at the end of the file.
    pub fn read(from: &mut impl Read) -> Result<Option<HumanGame>> {
        let mut head = [0; 8];
        match from.read(&mut head[..1])? {
            0 => return Ok(None),
            _ => from.read_exact(&mut head[1..])?,
        }
        let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let (flags, plies) = (head[5], usize::from(short(6)));
        let broken = || std::io::Error::other("a game in the file is corrupt");
        let mut moves = vec![0; plies];
        from.read_exact(&mut moves)?;
        let mut game = Game::default();
        for number in moves {
            let mv = game.position().legal_moves().get(usize::from(number)).copied();
            game.play(mv.ok_or_else(broken)?);
        }
        let mut clocks = Vec::new();
        if flags & CLOCKS != 0 {
            let mut shorts = vec![0; 2 * plies];
            from.read_exact(&mut shorts)?;
            let shorts = shorts.as_chunks().0.iter().map(|&short| u16::from_le_bytes(short));
            clocks.extend(shorts.map(|s| (s != u16::MAX).then_some(u32::from(s))));
        }
        Ok(Some(HumanGame {
            game,
            ratings: [short(0), short(2)].map(|elo| (elo > 0).then_some(elo)),
            kind: *GameKind::ALL.get(usize::from(head[4])).ok_or_else(broken)?,
            is_kind_stated: flags & KIND_GUESSED == 0,
            collectors: [WHITE_COLLECTED, BLACK_COLLECTED].map(|flag| flags & flag != 0),
            is_chesscom: flags & CHESSCOM != 0,
            clocks,
        }))
    }
}
