#!/usr/bin/env python3
"""Finds the exponents that make levels differ in strength as much as their ratings imply.

    python3 tuning/policy/steps.py

    stopdown match --a "self elo=1600 seed=1" --b "self elo=1400 seed=2" --games 60 --order random --json > a.json
    python3 tuning/policy/steps.py --add a.json ...

`steps.jsonl` has the results of matches between two levels, with the exponents that they had at that time. `--add` adds
matches at twelve plies that were played with the exponents in `human.toml`. The script prints the playing strength of
every level with its standard error, and a corrected table of exponents for `human.toml`.

A few games determine a single step only roughly. The fit therefore has a prior: with the exponents in FIRST, the
strengths of levels differ as intended, with a normally distributed deviation of SPREAD points for each 100 points of
rating. The correction is zero at the pivot, where levels are as strong as players of the same rating. Draws count as
half a win, so the standard errors are somewhat too large. The error of GAIN is not included.
"""
import argparse
import json
import math
import pathlib
import sys
import tomllib

import numpy as np

# The intended points of playing strength for a point of rating, below and above the pivot. Humans score 68 to 72%
# against humans rated 200 points lower. Level 2800 is almost as strong at twelve plies as a player that always plays the
# best move, so the upper levels have to be a little closer to each other.
SLOPES = 0.7, 0.65
SPREAD = 40
PIVOT = 1500
# Points of playing strength for a unit of the exponent's logarithm: 480 to 980 between players of the ladder
# (tuning/calibration) that differ only in the exponent.
GAIN = 700
# The exponents before any of these matches: pairs of a rating and an exponent (README.md).
FIRST = np.array([
    (600, 0.7428), (800, 0.8274), (1000, 0.9103), (1200, 0.9890), (1400, 1.0612), (1600, 1.1246), (1800, 1.1770),
    (2000, 1.2165), (2200, 1.2720), (2400, 1.3780), (2600, 1.5469), (2700, 1.6609), (2800, 1.7992), (2900, 1.95),
    (3000, 2.15)])
GRID = np.arange(400, 3001, 100)
# Levels above this one are not human. Their exponents change by the same factor as that of this level.
TOP = 2800
ELO = math.log(10) / 400
RESULTS = pathlib.Path(__file__).parent / "steps.jsonl"
HUMAN = pathlib.Path(__file__).parent.parent / "calibration" / "human.toml"


def read_exponents(file):
    with open(file, "rb") as text:
        return np.array(tomllib.load(text)["played"])


def exponent_at(table, rating):
    """The exponent of a level, as in src/selector/human.rs."""
    return math.exp(np.interp(rating, table[:, 0], np.log(table[:, 1])))


def read_match(file, table):
    with open(file) as text:
        found = json.load(text)
    players = found["players"]
    if not all(player["name"].isdecimal() and player["limits"] == "12 plies" for player in players):
        sys.exit(f"{file} is not a match between two levels at twelve plies")
    levels = [float(player["name"]) for player in players]
    exponents = [round(exponent_at(table, level), 4) for level in levels]
    return {"levels": levels, "exponents": exponents, "games": found["games"], "score": found["score"]}


def intended(rating):
    """The intended strength relative to the pivot."""
    below, above = SLOPES
    return np.where(rating < PIVOT, below, above) * (rating - PIVOT)


def position(rating):
    """The weights of the grid's strengths in the interpolated strength of a level."""
    row = np.zeros(len(GRID))
    part = (rating - GRID[0]) / 100
    row[int(part)] = 1 - part % 1
    row[min(int(part) + 1, len(GRID) - 1)] += part % 1
    return row


def strengths(matches):
    """The strengths with the first exponents, at the ratings of the grid and relative to the pivot, and their
    covariance."""
    expected = intended(GRID)
    steps = np.diff(np.eye(len(GRID)), axis=0)
    prior = steps.T @ steps / SPREAD ** 2 + np.outer(position(PIVOT), position(PIVOT))
    rows = np.array([position(match["levels"][0]) - position(match["levels"][1]) for match in matches])
    games, scores = (np.array([match[column] for match in matches]) for column in ("games", "score"))

    def gain(level, exponent):
        """How much stronger a level is with this exponent than with the first one."""
        return GAIN * math.log(exponent / exponent_at(FIRST, level))

    gains = [[gain(*pair) for pair in zip(match["levels"], match["exponents"])] for match in matches]
    change = np.array([one - other for one, other in gains])
    found = expected.copy()
    for _ in range(30):
        share = 1 / (1 + np.exp(-ELO * (rows @ found + change)))
        precision = prior + rows.T @ ((games * share * (1 - share) * ELO ** 2)[:, None] * rows)
        slope = rows.T @ (games * (scores - share) * ELO) - prior @ (found - expected)
        found = found + np.linalg.solve(precision, slope)
    return found, np.linalg.inv(precision)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--add", nargs="+", default=[], metavar="MATCH",
                           help="results of `stopdown match --json` with the exponents in human.toml")
    options = arguments.parse_args()
    present = read_exponents(HUMAN)
    added = [read_match(file, present) for file in options.add]
    matches = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    if any(match in matches for match in added):
        sys.exit("some of these matches were added before")
    found, covariance = strengths(matches + added)
    if added:
        with open(RESULTS, "a") as results:
            results.writelines(json.dumps(match) + "\n" for match in added)
    corrected, factor = [], 1
    for rating, exponent in FIRST:
        if rating <= TOP:
            row = position(rating)
            strength, change = row @ found, row - position(PIVOT)
            error = math.sqrt(change @ covariance @ change)
            now = strength + GAIN * math.log(exponent_at(present, rating) / exponent)
            print(f"{rating:.0f}: strength {now:+.0f} +- {error:.0f} from {PIVOT}, intended {intended(rating):+.0f}")
            factor = math.exp((intended(rating) - strength) / GAIN)
        corrected.append([rating, max([exponent * factor] + [before for _, before in corrected])])
    print("played = [", *(f"  [{rating}, {exponent:.4f}]," for rating, exponent in corrected), "]", sep="\n")


if __name__ == "__main__":
    main()
