#!/usr/bin/env python3
"""Trains the policy network: which move would a player of this rating choose?

    python3 -m venv venv && venv/bin/pip install numpy torch
    stopdown-lab tune choices choices.bin GAMES.pgn ...
    venv/bin/python tuning/policy/train.py choices.bin policy.pt --start tuning/policy.bin --until 18:30

A residual network (He et al. 2015) with squeeze-and-excitation (Hu et al. 2018) sees the board from
the mover's side with the last moves; who is playing (both ratings, kind of game, clock) speaks at every
block. A move's score is the product of what the squares it leaves and enters say, plus a number of its
own; the probabilities are over the legal moves only. Of all games a tenth is for judging, and a tenth
is left for fitting what is combined with the network; both are chosen by the game's number. What shares
its first forty plies with one of these is not learnt from either.

Kinds of games and bands of ratings are drawn by a power of how many choices there are, so that no band
starves. The learning rate falls in a straight line to nothing at the time given, however often the
training was paused or stopped; it goes on from its last checkpoint. `--start` begins with the numbers
of an exported network. `export.py` makes the file that the engine reads.
"""
import argparse
import csv
import datetime
import os
import queue
import threading
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

MOST = 80
CHOICE = np.dtype([
    ("men", "u1", 32), ("castling", "<u8"), ("en_passant", "u1"), ("trail", "u1", 6),
    ("pool", "u1"), ("rating", "<u2"), ("opponent", "<u2"), ("clock", "<u2"), ("ply", "<u2"),
    ("game", "<u8"), ("chosen", "u1"), ("count", "u1"), ("flags", "u1"), ("rest", "u1"),
    ("opening", "<u4"),
    ("moves", "<u2", MOST)])
SIZE = CHOICE.itemsize
PLACE = {name: CHOICE.fields[name][1] for name in CHOICE.names}
PLANES = 12 + 1 + 1 + 6
POOLS = 5
# Rating and its square; the opponent's lead, where known; kinds of games; the clock, where known.
WHO = 2 + 2 + POOLS + 2
CONTEXT = 32
# Held-out positions by which it is judged: pool, least and largest rating.
BANDS = {
    "E": (3, 700, 1150), "A": (3, 1200, 1600), "B": (3, 1800, 2000), "F": (0, 1450, 1750),
    "C": (0, 2000, 2200), "D": (0, 2550, 2650), "R1": (2, 900, 1300), "R2": (2, 1400, 1800),
    "R3": (2, 2000, 2400)}
# Flags of a choice.
COLLECTOR, UNTOLD = 1, 2
# Where the kind of game is not told it is one of these, as often as on the server.
LIKELY = [0, 0.02, 0.18, 0.48, 0.32]
UNKNOWN_CLOCK = 65535
# A cell of kind and band is drawn by this power of its size.
EVENNESS = 0.5


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)
        self.squeeze = nn.Linear(width + CONTEXT, CONTEXT)
        self.excite = nn.Linear(CONTEXT, 2 * width)

    def forward(self, x, context):
        y = F.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        pooled = torch.cat([y.mean((2, 3)), context], 1)
        scale, shift = self.excite(F.relu(self.squeeze(pooled))).chunk(2, 1)
        y = y * torch.sigmoid(scale)[:, :, None, None] + shift[:, :, None, None]
        return F.relu(x + y)


class Policy(nn.Module):
    def __init__(self, width, blocks, keys):
        super().__init__()
        self.shape = (width, blocks, keys)
        self.context = nn.Linear(WHO, CONTEXT)
        self.entry = nn.Conv2d(PLANES, width, 3, padding=1)
        self.entry_context = nn.Linear(CONTEXT, width)
        self.squares = nn.Parameter(torch.zeros(1, width, 8, 8))
        self.blocks = nn.ModuleList([Block(width) for _ in range(blocks)])
        self.leave = nn.Conv2d(width, keys, 1)
        self.enter = nn.Conv2d(width, keys, 1)
        self.promote = nn.Conv2d(width, 3, 1)
        self.habit = nn.Parameter(torch.zeros(64 * 64))

    def forward(self, planes, who):
        context = F.relu(self.context(who))
        x = self.entry(planes)
        x = F.relu(x + (self.squares + self.entry_context(context)[:, :, None, None]).to(x.dtype))
        for block in self.blocks:
            x = block(x, context)
        leave, enter = self.leave(x).flatten(2), self.enter(x).flatten(2)
        scores = torch.bmm(leave.transpose(1, 2), enter) / self.shape[2] ** 0.5
        return scores.flatten(1).float() + self.habit, self.promote(x).flatten(2).float()


def move_scores(scores, promotions, moves, count):
    """A score for every legal move; minus infinity behind the last."""
    squares = moves & 0xfff
    start, end = squares & 63, squares >> 6
    chosen = torch.gather(scores, 1, start * 64 + end)
    into = (moves >> 12) - 2  # knight, bishop, rook; a queen is what everybody takes
    minor = (into >= 0) & (into < 3)
    index = into.clamp(0, 2) * 64 + end
    extra = torch.gather(promotions.flatten(1), 1, index)
    chosen = torch.where(minor, chosen + extra, chosen)
    known = torch.arange(moves.shape[1], device=moves.device)[None] < count[:, None]
    return chosen.masked_fill(~known, float("-inf"))


def shorts(records, name):
    """A number of two bytes of every record."""
    low, high = records[:, PLACE[name]].int(), records[:, PLACE[name] + 1].int()
    return low | high << 8


def players(records):
    """Who plays, in numbers of about 1."""
    rating, opponent = shorts(records, "rating").float(), shorts(records, "opponent").float()
    clock = shorts(records, "clock")
    own = (rating - 2000) / 500
    lead = torch.where(opponent > 0, ((opponent - rating) / 400).clamp(-2, 2), 0.0)
    kind = F.one_hot(records[:, PLACE["pool"]].long(), POOLS).float()
    untold = (records[:, PLACE["flags"]] & UNTOLD) > 0
    likely = torch.tensor(LIKELY, device=records.device)
    kind = torch.where(untold[:, None], likely[None], kind)
    is_known = clock != UNKNOWN_CLOCK
    seconds = torch.where(is_known, torch.log2(1 + clock.float()) / 8, 0.0)
    told = [own, own ** 2, (opponent > 0).float(), lead]
    return torch.cat([torch.stack(told, 1), kind, is_known.float()[:, None], seconds[:, None]], 1)


def decoded(records, mirror):
    """What the network wants of the bytes of some records, where they lie; `mirror` says which to
    turn left to right."""
    n, device = len(records), records.device
    packed = records[:, :32].int()
    men = torch.stack([packed & 15, packed >> 4], 2).view(n, 64)
    castling = records[:, 32:40].int()
    turn = mirror & (castling.sum(1) == 0)
    men = torch.where(turn[:, None], men.view(n, 8, 8).flip(2).reshape(n, 64), men)
    steps = records[:, 40:47].int()  # en passant, and squares left and entered
    steps = torch.where(turn[:, None] & (steps < 64), steps ^ 7, steps)
    squares = torch.arange(64, device=device, dtype=torch.int32)
    rooks = (castling.repeat_interleave(8, 1) >> (squares % 8)[None]) & 1
    kinds = torch.arange(1, 13, device=device, dtype=torch.int32)
    planes = torch.cat([
        (men[:, :, None] == kinds).float(),
        rooks[:, :, None].float(),
        (squares[None, :, None] == steps[:, None, :]).float()], 2)
    planes = planes.view(n, 8, 8, PLANES).permute(0, 3, 1, 2)
    halves = records[:, PLACE["moves"]:].int().view(n, MOST, 2)
    moves = (halves[:, :, 0] | halves[:, :, 1] << 8).long()
    moves = torch.where(turn[:, None], moves ^ (7 | 7 << 6), moves)
    count = records[:, PLACE["count"]].long()
    return planes, players(records), moves, count, records[:, PLACE["chosen"]].long()


def as_bytes(records):
    return torch.from_numpy(np.array(records).view(np.uint8).reshape(len(records), SIZE))


def batch(records, mirror=None):
    """The same for records of a file, with no more places for moves than they need."""
    mirror = torch.from_numpy(np.zeros(len(records), bool) if mirror is None else mirror)
    planes, who, moves, count, chosen = decoded(as_bytes(records), mirror)
    return planes, who, moves[:, :int(count.max())], count, chosen


def split(game, opening):
    """Which choices are learnt from, and which judge."""
    part = game % 10
    kept = np.unique(opening[part < 2])
    place = np.searchsorted(kept, opening).clip(max=len(kept) - 1)
    return np.flatnonzero((part >= 2) & (kept[place] != opening)), np.flatnonzero(part == 0)


def judged(data, index, limit, first=14, seed=1):
    """Positions of the four bands among those of an index."""
    bands = {}
    for name, (pool, low, high) in BANDS.items():
        part = data[index]
        fits = ((part["pool"] == pool) & (part["rating"] >= low) & (part["rating"] < high)
                & (part["ply"] >= first) & (part["clock"] >= 30) & (part["flags"] == 0))
        chosen = np.random.default_rng(seed).permutation(index[fits])[:limit]
        bands[name] = np.sort(chosen)
    return bands


def judge(model, take, bands):
    """Nats a move and the share of first choices that were right, for each band; `take` makes a
    batch of the records of an index."""
    model.eval()
    found = {}
    with torch.no_grad():
        for name, index in bands.items():
            nats, right = 0.0, 0
            for start in range(0, len(index), 512):
                planes, who, moves, count, chosen = take(index[start:start + 512])
                scores = move_scores(*model(planes, who), moves, count)
                nats += F.cross_entropy(scores, chosen, reduction="sum").item()
                right += (scores.argmax(1) == chosen).sum().item()
            found[name] = (nats / max(1, len(index)), 100 * right / max(1, len(index)))
    model.train()
    return found


def cells(data, index):
    """The choices of each kind and band of 200 points, and how often each is drawn."""
    pool, rating = data["pool"][index].astype(np.int32), data["rating"][index].astype(np.int32)
    untold = data["flags"][index] & UNTOLD > 0
    cell = np.where(untold, POOLS, pool) * 32 + np.clip(rating, 400, 2999) // 200
    order = np.argsort(cell, kind="stable")
    names, starts = np.unique(cell[order], return_index=True)
    groups = np.split(index[order], starts[1:])
    chance = np.array([len(group) for group in groups], float) ** EVENNESS
    return names, groups, chance / chance.sum()


def feed(data, groups, chance, size, seed, ready, stop):
    """Fills a queue with batches, for ever."""
    random = np.random.default_rng(seed)
    while not stop.is_set():
        counts = random.multinomial(size, chance)
        index = np.concatenate([random.choice(g, n) for g, n in zip(groups, counts) if n])
        ready.put(batch(data[np.sort(index)], random.random(size) < 0.5))


def load(model, file, data, index):
    """Begins with the numbers of an exported network. What it was not told has no say at first; the
    norms, which the file has in the convolutions, are taken from some positions."""
    raw = open(file, "rb").read()
    halves = np.frombuffer(raw, "<u2", offset=1024).astype(np.uint32) << 16
    numbers, place = torch.from_numpy(halves.view(np.float32).copy()), 0

    def take(*shape):
        nonlocal place
        count = int(np.prod(shape))
        place += count
        return numbers[place - count:place].view(*shape)
    width, _, keys = model.shape
    told = int(raw[:1024].decode().split("told: ")[1].split()[0]) if b"told: " in raw[:1024] else 7
    old = take(CONTEXT, told)
    with torch.no_grad():
        model.context.weight.zero_()
        if told == WHO:
            model.context.weight.copy_(old)
        else:
            model.context.weight[:, :2], model.context.weight[:, 4:4 + POOLS] = old[:, :2], old[:, 2:]
        model.context.bias.copy_(take(CONTEXT))
        for layer in (model.entry, model.entry_context):
            layer.weight.copy_(take(*layer.weight.shape))
            layer.bias.copy_(take(*layer.bias.shape))
        model.squares[0].copy_(take(8, 8, width).permute(2, 0, 1))
        random = np.random.default_rng(5)
        planes, who, *_ = batch(data[np.sort(random.choice(index, 4096))])
        context = F.relu(model.context(who))
        x = F.relu(model.entry(planes) + model.squares
                   + model.entry_context(context)[:, :, None, None])
        for block in model.blocks:
            y = x
            for conv, norm in ((block.first, block.first_norm), (block.second, block.second_norm)):
                conv.weight.copy_(take(*conv.weight.shape))
                bias = take(width)
                y = conv(y)
                mean, variance = y.mean((0, 2, 3)), y.var((0, 2, 3))
                norm.running_mean.copy_(mean)
                norm.running_var.copy_(variance)
                norm.weight.copy_(torch.sqrt(variance + norm.eps))
                norm.bias.copy_(mean + bias)
                y = y + bias[:, None, None]
                y = F.relu(y) if conv is block.first else y
            for layer in (block.squeeze, block.excite):
                layer.weight.copy_(take(*layer.weight.shape))
                layer.bias.copy_(take(*layer.bias.shape))
            model.eval()
            x = block(x, context)
            model.train()
        for layer in (model.leave, model.enter, model.promote):
            layer.weight.copy_(take(*layer.weight.shape))
            layer.bias.copy_(take(*layer.bias.shape))
        model.habit.copy_(take(64 * 64))
    assert place == len(numbers), "the file has another shape"


def optimiser_of(model, rate, decay, **options):
    """Adam; only what multiplies decays."""
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    return torch.optim.AdamW(
        [{"params": decays, "weight_decay": decay}, {"params": others, "weight_decay": 0}],
        lr=rate, betas=(0.9, 0.98), **options)


class Log:
    """The table beside a checkpoint: a line for every judgement."""

    def __init__(self, checkpoint):
        self.file = open(os.path.splitext(checkpoint)[0] + ".csv", "a", newline="")
        self.rows = csv.writer(self.file, lineterminator="\n")
        if self.file.tell() == 0:
            judgements = [f"{band} {what}" for band in BANDS for what in ("nats", "first")]
            self.rows.writerow(["time", "positions", "rate", "loss"] + judgements)

    def tell(self, positions, rate, loss, found):
        line = [time.strftime("%H:%M"), positions, f"{rate:.6f}", f"{loss:.4f}"]
        line += [f"{number:.3f}" for pair in found.values() for number in pair]
        self.rows.writerow(line)
        self.file.flush()
        print(" ".join(map(str, line)), flush=True)


def keep(state, checkpoint):
    """Writes a checkpoint that is whole or not there."""
    torch.save(state, checkpoint + ".new")
    os.replace(checkpoint + ".new", checkpoint)


def seconds_until(clock):
    """From now to the next time that a clock shows this."""
    now = datetime.datetime.now()
    hours, minutes = map(int, clock.split(":"))
    then = now.replace(hour=hours, minute=minutes, second=0, microsecond=0)
    return ((then - now).total_seconds() + 86400) % 86400


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("choices", help="file made by `stopdown-lab tune choices`")
    arguments.add_argument("checkpoint", help="file that the network is kept in")
    arguments.add_argument("--start", help="an exported network to begin with")
    arguments.add_argument("--width", type=int, default=64)
    arguments.add_argument("--blocks", type=int, default=6)
    arguments.add_argument("--keys", type=int, default=32)
    arguments.add_argument("--batch", type=int, default=512)
    arguments.add_argument("--rate", type=float, default=1e-3, help="the largest learning rate")
    arguments.add_argument("--until", required=True, help="the time of day when it ends: 18:30")
    arguments.add_argument("--every", type=float, default=10, help="minutes between judgements")
    arguments.add_argument("--bfloat16", action="store_true",
                           help="convolve in sixteen bits: several times as fast where the processor "
                           "has instructions for it (avx512_bf16, amx_bf16)")
    arguments.add_argument("--threads", type=int, default=os.cpu_count(),
                           help="as many as there are cores that nobody else works on: they wait "
                           "for each other")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)

    data = np.memmap(options.choices, CHOICE, "r")
    train, held = split(np.array(data["game"]), np.array(data["opening"]))
    names, groups, chance = cells(data, train)
    bands = judged(data, held, 1500)
    print(len(train), "positions, judged by",
          {name: len(index) for name, index in bands.items()}, flush=True)
    for name, group, often in zip(names, groups, chance):
        print(f"kind {name // 32}, {name % 32 * 200}: {len(group)} choices, {100 * often:.1f} %")

    model = Policy(options.width, options.blocks, options.keys)
    if options.start:
        load(model, options.start, data, train)
    model = model.to(memory_format=torch.channels_last)
    optimiser = optimiser_of(model, options.rate, 0.02)
    steps, left, whole = 0, seconds_until(options.until), None
    if os.path.exists(options.checkpoint):
        state = torch.load(options.checkpoint)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        steps, whole = state["steps"], state["whole"]
    whole = whole or left
    log = Log(options.checkpoint)

    def tell(rate, loss):
        found = judge(model, lambda index: batch(data[index]), bands)
        log.tell(steps * options.batch, rate, loss, found)
        keep({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "steps": steps,
              "whole": whole, "shape": model.shape, "options": vars(options)}, options.checkpoint)

    tell(0, 0)
    compiled = torch.compile(model)
    ready, stop = queue.Queue(8), threading.Event()
    threading.Thread(target=feed, daemon=True, args=(
        data, groups, chance, options.batch, options.seed * 1_000_003 + steps, ready, stop)).start()
    end, told, losses = time.time() + left, time.time(), []
    while True:
        share = (end - time.time()) / whole
        rate = options.rate * max(0.0, min(1, (steps + 1) / 500, share))
        for group in optimiser.param_groups:
            group["lr"] = rate
        planes, who, moves, count, chosen = ready.get()
        with torch.autocast("cpu", torch.bfloat16, enabled=options.bfloat16):
            scores, promotions = compiled(planes, who)
        loss = F.cross_entropy(move_scores(scores, promotions, moves, count), chosen)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        steps += 1
        losses.append(loss.item())
        if share <= 0 or time.time() - told > 60 * options.every:
            tell(rate, float(np.mean(losses)))
            told, losses = time.time(), []
            if share <= 0:
                break
    stop.set()


if __name__ == "__main__":
    main()
