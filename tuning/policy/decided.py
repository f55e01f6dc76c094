#!/usr/bin/env python3
"""Compares people and levels in decided positions, and fits how much less people mind losses when they are ahead.

    venv/bin/python tuning/policy/decided.py policy.bin human.toml some.bin values.bin [...]

The term multiplies the costs of losses in the curve `human` by

    1 - r(R) f,   f = max(0, 2 E - 1),   r(R) = r0 + r1 (R - 2000) / 500, from 0 to 1

where E is the expected score of the best move by Lichess's formula. The fit makes the curve lose as much, and blunder
as often, as people do in the same positions when the mover is ahead. Games whose number ends in 1 are for the fit,
those ending in 0 for tests. Pawns are those of the 2021 Stockfish on Lichess, 1.73 of which equal one of ours.
"""
import argparse
import math
import tomllib

import numpy as np
import torch

import reading
from choices import CHOICE, POOL_NAMES
from fit import BLUNDER, FIRST, LOGISTIC, PAWN, read_values, shares_of
from network import read_networks

SIDES = {"behind": (-8, -2), "even": (-2, 2), "ahead": (2, 8)}
BOUNDS = [600, 1100, 1400, 1700, 2000, 2800]


class Positions:
    """Choices in one kind of game. The logarithm of each move's probability has two parts, from the policy and from the
    losses."""

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
        win = 100 / (1 + np.exp(-LOGISTIC * PAWN * np.clip(last, -30, 30)))
        best = np.nanmax(win, axis=1)
        self.lost = torch.tensor(np.nan_to_num(best[:, None] - win)).double()
        self.ease = torch.tensor(np.maximum(0, best / 50 - 1)).double()
        self.pawns = torch.tensor(np.nanmax(last, axis=1) * PAWN)
        self.chosen, self.part = choices.chosen, choices.part
        own = self.lost[torch.arange(len(self.lost)), self.chosen]
        self.actual = torch.stack([own, (own >= BLUNDER).double()], 1)

    def relaxation(self, ahead):
        return (ahead[0] + ahead[1] * (self.rating - 2000) / 500).clamp(0, 1)

    def logarithms(self, ahead, is_played=False):
        scores = self.policy - (1 - self.relaxation(ahead) * self.ease)[:, None] * self.costs
        scores = scores * self.exponent[:, None] if is_played else scores
        return torch.log_softmax(scores.masked_fill(~self.known, float("-inf")), 1)

    def expected(self, ahead, is_played=False):
        """The win points that the curve loses, how often it blunders, and the mean square of the loss."""
        share = self.logarithms(ahead, is_played).exp()
        return torch.stack([(share * self.lost).sum(1), (share * (self.lost >= BLUNDER)).sum(1),
                            (share * self.lost ** 2).sum(1)], 1)

    def select(self, low, high, part):
        return (self.pawns >= low) & (self.pawns <= high) & (self.part == part)


def load(curve, networks, records, values):
    """The choices in each kind of game that were evaluated at all depths."""
    depths = (~np.isnan(values[:, :, 0])).sum(1)
    for pool in range(len(POOL_NAMES)):
        here = (depths == depths.max()) & (records["pool"] == pool) & (records["ply"] >= FIRST)
        here &= (records["flags"] == 0) & (records["clock"] >= 30) & (records["count"] > 1)
        if here.any():
            yield Positions(curve, networks, records[here], values[here][:, :depths.max()], pool)


def fit(sets):
    """The coefficients r0 and r1, and their covariance."""
    sets = [(some, some.select(*SIDES["ahead"], 1)) for some in sets]
    usual = [some.expected(torch.zeros(2).double()) for some, _ in sets]

    def residuals(ahead):
        rows = [ahead / 2]
        for (some, here), plain in zip(sets, usual):
            found = some.expected(ahead)
            spread = (plain[:, 2] - plain[:, 0] ** 2).clamp(min=4).sqrt()
            blunders = (plain[:, 1] * (1 - plain[:, 1])).clamp(min=0.02).sqrt()
            # Losses and blunders contain nearly the same information, so each counts half.
            rows += [((some.actual[:, 0] - found[:, 0]) / spread / math.sqrt(2))[here],
                     ((some.actual[:, 1] - found[:, 1]) / blunders / math.sqrt(2))[here]]
        return torch.cat(rows)

    found = torch.tensor([0.3, 0.05]).double()
    for _ in range(12):
        slopes = torch.autograd.functional.jacobian(residuals, found)
        square = slopes.T @ slopes
        found = found - torch.linalg.solve(square, slopes.T @ residuals(found))
    return found, torch.linalg.inv(square)


def table(sets, ahead, parts):
    print("| position, ratings | choices | people lose | curve | with the term | level | with the term "
          "| people blunder | curve | with the term | level | with the term |\n" + "|---" * 12 + "|")
    none = torch.zeros(2).double()
    for name, (low, high) in SIDES.items():
        for weakest, strongest in zip(BOUNDS, BOUNDS[1:]):
            rows = []
            for some in sets:
                here = sum((some.select(low, high, part) for part in parts), torch.zeros(len(some.rating)).bool())
                here &= (some.rating >= weakest) & (some.rating < strongest)
                found = [some.expected(term, is_played)[:, :2] for is_played in (False, True) for term in (none, ahead)]
                rows.append(torch.cat([some.actual, *found], 1)[here])
            rows = torch.cat(rows)
            if len(rows) < 50:
                continue
            mean, count = rows.mean(0).tolist(), len(rows)
            error, part = float(rows[:, 0].std()) / math.sqrt(count), mean[1]
            print(f"| {name}, {weakest}-{strongest} | {count} | {mean[0]:.2f} ± {error:.2f} | "
                  + " | ".join(f"{number:.2f}" for number in mean[2::2])
                  + f" | {100 * part:.1f} ± {100 * math.sqrt(part * (1 - part) / count):.1f} % | "
                  + " | ".join(f"{100 * number:.1f} %" for number in mean[3::2]) + " |")


def nats(sets, ahead):
    """The nats per move on test choices where the mover is ahead."""
    found = [some.logarithms(ahead)[torch.arange(len(some.rating)), some.chosen][some.select(*SIDES["ahead"], 0)]
             for some in sets]
    return -float(torch.cat(found).mean())


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("policy", help="policy file of the engine")
    arguments.add_argument("curve", help="file with the curve `human`")
    arguments.add_argument("data", nargs="+", help="pairs of files: choices, and their values")
    options = arguments.parse_args()
    curve, (networks, _) = tomllib.load(open(options.curve, "rb")), read_networks(options.policy)
    sets = []
    for some, file in zip(options.data[::2], options.data[1::2]):
        values = read_values(file)
        sets += load(curve, networks, np.fromfile(some, CHOICE)[:len(values)], values)
    ahead, covariance = fit(sets)
    errors = covariance.diagonal().sqrt()
    print("r0 {:.3f} ± {:.3f}, r1 {:.3f} ± {:.3f}".format(ahead[0], errors[0], ahead[1], errors[1]))
    print(f"nats per move when ahead, in test games: {nats(sets, 0 * ahead):.4f}, "
          f"with the term {nats(sets, ahead):.4f}")
    for name, parts in (("Games of the fit", [1]), ("Test games", [0])):
        print(f"\n{name}:\n")
        table(sets, ahead, parts)


if __name__ == "__main__":
    main()
