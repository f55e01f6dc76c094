#!/usr/bin/env python3
"""Do players of the curve `human` err in their own games as people do, and what may be hoped of a match?

    venv/bin/python tuning/policy/played.py people lichess-rapid.pgn.zst
    venv/bin/python tuning/policy/played.py games ./stopdown GAMES.pgn ...

`people` reads games that have the server's value at every ply ([%eval]). It prints what people of a rating
lose while a game is open, and what a match between two of them would end like if every move lost what
moves of such people lose with such a value at such a stage, whoever the opponent is and whatever was
played before: what a player without a memory can be expected to score.

`games` judges games of our own players by 40,000 nodes a position, in the same units, and prints
the same for every player, and what he scored.
"""
import argparse
import bisect
import collections
import io
import json
import math
import os
import random
import re

from fit import BLUNDER, FIRST, LOGISTIC, OPEN, PAWN

NODES = 40_000
MATE = 3000
# Values that part one kind of situation from the next, in centipawns from the mover's side.
SITUATIONS = [sign * n for sign in (-1, 1)
              for n in (20, 60, 120, 200, 300, 450, 600, 800, 1200, 2000)]
SITUATIONS.sort()
STAGES = 20
BAND = 200


def win(centipawns):
    return 100 / (1 + math.exp(-LOGISTIC / 100 * max(-MATE, min(MATE, centipawns))))


class Losses:
    """What is lost in open positions."""

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
        error = (share * (1 - share) / self.count) ** 0.5
        return (f"{self.count} moves, {self.lost / self.count:.2f} win points a move, "
                f"blunders {100 * share:.1f} +- {100 * error:.1f} %")


def games_of_people(name):
    """Ratings and values of every game."""
    import zstandard
    value = re.compile(r"\[%eval ([^\]]+)\]")
    tags = {}
    with open(name, "rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file)):
            if line.startswith("["):
                key, text = line[1:].split(" ", 1)
                tags[key] = text.split('"')[1]
            elif found := value.findall(line):
                values = [math.copysign(MATE, -1 if "-" in v else 1) if v.startswith("#")
                          else max(100 - MATE, min(MATE - 100, 100 * float(v))) for v in found]
                yield [int(tags.get(side + "Elo", 0)) for side in ("White", "Black")], values
                tags = {}


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
            print(f"{high} against {low}: {100 * score:.0f} %")


def games(engine, files):
    import chess.engine
    import chess.pgn
    judge = chess.engine.SimpleEngine.popen_uci([engine], timeout=60)
    judge.configure({"Threads": 1, "Hash": 32})

    def value(board):
        if board.is_checkmate():
            return MATE if board.turn == chess.BLACK else -MATE
        if board.is_game_over():
            return 0
        found = judge.analyse(board, chess.engine.Limit(nodes=NODES))["score"].white()
        return found.score(mate_score=MATE) * PAWN

    losses, scores = collections.defaultdict(Losses), collections.defaultdict(list)
    for name in files:
        kept = name + ".values"
        known = json.load(open(kept)) if os.path.exists(kept) else []
        with open(name) as file:
            for number, game in enumerate(iter(lambda: chess.pgn.read_game(file), None)):
                board = game.board()
                first = 2 * board.fullmove_number - (2 if board.turn else 1)
                if number >= len(known):
                    values = [value(board)]
                    for move in game.mainline_moves():
                        board.push(move)
                        values.append(value(board))
                    known.append(values)
                    json.dump(known, open(kept + ".new", "w"))
                    os.replace(kept + ".new", kept)
                players = [game.headers["White"], game.headers["Black"]]
                for index, (before, after) in enumerate(zip(known[number], known[number][1:])):
                    ply = first + index
                    sign = (1, -1)[ply % 2]
                    losses[players[ply % 2]].add(sign * before, sign * after, ply)
                points = {"1-0": 1.0, "0-1": 0.0}.get(game.headers["Result"], 0.5)
                scores[tuple(players)].append(points)
                scores[tuple(reversed(players))].append(1 - points)
    judge.quit()
    for player in sorted(losses):
        print(f"{player}: {losses[player]}")
    for (one, other), points in sorted(scores.items()):
        mean = sum(points) / len(points)
        error = (sum((p - mean) ** 2 for p in points) / len(points) ** 2) ** 0.5
        print(f"{one} against {other}: {100 * mean:.0f} +- {200 * error:.0f} % of {len(points)}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    commands.add_parser("people").add_argument("file")
    own = commands.add_parser("games")
    own.add_argument("engine")
    own.add_argument("files", nargs="+")
    options = arguments.parse_args()
    if options.command == "people":
        people(options.file)
    else:
        games(options.engine, options.files)


if __name__ == "__main__":
    main()
