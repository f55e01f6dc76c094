#!/usr/bin/env python3
"""Fits how ratings are estimated from moves with the curve `human`, and shows how well this works.

    venv/bin/python tuning/policy/reading.py policy.bin human.toml reading.toml reading.svg some.bin values.bin [...]

The likelihood of a rating R is computed with the curve for another rating, 600 + (R - 600) e^s(x), and all
probabilities are raised to the power e^t(x). Here x = (R - 2000) / 500, and s and t are quadratics in x. They are
fitted only to the likelihood of moves by players with known ratings. With such a fit, the likelihood of moves by
players rated R has its maximum at R. Moves count from the ninth on, if neither side is ahead by more than three pawns.
As in the engine, the policy assumes that opponents are as strong as the player, and that the clock shows a usual time.
Games whose number ends in 1 are for fitting, and those ending in 0 for tests.

It also reports how often players find the best move in test games, and how often the curve expects it.
"""
import argparse
import tomllib

import numpy as np
import torch

from choices import MOST, POOL_NAMES, UNKNOWN_CLOCK, save
from fit import BLUNDER, MID, PARAMETERS, expected_score, lead, pairs, read_choices, shares_of
from network import read_networks

# The range of the curve, and the ratings for which the policy is computed. Between them, the logarithms of its shares
# are interpolated.
LOWEST, HIGHEST, ASKED = 600, 2800, np.arange(600, 2801, 550)
# The clock in the middle of a game of each kind, in seconds.
CLOCKS = np.array([UNKNOWN_CLOCK, UNKNOWN_CLOCK, UNKNOWN_CLOCK, 120, 35])
FIRST_PLY, MAX_LEAD = 16, 3
# The standard deviations of the priors of s and t. With wider ones, the quadratic for blitz has its maximum near the
# highest ratings, where all strong players would then get nearly the same likelihood.
PRIOR = torch.tensor([0.2, 0.05, 0.02, 0.2, 0.05, 0.02], dtype=torch.float64)
# The bands of the report.
BANDS = [(600, 1200), (1200, 1600), (1600, 2000), (2000, 2300), (2300, 2500), (2500, 2650), (2650, 3000)]
# The bands for the report on how often players find the best move.
TACTICS = [(600, 1200), (1200, 1600), (1600, 2000), (2000, 2400), (2400, 2800)]


def x_of(rating):
    return (rating.clamp(LOWEST, HIGHEST) - 2000) / 500


class Choices:
    """Choices in one kind of game, with everything that the curve needs to compute their probabilities at any
    rating."""

    def __init__(self, curve, records, values, shares):
        depths = int((~np.isnan(values[:, :, 0])).sum(1).min())
        self.rating = torch.tensor(records["rating"].astype(np.float64))
        self.chosen = torch.tensor(records["chosen"].astype(np.int64))
        self.part = torch.tensor((records["game"] % 10).astype(np.int64))
        self.shares = torch.tensor(shares).double()
        self.known = torch.tensor(~np.isnan(values[:, 0]))
        self.faded = torch.exp(-torch.tensor(records["ply"].astype(np.float64)) / curve["opening"])[:, None]
        fits = [fit for fit in curve[POOL_NAMES[records["pool"][0]]] if fit["depth"] <= depths]
        self.parabolas = torch.tensor([fits[-1][name] for name in PARAMETERS]).double()
        scaled = np.sign(values) * np.log1p(np.abs(values))
        best = np.nanmax(np.where(np.isnan(scaled), -np.inf, scaled), axis=2, keepdims=True)
        losses = torch.tensor(np.nan_to_num(best - scaled, nan=0.0)).double()
        self.losses = [losses[:, depth - 1] for depth in (1, fits[-1]["depth"], MID)]
        self.lead = torch.tensor(lead(values[:, fits[-1]["depth"] - 1])).double()
        self.care = (1 - fits[-1]["carelessness"] * self.lead)[:, None]
        # The best move at the usual depth, how many win points it is ahead of the second best, and whether it is also
        # the best at lower depths.
        seen = np.where(np.isnan(values), -np.inf, values)
        deep = seen[:, fits[-1]["depth"] - 1]
        deep = np.where(np.isfinite(deep), 100 * expected_score(deep), 0)
        self.best = torch.tensor(deep.argmax(1))
        second, first = np.sort(deep, 1)[:, -2:].T
        self.margin = torch.tensor(first - second)
        self.best_at = {depth: torch.tensor(seen[:, depth - 1].argmax(1)) == self.best for depth in (1, MID)}

    def ln_shares(self, rating):
        place = ((rating - ASKED[0]) / (ASKED[1] - ASKED[0])).clamp(0, len(ASKED) - 1)
        low = place.detach().floor().clamp(max=len(ASKED) - 2).long()
        part, rows = (place - low)[:, None], torch.arange(len(place))
        return self.shares[rows, low] * (1 - part) + self.shares[rows, low + 1] * part

    def logarithms(self, reading, rating):
        """The logarithms of the probabilities of all moves, for players who are assumed to have these ratings."""
        x = x_of(rating)
        scale, exponent = (torch.exp(a + x * (b + x * c)) for a, b, c in (reading[:3], reading[3:]))
        rating = (LOWEST + (rating - LOWEST) * scale).clamp(LOWEST, HIGHEST)
        x = x_of(rating)[:, None]
        weights = torch.exp(self.parabolas @ torch.cat([x ** 0, x, x ** 2], 1).T)[:, :, None]
        policy = self.ln_shares(rating)
        scores = weights[0] * policy
        for loss, cost, scale in zip(self.losses, weights[1::2], weights[2::2]):
            scores = scores - self.care * cost * torch.log1p(loss / scale)
        scores = exponent[:, None] * (self.faded * policy + (1 - self.faded) * scores)
        return torch.log_softmax(scores.masked_fill(~self.known, float("-inf")), 1)

    def ln_likelihoods(self, reading, rating):
        return self.logarithms(reading, rating)[torch.arange(len(rating)), self.chosen]


def read(policy, curve, files):
    """Reads the choices of each kind of game: a list for every kind, with a set for each file."""
    networks, _ = read_networks(policy)
    kinds = [[] for _ in POOL_NAMES]
    for some, file in files:
        records, values = read_choices(some, file)
        depths = (~np.isnan(values[:, :, 0])).sum(1)
        best = np.nanmax(values[np.arange(len(values)), np.maximum(depths, 1) - 1], 1)
        good = ((depths == depths.max()) & (np.abs(best) <= MAX_LEAD) & (records["ply"] >= FIRST_PLY)
                & (records["count"] > 1) & (records["clock"] >= 30))
        for pool, kind in enumerate(kinds):
            here = good & (records["pool"] == pool)
            if here.any():
                asked = records[here].copy()
                asked["flags"], asked["clock"] = 0, CLOCKS[pool]
                shares = np.zeros((len(asked), len(ASKED), MOST), np.float32)
                for place, rating in enumerate(ASKED):
                    asked["rating"] = asked["opponent"] = rating
                    shares[:, place] = np.maximum(shares_of(networks, asked).numpy(), -30)
                kind.append(Choices(curve, records[here], values[here][:, :depths.max()], shares))
    return kinds


def fit(sets):
    reading = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([reading], max_iter=100, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        # The curve has no players above the highest rating, so s must not be positive there.
        x = (HIGHEST - 2000) / 500
        overshoot = (reading[0] + x * (reading[1] + x * reading[2])).clamp(min=0)
        cost = 0.5 * ((reading / PRIOR) ** 2).sum() + 0.5 * (overshoot / 0.001) ** 2
        for choices in sets:
            cost = cost - choices.ln_likelihoods(reading, choices.rating)[choices.part == 1].sum()
        cost.backward()
        return cost

    optimiser.step(closure)
    return reading.detach()


def evaluate_band(sets, reading, part, low, high):
    """The mean rating of the choices in a band, their likeliest rating with its standard error, their number, and the
    actual and the expected percentage of correct first choices."""
    grid = torch.arange(LOWEST, HIGHEST + 1, 25).double()
    rows, ratings, first, expected = [], [], [], []
    for choices in sets:
        here = (choices.part == part) & (choices.rating >= low) & (choices.rating < high)
        if here.any():
            of = [choices.ln_likelihoods(reading, torch.full_like(choices.rating, r))[here] for r in grid]
            rows.append(torch.stack(of, 1))
            ratings.append(choices.rating[here])
            shares = choices.logarithms(reading, choices.rating)[here].exp()
            first.append((shares.argmax(1) == choices.chosen[here]).double())
            expected.append(shares.max(1).values)
    if sum(map(len, rows)) < 100:
        return None
    rows, ratings = torch.cat(rows), torch.cat(ratings)

    def peak(total):
        top = int(total.argmax())
        near = np.arange(max(0, top - 6), min(len(grid), top + 7))
        bend, slope, _ = np.polyfit(grid[near], total[near], 2)
        return float(np.clip(-slope / bend / 2, LOWEST, HIGHEST)) if bend < 0 else float(grid[top])

    random = np.random.default_rng(1)
    again = [peak(rows[random.integers(len(rows), size=len(rows))].sum(0).numpy()) for _ in range(200)]
    return (float(ratings.mean()), peak(rows.sum(0).numpy()), float(np.std(again)), len(rows),
            100 * float(torch.cat(first).mean()), 100 * float(torch.cat(expected).mean()))


def tactics(sets, low, high):
    """How often players in a band find the best move in test games, by how far it is ahead and how deep one must look.
    For each kind of position: its name, the number of choices, the share that found it with its standard error, and the
    share that the curve `human` expects, in percent."""
    rows = []
    for choices in sets:
        here = (choices.part == 0) & (choices.rating >= low) & (choices.rating < high)
        shares = choices.logarithms(torch.zeros(6), choices.rating).exp()
        expected = shares[torch.arange(len(shares)), choices.best]
        found = (choices.chosen == choices.best).double()
        at_1, at_4 = choices.best_at[1].double(), choices.best_at[MID].double()
        rows.append(torch.stack([choices.margin, at_1, at_4, found, expected], 1)[here])
    margin, at_1, at_4, found, expected = torch.cat(rows).T
    clear, near = margin >= BLUNDER, (margin >= BLUNDER / 3) & (margin < BLUNDER)
    kinds = [("15 win points ahead, best at 1 ply", clear & (at_1 > 0)),
             ("15 win points ahead, not at 1 but at 4 plies", clear & (at_1 == 0) & (at_4 > 0)),
             ("15 win points ahead, not at 4 plies", clear & (at_4 == 0)),
             ("5 to 15 win points ahead, best at 1 ply", near & (at_1 > 0)),
             ("5 to 15 win points ahead, not at 1 ply", near & (at_1 == 0)),
             ("less than 5 win points ahead", margin < BLUNDER / 3)]
    for name, here in kinds:
        count = int(here.sum())
        if count >= 40:
            share = float(found[here].mean())
            error = (share * (1 - share) / count) ** 0.5
            yield name, count, 100 * share, 100 * error, 100 * float(expected[here].mean())


def plot(points, file):
    """Draws the likeliest rating of every band against its mean rating, before and after the fit, with an interval of
    one standard error."""
    def place(rating, height=0):
        return height + (1 if height == 0 else -1) * (40 + (rating - 600) * 0.16)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 430" font-family="sans-serif" font-size="10">',
             '<rect width="420" height="430" fill="white"/>']
    for rating in range(600, 2801, 200):
        across, up = place(rating), place(rating, 420)
        parts.append(f'<path d="M{across:.0f} 28V380M40 {up:.0f}H392" stroke="#ddd"/>'
                     f'<text x="{across:.0f}" y="394" text-anchor="middle">{rating}</text>'
                     f'<text x="36" y="{up + 3:.0f}" text-anchor="end">{rating}</text>')
    parts.append('<path d="M40 380L392 28" stroke="#888"/><text x="216" y="412" text-anchor="middle">rating of the '
                 'players</text><text x="216" y="16" text-anchor="middle">likeliest rating (test games; grey: the '
                 'curve in play)</text>')
    colours = {"board": "#1f5fa8", "rapid": "#2a8a3c", "blitz": "#c0501e"}
    for number, (name, colour) in enumerate(colours.items()):
        parts.append(f'<text x="50" y="{46 + 14 * number}" fill="{colour}">{name}</text>')
    for name, is_fitted, (rating, likeliest, error, *_) in points:
        colour = colours.get(name, "#777") if is_fitted else "#aaa"
        at, up = place(rating) + (0 if is_fitted else 3), place(likeliest, 420)
        low, high = (place(min(max(likeliest + sign * error, 600), 2800), 420) for sign in (-1, 1))
        parts.append(f'<path d="M{at:.1f} {low:.1f}V{high:.1f}" stroke="{colour}"/>'
                     f'<circle cx="{at:.1f}" cy="{up:.1f}" r="3" fill="{colour}"/>')
    save(file, "\n".join(parts + ["</svg>", ""]))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("policy", help="policy file of the engine")
    arguments.add_argument("curve", help="file with the curve `human`")
    arguments.add_argument("out", help="file to write the fit to")
    arguments.add_argument("plot", help="SVG file to write")
    arguments.add_argument("data", nargs="+", help="pairs of files: choices, and their values")
    options = arguments.parse_args()
    files = pairs(arguments, options.data)
    kinds = read(options.policy, tomllib.load(open(options.curve, "rb")), files)
    lines, points = ["# How ratings are estimated from moves; see src/player/reading.rs. "
                      "Quadratics in (rating - 2000) / 500.\n# Made by tuning/policy/reading.py.\n"], []
    for name, sets in zip(POOL_NAMES, kinds):
        # Few games are classical, so they use the curve for games over the board.
        reading = fit(sets or kinds[0])
        for part, of in ((1, "fit"), (0, "test")):
            for band in BANDS:
                for is_fitted in (False, True):
                    found = evaluate_band(sets, reading if is_fitted else 0 * reading, part, *band)
                    if found:
                        print("{:9} {:4} {:7} rating {:4.0f} estimated {:4.0f} +- {:3.0f} (SE, {} choices) "
                              "first {:.0f}% expected {:.0f}%".format(
                                  name, of, "reading" if is_fitted else "human", *found), flush=True)
                        if part == 0:
                            points.append((name, is_fitted, found))
        for band in TACTICS if sets else []:
            for found in tactics(sets, *band):
                print("{:9} {}-{}: {}: {} choices, found {:.0f} +- {:.0f}% (SE), expected {:.0f}%".format(
                    name, *band, *found), flush=True)
        lines.append(f"\n[{name}]\nrating = {[round(n, 4) for n in reading[:3].tolist()]}\n"
                     f"exponent = {[round(n, 4) for n in reading[3:].tolist()]}\n")
    save(options.out, "".join(lines))
    plot(points, options.plot)


if __name__ == "__main__":
    main()
