//! The one table of everything that the evaluation weighs: names, sizes, meanings.
//!
//! The weights file, the tuner and the evaluation itself all read this table; a term is added
//! here and used in one place, and the rest follows.

/// What the weights file and the tuner need to know of a term.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    pub name: &'static str,
    /// How many weights it has.
    pub size: usize,
    pub about: &'static str,
}

macro_rules! terms {
    ($($term:ident $name:literal $size:literal $about:literal;)+) => {
        /// A group of weights.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Term { $($term),+ }

        /// All terms in the order of their weights.
        pub const TERMS: [Declaration; [$(Term::$term),+].len()] =
            [$(Declaration { name: $name, size: $size, about: $about }),+];
    };
}

terms! {
    Material "material" 5 "pawn, knight, bishop, rook, queen";
    PawnSquares "pawn_squares" 64 "a8 first, as one looks at the board from White's side";
    KnightSquares "knight_squares" 64 "";
    BishopSquares "bishop_squares" 64 "";
    RookSquares "rook_squares" 64 "";
    QueenSquares "queen_squares" 64 "";
    KingSquares "king_squares" 64 "";
    KnightMobility "knight_mobility" 9 "by the number of squares in reach";
    BishopMobility "bishop_mobility" 14 "";
    RookMobility "rook_mobility" 15 "";
    QueenMobility "queen_mobility" 28 "";
    BishopPair "bishop_pair" 1 "";
    BishopPawns "bishop_pawns" 1 "for each own pawn on the bishop's colour";
    BishopLongDiagonal "bishop_long_diagonal" 1 "both central squares of a long diagonal in view";
    Outpost "outpost" 2 "knight, bishop: guarded by a pawn, out of reach of theirs";
    OutpostReach "outpost_reach" 1 "a knight one move from an outpost";
    MinorShielded "minor_shielded" 1 "a minor piece right behind a pawn";
    MinorKingDistance "minor_king_distance" 2 "knight, bishop: for each step from the own king";
    RookFile "rook_file" 2 "no own pawn on the file; no pawn at all";
    RookSeventh "rook_seventh" 1 "pawns or a shut-in king to feast on";
    Isolated "isolated" 2 "met by an enemy pawn on its file; on a half-open file";
    Doubled "doubled" 1 "the rear one of two, not guarded by a pawn";
    Backward "backward" 2 "met by an enemy pawn on its file; on a half-open file";
    Phalanx "phalanx" 8 "side by side, by rank";
    Supported "supported" 8 "guarded by a pawn, by rank";
    Candidate "candidate" 8 "not passed yet, with enough helpers, by rank";
    Passed "passed" 8 "by rank";
    PassedOwnKing "passed_own_king" 8 "by rank, for each step of the own king from its way";
    PassedTheirKing "passed_their_king" 8 "by rank, for each step of the enemy king from its way";
    PassedBlocked "passed_blocked" 8 "by rank: a piece stands before it";
    PassedStep "passed_step" 8 "by rank: the next square is not attacked";
    PassedPath "passed_path" 8 "by rank: no square up to promotion is attacked or taken";
    PassedGuarded "passed_guarded" 8 "by rank: the next square is guarded";
    PassedRook "passed_rook" 2 "an own rook behind it; an enemy one";
    PassedUnstoppable "passed_unstoppable" 1 "against king and pawns, out of their king's reach";
    Shelter "shelter" 32 "by file from the edge (four), then rank of the own pawn (first: none)";
    Storm "storm" 8 "by rank of an enemy pawn that may advance on the king, from his side";
    StormBlocked "storm_blocked" 8 "the same when an own pawn stands in its way";
    ThreatByPawn "threat_by_pawn" 4 "knight, bishop, rook, queen attacked by a pawn";
    ThreatByMinor "threat_by_minor" 5 "pawn, knight, bishop, rook, queen attacked by a minor";
    ThreatByRook "threat_by_rook" 5 "the same by a rook";
    ThreatByKing "threat_by_king" 1 "a badly guarded piece or pawn attacked by the king";
    Hanging "hanging" 1 "attacked and not guarded, or not often enough";
    ThreatByPush "threat_by_push" 1 "a pawn that can step to attack a piece";
    ThreatToQueen "threat_to_queen" 2 "a knight; a slider can safely attack the queen";
    Restricted "restricted" 1 "for each square that both sides attack and theirs guard badly";
    Space "space" 1 "for each safe square behind the own centre, in hundredths, by pieces";
    Tempo "tempo" 1 "the right to move";
    DangerBase "danger_base" 1 "the king's danger: these are summed, the sum's square counts";
    DangerAttacker "danger_attacker" 4 "knight, bishop, rook, queen bearing on the king's ring";
    DangerHits "danger_hits" 1 "for each square next to the king that a piece attacks";
    DangerWeak "danger_weak" 1 "for each square of the ring that is attacked and badly guarded";
    DangerSafeCheck "danger_safe_check" 4 "knight, bishop, rook, queen can give check safely";
    DangerUnsafeCheck "danger_unsafe_check" 1 "for each other square to give check from";
    DangerNoQueen "danger_no_queen" 1 "the attacker has no queen";
    DangerFlankAttack "danger_flank_attack" 1 "for each attack into the king's wing";
    DangerFlankDefence "danger_flank_defence" 1 "for each defence there";
    DangerKnightDefender "danger_knight_defender" 1 "a knight guards the ring";
    DangerOpenFile "danger_open_file" 1 "for each file near the king without an own pawn";
}

/// How many weights there are.
pub const COUNT: usize = OFFSETS[TERMS.len()];

const OFFSETS: [usize; TERMS.len() + 1] = {
    let mut offsets = [0; TERMS.len() + 1];
    let mut index = 0;
    while index < TERMS.len() {
        offsets[index + 1] = offsets[index] + TERMS[index].size;
        index += 1;
    }
    offsets
};

impl Term {
    /// The piece-square terms in the order of roles.
    pub const SQUARES: [Term; 6] = [
        Term::PawnSquares,
        Term::KnightSquares,
        Term::BishopSquares,
        Term::RookSquares,
        Term::QueenSquares,
        Term::KingSquares,
    ];

    /// The number of this term's `index`-th weight among all weights.
    #[inline]
    pub const fn at(self, index: usize) -> usize {
        debug_assert!(index < TERMS[self as usize].size);
        OFFSETS[self as usize] + index
    }
}

/// Does this weight enter through the king's danger, instead of plainly? (Those are declared last.)
#[inline]
pub const fn is_danger(weight: usize) -> bool {
    weight >= Term::DangerBase.at(0)
}

/// The numbers of a term's weights, by its place in [`TERMS`].
pub fn range(term: usize) -> std::ops::Range<usize> {
    OFFSETS[term]..OFFSETS[term + 1]
}
