"""Evaluate chess positions, predict human moves, play like a person, and rate players by their moves."""

from os import PathLike
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypedDict, final, type_check_only

# Type checkers know this module, even if it is not installed. Before Python 3.11, `typing` lacks NotRequired.
from typing_extensions import NotRequired

__version__: str

# The types exist only for type checkers. The functions return plain dictionaries and lists.
_Scale: TypeAlias = Literal[
    "FIDE", "Lichess-Blitz", "Lichess-Rapid", "Lichess-Bullet", "Chesscom-Blitz", "Chesscom-Rapid"
]

@type_check_only
class Board(Protocol):
    """A python-chess board."""

    uci_variant: ClassVar[str | None]
    chess960: bool
    move_stack: list[Any]
    def root(self) -> Board: ...
    def fen(self) -> str: ...

@type_check_only
class Score(TypedDict):
    """The score for the side to move: one of the three keys."""

    # Centipawns.
    cp: NotRequired[int]
    # Moves to mate, negative if the side to move is mated.
    mate: NotRequired[int]
    # A tablebase win that is reached in this number of plies, negative for a loss.
    table: NotRequired[int]

@type_check_only
class MoveEvaluation(TypedDict):
    # As in UCI: e2e4.
    move: str
    san: str
    value: Score
    # The score in pawns, as used for choosing moves: beyond 10 pawns it is compressed, and a mate counts as 20.
    pawns: float
    # Whether the last score is exact, and not an upper bound.
    exact: bool
    # The scores at depth 1, 2 and so on.
    by_depth: list[Score]
    pv: list[str]

@type_check_only
class Evaluation(TypedDict):
    fen: str
    depth: int
    nodes: int
    # Empty after checkmate and stalemate.
    moves: list[MoveEvaluation]

@type_check_only
class PlayerRating(TypedDict):
    name: str
    rating: float
    interval: tuple[float, float]
    moves: int

def evaluate(board: str | Board, depth: int = 12) -> Evaluation:
    """Evaluate every legal move of a FEN or board at every depth from 1 to `depth` plies, best move first."""

def human_moves(
    board: str | Board, rating: float, scale: _Scale = "FIDE", depth: int = 12
) -> dict[str, float]:
    """Return the share of players with the given rating who would play each move, most likely move first.

    The moves are written as in UCI: `e2e4`. Ratings above 3000 count as 3000. The dictionary is empty if there is no
    legal move.
    """

@final
class Opponent:
    """A player of a given rating. Like a person with this rating, it makes mistakes.

    The same seed gives the same choices.
    """

    def __new__(cls, rating: float, scale: _Scale = "FIDE", seed: int = 1) -> Opponent: ...
    def choose(self, board: str | Board) -> str | None:
        """Choose a move for the side to move, written as in UCI. Return None if there is no legal move."""

def rate(
    pgn: str | PathLike[str],
    scale: _Scale = "FIDE",
    depth: int = 12,
    skipped: list[str] | None = None,
) -> list[PlayerRating]:
    """Rate the players in PGN games by their moves, the player with the most moves first.

    `pgn` is the text of the games, or the path of a file as an `os.PathLike`. `scale` must be the rating scale of the
    games. `interval` contains the rating with a probability of 95%; both are limited to the range of the scale. With
    fewer than 20 moves, a rating depends mostly on how players in general are distributed.
    Duplicate games count once. Games that cannot be read are skipped with a warning, or with a message in `skipped` if
    that is a list.
    """
