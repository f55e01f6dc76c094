#!/usr/bin/env python3
"""Measures how many nodes the levels above 2800 need, and makes nodes.toml.

    python3 tuning/calibration/nodes.py play target/release/stopdown results --games 60
    python3 tuning/calibration/nodes.py fit results > tuning/calibration/nodes.toml

`play` plays level 2800 against searches with a node limit, and such searches against those with a quarter of the limit.
It plays all matches in turn, a few games at a time. Every part of a match is a file in the folder. Run the command
again to continue an interrupted run, or with a larger --games to add games. Results of another version of the engine
belong in another folder.

`fit` prints the table. To stderr, it prints every result and the error of every rating. The strength of a search is
interpolated linearly between doublings of the limit. A few games say little about a single doubling, so the fit has a
prior: one doubling is worth about as much as the next, with a deviation of BEND points.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

LEVEL = 2800
# Node limits. Each plays the one two steps above it, and level 2800 plays those in JOINTS.
LIMITS = [1000 * 2 ** step for step in range(11)]
JOINTS = [4000, 8000, 16000]
PART = 10
RATINGS = range(2500, 3401, 100)
# The standard deviation of the difference between the gains of successive doublings, in points.
BEND = 10
# The prior for the gain of a doubling: its mean, and its standard deviation for the first doubling.
GAIN, GAIN_SPREAD = 100, 50
ELO = math.log(10) / 400


def player(limit):
    """The description of a player for `stopdown match`. `limit` is a number of nodes, or LEVEL for the human level."""
    if limit == LEVEL:
        return f"self elo={LEVEL} name={LEVEL}"
    return f"self elo=3400 nodes={limit} name={limit}"


def matches():
    return [(limit, LEVEL) for limit in JOINTS] + list(zip(LIMITS[2:], LIMITS))


def play(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(math.ceil(options.games / PART)):
        for one, other in matches():
            if max(one, other) > options.most:
                continue
            file = folder / f"{one}-{other}-{part}.json"
            if file.exists():
                continue
            words = [options.program, "match", "--a", player(one), "--b", player(other), "--each", f"seed={part + 1}",
                     "--games", str(PART), "--order", "random", "--seed", str(part + 1), "--interval", "0", "--json"]
            found = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
            unfinished = file.with_suffix(".new")
            unfinished.write_bytes(found)
            unfinished.rename(file)


def read(folder):
    """The games and points of every match."""
    total = {}
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        one, other, _ = map(int, file.stem.split("-"))
        found = json.loads(file.read_bytes())
        games, points = total.get((one, other), (0, 0))
        total[one, other] = (games + found["games"], points + found["games"] * found["score"])
    if not total:
        sys.exit(f"{folder} has no results; run `nodes.py play` first")
    return total


def position(limit):
    """The weights of the strengths at LIMITS, and of level 2800, in the interpolated strength of a player."""
    row = np.zeros(len(LIMITS) + 1)
    if limit == LEVEL:
        row[-1] = 1
        return row
    place = math.log2(limit / LIMITS[0])
    step = min(max(int(place), 0), len(LIMITS) - 2)
    row[step], row[step + 1] = step + 1 - place, place - step
    return row


def strengths(total):
    """The strengths at LIMITS and of level 2800, up to a constant, and their covariance."""
    gains = np.diff(np.eye(len(LIMITS) + 1)[:-1], axis=0)
    bends = np.diff(gains, axis=0)
    middle = position(JOINTS[len(JOINTS) // 2])
    # The constant, and a very weak prior for level 2800.
    prior = bends.T @ bends / BEND ** 2 + gains[:1].T @ gains[:1] / GAIN_SPREAD ** 2
    joint = position(LEVEL) - middle
    prior += np.outer(middle, middle) + np.outer(joint, joint) / 400 ** 2
    expected = np.append(GAIN * (np.arange(len(LIMITS)) - middle.argmax()), 0.0)
    rows = np.array([position(one) - position(other) for one, other in total])
    games, points = np.array(list(total.values()), dtype=float).T
    found = expected.copy()
    for _ in range(30):
        share = 1 / (1 + np.exp(-ELO * rows @ found))
        precision = prior + rows.T @ ((games * share * (1 - share) * ELO ** 2)[:, None] * rows)
        slope = rows.T @ ((points - games * share) * ELO) - prior @ (found - expected)
        found = found + np.linalg.solve(precision, slope)
    return found, np.linalg.inv(precision)


def fit(options):
    total = read(options.folder)
    for (one, other), (games, points) in sorted(total.items(), key=lambda row: row[0][::-1]):
        share = points / games
        error = math.sqrt(max(share * (1 - share), 0.05) / games)
        print(f"{one} against {other}: {100 * share:.1f} +- {100 * error:.1f}% of {games} games", file=sys.stderr)
    found, covariance = strengths(total)
    search, level = found[:-1], found[-1]
    for limit, gain, row in zip(LIMITS, np.diff(search), np.diff(np.eye(len(found))[:-1], axis=0)):
        error = math.sqrt(row @ covariance @ row)
        print(f"from {limit} to {2 * limit} nodes: {gain:+.0f} +- {error:.0f} Elo", file=sys.stderr)
    table = []
    for rating in RATINGS:
        wanted = level + rating - LEVEL
        step = int(np.clip(np.searchsorted(search, wanted), 1, len(search) - 1))
        place = step - 1 + (wanted - search[step - 1]) / (search[step] - search[step - 1])
        limit = LIMITS[0] * 2 ** place
        row = position(limit) - position(LEVEL)
        error = math.sqrt(row @ covariance @ row)
        digits = 10 ** (math.floor(math.log10(limit)) - 1)
        table.append((rating, round(limit / digits) * digits))
        print(f"{rating}: {limit:.0f} nodes, +- {error:.0f} points", file=sys.stderr)
    print("# The number of nodes that a level above 2800 searches: pairs of a FIDE rating and a number of nodes.\n"
          "# Between two pairs, the logarithm of the number is linear in the rating.\n"
          "# Made by tuning/calibration/nodes.py.\n\nnodes = [",
          *(f"  [{rating}, {limit}]," for rating, limit in table), "]", sep="\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = arguments.add_subparsers(required=True)
    command = commands.add_parser("play", help="play matches, or continue")
    command.add_argument("program", help="the stopdown to measure")
    command.add_argument("folder", help="folder for the results")
    command.add_argument("--games", type=int, default=60, help="games in each match [default: 60]")
    command.add_argument("--most", type=int, default=LIMITS[-1],
                         help="leave out matches with more nodes than this [default: all]")
    command.set_defaults(run=play)
    command = commands.add_parser("fit", help="print the table")
    command.add_argument("folder", help="folder of the results")
    command.set_defaults(run=fit)
    options = arguments.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
