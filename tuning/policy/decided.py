#!/usr/bin/env python3
"""Compares human players and levels in decided positions, and fits how much less players mind losses when ahead.

    venv/bin/python tuning/policy/decided.py policy.bin human.toml some.bin values.bin [...]

In the curve `human`, players who are ahead in online rapid and blitz games are careless. The costs of their losses are
multiplied by

    1 - h max(0, 2 E - 1)

with the expected score E of the best move by Lichess's formula. This script fits the carelessness h by likelihood for
each kind of game, and shows whether the curve then loses as much, and blunders as often, as players do in the same
positions when the mover is ahead. Games whose number ends in 1 are for the fit, those ending in 0 for tests. Pawns are
those of the 2021 Stockfish on Lichess, 1.74 of which equal one of ours.
"""
import argparse
import math
import tomllib

import numpy as np
import torch

import reading
from choices import POOL_NAMES
from fit import BLUNDER, FIRST, PAWN, expected_score, pairs, read_choices, shares_of
from network import read_networks

SIDES = {"behind": (-8, -2), "even": (-2, 2), "ahead": (2, 8)}
BOUNDS = [600, 1100, 1400, 1700, 2000, 2800]


class Positions:
    """Choices in one kind of game, with the parts of each log-probability that come from the policy and the losses."""

    def __init__(self, curve, networks, records, values, pool):
        asked = records.copy()
        asked["clock"], asked["opponent"] = reading.CLOCKS[pool], asked["rating"]
        shares = np.maximum(shares_of(networks, asked).numpy(), -30)[:, None]
        choices = reading.Choices(curve, records, values, shares)
        policy, self.known, self.rating = choices.shares[:, 0], choices.known, choices.rating
        x = reading.x_of(self.rating)[:, None]
        weights = torch.exp(choices.parabolas @ torch.cat([x ** 0, x, x ** 2], 1).T)[:, :, None]
        costs = sum(cost * torch.log1p(loss / scale)
                    for loss, cost, scale in zip(choices.losses, weights[1::2], weights[2::2]))
        self.policy = choices.faded * policy + (1 - choices.faded) * weights[0] * policy
        self.costs = (1 - choices.faded) * costs
        ratings, exponents = np.array(curve["played"]).T
        self.exponent = torch.tensor(np.exp(np.interp(self.rating, ratings, np.log(exponents))))
        last = values[:, -1]
        win = 100 * expected_score(last)
        best = np.nanmax(win, axis=1)
        self.lost = torch.tensor(np.nan_to_num(best[:, None] - win)).double()
        self.lead, self.kind = choices.lead, POOL_NAMES[pool]
        self.carelessness = curve[self.kind][-1]["carelessness"]
        self.pawns = torch.tensor(np.nanmax(last, axis=1) * PAWN)
        self.chosen, self.part = choices.chosen, choices.part
        own = self.lost[torch.arange(len(self.lost)), self.chosen]
        self.actual = torch.stack([own, (own >= BLUNDER).double()], 1)

    def logarithms(self, carelessness, is_played=False):
        scores = self.policy - (1 - carelessness * self.lead)[:, None] * self.costs
        scores = scores * self.exponent[:, None] if is_played else scores
        return torch.log_softmax(scores.masked_fill(~self.known, float("-inf")), 1)

    def expected(self, carelessness, is_played=False):
        """The win points that the curve loses, how often it blunders, and the mean square of the loss."""
        share = self.logarithms(carelessness, is_played).exp()
        return torch.stack([(share * self.lost).sum(1), (share * (self.lost >= BLUNDER)).sum(1),
                            (share * self.lost ** 2).sum(1)], 1)

    def select(self, low, high, part):
        return (self.pawns >= low) & (self.pawns <= high) & (self.part == part)


def load(curve, networks, records, values):
    """The choices of each kind of game with the same number of depths."""
    depths = (~np.isnan(values[:, :, 0])).sum(1)
    for pool in range(len(POOL_NAMES)):
        here = (depths == depths.max()) & (records["pool"] == pool) & (records["ply"] >= FIRST)
        here &= (records["flags"] == 0) & (records["clock"] >= 30) & (records["count"] > 1)
        if here.any():
            yield Positions(curve, networks, records[here], values[here][:, :depths.max()], pool)


def ahead(sets, part, carelessness):
    """For all choices with the mover ahead: the logarithm of the chosen move's probability, the win points that it
    loses, and those that the curve expects to lose."""
    rows = []
    for some in sets:
        logarithms = some.logarithms(carelessness)
        chosen = logarithms[torch.arange(len(some.rating)), some.chosen]
        expected = (logarithms.exp() * some.lost).sum(1)
        rows.append(torch.stack([chosen, some.actual[:, 0], expected], 1)[some.select(*SIDES["ahead"], part)])
    return torch.cat(rows).double()


def fit(sets):
    """The likeliest carelessness and its standard error."""
    grid = np.arange(-0.3, 0.96, 0.05)
    sums = np.array([float(ahead(sets, 1, carelessness)[:, 0].sum()) for carelessness in grid])
    top = int(np.clip(sums.argmax(), 2, len(grid) - 3))
    bend, slope, _ = np.polyfit(grid[top - 2:top + 3], sums[top - 2:top + 3], 2)
    return -slope / (2 * bend), (-2 * bend) ** -0.5


def table(sets, parts):
    print("| position, ratings | choices | players lose (± SE) | careful curve | curve | careful level | level "
          "| players blunder (± SE) | careful curve | curve | careful level | level |\n" + "|---" * 12 + "|")
    for name, (low, high) in SIDES.items():
        for weakest, strongest in zip(BOUNDS, BOUNDS[1:]):
            rows = []
            for some in sets:
                here = sum((some.select(low, high, part) for part in parts), torch.zeros(len(some.rating)).bool())
                here &= (some.rating >= weakest) & (some.rating < strongest)
                found = [some.expected(part * some.carelessness, is_played)[:, :2]
                         for is_played in (False, True) for part in (0, 1)]
                rows.append(torch.cat([some.actual, *found], 1)[here])
            rows = torch.cat(rows)
            if len(rows) < 50:
                continue
            mean, count = rows.mean(0).tolist(), len(rows)
            error, part = float(rows[:, 0].std()) / math.sqrt(count), mean[1]
            print(f"| {name}, {weakest}-{strongest} | {count} | {mean[0]:.2f} ± {error:.2f} | "
                  + " | ".join(f"{number:.2f}" for number in mean[2::2])
                  + f" | {100 * part:.1f} ± {100 * math.sqrt(part * (1 - part) / count):.1f}% | "
                  + " | ".join(f"{100 * number:.1f}%" for number in mean[3::2]) + " |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("policy", help="policy file of the engine")
    arguments.add_argument("curve", help="file with the curve `human`")
    arguments.add_argument("data", nargs="+", help="pairs of files: choices, and their values")
    options = arguments.parse_args()
    files = pairs(arguments, options.data)
    curve, (networks, _) = tomllib.load(open(options.curve, "rb")), read_networks(options.policy)
    sets = []
    for some, file in files:
        sets += load(curve, networks, *read_choices(some, file))
    for kind in POOL_NAMES:
        same = [some for some in sets if some.kind == kind]
        if not same or not len(ahead(same, 1, 0)):
            continue
        found, error = fit(same)
        print(f"{kind}: carelessness {found:.2f} ± {error:.2f}, in human.toml {same[0].carelessness}")
        for part in (1, 0):
            for carelessness in (0, same[0].carelessness):
                nats, lost, expected = ahead(same, part, carelessness).mean(0).tolist()
                print(f"  {('test games', 'games of the fit')[part]}, with {carelessness}: {-nats:.4f} nats per move "
                      f"ahead; players lose {lost / expected:.2f} times as much as the curve")
    for name, parts in (("Games of the fit", [1]), ("Test games", [0])):
        print(f"\n{name}:\n")
        table(sets, parts)


if __name__ == "__main__":
    main()
