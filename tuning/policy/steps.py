#!/usr/bin/env python3
"""Finds the exponents that make levels differ in strength as much as their ratings imply.

    stopdown match --a "self elo=1600 seed=1" --b "self elo=1400 seed=2" --games 60 --order random --json > a.json
    python3 tuning/policy/steps.py tuning/calibration/human.toml a.json ...

Reads matches between two levels. Prints the measured steps, the playing strength of every level with its standard
error, and a corrected table of exponents for `human.toml`. Measure again with the new table, until nothing changes.

A few games say little about a single step. The fit therefore has a prior: levels differ by SLOPE points of strength for
each point of rating, with a normally distributed deviation of SPREAD points for each 100 points of rating. The
correction is zero at the pivot, where levels are as strong as players of the same rating.
"""
import argparse
import json
import math
import re
import tomllib

import numpy as np

# Points of playing strength for a point of rating. Humans score 68 to 72% against humans rated 200 points lower.
SLOPE = 0.7
SPREAD = 40
PIVOT = 1500
# Points of playing strength for a unit of the exponent's logarithm: 480 to 980 between players of the ladder
# (tuning/calibration) that differ only in the exponent.
GAIN = 700
GRID = np.arange(400, 3001, 100)
# Levels above this one are not human. Their exponents are kept.
TOP = 2800
ELO = math.log(10) / 400


def read_exponents(file):
    with open(file, "rb") as text:
        return np.array(tomllib.load(text)["played"])


def exponent_at(table, rating):
    """The exponent of a level, as in src/selector/human.rs."""
    return math.exp(np.interp(rating, table[:, 0], np.log(table[:, 1])))


def read_match(file):
    with open(file) as text:
        found = json.load(text)
    ratings = [float(re.match(r"\d+", player["name"])[0]) for player in found["players"]]
    return ratings, found["games"], found["score"]


def position(rating):
    """The weights of the grid's strengths in the interpolated strength of a level."""
    row = np.zeros(len(GRID))
    part = (rating - GRID[0]) / 100
    row[int(part)] = 1 - part % 1
    row[min(int(part) + 1, len(GRID) - 1)] += part % 1
    return row


def strengths(matches):
    """The strengths at the ratings of the grid relative to the pivot, and their covariance."""
    expected = SLOPE * (GRID - PIVOT)
    steps = np.diff(np.eye(len(GRID)), axis=0)
    prior = steps.T @ steps / SPREAD ** 2 + np.outer(position(PIVOT), position(PIVOT))
    rows = np.array([position(one) - position(other) for (one, other), _, _ in matches])
    games, scores = (np.array([match[column] for match in matches]) for column in (1, 2))
    found = expected.copy()
    for _ in range(30):
        share = 1 / (1 + np.exp(-ELO * rows @ found))
        precision = prior + rows.T @ ((games * share * (1 - share) * ELO ** 2)[:, None] * rows)
        slope = rows.T @ (games * (scores - share) * ELO) - prior @ (found - expected)
        found = found + np.linalg.solve(precision, slope)
    return found, np.linalg.inv(precision)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("exponents", help="human.toml of the measured levels")
    arguments.add_argument("matches", nargs="+", help="results of `stopdown match --json`")
    arguments.add_argument("--slope", type=float, default=SLOPE,
                           help=f"desired points of strength for a point of rating [default: {SLOPE}]")
    options = arguments.parse_args()
    matches = [read_match(file) for file in options.matches]
    total = {}
    for (one, other), games, score in matches:
        before = total.get((one, other), (0, 0))
        total[one, other] = (before[0] + games, before[1] + games * score)
    for (one, other), (games, points) in sorted(total.items(), key=lambda row: row[0][::-1]):
        share = points / games
        error = 100 * math.sqrt(share * (1 - share) / games)
        print(f"{one:.0f} against {other:.0f}: {100 * share:.1f} +- {error:.1f}% of {games} games")
    found, covariance = strengths(matches)
    table, corrected = read_exponents(options.exponents), []
    for rating, exponent in table:
        if rating > TOP:
            corrected.append([rating, exponent])
            continue
        row = position(rating)
        strength, change = row @ found, row - position(PIVOT)
        error = math.sqrt(change @ covariance @ change)
        exponent *= math.exp((options.slope * (rating - PIVOT) - strength) / GAIN)
        corrected.append([rating, max([exponent] + [before for _, before in corrected])])
        print(f"{rating:.0f}: strength {strength:+.0f} +- {error:.0f} from {PIVOT}")
    print("played = [", *(f"  [{rating}, {exponent:.4f}]," for rating, exponent in corrected), "]", sep="\n")


if __name__ == "__main__":
    main()
