#!/usr/bin/env python3
"""Fits the curve `human`, which combines the policy's shares with evaluations.

    venv/bin/python tuning/policy/fit.py policy.bin human.toml some.bin values.bin [...]

The logarithm of a move's probability is, up to a constant,

    a ln(share) - c1 ln(1 + loss1 / k1) - c4 ln(1 + loss4 / k4) - cd ln(1 + lossd / kd)

Here share is the share of players who would choose the move according to the policy networks, and the losses are
Regan's scaled losses at depths 1, 4 and d, the usual depth. In the opening, players play from memory. After n plies, a
part e^(-n/t) of the logarithm therefore comes from the share alone. In online rapid and blitz games, players who are
ahead are careless. Their costs c1, c4 and cd are multiplied by 1 - h max(0, 2 E - 1), with the expected score E of the
best move by Lichess's formula. `decided.py` fits h.

The logarithm of each of the seven parameters is a straight line in the rating. All kinds of games share it, with an
offset and a change of slope for each kind. The cost of a loss rises with the rating by construction: no c falls with
the rating, and no k rises. The likelihood is hardly sensitive to rare blunders, but blunders decide games. The fit
therefore also has target losses. For every kind of game and every 200 rating points, the distribution should lose as
many win points per move as players do in open positions, and it should blunder (lose 15 win points or more) as often. A
few hundred choices per band measure this only roughly, so the target is a line: its logarithm is linear in the rating.
In rapid games the line comes from 450,000 moves. In each other kind of game it has its own level and nearly the same
slope. The cost of a deviation is half the square of its ratio to the standard error.
"""
import argparse
import math
import re
import sys
import tomllib

import numpy as np
import torch
import torch.nn.functional as F

from choices import BANDS, CHOICE, MOST, POOL_NAMES as POOLS, batch, save
from network import read_networks, shares

# The default search depth. Losses are always judged at this depth.
DEEP = 12
# Search depths for levels on slow machines. Each has its own parameters.
FEWER = [6, 8, 10]
# A move that loses at least this many win points is a blunder.
BLUNDER = 15
# Win points are those of the 2021 Stockfish on Lichess. An advantage of one of our pawns is normalised to a 50% chance
# of winning. It equals this number of that Stockfish's pawns: 361 units (NormalizeToPawnValue) instead of 208.
PAWN = 361 / 208
# The change in the logarithm of the odds per pawn of that Stockfish (Lichess's formula for win points).
LOGISTIC = 0.368208
# A position is open from the ninth move on, if neither side is ahead by more than this many of those pawns.
OPEN, FIRST = 3, 16
# Losses of players in open positions in rapid games, by Lichess's evaluations at every ply (450,000 moves from 20,000
# games). For the logarithms of win points per move and of blunders per hundred moves: the value at a rating of 1500,
# and the change over 1000 points.
PEOPLE = [(math.log(7.2), -0.81), (math.log(16.3), -1.02)]
# How far slopes in other kinds of games may differ from these (a prior standard deviation), and the relative error of a
# target line.
APART, ROUGH = 0.25, 0.05
# The indices of the costs, which may not fall with the rating, and of the loss scales, which may not rise.
COSTS, SCALES = [1, 3, 5], [2, 4, 6]
MID = 4
STEP = 25
# The order of the curve's parameters in `human`.
PARAMETERS = ["policy", "shallow", "shallow_scale", "deep", "deep_scale", "mid", "mid_scale"]


def pairs(arguments, files):
    """The pairs of files, choices and their values, on a command line."""
    if len(files) % 2:
        arguments.error("give a file of values after each file of choices")
    return list(zip(files[::2], files[1::2]))


def read_choices(choices, name):
    """Reads the choices in one file as far as the other has evaluations: the choices, and the evaluations by choice,
    depth and move. Missing ones are NaN. Evaluations of other choices are refused."""
    records, data = np.fromfile(choices, CHOICE), open(name, "rb").read()
    found, at = [], 0
    while at + 2 <= len(data):
        moves, rows = data[at], data[at + 1]
        end = at + 2 + 4 * moves * rows
        if end > len(data):
            break
        # An illegal position has no evaluations.
        if len(found) == len(records) or moves not in (0, records["count"][len(found)]):
            sys.exit(f"{name}: these are not evaluations of the choices in {choices}, from number {len(found) + 1} on; "
                     f"give each file of choices with its own values, or run `stopdown-lab tune values` again")
        values = np.full((DEEP, MOST), np.nan, np.float32)
        numbers = np.frombuffer(data, "<f4", moves * rows, at + 2).reshape(rows, moves)
        values[:rows, :moves] = numbers[:len(values)]
        found.append(values)
        at = end
    if not found:
        sys.exit(f"{name}: there are no evaluations; run `stopdown-lab tune values {choices} {name}`")
    return records[:len(found)], np.array(found)


def expected_score(pawns):
    """The expected score by Lichess's formula, for an evaluation in our pawns."""
    return 1 / (1 + np.exp(-LOGISTIC * PAWN * np.clip(pawns, -30, 30)))


def lead(pawns):
    """How far ahead the mover is, from 0 to 1, for evaluations of all moves in our pawns."""
    return np.maximum(0, 2 * expected_score(np.nanmax(pawns, axis=1)) - 1)


def carelessness_of(curve):
    """The carelessness in each kind of game."""
    return np.array([curve[pool][-1]["carelessness"] for pool in POOLS])


def shares_of(models, records):
    """Returns the logarithm of each move's share."""
    found = torch.full((len(records), MOST), float("-inf"))
    with torch.no_grad():
        for start in range(0, len(records), 512):
            *inputs, _ = batch(records[start:start + 512])
            some = shares(models, inputs)
            found[start:start + 512, :some.shape[1]] = some
    return found.double()


class Data:
    """Choices, with the losses and policy shares of their moves. The curve sees evaluations up to `depth`."""

    def __init__(self, records, values, seen, carelessness, depth=DEEP):
        self.rating = torch.tensor((records["rating"].astype(np.float64) - 2000) / 500)
        self.pool = torch.tensor(records["pool"].astype(np.int64))
        self.ply = torch.tensor(records["ply"].astype(np.float64))
        self.chosen = torch.tensor(records["chosen"].astype(np.int64))
        known = ~np.isnan(values[:, 0])
        self.known = torch.tensor(known)
        deep = values[:, DEEP - 1]
        win = 100 * expected_score(deep)
        lost = np.nanmax(np.where(known, win, -np.inf), axis=1, keepdims=True) - win
        self.lost = torch.tensor(np.nan_to_num(lost, nan=0.0)).double()
        best = np.nanmax(np.where(known, deep, -np.inf), axis=1)
        self.open = torch.tensor((np.abs(best) * PAWN <= OPEN) & (records["ply"] >= FIRST))
        cell = records["pool"].astype(int) * 32 + records["rating"] // 200
        is_open = self.open.numpy()
        cells = [np.flatnonzero(is_open & (cell == name)) for name in np.unique(cell)]
        self.cells = [torch.tensor(index) for index in cells if len(index) >= 20]
        scaled = np.sign(values) * np.log1p(np.abs(values))
        best = np.nanmax(np.where(np.isnan(scaled), -np.inf, scaled), axis=2, keepdims=True)
        loss = torch.tensor(np.nan_to_num(best - scaled, nan=0.0, neginf=0.0)).double()
        self.shallow, self.mid = loss[:, 0], loss[:, MID - 1]
        self.deep = loss[:, depth - 1]
        self.all = loss[:, :depth]
        self.care = torch.tensor(1 - carelessness[records["pool"]] * lead(values[:, depth - 1])).double()[:, None]
        self.seen = torch.where(self.known, seen, torch.zeros(()).double())

    def nats(self, scores):
        scores = scores.masked_fill(~self.known, float("-inf"))
        return F.cross_entropy(scores, self.chosen, reduction="none"), scores


class Smooth(torch.nn.Module):
    """Parameters whose logarithms are straight lines in the rating, shifted by the kind of game."""

    def __init__(self, start, monotone=False):
        super().__init__()
        count = len(start)
        self.monotone = monotone
        self.level = torch.nn.Parameter(torch.tensor(np.log(start)))
        self.slope = torch.nn.Parameter(torch.full((count,), 0.1, dtype=torch.float64))
        self.pool = torch.nn.Parameter(torch.zeros(len(POOLS), count, 2, dtype=torch.float64))
        # How fast knowledge of openings fades: the logarithm of t. Only choices in openings determine it. Without them
        # it hardly moves from this value.
        self.known = torch.nn.Parameter(torch.tensor(np.log(16.0)))

    def slopes(self):
        """Levels and slopes by kind of game and parameter."""
        shifts = self.pool * (torch.arange(len(POOLS)) > 0)[:, None, None]
        slopes = self.slope + shifts[:, :, 1]
        if self.monotone:
            rising = torch.nn.functional.softplus(8 * slopes) / 8
            falling = -torch.nn.functional.softplus(-8 * slopes) / 8
            places = torch.arange(slopes.shape[1])
            slopes = torch.where(torch.isin(places, torch.tensor(COSTS)), rising, slopes)
            slopes = torch.where(torch.isin(places, torch.tensor(SCALES)), falling, slopes)
        return self.level + shifts[:, :, 0], slopes

    def forward(self, data):
        levels, slopes = self.slopes()
        sums = levels[data.pool] + slopes[data.pool] * data.rating[:, None]
        return torch.exp(sums.clamp(-12, 6))

    def cost(self):
        """The cost of deviating from normal priors, which matters for parameters that the data hardly determine."""
        return 0.5 * (((self.pool[:, :, 0] / 0.5) ** 2).sum()
                      + ((self.pool[:, :, 1] / 0.2) ** 2).sum() + ((self.slope / 0.5) ** 2).sum())


def damage(data):
    """The win points that each move loses, and 100 for each blunder."""
    return data.lost, 100.0 * (data.lost >= BLUNDER)


def people(data):
    """The target losses and blunder rates in open positions, for every kind of game: the level and the slope of the
    logarithm, and the error of the level."""
    rows, lines = torch.arange(len(data.chosen)), []
    for pool, kind in enumerate(POOLS):
        lines.append([])
        for lost, (level, slope) in zip(damage(data), PEOPLE):
            here = data.open & (data.pool == pool)
            line = torch.tensor([level, slope], dtype=torch.float64, requires_grad=True)
            error = 0.0
            if kind != "rapid" and here.any():
                x, y = data.rating[here] / 2 + 0.5, lost[rows, data.chosen][here]
                spread = (y ** 2).mean() / y.mean()
                optimiser = torch.optim.LBFGS([line], max_iter=100, line_search_fn="strong_wolfe")

                def closure():
                    optimiser.zero_grad()
                    mean = torch.exp(line[0] + line[1] * x)
                    cost = ((mean - y * torch.log(mean)).sum() / spread
                            + 0.5 * ((line[1] - slope) / APART) ** 2)
                    cost.backward()
                    return cost
                optimiser.step(closure)
                error = float((spread / y.sum()) ** 0.5)
            lines[-1].append((*line.tolist(), error))
    return lines


def losses(data, scores):
    """Win points lost per move and blunders per hundred moves, by kind of game and band: for the distribution, the
    target line, and the players in these positions. The distribution and the players also have errors."""
    shares = F.softmax(scores, 1)
    rows = torch.arange(len(scores))
    found = []
    for number, lost in enumerate(damage(data)):
        expected, played = (shares * lost).sum(1), lost[rows, data.chosen]
        found.append([])
        for cell in data.cells:
            level, slope, error = data.people[data.pool[cell[0]]][number]
            line = torch.exp(level + slope * (data.rating[cell] / 2 + 0.5)).mean()
            mine = expected[cell]
            off = (mine.var().detach() / len(cell) + line ** 2 * (ROUGH ** 2 + error ** 2)) ** 0.5
            found[-1].append((mine.mean(), line, off, played[cell].mean(),
                              played[cell].std() / len(cell) ** 0.5))
    return found


def missing(data, scores):
    """The cost of deviating from the target losses, in units of log-likelihood."""
    return sum(0.5 * ((mine - line) / off) ** 2
               for kind in losses(data, scores) for mine, line, off, *_ in kind)


def without_mid(data, n):
    a, c1, k1, cd, kd = (n[:, i, None] for i in range(5))
    return a * data.seen - data.care * (c1 * torch.log1p(data.shallow / k1)
                                        + cd * torch.log1p(data.deep / kd))


def human(data, n):
    return without_mid(data, n) - data.care * n[:, 5, None] * torch.log1p(data.mid / n[:, 6, None])


def opened(model):
    """The same model, but with the policy alone in the opening."""
    def scores(data, n, known):
        share = torch.exp(-data.ply / torch.exp(known))[:, None]
        return share * data.seen + (1 - share) * model(data, n)
    return scores


def plain(model):
    return lambda data, n, known: model(data, n)


def levelled(data, n):
    return -n[:, 0, None] * torch.log1p(data.deep / n[:, 1, None])


def two_depths(data, n):
    return -(n[:, 0, None] * torch.log1p(data.shallow / n[:, 1, None])
             + n[:, 2, None] * torch.log1p(data.deep / n[:, 3, None]))


def mixture(data, n):
    """The curve `levelled`, mixed over all depths like `DepthWeights`."""
    weights = n[:, 2:] / n[:, 2:].sum(1, keepdim=True)
    terms = -n[:, 0, None, None] * torch.log1p(data.all / n[:, 1, None, None])
    return torch.logsumexp(terms + torch.log(weights)[:, :, None], 1)


def log_linear(data, n):
    depths = data.all.shape[1]
    terms = n[:, 2:2 + depths, None] * torch.log1p(data.all / n[:, 1, None, None])
    return n[:, 0, None] * data.seen - terms.sum(1)


def regan(data, n):
    """Regan's curve: p = p_1^(1/y) with y = exp(-(loss/s)^c), at the usual depth."""
    s, c = n[:, 0, None], n[:, 1, None]
    power = torch.exp(c * torch.log(data.deep.clamp(min=1e-6) / s)).clamp(max=60)
    inverse = torch.exp(power)

    def excess(exponent):
        terms = torch.exp(-exponent * inverse) * data.known
        return terms.sum(1, keepdim=True) - 1, -(terms * inverse).sum(1, keepdim=True)

    with torch.no_grad():
        low, high = torch.full_like(s, 1e-9), torch.full_like(s, 5.0)
        for _ in range(50):
            middle = (low + high) / 2
            above = excess(middle)[0] > 0
            low, high = torch.where(above, middle, low), torch.where(above, high, middle)
        exponent = (low + high) / 2
    # This is one more Newton step, through which gradients can pass.
    value, slope = excess(exponent)
    return -(exponent - value / slope.detach()) * inverse


def policy_alone(data, n):
    return n[:, 0, None] * data.seen


# Each curve and its starting values. Curves without the policy are fitted to moves after the opening.
MODELS = {
    "levelled": (levelled, [4.0, 0.5]),
    "regan": (regan, [0.15, 0.5]),
    "two depths": (two_depths, [1.0, 0.2, 2.0, 0.5]),
    "depth weights": (mixture, [4.0, 0.3] + [1.0] * DEEP),
    "policy alone": (policy_alone, [1.0]),
    "log-linear": (log_linear, [0.7, 0.3] + [0.3] * DEEP),
    "without mid": (without_mid, [0.7, 1.0, 0.2, 2.0, 0.5]),
    "by nats alone": (human, [0.7, 1.0, 0.2, 2.0, 0.5, 0.5, 0.2]),
    "human": (human, [0.7, 1.0, 0.2, 2.0, 0.5, 0.5, 0.2]),
}


def information(model, smooth, data, low, high, step):
    """The Fisher information that a choice gives about the rating, in units of 1 / Elo². `low` and `high` are the same
    choices for players rated `step` Elo lower and higher."""
    with torch.no_grad():
        def logarithms(data):
            scores = model(data, smooth(data), smooth.known)
            return F.log_softmax(scores.masked_fill(~data.known, float("-inf")), 1)
        slope = (logarithms(high) - logarithms(low)) / (2 * step)
        slope = torch.where(data.known, slope, torch.zeros(()).double())
        return (torch.exp(logarithms(data)) * slope ** 2).sum(1)


def fit(model, start, data, held=False, known=None):
    """Fits a curve; with `held`, also to the target losses. `known` fixes how fast knowledge of openings fades."""
    smooth = Smooth(start, held)
    if known is not None:
        smooth.known = torch.nn.Parameter(known.detach(), requires_grad=False)
    free = [number for number in smooth.parameters() if number.requires_grad]
    optimiser = torch.optim.LBFGS(free, max_iter=300, history_size=20, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        nats, scores = data.nats(model(data, smooth(data), smooth.known))
        loss = nats.mean() + smooth.cost() / len(nats)
        if held:
            loss = loss + missing(data, scores) / len(nats)
        loss.backward()
        return loss

    optimiser.step(closure)
    return smooth


def print_losses(name, data, scores):
    """Prints the losses of the distribution and of players in open positions, by kind of game and band."""
    with torch.no_grad():
        lost, blunders = losses(data, scores.masked_fill(~data.known, float("-inf")))
        for cell, *rows in zip(data.cells, lost, blunders):
            kind, rating = POOLS[data.pool[cell[0]]], 500 * data.rating[cell].mean() + 2000
            expected = ["{:.2f}, target {:.2f} (these players {:.2f} +- {:.2f})".format(
                mine, line, played, error) for mine, line, _, played, error in rows]
            print(f"{name:14} {kind:9} {rating:5.0f}: loses {expected[0]}; blunders % {expected[1]}")


def curve_text(fits, lines, count, played, carelessness):
    """The file of the curve, fitted to `count` choices with these results at each depth."""
    text = ("# The curve `human`; see src/selector/human.rs. Each parameter is\n"
            "# [level, slope, bend] of its logarithm over (rating - 2000) / 500.\n"
            f"# Made by tuning/policy/fit.py from {count} choices evaluated at {DEEP} plies.\n"
            "# Nats per move on these choices | on the test bands:\n")
    text += "".join(f"# {line.split(' | moves for')[0]}\n" for line in lines)
    with torch.no_grad():
        text += f"\n# The number of plies t.\nopening = {torch.exp(fits[DEEP].known):.2f}\n\n{played}\n"
        for kind, pool_name in enumerate(POOLS):
            for depth in [*FEWER, DEEP]:
                text += f"\n[[{pool_name}]]\ndepth = {depth}\n"
                levels, slopes = fits[depth].slopes()
                for index, number in enumerate(PARAMETERS):
                    level, slope = levels[kind, index], slopes[kind, index]
                    text += f"{number} = [{level:.4f}, {slope:.4f}, 0.0]\n"
                text += f"carelessness = {carelessness[kind]}\n"
    return text


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("policy", help="policy file of the engine")
    arguments.add_argument("out", help="file to write the curve to; its carelessness and exponents of levels are kept")
    arguments.add_argument("data", nargs="+", help="pairs of files: choices, and their values")
    arguments.add_argument("--models", default="all", help="comma-separated names of the curves to fit [default: all]")
    options = arguments.parse_args()
    names = list(MODELS) if options.models == "all" else options.models.split(",")
    if unknown := [name for name in names if name not in MODELS]:
        arguments.error(f"there is no curve {', '.join(unknown)}; the curves are {', '.join(MODELS)}")
    files = pairs(arguments, options.data)
    with open(options.out) as out:
        text = out.read()
    played = re.search(r"# The exponent[^\n]*\nplayed = \[\n.*?\n\]", text, re.DOTALL)[0]
    carelessness = carelessness_of(tomllib.loads(text))
    torch.manual_seed(1)
    records, values = [], []
    for some, file in files:
        some, evaluated = read_choices(some, file)
        records.append(some)
        values.append(evaluated)
    records, values = np.concatenate(records), np.concatenate(values)
    policy, _ = read_networks(options.policy)
    seen = shares_of(policy, records).numpy()
    good = ~np.isnan(values[:, DEEP - 1, 0])
    records, values, seen = records[good], values[good], torch.tensor(seen[good])
    fitted = records["game"] % 10 == 1
    data = Data(records[fitted], values[fitted], seen[fitted], carelessness)
    later = records["ply"] >= 14
    data_later = Data(*(part[fitted & later] for part in (records, values, seen)), carelessness)
    data.people = people(data)
    rest = ~fitted
    tested = Data(records[rest], values[rest], seen[rest], carelessness)
    tested.people = data.people
    print("targets:", {kind: [[round(n, 2) for n in line] for line in lines]
                      for kind, lines in zip(POOLS, data.people)})
    pool, rating = records["pool"][rest], records["rating"][rest]
    bands = {name: torch.tensor((pool == kind) & (rating >= low) & (rating < high) & later[rest])
             for name, (kind, low, high) in BANDS.items()}
    print(int(fitted.sum()), "choices to fit;", {n: int(b.sum()) for n, b in bands.items()})
    shifted = []
    for step in (-STEP, STEP):
        others = records[rest].copy()
        others["rating"] = others["rating"].astype(np.int64) + step
        shifted.append(Data(others, values[rest], shares_of(policy, others), carelessness))
    lines = []

    def describe(name, model, smooth, data, tested):
        """Returns the nats per move and the share of correct first choices, by band."""
        with torch.no_grad():
            own, _ = data.nats(model(data, smooth(data), smooth.known))
            nats, scores = tested.nats(model(tested, smooth(tested), smooth.known))
            first = (scores.argmax(1) == tested.chosen).double()
            expected = F.softmax(scores, 1).max(1).values
        row = [f"{name:14}", f"{own.mean():.3f} |"]
        for band in bands.values():
            error = nats[band].std() / band.sum() ** 0.5
            row.append(f"{nats[band].mean():.3f} +- {error:.3f} {100 * first[band].mean():.0f}% "
                       f"(expected {100 * expected[band].mean():.0f}) |")
        return row

    curve = None
    for name in names:
        model, start = MODELS[name]
        knows = model in (policy_alone, log_linear, without_mid, human)
        model = opened(model) if knows else plain(model)
        smooth = fit(model, start, data if knows else data_later, name == "human")
        if name == "human":
            curve = model, start, smooth
        row = describe(name, model, smooth, data, tested)
        per_choice = information(model, smooth, tested, *shifted, STEP)
        row += ["moves for a standard error of 100 Elo:"]
        row += [f"{1e-4 / per_choice[band].mean():.0f}" for band in bands.values()]
        lines.append(" ".join(row))
        print(lines[-1], flush=True)
        if name in ("by nats alone", "human"):
            print_losses(name, data, model(data, smooth(data), smooth.known))
            print_losses(name + " test", tested, model(tested, smooth(tested), smooth.known))
    if curve is None:
        print(f"the curve human was not fitted, so {options.out} has not changed")
        return
    model, start, smooth = curve
    fits = {DEEP: smooth}
    for depth in FEWER:
        parts = [Data(records[part], values[part], seen[part], carelessness, depth) for part in (fitted, rest)]
        for part in parts:
            part.people = data.people
        fits[depth] = fit(model, start, parts[0], True, smooth.known)
        name = f"human, {depth} plies"
        lines.append(" ".join(describe(name, model, fits[depth], *parts)))
        print(lines[-1], flush=True)
        print_losses(name, parts[0], model(parts[0], fits[depth](parts[0]), smooth.known))
    save(options.out, curve_text(fits, lines, int(fitted.sum()), played, carelessness))


if __name__ == "__main__":
    main()
