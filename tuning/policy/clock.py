#!/usr/bin/env python3
"""Fits how the strength of players depends on the time left on their clocks, for the option `Clock Effect`.

    venv/bin/python tuning/policy/clock.py sample stopdown-lab sample.bin GAMES.pgn ...
    stopdown-lab tune values sample.bin values.bin --depth 8
    venv/bin/python tuning/policy/clock.py fit policy.bin human.toml clock.toml clock.svg sample.bin values.bin

With t seconds left, including k increments, a player rated R plays like players rated

    R + b (R - R0) (m - ln(1 + T / t))

Without time to think, all players are about equally weak, and play like players rated R0. Here m is the mean of
ln(1 + T / t) over all moves in games of the same kind, so that the offset is zero on average.

`sample` takes choices from games with clocks, as many with little time as with much. `fit` compares the win points that
players lost with those that the curve `human` expects to lose in the same positions at the rating R + d. Both losses
are from the same positions, so it does not matter that many positions in time trouble are easy endgames. For each kind
of game, d also has a constant part, because the curve is not exact. The rest of d is the formula. Positions in which
either side is more than three pawns ahead are left out. Games whose number ends in 0 are for tests.
"""
import argparse
import collections
import math
import os
import subprocess
import tempfile
import tomllib

import numpy as np
import torch

import reading
from choices import CHOICE, MOST, POOL_NAMES, save
from fit import BLUNDER, expected_score, read_choices, shares_of
from network import read_networks

# The boundaries of the classes of remaining time, in seconds, and the number of choices in each class, for games
# without and with an increment.
BOUNDS = [0, 2, 4, 7, 11, 16, 23, 32, 45, 64, 90, 128, 181, 256, 600]
MOST_PLAIN, MOST_WITH_INCREMENT = 450, 120
# Choices count from this ply on.
FIRST = 12
CLASSICAL, RAPID, BLITZ, BULLET = 1, 2, 3, 4
KINDS = [RAPID, BLITZ, BULLET]
# The rating offsets at which the curve's losses are computed. Between these offsets, the losses are interpolated.
OFFSETS = np.arange(-1500, 901, 150)
# The shortest time that is distinguished, in seconds. With a second or two left, people play moves that they have
# already planned.
LEAST = 2
# The variance of losses is larger than the curve expects, by this factor.
WIDER = 1.3
# The boundaries of the classes of remaining time in the report.
REPORTED = [0, 3, 6, 10, 15, 20, 30, 45, 60, 90, 130, 200, 600]


def games_by_increment(files):
    """The texts of all games with clocks in some PGN files, by increment."""
    found = collections.defaultdict(list)
    for name in files:
        text = (subprocess.run(["zstdcat", name], capture_output=True, check=True).stdout.decode(errors="replace")
                if name.endswith(".zst") else open(name, errors="replace").read())
        for game in text.split("[Event ")[1:]:
            control = game.partition('[TimeControl "')[2].partition('"')[0].split("+")
            if "%clk" in game and len(control) == 2:
                found[int(control[1])].append("[Event " + game.strip() + "\n\n")
    return found


def sample(lab, out, files):
    """Samples choices by the time left. The increment is stored in the byte `rest` of each record, which is otherwise
    unused."""
    random, chosen, every = np.random.default_rng(7), [], []
    for increment, games in sorted(games_by_increment(files).items()):
        if increment > 5:
            continue
        with tempfile.TemporaryDirectory() as folder:
            pgn, choices = os.path.join(folder, "games.pgn"), os.path.join(folder, "choices.bin")
            open(pgn, "w").writelines(games)
            subprocess.run([lab, "tune", "choices", choices, pgn], check=True, stdout=subprocess.DEVNULL)
            records = np.fromfile(choices, CHOICE)
        fits = ((records["flags"] == 0) & (records["pool"] >= CLASSICAL) & (records["clock"] != 65535)
                & (records["ply"] >= FIRST) & (records["opponent"] > 0))
        records = records[fits]
        records["rest"] = increment
        every.append(np.stack([records["pool"], records["clock"], records["rest"]], 1))
        left = np.digitize(records["clock"], BOUNDS)
        for pool in KINDS:
            for place in range(1, len(BOUNDS)):
                here = random.permutation(np.flatnonzero((records["pool"] == pool) & (left == place)))
                chosen.append(records[here[:MOST_WITH_INCREMENT if increment else MOST_PLAIN]])
    chosen = np.concatenate(chosen)
    chosen[random.permutation(len(chosen))].tofile(out)
    np.save(out + ".clocks.npy", np.concatenate(every))
    print(f"{len(chosen)} of {sum(map(len, every))} choices in {out}")


class Losses:
    """The win points that players lost in positions of one kind of game, and those that the curve expects to lose."""

    def __init__(self, curve, networks, records, values, kind):
        asked = records.copy()
        asked["flags"], asked["clock"] = 0, reading.CLOCKS[kind]
        shares = np.zeros((len(asked), len(reading.ASKED), MOST), np.float32)
        for place, rating in enumerate(reading.ASKED):
            asked["rating"] = asked["opponent"] = rating
            shares[:, place] = np.maximum(shares_of(networks, asked).numpy(), -30)
        choices = reading.Choices(curve, records, values, shares)
        last = values[:, (~np.isnan(values[0, :, 0])).sum() - 1]
        win = 100 * expected_score(last)
        lost = np.nan_to_num(np.nanmax(win, axis=1, keepdims=True) - win)
        lost = torch.tensor(lost).double()
        rows = []
        for offset in OFFSETS:
            place = choices.rating + float(offset)
            logarithms = choices.logarithms(torch.zeros(6).double(), place.clamp(reading.LOWEST, reading.HIGHEST))
            # Levels below the lowest rating have a smaller exponent.
            exponent = place.clamp(50, reading.LOWEST) / reading.LOWEST
            logarithms = logarithms.masked_fill(~choices.known, -1e9) * exponent[:, None]
            share = torch.softmax(logarithms.masked_fill(~choices.known, float("-inf")), 1)
            rows.append(torch.stack([(share * lost).sum(1), (share * (lost >= BLUNDER)).sum(1),
                                     (share * lost ** 2).sum(1)], 1))
        self.expected = torch.stack(rows, 1).numpy()
        own = lost[torch.arange(len(records)), choices.chosen].numpy()
        self.actual = np.stack([own, own >= BLUNDER], 1)
        self.rating, self.game = records["rating"].astype(float), records["game"]
        self.clock, self.increment = records["clock"].astype(float), records["rest"].astype(float)
        self.ply, self.kind = records["ply"], np.full(len(records), kind)

    def at(self, offset):
        """The expected losses, blunders and squared losses, at these offsets from the rating."""
        place = np.clip((offset - OFFSETS[0]) / (OFFSETS[1] - OFFSETS[0]), 0, len(OFFSETS) - 1.001)
        low, rows = place.astype(int), np.arange(len(place))
        part = (place - low)[:, None]
        return self.expected[rows, low] * (1 - part) + self.expected[rows, low + 1] * part


def load(policy, curve, sample_file, values_file):
    curve, (networks, _) = tomllib.load(open(curve, "rb")), read_networks(policy)
    records, values = read_choices(sample_file, values_file)
    depths = (~np.isnan(values[:, :, 0])).sum(1)
    best = np.nanmax(values[np.arange(len(values)), np.maximum(depths, 1) - 1], 1)
    good = (depths == depths.max()) & (np.abs(best) <= reading.MAX_LEAD)
    return [Losses(curve, networks, records[here], values[here], kind) for kind in KINDS
            if (here := good & (records["pool"] == kind)).any()]


# The parameters: ln b, R0, ln T, ln k, and the constant terms for the three kinds of games.
NAMES = ["ln b", "R0", "ln T", "ln k", *(POOL_NAMES[kind] for kind in KINDS)]
START = np.array([-1.0, 600.0, math.log(20), math.log(3), 0.0, 0.0, 0.0])
# Priors keep a parameter near its initial value where the data do not determine it.
PRIOR = np.array([2.0, 300.0, 1.0, 0.7, 300.0, 300.0, 300.0])
# The steps for computing derivatives.
STEPS = np.array([1e-3, 1, 1e-3, 1e-3, 2, 2, 2])


def hurry(parameters, clock, increment):
    """ln(1 + T / t)"""
    time = np.maximum(clock, LEAST) + np.exp(parameters[3]) * increment
    return np.log1p(np.exp(parameters[2]) / time)


def strength(parameters, rating):
    """b (R - R0)"""
    above = np.clip(rating, reading.LOWEST, reading.HIGHEST) - parameters[1]
    return np.exp(parameters[0]) * np.maximum(above, 0)


def constant_of(some):
    """The place among the parameters of the constant term for the kind of game."""
    return 4 + KINDS.index(some.kind[0])


def offset(parameters, some):
    """The offset with the constant part of the kind of game."""
    effect = strength(parameters, some.rating) * hurry(parameters, some.clock, some.increment)
    return parameters[constant_of(some)] - effect


def residuals(parameters, kinds, is_fitted):
    """The residuals that the fit minimises: scaled deviations of losses and blunders, and of the parameters from their
    priors."""
    rows = [(parameters - START) / PRIOR]
    for some in kinds:
        here = is_fitted(some)
        expected = some.at(offset(parameters, some))[here]
        # The spread is taken from the curve at the rating itself, so that the fit does not gain by widening it.
        usual = some.at(np.zeros(len(some.rating)))[here]
        spread = np.sqrt(np.maximum(usual[:, 2] - usual[:, 0] ** 2, 4) * WIDER)
        blunders = np.sqrt(np.maximum(usual[:, 1] * (1 - usual[:, 1]), 0.02) * WIDER)
        # Losses and blunders contain nearly the same information, so each counts half.
        rows += [(some.actual[here, 0] - expected[:, 0]) / spread / math.sqrt(2),
                 (some.actual[here, 1] - expected[:, 1]) / blunders / math.sqrt(2)]
    return np.concatenate(rows)


def solve(kinds, is_fitted):
    """Gauss-Newton with damping."""
    found, damping = START.copy(), 1.0
    row = residuals(found, kinds, is_fitted)
    for _ in range(60):
        slopes = np.stack([(residuals(found + step * one, kinds, is_fitted) - row) / step
                           for step, one in zip(STEPS, np.eye(len(found)))], 1)
        square = slopes.T @ slopes
        while damping < 1e9:
            tried = found - np.linalg.solve(square + damping * np.diag(np.diag(square)), slopes.T @ row)
            there = residuals(tried, kinds, is_fitted)
            if there @ there < row @ row:
                break
            damping *= 4
        if damping >= 1e9 or row @ row - there @ there < 1e-7:
            break
        found, row, damping = tried, there, damping / 4
    return found, np.linalg.inv(square)


def means(parameters, clocks):
    """The mean of ln(1 + T / t) over the moves of each kind of game, from classical to bullet."""
    return [float(hurry(parameters, *clocks[clocks[:, 0] == pool, 1:].T).mean()) for pool in (CLASSICAL, *KINDS)]


def equivalent(some, here, shift):
    """The constant offset, in addition to `shift`, at which the curve would lose as much as the players did in these
    choices, and its error."""
    def excess(offset):
        return (some.actual[here, 0] - some.at(shift + offset)[here, 0]).sum()
    low, high = -1400.0, 900.0
    while high - low > 1:
        middle = (low + high) / 2
        # Players with higher ratings lose less, so the excess increases with the rating.
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    slope = (excess(low + 75) - excess(low - 75)) / 150
    deviations = some.actual[here, 0] - some.at(shift + low)[here, 0]
    return low, math.sqrt((deviations ** 2).sum()) / max(slope, 1e-9)


def table(kinds, parameters, mean, is_used, bounds):
    """Prints how players and levels play, by the time left. Returns the points of the plot."""
    points = []
    for some in kinds:
        # The means begin with classical games.
        usual = mean[1 + KINDS.index(some.kind[0])]
        effect = strength(parameters, some.rating) * (usual - hurry(parameters, some.clock, some.increment))
        plain, played = some.at(0 * effect), some.at(effect)
        for low, high in zip(bounds, bounds[1:]):
            here = is_used(some) & (some.clock >= low) & (some.clock < high)
            count = here.sum()
            if count < 60:
                continue
            own = some.actual[here]
            loss, error = own[:, 0].mean(), own[:, 0].std() / math.sqrt(count)
            part = own[:, 1].mean()
            found, spread = equivalent(some, here, 0 * effect)
            print(f"| {POOL_NAMES[some.kind[0]]} {low}-{high} s | {count} | {some.rating[here].mean():.0f} "
                  f"| {loss:.2f} ± {error:.2f} | {plain[here, 0].mean():.2f} | {played[here, 0].mean():.2f} "
                  f"| {100 * part:.1f} ± {100 * math.sqrt(part * (1 - part) / count):.1f} "
                  f"| {100 * plain[here, 1].mean():.1f} | {100 * played[here, 1].mean():.1f} "
                  f"| {found:+.0f} ± {spread:.0f} | {effect[here].mean():+.0f} |")
            bias = parameters[constant_of(some)] - (strength(parameters, some.rating[here]) * usual).mean()
            seconds = np.exp(np.log(some.clock[here].clip(1)).mean())
            points.append((some.kind[0], seconds, found - bias, spread, effect[here].mean()))
    return points


def plot(points, file):
    """Draws the offset over the time left: dots with standard errors for players, lines for levels."""
    def across(seconds):
        return 50 + 340 * math.log(seconds) / math.log(400)

    def up(points):
        return 150 - 0.16 * points
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 330" font-family="sans-serif" font-size="10">',
             '<rect width="420" height="330" fill="white"/>']
    for points_ in range(-800, 801, 200):
        parts.append(f'<path d="M50 {up(points_):.0f}H390" stroke="#ddd"/>'
                     f'<text x="46" y="{up(points_) + 3:.0f}" text-anchor="end">{points_:+}</text>')
    for seconds in (1, 2, 5, 10, 20, 50, 100, 200, 400):
        parts.append(f'<path d="M{across(seconds):.0f} 22V278" stroke="#ddd"/>'
                     f'<text x="{across(seconds):.0f}" y="291" text-anchor="middle">{seconds}</text>')
    parts.append('<text x="220" y="308" text-anchor="middle">seconds left</text><text x="220" y="14" '
                 'text-anchor="middle">rating points (dots: players; lines: levels)</text>')
    for number, (kind, colour) in enumerate([(BLITZ, "#c0501e"), (BULLET, "#6a3d9a")]):
        parts.append(f'<text x="320" y="{240 + 14 * number}" fill="{colour}">{POOL_NAMES[kind]}</text>')
        here = [point[1:] for point in points if point[0] == kind]
        line = " ".join(f"{across(seconds):.1f},{up(level):.1f}" for seconds, _, _, level in here)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
        for seconds, people, error, _ in here:
            x = across(seconds)
            parts.append(f'<path d="M{x:.1f} {up(people - error):.1f}V{up(people + error):.1f}" stroke="{colour}"/>'
                         f'<circle cx="{x:.1f}" cy="{up(people):.1f}" r="2.5" fill="{colour}"/>')
    save(file, "\n".join(parts + ["</svg>", ""]))


def fit(kinds, clocks, out, drawing):
    def is_fitted(some):
        return some.game % 10 != 0

    def is_test(some):
        return some.game % 10 == 0
    found, covariance = solve(kinds, is_fitted)
    errors = np.sqrt(np.diag(covariance))
    mean = means(found, clocks)
    for name, value, error in zip(NAMES, found, errors):
        print(f"{name} {value:.3f} ± {error:.3f} (SE)")
    print("m", dict(zip(["classical", "rapid", "blitz", "bullet"], np.round(mean, 3))))
    without = found.copy()
    without[0] = -20
    tests = []
    for parameters in (without, found):
        best = parameters.copy()
        for some in kinds:
            # Both use the constant terms that best fit the games used in the fit.
            here = is_fitted(some)
            place = constant_of(some)
            best[place] = equivalent(some, here, offset(parameters, some) - parameters[place])[0]
        tests.append(sum((residuals(best, [some], is_test)[len(found):] ** 2).sum() for some in kinds))
    print(f"squared deviations in test games: {tests[0]:.1f} without the clock, {tests[1]:.1f} with it")
    head = ("| time left | choices | rating | players lose (± SE) | level | with the clock | players blunder (± SE) "
            "| level | with the clock | offset of players (± SE) | of levels |")
    print(head + "\n" + "|---" * 11 + "|")
    points = table(kinds, found, mean, is_fitted, REPORTED)
    print("\nTest games:\n" + head + "\n" + "|---" * 11 + "|")
    table(kinds, found, mean, is_test, [0, 30, 90, 600])
    text = ("# How the strength of players depends on the time left on their clocks; see src/player/clock_effect.rs.\n"
            "# Made by tuning/policy/clock.py.\n\n"
            f"loss = {math.exp(found[0]):.4f}\nfloor = {found[1]:.0f}\nscale = {math.exp(found[2]):.2f}\n"
            f"increments = {math.exp(found[3]):.2f}\n\n[mean]\n")
    for name, value in zip(["classical", "rapid", "blitz", "bullet"], mean):
        text += f"{name} = {value:.4f}\n"
    save(out, text)
    plot(points, drawing)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = arguments.add_subparsers(dest="command", required=True)
    sampled = commands.add_parser("sample", help="take choices from games with clocks")
    sampled.add_argument("lab", help="the program stopdown-lab")
    sampled.add_argument("out", help="file to write the choices to")
    sampled.add_argument("games", nargs="+", help="PGN files (.zst)")
    fitted = commands.add_parser("fit", help="fit the parameters to evaluated choices")
    for name, what in [("policy", "policy file of the engine"), ("curve", "file with the curve `human`"),
                       ("out", "file to write the parameters to"), ("plot", "SVG file to write"),
                       ("sample", "choices made by `sample`"), ("values", "their values")]:
        fitted.add_argument(name, help=what)
    options = arguments.parse_args()
    if options.command == "sample":
        sample(options.lab, options.out, options.games)
    else:
        kinds = load(options.policy, options.curve, options.sample, options.values)
        fit(kinds, np.load(options.sample + ".clocks.npy"), options.out, options.plot)


if __name__ == "__main__":
    main()
