#!/usr/bin/env python3
"""Measures how far the ratings of `stopdown rate` are from official ratings.

    accuracy.py one STOPDOWN FOLDER SCALE GAMES.pgn.zst ... [--most 100]     # ratings after one game
    accuracy.py ten STOPDOWN FOLDER SCALE GAMES.pgn.zst ... [--most 100]     # ratings after ten games
    accuracy.py show FOLDER

`one` rates both players of random games that were not used for training. `ten` rates random players, at most ten for
each 200 rating points, from ten of their consecutive games, some of which were used for training. The games of servers
need the tag `TimeClass`. Results are added to FOLDER, where the program continues after an interruption, with the same
version and options. `show` prints the mean errors, and how often the intervals contain the official rating, for ratings
from moves and, over the board, for ratings from moves and results. Estimates at an end of the scale and players without
an estimate do not count; the column "left out" has their number. The script needs python-chess, and zstdcat for .zst
files.
"""

import argparse
import collections
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import zlib

import chess.pgn

SPEEDS = {"Lichess-Bullet": "bullet", "Lichess-Blitz": "blitz", "Lichess-Rapid": "rapid"}
# How many standard deviations the central interval with this probability reaches from the mean.
REACH = {50: 0.6745, 80: 1.2816, 95: 1.9600}

# Shorter games have no ratings: the first eight moves of a player are left out, and twenty must be left.
SHORTEST = 2 * (8 + 20)


def is_test_game(game):
    """Whether a game is held out from training. The same hash as in `tuning/lab/src/tune/choices`."""
    number = 0xCBF29CE484222325
    board = game.board()
    for move in game.mainline_moves():
        target = move.to_square
        if board.is_castling(move):
            target = chess.square(7 if target > move.from_square else 0, chess.square_rank(target))
        packed = move.from_square | target << 6 | (move.promotion or 0) << 12
        for byte in packed.to_bytes(2, "little"):
            number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        board.push(move)
    return number % 10 == 0


def texts(path):
    """The games of a file, as text."""
    command = ["zstdcat"] if path.endswith(".zst") else ["cat"]
    # Old collections are often in Latin-1.
    lines = subprocess.run([*command, path], check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                           errors="replace").stdout.splitlines()
    game, in_moves = [], False
    for line in lines:
        if line.startswith("[") and in_moves:
            yield "\n".join(game) + "\n"
            game, in_moves = [], False
        in_moves = in_moves or bool(line) and not line.startswith("[")
        game.append(line)
    if in_moves:
        yield "\n".join(game) + "\n"


def tags_of(text):
    lines = (line[1:-1].split(" ", 1) for line in text.splitlines() if line.startswith("["))
    return {name: value.strip('"') for name, value in lines}


def is_of_scale(tags, scale):
    if scale in SPEEDS:
        return tags.get("TimeClass") == SPEEDS[scale] and "lichess" in tags.get("Site", "") \
            and "casual" not in tags.get("Event", "").lower()
    return "TimeClass" not in tags


def rating_of(tags, side):
    """The rating of a player, or `None` if it is missing or that of a new player."""
    try:
        rating, change = int(tags[side + "Elo"]), int(tags.get(side + "RatingDiff", "0"))
    except (KeyError, ValueError):
        return None
    if abs(change) > 30 or ("TimeClass" in tags and rating == 1500) or tags.get(side + "Title") == "BOT":
        return None
    # The account whose games were collected is not a random player.
    if side[0].lower() in tags.get("CollectorSide", ""):
        return None
    return rating


def rate(arguments, text, player=()):
    """The players as `stopdown rate` rates them, or `None` with a message if it fails."""
    with tempfile.NamedTemporaryFile("w", suffix=".pgn", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        name = [part for value in player for part in ("--player", value)]
        store = ["--store", arguments.store] if arguments.store else []
        command = [arguments.stopdown, "rate", file.name, "--scale", arguments.scale, "--threads", "1", "--json"]
        command += store + name + (["--depth", arguments.depth] if arguments.depth else [])
        finished = subprocess.run(command, capture_output=True, text=True)
    # 1 means that no move counts, for example because the game was decided early.
    if finished.returncode not in (0, 1):
        print(f"{' '.join(command)}: exit code {finished.returncode}; these games are left out\n{finished.stderr}",
              file=sys.stderr, end="")
        return None
    return [json.loads(line) for line in finished.stdout.splitlines()]


def settings(arguments):
    """Everything on which the results depend, apart from the games."""
    printed = subprocess.run([arguments.stopdown, "--version"], check=True, capture_output=True, text=True).stdout
    return {"version": printed.strip(), "depth": arguments.depth, "all": getattr(arguments, "all", None)}


def complete_lines(path):
    """The lines of a file. The program may have been stopped while it wrote the last one."""
    text = path.read_text() if path.exists() else ""
    return text[:text.rfind("\n") + 1].splitlines()


class Results:
    """A file of results. The first line has the settings. Each other line has a key, the rows of the players with an
    estimate, and the number of those without one."""

    def __init__(self, arguments, name):
        self.path = pathlib.Path(arguments.folder) / f"{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        head, lines = json.dumps({"settings": settings(arguments)}), complete_lines(self.path)
        if lines and lines[0] != head:
            sys.exit(f"{self.path} has results with other settings, {lines[0][:200]}, instead of {head}; "
                     "give another folder")
        self.path.write_text("".join(line + "\n" for line in lines or [head]))
        self.done = {json.loads(line)["key"] for line in lines[1:]}

    def add(self, key, rows):
        found = [row for row in rows if row]
        with self.path.open("a") as file:
            file.write(json.dumps({"key": key, "rows": found, "left_out": len(rows) - len(found)}) + "\n")
        self.done.add(key)
        print(f"{self.path.stem}: {len(self.done)}", file=sys.stderr)


def estimate_of(rated):
    """The estimate and its standard deviation."""
    # Intervals are cut off at the ends of the scale.
    reach = max(rated["rating"] - rated["range_95"][0], rated["range_95"][1] - rated["rating"])
    return [rated["rating"], reach / REACH[95]]


def row_of(rated, official):
    """The official rating, the estimate, its standard deviation, the number of moves, and the estimate with results.
    `None` if there is no estimate, or if it is at an end of the scale."""
    if rated is None or rated["rating"] is None or rated["bound"] is not None:
        return None
    with_results = rated["with_results"]
    return [official, *estimate_of(rated), rated["moves"], *(estimate_of(with_results) if with_results else [])]


def one(arguments):
    results = Results(arguments, f"{arguments.scale}-1")
    games = [(text, tags_of(text)) for path in arguments.games for text in texts(path)]
    games = [(text, tags) for text, tags in games if is_of_scale(tags, arguments.scale)]
    random.Random(1).shuffle(games)
    for text, tags in games:
        if len(results.done) >= arguments.most:
            break
        key = f"{zlib.crc32(text.encode()):08x}"
        official = {tags.get(side): rating_of(tags, side) for side in ("White", "Black")}
        if key in results.done or len(official) < 2 or not any(official.values()):
            continue
        game = chess.pgn.read_game(io.StringIO(text))
        if game.errors or game.end().ply() < SHORTEST or not (arguments.all or is_test_game(game)):
            continue
        rated = rate(arguments, text)
        if rated is not None:
            entries = {entry["name"]: entry for entry in rated}
            rows = [row_of(entries.get(name), rating) for name, rating in official.items() if rating]
            results.add(key, rows)


def ten(arguments):
    results = Results(arguments, f"{arguments.scale}-10")
    played = collections.defaultdict(list)
    for path in arguments.games:
        for text in texts(path):
            tags = tags_of(text)
            if is_of_scale(tags, arguments.scale):
                for side in ("White", "Black"):
                    rating = rating_of(tags, side)
                    if rating:
                        played[tags.get(side, "?")].append((rating, text))
    names = sorted(name for name, games in played.items() if len(games) >= 10 and name != "?")
    random.Random(1).shuffle(names)
    bands = collections.Counter()
    for name in names:
        if sum(bands.values()) >= arguments.most:
            break
        games = played[name]
        first = random.Random(name).randrange(len(games) - 9)
        games = games[first:first + 10]
        official = sum(rating for rating, _ in games) / 10
        if bands[int(official) // 200] >= 10:
            continue
        bands[int(official) // 200] += 1
        if name not in results.done:
            rated = rate(arguments, "\n".join(text for _, text in games), [name])
            if rated is not None:
                entries = {entry["name"]: entry for entry in rated}
                results.add(name, [row_of(entries.get(name), official)])


def show(arguments):
    print("scale, games | ratings | left out | mean rating | mean absolute error | bias | "
          "inside the 50, 80 and 95% intervals")
    for path in sorted(pathlib.Path(arguments.folder).glob("*.jsonl")):
        entries = [entry for entry in map(json.loads, complete_lines(path)) if "rows" in entry]
        rows = [row for entry in entries for row in entry["rows"]]
        # Older files do not have the number.
        left_out = sum(entry.get("left_out", 0) for entry in entries)
        show_line(f"{path.stem}", [row[:3] for row in rows], left_out)
        with_results = [[row[0], *row[4:]] for row in rows if len(row) > 4]
        show_line(f"{path.stem}, with results", with_results, left_out)


def show_line(name, rows, left_out):
    """Prints a line about official ratings, estimates and their standard deviations."""
    if len(rows) < 2:
        return
    errors = [estimate - official for official, estimate, _ in rows]
    scores = [abs(error) / deviation for error, (_, _, deviation) in zip(errors, rows)]
    middle = sum(row[0] for row in rows) / len(rows)
    absolute = [abs(error) for error in errors]
    mean = sum(absolute) / len(rows)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in absolute) / (len(rows) - 1) / len(rows))
    inside = ["%.0f" % (100 * sum(score <= reach for score in scores) / len(rows)) for reach in REACH.values()]
    print(f"{name} | {len(rows)} | {left_out} | {middle:.0f} | {mean:.0f} (SE {deviation:.0f}) | "
          f"{sum(errors) / len(rows):+.0f} | {', '.join(inside)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for command, what in ((one, "rate both players of random games"),
                          (ten, "rate random players from ten of their games")):
        sub = commands.add_parser(command.__name__, help=what, description=what)
        sub.add_argument("stopdown", help="the program")
        sub.add_argument("folder", help="folder for the results")
        sub.add_argument("scale", choices=["FIDE", *SPEEDS], help="rating scale of the games")
        sub.add_argument("games", nargs="+", help="PGN files, also .zst")
        sub.add_argument("--most", type=int, default=100, help="games or players to rate [default: 100]")
        sub.add_argument("--depth", help="search depth in plies [default: that of the program]")
        sub.add_argument("--store", help="file that keeps the evaluations, for a comparison of versions")
        sub.set_defaults(run=command)
        if command is one:
            sub.add_argument("--all", action="store_true", help="also use games that were used for training")
    sub = commands.add_parser("show", help="print the results", description="print the results")
    sub.add_argument("folder", help="folder with the results")
    sub.set_defaults(run=show)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
