"""Uses the engine named on the command line as scripts do. Any warning from the library is an error."""

import logging
import os
import sys
import traceback

import chess
import chess.engine


def give_up(*error):
    """Exits at once, without waiting for an engine that waits for us."""
    traceback.print_exception(*error)
    os._exit(1)


sys.excepthook = give_up
logging.basicConfig(level=logging.WARNING)
engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1])
engine.configure({"Pace": "Instant", "Hash": 32, "Threads": 2, "Move Overhead": 100})
quick = chess.engine.Limit(white_clock=60, black_clock=60, white_inc=1, black_inc=1, depth=4)


def game(number, limit=quick, board=None, longest=400, **words):
    """Plays both sides of a game and returns the last board."""
    board = board or chess.Board()
    # No draw is claimed, since the winning side may repeat a position.
    while not board.is_game_over() and len(board.move_stack) < longest:
        played = engine.play(board, limit, game=number, info=chess.engine.INFO_ALL, **words)
        assert played.move in board.legal_moves, played
        score = played.info.get("score")
        assert score is not None, "the move has no score"
        if "pv" in played.info:
            assert played.info["pv"][0] == played.move, "the move played is not the first of the line shown"
        board.push(played.move)
    return board


# A game at full strength is played to its end.
last = game(1, board=chess.Board("3qk3/8/8/8/8/8/8/4K3 w - - 0 1"))
assert last.is_checkmate(), last.fen()

# Moves are taken back, and the game continues with different ones.
board = game(2, longest=10)
for _ in range(4):
    board.pop()
game(2, board=board, longest=20)

# Each game has a different level. The opponent is named, and the engine ponders.
for elo in (600, 1500, 2400):
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": elo})
    known = chess.engine.Opponent("A. Person", None, 1850, False)
    game(elo, longest=8, ponder=True, opponent=known)
engine.configure({"UCI_LimitStrength": False, "Profile": "beginner"})
game(3, longest=8)

# A level plays the same move with any limits, threads and hash size, unless its strength follows the clock.
engine.configure({"Profile": "<none>", "UCI_LimitStrength": True, "UCI_Elo": 1500, "Depth": 4, "Clock Effect": False})
for number, limit in enumerate([
    chess.engine.Limit(time=600),
    chess.engine.Limit(depth=9),
    chess.engine.Limit(white_clock=900, black_clock=900, white_inc=10, black_inc=10),
]):
    for threads, hash_size in [(1, 1), (4, 256)]:
        engine.configure({"Seed": 8, "Threads": threads, "Hash": hash_size})
        engine.configure({"Seed": 7})
        board = chess.Board()
        board.push_uci("e2e4")
        played = engine.play(board, limit, game=f"level {number} {threads}")
        assert played.move.uci() == sys.argv[2], (limit, threads, played.move, sys.argv[2])
engine.configure({"UCI_LimitStrength": False, "Depth": 12, "Threads": 2, "Hash": 32, "Seed": 0})

# Analysis is at full strength, has the requested number of lines, and can be stopped.
mate = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
lines = engine.analyse(mate, chess.engine.Limit(depth=6), multipv=3)
assert [len(lines), lines[0]["score"].relative] == [3, chess.engine.Mate(1)], lines
with engine.analysis(chess.Board(), multipv=2) as analysis:
    for info in analysis:
        if info.get("depth", 0) >= 6 and "pv" in info:
            break
assert analysis.wait().move is not None

# The search is restricted to one move, and then to none.
only = [chess.Move.from_uci("a2a3")]
assert engine.play(chess.Board(), quick, root_moves=only).move == only[0]
assert engine.play(chess.Board(), quick, root_moves=[]).move is None
# Chess960.
game(4, board=chess.Board.from_chess960_pos(100), longest=12)
engine.ping()
engine.quit()
