#!/usr/bin/env python3
"""Measures the errors and scores of human players, and of the curve `human` in games against itself.

    venv/bin/python tuning/policy/played.py scores GAMES.pgn.zst ...
    venv/bin/python tuning/policy/played.py people lichess-rapid.pgn.zst
    venv/bin/python tuning/policy/played.py board ./stopdown GAMES.pgn.zst evaluated.jsonl
    venv/bin/python tuning/policy/played.py games ./stopdown GAMES.pgn ... [--played human.toml]

`scores` prints the scores of human players against opponents with lower ratings.

`people` reads games with an evaluation by Lichess at every ply ([%eval]). It prints the losses of players in
open positions by rating, and the score of a simulated match between two ratings. In this match the loss of
each move is drawn from the losses of players of that rating at a similar score and stage of the game. The
opponent and the earlier moves play no part, so this is the expected score of a player without a memory.

`board` takes games between equal players without such evaluations, a fixed number for every 200 points. It evaluates
them in the same units, with 40,000 nodes per position. An interrupted run continues where it stopped. It prints the
losses, and the line through them that serves as the target of the fit.

`games` does the same for games between our own players, and prints their scores. `--played` names the file with the
exponents that these players used. The script then also prints the exponents with which they would blunder as often as
human players over the board. `steps.py` finds exponents from playing strength instead.

All errors are halves of 95% intervals. `scores`, `people` and `board` need the package zstandard, `board` and `games`
need python-chess.
"""
import argparse
import bisect
import collections
import hashlib
import io
import json
import math
import os
import random
import re
import sys

from fit import BLUNDER, FIRST, LOGISTIC, OPEN, PAWN
from steps import exponent_at, read_exponents

NODES = 40_000
MATE = 3000
# The scores that separate kinds of situations, in centipawns from the mover's point of view.
SITUATIONS = [sign * n for sign in (-1, 1)
              for n in (20, 60, 120, 200, 300, 450, 600, 800, 1200, 2000)]
SITUATIONS.sort()
STAGES = 20
BAND = 200
# The number of standard errors in half of a 95% interval.
REACH = 1.96
# The maximum rating difference between players who count as equal.
EQUAL = 60
# Results of the command `board`: rating, number of moves in open positions, and share of blunders. The
# numbers of moves up to 2000, and half of the number at 2200, were calculated from standard errors.
OVER_THE_BOARD = [(1050, 700, 0.164), (1200, 1296, 0.153), (1400, 1650, 0.120), (1600, 1406, 0.100),
                  (1800, 2068, 0.081), (2000, 1950, 0.076), (2200, 3760, 0.070), (2400, 2069, 0.044),
                  (2600, 2108, 0.043), (2760, 2244, 0.042)]
# By rating: how fast the logarithm of the blunder rate falls with the logarithm of the exponent, in positions from
# human games. The values at both ends are guesses.
STEEPNESS = [(600, 0.8), (1000, 1.0), (2000, 1.7), (2400, 2.3), (2800, 2.5)]


def win(centipawns):
    return 100 / (1 + math.exp(-LOGISTIC / 100 * max(-MATE, min(MATE, centipawns))))


class Losses:
    """Losses in open positions."""

    def __init__(self):
        self.count, self.lost, self.blunders = 0, 0.0, 0

    def add(self, before, after, ply):
        if ply >= FIRST and abs(before) <= 100 * OPEN:
            lost = max(0.0, win(before) - win(after))
            self.count += 1
            self.lost += lost
            self.blunders += lost >= BLUNDER

    def __str__(self):
        share = self.blunders / self.count
        error = REACH * (share * (1 - share) / self.count) ** 0.5
        return (f"{self.count} moves, {self.lost / self.count:.2f} win points per move, "
                f"blunders {100 * share:.1f} +- {100 * error:.1f}%")


def read_games(name):
    """Yields the tags and the moves of every game."""
    import zstandard
    tags = {}
    with open(name, "rb") as file:
        packed = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        for line in io.TextIOWrapper(packed, errors="replace"):
            if line.startswith("["):
                key, text = line[1:].split(" ", 1)
                tags[key] = text.split('"')[1] if '"' in text else ""
            elif line.strip() and tags:
                yield tags, line
                tags = {}


def ratings_of(tags):
    found = [tags.get(side + "Elo", "") for side in ("White", "Black")]
    return [int(rating) if rating.isdigit() else 0 for rating in found]


def games_of_people(name):
    """Yields the ratings and evaluations of every game."""
    value = re.compile(r"\[%eval ([^\]]+)\]")
    for tags, moves in read_games(name):
        if found := value.findall(moves):
            values = [math.copysign(MATE, -1 if "-" in v else 1) if v.startswith("#")
                      else max(100 - MATE, min(MATE - 100, 100 * float(v))) for v in found]
            yield ratings_of(tags), values


def scores(names):
    cells = collections.defaultdict(list)
    for name in names:
        for tags, _ in read_games(name):
            white, black = ratings_of(tags)
            points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(tags.get("Result"))
            if min(white, black) >= 500 and points is not None and white != black:
                middle, apart = round((white + black) / 800) * 400, round(abs(white - black) / 100) * 100
                likely = 1 / (1 + 10 ** (-abs(white - black) / 400))
                cells[middle, apart].append((points if white > black else 1 - points, likely))
    for (middle, apart), found in sorted(cells.items()):
        if 100 <= apart <= 500 and len(found) >= 50:
            score, likely = (100 * sum(column) / len(found) for column in zip(*found))
            error = REACH * 50 / len(found) ** 0.5
            print(f"about {middle}, {apart} apart: {score:.1f} +- {error:.1f}% of {len(found)} games "
                  f"({likely:.0f} expected by the ratings)")


def people(name):
    losses, steps = collections.defaultdict(Losses), collections.defaultdict(list)
    for ratings, values in games_of_people(name):
        for ply in range(1, len(values)):
            sign, band = (1, -1)[ply % 2], ratings[ply % 2] // BAND * BAND
            before, after = sign * values[ply - 1], sign * values[ply]
            losses[band].add(before, after, ply)
            stage = min(ply // STAGES, 3)
            steps[band, stage, bisect.bisect(SITUATIONS, before)].append(after - before)
    for band in sorted(losses):
        print(f"{band} to {band + BAND}: {losses[band]}")

    def match(white, black):
        value = 30.0
        for ply in range(1, 240):
            sign, band = (1, -1)[ply % 2], (white, black)[ply % 2]
            situation = bisect.bisect(SITUATIONS, sign * value)
            value += sign * random.choice(steps[band, min(ply // STAGES, 3), situation] or [0.0])
            if abs(value) >= MATE - 50:
                break
        return 0.5 if abs(value) < 150 else float(value > 0)

    random.seed(1)
    for apart in (BAND, 2 * BAND):
        for low in range(800, 2400 - apart, BAND):
            high = low + apart
            score = sum(match(high, low) + 1 - match(low, high) for _ in range(2000)) / 4000
            print(f"{high} against {low}: {100 * score:.0f}%")


class Evaluator:
    """Evaluates positions from White's side, in Lichess's centipawns."""

    def __init__(self, engine):
        import chess.engine
        self.engine = chess.engine.SimpleEngine.popen_uci([engine], timeout=60)
        self.engine.configure({"Threads": 1, "Hash": 32})
        self.limit = chess.engine.Limit(nodes=NODES)

    def identity(self):
        """Everything on which the evaluations depend."""
        return f"{self.engine.id.get('name')}, {NODES} nodes, {PAWN:.4f} pawns"

    def value(self, board):
        if board.is_checkmate():
            return MATE if not board.turn else -MATE
        if board.is_game_over():
            return 0
        found = self.engine.analyse(board, self.limit)["score"].white()
        return found.score(mate_score=MATE) * PAWN


class KeptRows:
    """A file of results by game, to which new ones are added. The first line names the evaluator. Each other line has a
    hash of the moves of a game, and its row."""

    def __init__(self, name, evaluator):
        head = json.dumps({"evaluator": evaluator.identity()}) + "\n"
        text = open(name).read() if os.path.exists(name) else ""
        # The program may have been stopped while it wrote a line.
        whole = text[:text.rfind("\n") + 1]
        if not (whole.startswith(head) or head.startswith(text)):
            sys.exit(f"{name} does not have evaluations by {evaluator.identity()}; move it away, and start again")
        self.rows = dict(map(json.loads, whole.splitlines()[1:]))
        self.file = open(name, "a")
        self.file.truncate(len(whole))
        if not whole:
            self.file.write(head)

    def row(self, moves, evaluate):
        """The row of a game, which is evaluated if it is not in the file."""
        key = hashlib.sha256(moves.encode()).hexdigest()[:16]
        if key not in self.rows:
            self.rows[key] = evaluate()
            self.file.write(json.dumps([key, self.rows[key]]) + "\n")
            self.file.flush()
        return self.rows[key]


def games_of_equals(name, count):
    """Returns `count` games for every 200 points, chosen by a hash of the moves. The bands alternate."""
    bands = collections.defaultdict(list)
    for tags, moves in read_games(name):
        white, black = ratings_of(tags)
        if min(white, black) > 1000 and abs(white - black) <= EQUAL and "FEN" not in tags \
                and len(moves) > 200:
            place = hashlib.sha256(moves[:160].encode()).hexdigest()
            bands[round((white + black) / 400) * BAND].append((place, [white, black], moves))
    rows = [(rank, band, ratings, moves) for band, games in bands.items()
            for rank, (_, ratings, moves) in enumerate(sorted(games)[:count])]
    return [row[1:] for row in sorted(rows)]


def open_values(evaluator, moves):
    """The values of the positions of a game, from the first that counts until one side is winning."""
    import chess.pgn
    game = chess.pgn.read_game(io.StringIO(moves))
    position, values, decided = game.board(), [], 0
    for ply, move in enumerate(game.mainline_moves(), 1):
        position.push(move)
        if ply >= FIRST - 1:
            values.append(round(evaluator.value(position)))
            # From here on, the position is no longer open.
            decided = decided + 1 if abs(values[-1]) > 900 else 0
            if decided == 4:
                break
    return values


def board(engine, name, kept, count):
    evaluator = Evaluator(engine)
    kept, rows = KeptRows(kept, evaluator), []
    for band, _, moves in games_of_equals(name, count):
        rows.append((band, kept.row(moves, lambda moves=moves: open_values(evaluator, moves))))
    evaluator.engine.quit()
    losses = collections.defaultdict(Losses)
    for band, values in rows:
        for ply, (before, after) in enumerate(zip(values, values[1:]), FIRST):
            sign = (1, -1)[(ply - 1) % 2]
            losses[band].add(sign * before, sign * after, ply)
    for band in sorted(losses):
        print(f"{band}: {losses[band]}")
    for what in ("lost", "blunders"):
        rows = [((band - 1500) / 1000, getattr(found, what), found.count) for band, found in losses.items()]
        level, slope = poisson_line(rows)
        print(f"{what}: e^({level:.3f} + {slope:.3f} x) a move, x = (rating - 1500) / 1000")


def poisson_line(rows):
    """Fits level and slope of the logarithm of a rate to rows of (x, sum, count)."""
    level, slope = math.log(sum(row[1] for row in rows) / sum(row[2] for row in rows)), 0.0
    for _ in range(50):
        rates = [(x, found, count * math.exp(level + slope * x)) for x, found, count in rows]
        a, b = sum(f - r for _, f, r in rates), sum(x * (f - r) for x, f, r in rates)
        aa, ab, bb = (sum(x ** n * r for x, _, r in rates) for n in range(3))
        det = aa * bb - ab * ab
        level, slope = level + (bb * a - ab * b) / det, slope + (aa * b - ab * a) / det
    return level, slope


def all_values(evaluator, game):
    """The values of all positions of a game."""
    board = game.board()
    values = [evaluator.value(board)]
    for move in game.mainline_moves():
        board.push(move)
        values.append(evaluator.value(board))
    return values


def games(engine, files, played):
    import chess.pgn
    evaluator = Evaluator(engine)
    losses, scores = collections.defaultdict(Losses), collections.defaultdict(list)
    for name in files:
        kept = KeptRows(name + ".values", evaluator)
        with open(name, errors="replace") as file:
            for game in iter(lambda: chess.pgn.read_game(file), None):
                board = game.board()
                first = 2 * board.fullmove_number - (2 if board.turn else 1)
                moves = board.fen() + "".join(f" {move}" for move in game.mainline_moves())
                values = kept.row(moves, lambda game=game: all_values(evaluator, game))
                players = [game.headers["White"], game.headers["Black"]]
                for index, (before, after) in enumerate(zip(values, values[1:])):
                    ply = first + index
                    sign = (1, -1)[ply % 2]
                    losses[players[ply % 2]].add(sign * before, sign * after, ply)
                points = {"1-0": 1.0, "0-1": 0.0}.get(game.headers["Result"], 0.5)
                scores[tuple(players)].append(points)
                scores[tuple(reversed(players))].append(1 - points)
    evaluator.engine.quit()
    for player in sorted(losses):
        print(f"{player}: {losses[player]}")
    for (one, other), points in sorted(scores.items()):
        mean = sum(points) / len(points)
        error = (sum((p - mean) ** 2 for p in points) / len(points) ** 2) ** 0.5
        print(f"{one} against {other}: {100 * mean:.0f} +- {100 * REACH * error:.0f}% of {len(points)}")
    if played:
        exponent(losses, read_exponents(played))


def exponent(losses, played):
    """Prints how much more often the players of each rating blunder than humans do, and the exponent that would correct
    this."""
    import numpy as np
    level, slope = poisson_line([((rating - 2000) / 500, part * moves, moves)
                                 for rating, moves, part in OVER_THE_BOARD])
    rows = [(float(name.split()[1]), found) for name, found in losses.items() if name.startswith("human ")]
    rows = sorted((rating, found) for rating, found in rows if 600 <= rating <= 2800 and found.blunders)
    at = np.array([(rating - 2000) / 500 for rating, _ in rows])
    share = np.array([found.blunders / found.count for _, found in rows])
    ratio = np.log(share) - level - slope * at
    weight = np.array([found.blunders for _, found in rows]) / (1 - share)
    line = np.polynomial.Polynomial.fit(at, ratio, 1, w=weight ** 0.5).convert().coef
    for rating, x, observed in zip((rating for rating, _ in rows), at, ratio):
        fitted = line[0] + line[1] * x
        now = exponent_at(played, rating)
        wanted = now * math.exp(fitted / np.interp(rating, *zip(*STEEPNESS)))
        print(f"{rating:.0f}: {math.exp(observed):.2f} times the human blunder rate, fitted {math.exp(fitted):.2f}; "
              f"exponent {now:.3f}, corrected {wanted:.3f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    scored = commands.add_parser("scores", help="print scores of human players")
    scored.add_argument("files", nargs="+", help="PGN files (.zst)")
    humans = commands.add_parser("people", help="print losses in games with evaluations")
    humans.add_argument("file", help="PGN file (.zst)")
    over_the_board = commands.add_parser("board", help="evaluate games over the board")
    over_the_board.add_argument("engine", help="our engine")
    over_the_board.add_argument("file", help="PGN file (.zst)")
    over_the_board.add_argument("kept", help="file to keep the evaluations in")
    over_the_board.add_argument("--games", type=int, default=60, help="games for every 200 points [default: 60]")
    own = commands.add_parser("games", help="evaluate games of our own players")
    own.add_argument("engine", help="our engine")
    own.add_argument("files", nargs="+", help="PGN files")
    own.add_argument("--played", metavar="human.toml", help="file with the exponents that these players used")
    options = arguments.parse_args()
    if options.command == "scores":
        scores(options.files)
    elif options.command == "people":
        people(options.file)
    elif options.command == "board":
        board(options.engine, options.file, options.kept, options.games)
    else:
        games(options.engine, options.files, options.played)


if __name__ == "__main__":
    main()
