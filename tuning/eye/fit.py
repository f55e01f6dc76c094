#!/usr/bin/env python3
"""Fits the curve `human`: what the eye sees times what the engine sees.

    venv/bin/python tuning/eye/fit.py eye.pt human.toml some.bin values.bin [...]

The logarithm of a move's probability is, but for a constant,

    a ln(share) - c1 ln(1 + loss1 / k1) - c4 ln(1 + loss4 / k4) - cp ln(1 + lossp / kp)

with the share of people who would look at it, by the network, and what it loses (Regan's scaled
loss) at depth 1, at depth 4, and at a depth p that belongs to the kind of game. In the opening people know what they play: after n
plies a part e^(-n/t) of the logarithm is that of the share alone. Each of the seven numbers is e to the power of a
parabola in the rating, plus a summand for every kind of game but the first, with a slope of its
own. It is fitted by maximum likelihood to games that the network did not learn from, and judged
by others; all other models are fitted in the same way and shown beside it. What it writes is for
one depth over the board; `tuning/calibration/human.toml` holds those for 8 and for 12.
"""
import argparse

import numpy as np
import torch
import torch.nn.functional as F

from train import BANDS, CHOICE, Eye, batch, move_scores

POOLS = ["board", "classical", "rapid", "blitz", "bullet"]
# How deep their thought is taken to go: over the board there is time.
THOUGHT = [12, 12, 8, 8, 8]
LOOK = 4
MOST = 80
STEP = 25


def read_values(name):
    """The moves' values by choice, depth and move; NaN where there is none."""
    data = open(name, "rb").read()
    found, at = [], 0
    while at + 2 <= len(data):
        moves, rows = data[at], data[at + 1]
        end = at + 2 + 4 * moves * rows
        if end > len(data):
            break
        values = np.full((max(THOUGHT), MOST), np.nan, np.float32)
        numbers = np.frombuffer(data, "<f4", moves * rows, at + 2).reshape(rows, moves)
        values[:rows, :moves] = numbers[:len(values)]
        found.append(values)
        at = end
    return np.array(found)


def shares(model, records):
    """The logarithm of the share of people who would look at each move."""
    model.eval()
    found = torch.full((len(records), MOST), float("-inf"))
    with torch.no_grad():
        for start in range(0, len(records), 512):
            planes, who, moves, count, _ = batch(records[start:start + 512])
            scores = move_scores(*model(planes, who), moves, count)
            found[start:start + 512, :scores.shape[1]] = F.log_softmax(scores, 1)
    return found.double()


class Data:
    """Choices with what is seen of their moves."""

    def __init__(self, records, values, seen):
        self.rating = torch.tensor((records["rating"].astype(np.float64) - 2000) / 500)
        self.pool = torch.tensor(records["pool"].astype(np.int64))
        self.ply = torch.tensor(records["ply"].astype(np.float64))
        self.chosen = torch.tensor(records["chosen"].astype(np.int64))
        known = ~np.isnan(values[:, 0])
        self.known = torch.tensor(known)
        scaled = np.sign(values) * np.log1p(np.abs(values))
        best = np.nanmax(np.where(np.isnan(scaled), -np.inf, scaled), axis=2, keepdims=True)
        loss = torch.tensor(np.nan_to_num(best - scaled, nan=0.0, neginf=0.0)).double()
        self.glance, self.look = loss[:, 0], loss[:, LOOK - 1]
        thought = np.array(THOUGHT)[records["pool"]] - 1
        self.thought = loss[np.arange(len(loss)), thought]
        self.all = loss[:, :min(THOUGHT)]
        self.seen = torch.where(self.known, seen, torch.zeros(()).double())

    def nats(self, scores):
        scores = scores.masked_fill(~self.known, float("-inf"))
        return F.cross_entropy(scores, self.chosen, reduction="none"), scores


class Smooth(torch.nn.Module):
    """Some numbers as smooth functions of rating and kind of game."""

    def __init__(self, start):
        super().__init__()
        count = len(start)
        self.level = torch.nn.Parameter(torch.tensor(np.log(start)))
        self.slope = torch.nn.Parameter(torch.zeros(count, dtype=torch.float64))
        self.bend = torch.nn.Parameter(torch.zeros(count, dtype=torch.float64))
        self.pool = torch.nn.Parameter(torch.zeros(len(POOLS), count, 2, dtype=torch.float64))
        self.known = torch.nn.Parameter(torch.tensor(np.log(8.0)))

    def forward(self, data):
        r = data.rating[:, None]
        pool = self.pool[data.pool] * (data.pool != 0)[:, None, None]
        sums = self.level + self.slope * r + self.bend * r * r + pool[:, :, 0] + pool[:, :, 1] * r
        return torch.exp(sums.clamp(-12, 6))

    def cost(self):
        """Against numbers that the data say little of: normal priors."""
        return 0.5 * (((self.bend / 0.1) ** 2).sum() + ((self.pool[:, :, 0] / 0.5) ** 2).sum()
                      + ((self.pool[:, :, 1] / 0.2) ** 2).sum())


def without_look(data, n):
    a, c1, k1, cp, kp = (n[:, i, None] for i in range(5))
    return (a * data.seen - c1 * torch.log1p(data.glance / k1)
            - cp * torch.log1p(data.thought / kp))


def human(data, n):
    return without_look(data, n) - n[:, 5, None] * torch.log1p(data.look / n[:, 6, None])


def opened(model):
    """The same, but in the opening by the eye."""
    def scores(data, n, known):
        share = torch.exp(-data.ply / torch.exp(known))[:, None]
        return share * data.seen + (1 - share) * model(data, n)
    return scores


def plain(model):
    return lambda data, n, known: model(data, n)


def levelled(data, n):
    return -n[:, 0, None] * torch.log1p(data.thought / n[:, 1, None])


def two_depths(data, n):
    return -(n[:, 0, None] * torch.log1p(data.glance / n[:, 1, None])
             + n[:, 2, None] * torch.log1p(data.thought / n[:, 3, None]))


def mixture(data, n):
    """Levelled, mixed over all depths, as `DepthWeights` has it."""
    weights = n[:, 2:] / n[:, 2:].sum(1, keepdim=True)
    terms = -n[:, 0, None, None] * torch.log1p(data.all / n[:, 1, None, None])
    return torch.logsumexp(terms + torch.log(weights)[:, :, None], 1)


def log_linear(data, n):
    depths = data.all.shape[1]
    terms = n[:, 2:2 + depths, None] * torch.log1p(data.all / n[:, 1, None, None])
    return n[:, 0, None] * data.seen - terms.sum(1)


def regan(data, n):
    """Regan's curve: p = p_1^(1/y) with y = exp(-(loss/s)^c), at depth p."""
    s, c = n[:, 0, None], n[:, 1, None]
    power = torch.exp(c * torch.log(data.thought.clamp(min=1e-6) / s)).clamp(max=60)
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
    # One more step of Newton's, through which the slopes go.
    value, slope = excess(exponent)
    return -(exponent - value / slope.detach()) * inverse


def eye_alone(data, n):
    return n[:, 0, None] * data.seen


def information(model, smooth, data, low, high, step):
    """Fisher's information about the rating in a choice, a square Elo; `low` and `high` are the same
    choices seen by people so many Elo below and above."""
    with torch.no_grad():
        def logarithms(data):
            scores = model(data, smooth(data), smooth.known)
            return F.log_softmax(scores.masked_fill(~data.known, float("-inf")), 1)
        slope = (logarithms(high) - logarithms(low)) / (2 * step)
        slope = torch.where(data.known, slope, torch.zeros(()).double())
        return (torch.exp(logarithms(data)) * slope ** 2).sum(1)


def fit(model, start, data):
    smooth = Smooth(start)
    optimiser = torch.optim.LBFGS(smooth.parameters(), max_iter=150, history_size=20,
                                  line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        nats, _ = data.nats(model(data, smooth(data), smooth.known))
        loss = nats.mean() + smooth.cost() / len(nats)
        loss.backward()
        return loss

    optimiser.step(closure)
    return smooth


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("checkpoint")
    arguments.add_argument("out")
    arguments.add_argument("data", nargs="+", help="choices, their values, and so on")
    arguments.add_argument("--depth", type=int, default=12, help="of thought over the board")
    arguments.add_argument("--models", default="all", help="names with commas between")
    options = arguments.parse_args()
    THOUGHT[:2] = [options.depth] * 2
    torch.manual_seed(1)
    records, values = [], []
    for some, file in zip(options.data[::2], options.data[1::2]):
        values.append(read_values(file))
        records.append(np.fromfile(some, CHOICE)[:len(values[-1])])
    records, values = np.concatenate(records), np.concatenate(values)
    state = torch.load(options.checkpoint)
    eye = Eye(*state["shape"])
    eye.load_state_dict(state["model"])
    seen = shares(eye, records).numpy()
    good = ~np.isnan(values[np.arange(len(values)), np.array(THOUGHT)[records["pool"]] - 1, 0])
    records, values, seen = records[good], values[good], torch.tensor(seen[good])
    fitted = records["game"] % 10 == 1
    data = Data(records[fitted], values[fitted], seen[fitted])
    later = records["ply"] >= 14
    data_later = Data(*(part[fitted & later] for part in (records, values, seen)))
    rest = ~fitted
    judging = Data(records[rest], values[rest], seen[rest])
    pool, rating = records["pool"][rest], records["rating"][rest]
    bands = {name: torch.tensor((pool == kind) & (rating >= low) & (rating < high) & later[rest])
             for name, (kind, low, high) in BANDS.items()}
    print(int(fitted.sum()), "choices fitted;", {n: int(b.sum()) for n, b in bands.items()})
    depths = min(THOUGHT)
    shifted = []
    for step in (-STEP, STEP):
        others = records[rest].copy()
        others["rating"] = others["rating"].astype(np.int64) + step
        shifted.append(Data(others, values[rest], shares(eye, others)))
    # The curve and its start; those without the eye are fitted to what comes after the opening.
    models = {
        "levelled": (levelled, [4.0, 0.5]),
        "regan": (regan, [0.15, 0.5]),
        "two depths": (two_depths, [1.0, 0.2, 2.0, 0.5]),
        "depth weights": (mixture, [4.0, 0.3] + [1.0] * depths),
        "eye alone": (eye_alone, [1.0]),
        "log-linear": (log_linear, [0.7, 0.3] + [0.3] * depths),
        "without look": (without_look, [0.7, 1.0, 0.2, 2.0, 0.5]),
        "human": (human, [0.7, 1.0, 0.2, 2.0, 0.5, 0.5, 0.2]),
    }
    if options.models != "all":
        models = {name: models[name] for name in options.models.split(",")}
    lines = []
    for name, (model, start) in models.items():
        knows = model in (eye_alone, log_linear, without_look, human)
        model = opened(model) if knows else plain(model)
        smooth = fit(model, start, data if knows else data_later)
        with torch.no_grad():
            own, _ = data.nats(model(data, smooth(data), smooth.known))
            nats, scores = judging.nats(model(judging, smooth(judging), smooth.known))
            first = (scores.argmax(1) == judging.chosen).double()
            said = F.softmax(scores, 1).max(1).values
        row = [f"{name:14}", f"{own.mean():.3f} |"]
        for band in bands.values():
            error = nats[band].std() / band.sum() ** 0.5
            row.append(f"{nats[band].mean():.3f} +- {error:.3f} {100 * first[band].mean():.0f} % "
                       f"(said {100 * said[band].mean():.0f}) |")
        told = information(model, smooth, judging, *shifted, STEP)
        row += ["moves for a standard error of 100 Elo:"]
        row += [f"{1e-4 / told[band].mean():.0f}" for band in bands.values()]
        lines.append(" ".join(row))
        print(lines[-1], flush=True)
    with open(options.out, "w") as out:
        out.write("# The curve `human`: tuning/eye/fit.py says what the numbers mean.\n")
        out.write("# Each is [level, slope, bend] of its logarithm over (rating - 2000) / 500.\n#\n")
        out.write("# model, nats a move of those fitted | of bands A to D, first choice right\n")
        out.writelines(f"# {line}\n" for line in lines)
        with torch.no_grad():
            out.write(f"\n# The plies t.\nopening = {torch.exp(smooth.known):.2f}\n")
            for kind, pool_name in enumerate(POOLS):
                out.write(f"\n[[{pool_name}]]\ndepth = {THOUGHT[kind]}\n")
                for index, number in enumerate(["eye", "glance", "glance_scale", "thought",
                                                "thought_scale", "look", "look_scale"]):
                    level, slope = smooth.level[index], smooth.slope[index]
                    if kind:
                        level = level + smooth.pool[kind, index, 0]
                        slope = slope + smooth.pool[kind, index, 1]
                    out.write(f"{number} = [{level:.4f}, {slope:.4f}, {smooth.bend[index]:.4f}]\n")


if __name__ == "__main__":
    main()
