#!/usr/bin/env python3
"""Trains the policy network, which predicts the move that a player of a given rating would choose.

    python3 -m venv venv && venv/bin/pip install numpy torch
    stopdown-lab tune choices choices.bin GAMES.pgn ...
    venv/bin/python tuning/policy/train.py choices.bin policy.pt --minutes 9

With a graphics card, all choices are kept in its memory and decoded there. Without one, the script trains on
the processor. In both cases it continues from its checkpoint, at the same learning rate. Over `--whole` minutes
of training, which may be split into several runs, the rate falls linearly to zero. To train a finished network
further, use `--start`.

Each kind of game and rating band is sampled in proportion to a power of its number of choices, so that
small bands are not neglected. No choice is seen more than `--most` times, provided that `--samples` is at least the
number of choices sampled in all runs together. The log has this number in the column "positions".
"""
import argparse
import csv
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

from choices import BANDS, CHOICE, POOL_NAMES, POOLS, SIZE, as_bytes, cells, decoded, test_positions, split
from network import KINDS

SHORT = ["pool", "rating", "ply", "clock", "flags", "game", "opening"]


class Log:
    """The CSV file of a checkpoint, with a row for every evaluation."""

    def __init__(self, checkpoint):
        self.file = open(os.path.splitext(checkpoint)[0] + ".csv", "a", newline="")
        self.rows = csv.writer(self.file, lineterminator="\n")
        if self.file.tell() == 0:
            columns = [f"{band} {what}" for band in BANDS for what in ("nats", "first")]
            self.rows.writerow(["time", "positions", "rate", "loss"] + columns)

    def write(self, positions, rate, loss, found):
        line = [time.strftime("%H:%M"), positions, f"{rate:.6f}", f"{loss:.4f}"]
        line += [f"{number:.3f}" for pair in found.values() for number in pair]
        self.rows.writerow(line)
        self.file.flush()
        print(" ".join(map(str, line)), flush=True)


def load(path, device):
    """Loads the choices in a file: the fields that sampling depends on, and the bytes, which go to the graphics
    card if there is one."""
    on_disk = np.memmap(path, CHOICE, "r")
    known = np.empty(len(on_disk), np.dtype([(name, CHOICE.fields[name][0]) for name in SHORT]))
    data = None
    if device.type == "cuda":
        data = torch.empty((len(on_disk), SIZE), dtype=torch.uint8, device=device)
    for start in range(0, len(on_disk), 1 << 20):
        part = np.array(on_disk[start:start + (1 << 20)])
        for name in SHORT:
            known[name][start:start + len(part)] = part[name]
        if data is not None:
            data[start:start + len(part)] = as_bytes(part).to(device)
    if data is not None:
        return known, lambda index: data[index]
    return known, lambda index: as_bytes(on_disk[np.sort(index.numpy())])


def limited(chance, sizes, samples, most):
    """Limits how often each cell is sampled, so that no choice is seen more than `most` times."""
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


class Draw:
    """Samples choices for training."""

    def __init__(self, known, train, samples, most, device):
        names, groups, chance = cells(known, train)
        sizes = np.array([len(group) for group in groups])
        chance = limited(chance, sizes, samples, most)
        for name, size, often in zip(names, sizes, chance):
            if often > 0.01:
                kind = (POOL_NAMES + ["unknown"])[name // 32% (POOLS + 1)]
                site = "chess.com " if name // 32 > POOLS else ""
                print(f"{site}{kind} {name % 32 * 200}: {size} choices, {100 * often:.1f}%")
        self.order = torch.from_numpy(np.concatenate(groups)).to(device)
        self.starts = torch.from_numpy(np.cumsum(sizes) - sizes).to(device)
        self.sizes, self.chance = (torch.from_numpy(x).to(device) for x in (sizes, chance))

    def __call__(self, count):
        cell = torch.multinomial(self.chance, count, replacement=True)
        within = torch.rand(count, device=cell.device, dtype=torch.float64) * self.sizes[cell]
        return self.order[self.starts[cell] + within.long()]


def evaluate(model, take, bands, device):
    """Returns nats per move and the percentage of correct first choices for each band."""
    model.eval()
    found = {}
    with torch.no_grad():
        for name, index in bands.items():
            nats, right = 0.0, 0
            for start in range(0, len(index), 512):
                records = take(torch.from_numpy(index[start:start + 512])).to(device)
                mirror = torch.zeros(len(records), dtype=torch.bool, device=device)
                *inputs, chosen = decoded(records, mirror)
                scores = model(*inputs)
                nats += F.cross_entropy(scores, chosen, reduction="sum").item()
                right += (scores.argmax(1) == chosen).sum().item()
            found[name] = (nats / max(1, len(index)), 100 * right / max(1, len(index)))
    model.train()
    return found


def optimiser_of(model, rate, decay, device):
    """Adam with weight decay for matrices only, not for biases and norms."""
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    return torch.optim.AdamW(
        [{"params": decays, "weight_decay": decay}, {"params": others, "weight_decay": 0}],
        lr=rate, betas=(0.9, 0.98), fused=device.type == "cuda")


# The options that a run must share with the checkpoint that it continues.
SAME = ["kind", "width", "blocks", "keys", "batch", "samples", "most", "seed"]


def check_same(checkpoint, options):
    """Refuses the checkpoint of another training run."""
    there = {**checkpoint["options"], "choices": os.path.basename(checkpoint["options"]["choices"])}
    here = {**vars(options), "choices": os.path.basename(options.choices)}
    for name in [*SAME, "choices"]:
        if there[name] != here[name]:
            sys.exit(f"{options.checkpoint} was made with {name} {there[name]} instead of {here[name]}; "
                     "give the same options, or another checkpoint")


class Training:
    """A network in training, with its optimiser."""

    def __init__(self, options, device):
        self.options, self.device = options, device
        self.model = KINDS[options.kind](options.width, options.blocks, options.keys)
        self.model = self.model.to(device, memory_format=torch.channels_last)
        self.optimiser = optimiser_of(self.model, options.rate, options.decay, device)
        self.steps, self.seconds = 0, 0.0
        if options.start:
            self.model.load_state_dict(torch.load(options.start, map_location=device)["model"])
        if os.path.exists(options.checkpoint):
            state = torch.load(options.checkpoint, map_location=device)
            check_same(state, options)
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.steps, self.seconds = state["steps"], state["seconds"]
            # Otherwise, each run would draw the same choices as the first one.
            torch.manual_seed(options.seed + self.steps)
        self.compiled = torch.compile(self.loss)

    def loss(self, records, mirror):
        *inputs, chosen = decoded(records, mirror)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.options.bfloat16):
            scores = self.model(*inputs)
        return F.cross_entropy(scores, chosen)

    def learn(self, records, rate):
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        mirror = torch.rand(len(records), device=self.device) < 0.5
        loss = self.compiled(records, mirror)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return loss.detach()

    def compile(self):
        """Compiles with empty boards, so that the choices need not be available yet."""
        empty = torch.zeros((self.options.batch, SIZE), dtype=torch.uint8, device=self.device)
        empty[:, CHOICE.fields["count"][1]] = 2
        kept = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        for _ in range(3):
            mirror = torch.zeros(len(empty), dtype=torch.bool, device=self.device)
            self.compiled(empty, mirror).backward()
            self.optimiser.zero_grad(set_to_none=True)
        self.model.load_state_dict(kept)

    def keep(self):
        """Writes a checkpoint, which replaces the old one atomically."""
        checkpoint = self.options.checkpoint
        state = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict(), "steps": self.steps,
                 "seconds": self.seconds, "shape": self.model.shape, "options": vars(self.options)}
        torch.save(state, checkpoint + ".new")
        os.replace(checkpoint + ".new", checkpoint)

    def run(self, draw, take, bands, end):
        options, log = self.options, Log(self.options.checkpoint)
        began, before, logged, losses = time.time(), self.seconds, time.time(), []
        whole = 60 * options.whole if options.whole else end - began
        while True:
            self.seconds = before + time.time() - began
            share = 1 - self.seconds / whole
            rate = options.rate * max(0.0, min(1, (self.steps + 1) / 300, share))
            losses.append(self.learn(take(draw(options.batch)).to(self.device), rate))
            self.steps += 1
            if self.steps % 20 == 0:
                losses[-1].item()  # keeps the card from falling far behind
            is_over = share <= 0 or time.time() > end
            if is_over or time.time() - logged > 60 * options.every:
                mean = torch.stack(losses).mean().item()
                found = evaluate(self.model, take, bands, self.device)
                log.write(self.steps * options.batch, rate, mean, found)
                self.keep()
                logged, losses = time.time(), []
            if is_over:
                return


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("choices", help="file made by `stopdown-lab tune choices`")
    parser.add_argument("checkpoint", help="file to save the network to")
    parser.add_argument("--minutes", type=float, required=True, help="length of this run, including loading")
    parser.add_argument("--whole", type=float, help="minutes of training in all runs together "
                        "[default: this run]")
    parser.add_argument("--start", help="start from the network of this checkpoint")
    parser.add_argument("--kind", choices=KINDS, default="convolutions",
                        help="network architecture [default: convolutions]")
    parser.add_argument("--width", type=int, default=128, help="channels [default: 128]")
    parser.add_argument("--blocks", type=int, default=12, help="residual blocks [default: 12]")
    parser.add_argument("--keys", type=int, default=32, help="length of the square vectors [default: 32]")
    parser.add_argument("--batch", type=int, default=4096, help="choices per step [default: 4096]")
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate [default: 0.002]")
    parser.add_argument("--decay", type=float, default=0.05, help="weight decay [default: 0.05]")
    parser.add_argument("--samples", type=float, default=7e7,
                        help="choices that will be sampled in all runs together; --most depends on it [default: 7e7]")
    parser.add_argument("--most", type=float, default=12,
                        help="maximum number of times that a choice is seen [default: 12]")
    parser.add_argument("--every", type=float, default=1, help="minutes between tests [default: 1]")
    parser.add_argument("--float32", dest="bfloat16", action="store_false",
                        help="compute in 32 bits (for processors without bfloat16)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu",
                        help="device to train on [default: cuda if available, else cpu]")
    parser.add_argument("--wait", action="store_true", help="compile, then wait for the file of choices")
    parser.add_argument("--seed", type=int, default=1, help="random seed [default: 1]")
    return parser.parse_args()


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    device, began = torch.device(options.device), time.time()
    training = Training(options, device)
    if options.wait:
        training.compile()
        print(f"compiled after {time.time() - began:.0f} s", flush=True)
        while not os.path.exists(options.choices):
            time.sleep(0.2)
    known, take = load(options.choices, device)
    train, held = split(known["game"], known["opening"])
    bands = test_positions(known, held, 1500)
    print(f"{len(known)} choices, {len(train)} for training, loaded after "
          f"{time.time() - began:.0f} s; test: { {name: len(index) for name, index in bands.items()} }")
    draw = Draw(known, train, options.samples, options.most, device)
    training.compile()
    print(f"training starts after {time.time() - began:.0f} s", flush=True)
    training.run(draw, take, bands, began + 60 * options.minutes)


if __name__ == "__main__":
    main()
