"""Evaluate chess positions, predict human moves, and rate players by their moves."""

from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypedDict, type_check_only

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

    cp: NotRequired[int]
    mate: NotRequired[int]
    table: NotRequired[int]

@type_check_only
class MoveEvaluation(TypedDict):
    move: str
    san: str
    value: Score
    pawns: float
    exact: bool
    by_depth: list[Score]
    pv: list[str]

@type_check_only
class Evaluation(TypedDict):
    fen: str
    depth: int
    nodes: int
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

    The moves are written as in UCI: `e2e4`.
    """

def rate(pgn: str, scale: _Scale = "FIDE", depth: int = 12) -> list[PlayerRating]:
    """Rate the players in PGN games by their moves, the player with the most moves first.

    `interval` contains the rating with a probability of 95%. With fewer than 20 moves, a rating depends mostly on how
    players in general are distributed. Duplicate games count once. Games that cannot be read are skipped with a warning.
    """
