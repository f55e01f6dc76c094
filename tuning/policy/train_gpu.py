#!/usr/bin/env python3
"""Trains the policy network of `train.py` on a graphics card.

    venv/bin/python tuning/policy/train_gpu.py choices.bin policy.pt --minutes 8

All choices lie in the card's memory (8 GB) and become planes there, so that nothing waits for
another. Kinds of games and bands of ratings are drawn as `train.py` draws them, but none of them so
often that a choice would be seen more than `--most` times. The learning rate falls in a straight line to nothing at the end of the time given;
`export.py` makes the file that the engine reads.
"""
import argparse
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from train import CHOICE, SIZE, Log, Policy, as_bytes, cells, decoded, judge, judged, keep
from train import move_scores, optimiser_of, split

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
        data[start:start + len(part)] = as_bytes(part)
        start += len(part)
        for name, values in fields.items():
            values.append(part[name].copy())
    short = np.dtype([(name, CHOICE.fields[name][0]) for name in fields])
    known = np.empty(len(data), short)
    for name, values in fields.items():
        known[name] = np.concatenate(values)
    train, held = split(known["game"], known["opening"])
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

    model = Policy(options.width, options.blocks, options.keys)
    model = model.to(device, memory_format=torch.channels_last)
    optimiser = optimiser_of(model, options.rate, options.decay, fused=device.type == "cuda")
    log = Log(options.checkpoint)

    def loss_of(records, mirror):
        planes, who, moves, count, chosen = decoded(records, mirror)
        with torch.autocast(device.type, torch.bfloat16):
            scores, promotions = model(planes, who)
        return F.cross_entropy(move_scores(scores, promotions, moves, count), chosen)

    compiled = torch.compile(loss_of)

    def take(index):
        records = data[torch.from_numpy(index).to(device)]
        return decoded(records, torch.zeros(len(index), dtype=torch.bool, device=device))

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
    judge(model, take, bands)
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
            found = judge(model, take, bands)
            mean = torch.stack(losses).mean().item()
            log.tell(steps * options.batch, rate, mean, found)
            weights = {name: tensor.cpu() for name, tensor in model.state_dict().items()}
            keep({"model": weights, "steps": steps, "shape": model.shape,
                  "options": vars(options)}, options.checkpoint)
            told, losses = time.time(), []
            if share <= 0:
                break


if __name__ == "__main__":
    main()
