#!/usr/bin/env python3
"""Trains the human eye: which move would a person look at first?

    python3 -m venv venv && venv/bin/pip install numpy torch
    stopdown tune choices choices.bin GAMES.pgn ...
    venv/bin/python tuning/eye/train.py choices.bin eye.pt --minutes 120

A residual network (He et al. 2015) with squeeze-and-excitation (Hu et al. 2018) sees the board from
the mover's side with the last moves; who is playing (rating, kind of game) speaks at every block. A move's
score is the product of what the squares it leaves and enters say, plus a number of its own; the
probabilities are over the legal moves only. Of all games a tenth is for judging, and a tenth is
left for fitting what is combined with the network; both are chosen by the game's number.

Stopped at any time, it goes on from its last checkpoint. `export.py` makes the file that the engine
reads.
"""
import argparse
import csv
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
    ("game", "<u8"), ("chosen", "u1"), ("count", "u1"), ("collector", "u1"), ("rest", "u1", 5),
    ("moves", "<u2", MOST)])
PLANES = 12 + 1 + 1 + 6
POOLS = 5
CONTEXT = 32
# Held-out positions by which it is judged: pool, least and largest rating.
BANDS = {"A": (3, 1200, 1600), "B": (3, 1800, 2000), "C": (0, 2000, 2200), "D": (0, 2550, 2650)}
BOARD = 0
# Share of positions from games on servers, of which there are few.
ONLINE = 0.2


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


class Eye(nn.Module):
    def __init__(self, width, blocks, keys):
        super().__init__()
        self.shape = (width, blocks, keys)
        self.context = nn.Linear(2 + POOLS, CONTEXT)
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
    known = torch.arange(moves.shape[1])[None] < count[:, None]
    return chosen.masked_fill(~known, float("-inf"))


def batch(records, mirror=None):
    """What the network wants of some records; `mirror` says which to turn left to right."""
    n = len(records)
    men = np.empty((n, 64), np.uint8)
    men[:, 0::2] = records["men"] & 15
    men[:, 1::2] = records["men"] >> 4
    castling = np.unpackbits(
        records["castling"].reshape(n, 1).view(np.uint8), axis=1, bitorder="little")
    passed, trail = records["en_passant"].astype(np.int64), records["trail"].astype(np.int64)
    most = int(records["count"].max())
    moves = records["moves"][:, :most].astype(np.int64)
    if mirror is not None:
        turn = (mirror & (records["castling"] == 0))
        men[turn] = men[turn].reshape(-1, 8, 8)[:, :, ::-1].reshape(-1, 64)
        passed = np.where(turn & (passed < 64), passed ^ 7, passed)
        trail = np.where(turn[:, None] & (trail < 64), trail ^ 7, trail)
        moves = np.where(turn[:, None], moves ^ (7 | 7 << 6), moves)
    planes = np.zeros((n, PLANES, 65), np.float32)
    rows = np.arange(n)
    occupied_row, occupied_square = np.nonzero(men)
    planes[occupied_row, men[occupied_row, occupied_square] - 1, occupied_square] = 1
    planes[:, 12, :64] = castling
    planes[rows, 13, passed] = 1
    for place in range(6):
        planes[rows, 14 + place, trail[:, place]] = 1
    rating = (records["rating"].astype(np.float32) - 2000) / 500
    who = np.zeros((n, 2 + POOLS), np.float32)
    who[:, 0], who[:, 1] = rating, rating * rating
    who[rows, 2 + records["pool"]] = 1
    planes = torch.from_numpy(np.ascontiguousarray(planes[:, :, :64])).view(n, PLANES, 8, 8)
    return (planes.contiguous(memory_format=torch.channels_last), torch.from_numpy(who),
            torch.from_numpy(moves), torch.from_numpy(records["count"].astype(np.int64)),
            torch.from_numpy(records["chosen"].astype(np.int64)))


def judged(data, index, limit, first=14, seed=1):
    """Positions of the four bands among those of an index."""
    bands = {}
    for name, (pool, low, high) in BANDS.items():
        part = data[index]
        fits = ((part["pool"] == pool) & (part["rating"] >= low) & (part["rating"] < high)
                & (part["ply"] >= first) & (part["clock"] >= 30) & (part["collector"] == 0))
        chosen = np.random.default_rng(seed).permutation(index[fits])[:limit]
        bands[name] = np.sort(chosen)
    return bands


def judge(model, data, bands):
    """Nats a move and the share of first choices that were right, for each band."""
    model.eval()
    found = {}
    with torch.no_grad():
        for name, index in bands.items():
            nats, right = 0.0, 0
            for start in range(0, len(index), 512):
                planes, who, moves, count, chosen = batch(data[index[start:start + 512]])
                scores = move_scores(*model(planes, who), moves, count)
                nats += F.cross_entropy(scores, chosen, reduction="sum").item()
                right += (scores.argmax(1) == chosen).sum().item()
            found[name] = (nats / max(1, len(index)), 100 * right / max(1, len(index)))
    model.train()
    return found


def feed(data, board, online, size, seed, ready, stop):
    """Fills a queue with batches, for ever."""
    random = np.random.default_rng(seed)
    while not stop.is_set():
        few = random.binomial(size, ONLINE if len(online) else 0)
        index = np.concatenate([random.choice(board, size - few), random.choice(online, few)])
        ready.put(batch(data[np.sort(index)], random.random(size) < 0.5))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("choices", help="file made by `stopdown tune choices`")
    arguments.add_argument("checkpoint", help="file that the network is kept in")
    arguments.add_argument("--width", type=int, default=64)
    arguments.add_argument("--blocks", type=int, default=6)
    arguments.add_argument("--keys", type=int, default=32)
    arguments.add_argument("--batch", type=int, default=1024)
    arguments.add_argument("--rate", type=float, default=2e-3, help="the largest learning rate")
    arguments.add_argument("--minutes", type=float, default=120, help="in all")
    arguments.add_argument(
        "--decay", type=float, default=30, help="the last minutes, in which the rate falls to 0")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(os.cpu_count())

    data = np.fromfile(options.choices, CHOICE)
    part, pool = data["game"] % 10, data["pool"]
    train, held = np.flatnonzero(part >= 2), np.flatnonzero(part == 0)
    board, online = train[pool[train] == BOARD], train[pool[train] != BOARD]
    bands = judged(data, held, 3000)
    print(len(board), "positions over the board,", len(online), "online, judged by",
          {name: len(index) for name, index in bands.items()}, flush=True)

    model = Eye(options.width, options.blocks, options.keys)
    model = model.to(memory_format=torch.channels_last)
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decays, "weight_decay": 0.02}, {"params": others, "weight_decay": 0}],
        lr=options.rate, betas=(0.9, 0.98))
    steps, spent = 0, 0.0
    if os.path.exists(options.checkpoint):
        state = torch.load(options.checkpoint)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        steps, spent = state["steps"], state["spent"]
    log_name = os.path.splitext(options.checkpoint)[0] + ".csv"
    log = open(log_name, "a", newline="")
    rows = csv.writer(log)
    if log.tell() == 0:
        names = [f"{band} {what}" for band in BANDS for what in ("nats", "first")]
        rows.writerow(["minutes", "positions", "rate", "loss"] + names)

    def keep():
        state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "steps": steps,
                 "spent": spent, "shape": model.shape, "options": vars(options)}
        torch.save(state, options.checkpoint + ".new")
        os.replace(options.checkpoint + ".new", options.checkpoint)

    compiled = torch.compile(model)
    ready, stop = queue.Queue(8), threading.Event()
    threading.Thread(target=feed, daemon=True, args=(
        data, board, online, options.batch, options.seed * 1_000_003 + steps, ready, stop)).start()
    limit, began, told, loss_sum, loss_count = 60 * options.minutes, time.time(), 0.0, 0.0, 0
    before = spent
    while spent < limit:
        left = (limit - spent) / (60 * options.decay)
        rate = options.rate * min(1, (steps + 1) / 500, left)
        for group in optimiser.param_groups:
            group["lr"] = rate
        planes, who, moves, count, chosen = ready.get()
        with torch.autocast("cpu", torch.bfloat16):
            scores, promotions = compiled(planes, who)
        loss = F.cross_entropy(move_scores(scores, promotions, moves, count), chosen)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        steps += 1
        spent = before + time.time() - began
        loss_sum, loss_count = loss_sum + loss.item(), loss_count + 1
        if spent - told > 240 or spent >= limit:
            found = judge(model, data, bands)
            told = spent
            line = [f"{spent / 60:.1f}", steps * options.batch, f"{rate:.6f}",
                    f"{loss_sum / loss_count:.4f}"]
            line += [f"{number:.3f}" for pair in found.values() for number in pair]
            rows.writerow(line)
            log.flush()
            print(" ".join(map(str, line)), flush=True)
            loss_sum, loss_count = 0.0, 0
            keep()
    keep()
    stop.set()


if __name__ == "__main__":
    main()
