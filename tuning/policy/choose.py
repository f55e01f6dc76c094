#!/usr/bin/env python3
"""Selects choices for evaluation: some to fit the curve `human`, and others to test it.

    venv/bin/python tuning/policy/choose.py choices.bin some.bin
    stopdown-lab tune values some.bin values.bin

Games whose number ends in 1 are for fitting, and those ending in 0 for testing. The network learns from all others.
Each kind of game and each 200 rating points contribute the same number of choices. Moves count from the eighth on (or
in the range of `--plies`), with at least half a minute left if the clock is known. If a player collected the games,
that player's moves are excluded. So are games whose kind is a guess, and games with chess.com ratings.

With `--equals`, it selects choices from the ninth move on by players of nearly the same rating as their opponents, for
`reading.py`, which fits and tests how ratings are estimated from moves.
"""
import argparse

import numpy as np

from choices import CHOICE, test_positions

FITTED = [(0, 1000, 2800), (2, 600, 2600), (3, 800, 2400), (4, 800, 2400)]
STEP = 200
# For choices of equals: a kind of game, the range of ratings, and how many choices are selected for each 100 points.
# This number is selected twice: for the fit and for tests. The moves of strong players differ least, so they need the
# most.
EQUALS = [(0, 1200, 2000, 500), (0, 2000, 2800, 1500), (2, 800, 2500, 500), (3, 900, 2600, 500), (4, 1200, 2200, 100)]
# The largest rating difference between players who count as equal, and the most choices from one game.
APART, PER_GAME = 100, 12


def equals(data, usable, part):
    """The choices of equals, in random order."""
    pool, rating, opponent = (np.array(data[name]).astype(int) for name in ("pool", "rating", "opponent"))
    game = np.array(data["game"])
    usable = usable & (opponent > 0) & (np.abs(rating - opponent) <= APART) & (np.array(data["count"]) > 1)
    random = np.random.default_rng(11)
    chosen = []
    for kind, lowest, highest, count in EQUALS:
        for low in range(lowest, highest, 100):
            for half in (0, 1):
                here = usable & (part == half) & (pool == kind) & (rating >= low) & (rating < low + 100)
                fits = random.permutation(np.flatnonzero(here))
                order = np.argsort(game[fits], kind="stable")
                _, first, counts = np.unique(game[fits][order], return_index=True, return_counts=True)
                number = np.empty(len(fits), int)
                number[order] = np.arange(len(fits)) - np.repeat(first, counts)
                chosen.append(fits[number < PER_GAME][:count])
    return random.permutation(np.concatenate(chosen))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("choices", help="file made by `stopdown-lab tune choices`")
    arguments.add_argument("some", help="file to write")
    arguments.add_argument("--fit", type=int, default=600, help="choices for fitting, per 200 points [default: 600]")
    arguments.add_argument("--test", type=int, default=1500, help="test choices per band [default: 1500]")
    arguments.add_argument("--plies", type=int, nargs=2, default=[14, 1000],
                           help="first ply, and the ply after the last [default: 14 1000]")
    arguments.add_argument("--equals", action="store_true", help="select choices of equals instead")
    options = arguments.parse_args()
    data = np.memmap(options.choices, CHOICE, "r")
    part = np.array(data["game"] % 10)
    ply = np.array(data["ply"])
    usable = ((ply >= options.plies[0]) & (ply < options.plies[1]) & (np.array(data["clock"]) >= 30)
              & (np.array(data["flags"]) == 0))
    if options.equals:
        data[equals(data, usable & (ply >= 16), part)].tofile(options.some)
        return
    pool, rating = np.array(data["pool"]), np.array(data["rating"])
    random = np.random.default_rng(1)
    chosen = []
    for kind, lowest, highest in FITTED:
        for low in range(lowest, highest, STEP):
            fits = np.flatnonzero((part == 1) & usable & (pool == kind) & (rating >= low)
                                  & (rating < low + STEP))
            chosen.append(random.permutation(fits)[:options.fit])
            print("fitted:", kind, low, len(chosen[-1]))
    tested = np.flatnonzero((part == 0) & (ply < options.plies[1]))
    bands = test_positions(data, tested, options.test, options.plies[0])
    print("tested:", {name: len(index) for name, index in bands.items()})
    index = random.permutation(np.unique(np.concatenate(chosen + list(bands.values()))))
    data[index].tofile(options.some)
    print(len(index), "choices")


if __name__ == "__main__":
    main()
