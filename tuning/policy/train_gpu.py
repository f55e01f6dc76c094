#!/usr/bin/env python3
"""Trains the policy network of `train.py` on a graphics card.

    venv/bin/python tuning/policy/train_gpu.py choices.bin policy.pt --minutes 8

All choices lie in the card's memory (8 GB) and become planes there, so that nothing waits for
another. Kinds of games and bands of ratings are drawn as `train.py` draws them, but none of them so
often that a choice would be seen more than `--most` times. The learning rate falls in a straight line to nothing at the end of the time given;
`export.py` makes the file that the engine reads.
"""
import argparse
import csv
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from train import BANDS, CHOICE, LIKELY, MOST, PLANES, POOLS, UNKNOWN_CLOCK, UNTOLD, Policy
from train import cells, judged, move_scores

SIZE = CHOICE.itemsize
PLACE = {name: CHOICE.fields[name][1] for name in CHOICE.names}


def shorts(records, name):
    """A number of two bytes of every record."""
    low, high = records[:, PLACE[name]].int(), records[:, PLACE[name] + 1].int()
    return low | high << 8


def players(records, likely):
    """Who plays, in numbers of about 1, as `train.players` has it."""
    rating, opponent = shorts(records, "rating").float(), shorts(records, "opponent").float()
    clock = shorts(records, "clock")
    own = (rating - 2000) / 500
    lead = torch.where(opponent > 0, ((opponent - rating) / 400).clamp(-2, 2), 0.0)
    kind = F.one_hot(records[:, PLACE["pool"]].long(), POOLS).float()
    untold = (records[:, PLACE["flags"]] & UNTOLD) > 0
    kind = torch.where(untold[:, None], likely[None], kind)
    is_known = clock != UNKNOWN_CLOCK
    seconds = torch.where(is_known, torch.log2(1 + clock.float()) / 8, 0.0)
    told = [own, own ** 2, (opponent > 0).float(), lead]
    return torch.cat([torch.stack(told, 1), kind, is_known.float()[:, None], seconds[:, None]], 1)


def batch(records, likely, mirror):
    """What the network wants of some records; `mirror` says which to turn left to right."""
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
    return planes, players(records, likely), moves, count, records[:, PLACE["chosen"]].long()


def drawn(chance, sizes, samples, most):
    """How often each cell is drawn: none so often that a choice is seen more than `most` times."""
    limit = most * sizes / samples
    chance = chance.copy()
    for _ in range(100):
        full = chance >= limit
        chance[full] = limit[full]
        left = 1 - chance[full].sum()
        if full.all() or left <= 0:
            break
        chance[~full] *= left / chance[~full].sum()
    return chance / chance.sum()


def judge(model, data, likely, bands):
    model.eval()
    found = {}
    with torch.no_grad():
        for name, index in bands.items():
            if not len(index):
                found[name] = (0.0, 0.0)
                continue
            mirror = torch.zeros(len(index), dtype=torch.bool, device=data.device)
            records = data[torch.from_numpy(index).to(data.device)]
            planes, who, moves, count, chosen = batch(records, likely, mirror)
            scores = move_scores(*model(planes, who), moves, count)
            nats = F.cross_entropy(scores, chosen).item()
            found[name] = (nats, 100 * (scores.argmax(1) == chosen).float().mean().item())
    model.train()
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("choices", help="file made by `stopdown-lab tune choices`, or a folder "
                           "of its parts")
    arguments.add_argument("checkpoint", help="file that the network is kept in")
    arguments.add_argument("--width", type=int, default=96)
    arguments.add_argument("--blocks", type=int, default=8)
    arguments.add_argument("--keys", type=int, default=32)
    arguments.add_argument("--batch", type=int, default=4096)
    arguments.add_argument("--rate", type=float, default=2e-3, help="the largest learning rate")
    arguments.add_argument("--decay", type=float, default=0.05, help="of weights")
    arguments.add_argument("--minutes", type=float, required=True, help="how long it learns")
    arguments.add_argument("--samples", type=float, default=1.55e8, help="so many choices are expected "
                           "to be seen in that time")
    arguments.add_argument("--most", type=float, default=12, help="a choice is seen so often")
    arguments.add_argument("--every", type=float, default=1, help="minutes between judgements")
    arguments.add_argument("--device", default="cuda")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    device = torch.device(options.device)
    began = time.time()

    parts = [options.choices]
    if os.path.isdir(options.choices):
        parts = sorted(os.path.join(options.choices, name) for name in os.listdir(options.choices))
    maps = [np.memmap(part, CHOICE, "r") for part in parts]
    sizes = [len(part) for part in maps]
    data = torch.empty((sum(sizes), SIZE), dtype=torch.uint8, device=device)
    start = 0
    fields = {name: [] for name in ("pool", "rating", "ply", "clock", "flags", "game", "opening")}
    for part in maps:
        whole = np.array(part)
        data[start:start + len(part)] = torch.from_numpy(whole.view(np.uint8).reshape(-1, SIZE))
        start += len(part)
        for name, values in fields.items():
            values.append(whole[name].copy())
    short = np.dtype([(name, CHOICE.fields[name][0]) for name in fields])
    known = np.empty(len(data), short)
    for name, values in fields.items():
        known[name] = np.concatenate(values)
    part, opening = known["game"] % 10, known["opening"]
    kept = np.unique(opening[part < 2])
    place = np.searchsorted(kept, opening).clip(max=len(kept) - 1)
    train = np.flatnonzero((part >= 2) & (kept[place] != opening))
    held = np.flatnonzero(part == 0)
    names, groups, chance = cells(known, train)
    bands = judged(known, held, 1500)
    counts = np.array([len(group) for group in groups])
    chance = drawn(chance, counts, options.samples, options.most)
    print(f"{len(train)} positions on the card after {time.time() - began:.0f} s", flush=True)
    for name, count, often in zip(names, counts, chance):
        if often > 0.005:
            print(f"kind {name // 32}, {name % 32 * 200}: {count} choices, {100 * often:.1f} %")
    order = torch.from_numpy(np.concatenate(groups)).to(device)
    starts = torch.from_numpy(np.cumsum(counts) - counts).to(device)
    counts, chance = torch.from_numpy(counts).to(device), torch.from_numpy(chance).to(device)
    likely = torch.from_numpy(LIKELY).to(device)

    model = Policy(options.width, options.blocks, options.keys)
    model = model.to(device, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(
        [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": options.decay},
         {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0}],
        lr=options.rate, betas=(0.9, 0.98), fused=device.type == "cuda")
    log = open(os.path.splitext(options.checkpoint)[0] + ".csv", "a", newline="")
    rows = csv.writer(log, lineterminator="\n")
    if log.tell() == 0:
        judgements = [f"{band} {what}" for band in BANDS for what in ("nats", "first")]
        rows.writerow(["time", "positions", "rate", "loss"] + judgements)

    def loss_of(records, mirror):
        planes, who, moves, count, chosen = batch(records, likely, mirror)
        with torch.autocast(device.type, torch.bfloat16):
            scores, promotions = model(planes, who)
        return F.cross_entropy(move_scores(scores, promotions, moves, count), chosen)

    compiled = torch.compile(loss_of)

    def draw():
        cell = torch.multinomial(chance, options.batch, replacement=True)
        within = (torch.rand(options.batch, device=device, dtype=torch.float64) * counts[cell])
        index = order[starts[cell] + within.long()]
        return data[index], torch.rand(options.batch, device=device) < 0.5

    def learn(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss = compiled(*draw())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return loss.detach()

    for _ in range(3):
        learn(0.0)
    judge(model, data, likely, bands)
    print(f"begins after {time.time() - began:.0f} s", flush=True)
    start, whole, told, steps, losses = time.time(), 60 * options.minutes, time.time(), 0, []
    while True:
        share = 1 - (time.time() - start) / whole
        rate = options.rate * max(0.0, min(1, (steps + 1) / 300, share))
        losses.append(learn(rate))
        steps += 1
        if steps % 20 == 0:
            losses[-1].item()  # the card is not left far behind
        if share <= 0 or time.time() - told > 60 * options.every:
            found = judge(model, data, likely, bands)
            mean = torch.stack(losses).mean().item()
            line = [time.strftime("%H:%M"), steps * options.batch, f"{rate:.6f}", f"{mean:.4f}"]
            line += [f"{number:.3f}" for pair in found.values() for number in pair]
            rows.writerow(line)
            log.flush()
            speed = steps * options.batch / (time.time() - start)
            print(f"{speed:.0f}/s", *line[1:4], *[f"{b} {n:.3f}" for b, (n, _) in found.items()],
                  flush=True)
            state = {"model": {k: v.cpu() for k, v in model.state_dict().items()}, "steps": steps,
                     "shape": model.shape, "options": vars(options)}
            torch.save(state, options.checkpoint + ".new")
            os.replace(options.checkpoint + ".new", options.checkpoint)
            told, losses = time.time(), []
            if share <= 0:
                break


if __name__ == "__main__":
    main()
