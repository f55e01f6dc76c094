#!/usr/bin/env python3
"""Makes the file that the engine reads from a checkpoint of `train.py` or `train_gpu.py`.

    venv/bin/python tuning/policy/export.py policy.pt tuning/policy.bin

The norms are folded into the convolutions before them; every number is rounded to the upper half
of a 32-bit float. `--curve` draws the log of the training beside it.
"""
import argparse
import csv
import os

import torch

from train import BANDS, WHO, Policy

TITLE, HEADER = "stopdown policy 3", 1024


def folded(convolution, norm):
    factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return (convolution.weight * factor[:, None, None, None],
            norm.bias - norm.running_mean * factor)


def tensors(model):
    """All numbers in the order of the file."""
    def layer(module):
        return [module.weight, module.bias]
    yield from layer(model.context) + layer(model.entry) + layer(model.entry_context)
    yield model.squares[0].permute(1, 2, 0)
    for block in model.blocks:
        yield from folded(block.first, block.first_norm)
        yield from folded(block.second, block.second_norm)
        yield from layer(block.squeeze) + layer(block.excite)
    yield from layer(model.leave) + layer(model.enter) + layer(model.promote)
    yield model.habit


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def curve(log, file):
    """The learning curve: nats a move over positions learnt from, for each band."""
    rows = list(csv.DictReader(open(log)))
    width, height, left, right, bottom, top = 720, 420, 60, 130, 40, 20
    most = max(float(row["positions"]) for row in rows)
    low, high = 1.3, 1.9
    colours = dict(zip(BANDS, ["#1b6ca8", "#3a9d5d", "#c4702b", "#8e3b8a", "#a83232", "#444444",
                               "#2aa198", "#b58900", "#6c71c4"]))

    def place(positions, nats):
        x = left + (width - left - right) * positions / most
        share = (min(nats, high) - low) / (high - low)
        return x, height - bottom - (height - bottom - top) * share

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for tenth in range(int(10 * low), int(10 * high) + 1):
        _, y = place(0, tenth / 10)
        out.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10}</text>')
    for band, colour in colours.items():
        points = [place(float(row["positions"]), float(row[f"{band} nats"])) for row in rows]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = points[-1]
        offset = {"C": -6, "D": 10}.get(band, 4)
        pool, least, largest = BANDS[band]
        name = ["board", "classical", "rapid", "blitz", "bullet"][pool]
        out.append(f'<text x="{x + 4:.1f}" y="{y + offset:.1f}" fill="{colour}">'
                   f'{name} {least}-{largest}</text>')
    out.append(f'<text x="{left}" y="{height - 12}">nats a move of people not learnt from, over '
               f'{most / 1e6:.1f} million positions</text></svg>')
    with open(file, "w") as svg:
        svg.write("\n".join(out) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("checkpoint")
    arguments.add_argument("file")
    arguments.add_argument("--notes", default="", help="what is to be said in the header")
    arguments.add_argument("--curve", help="draw the learning curve into this file (SVG)")
    options = arguments.parse_args()
    if options.curve:
        curve(os.path.splitext(options.checkpoint)[0] + ".csv", options.curve)
    state = torch.load(options.checkpoint)
    width, blocks, keys = state["shape"]
    model = Policy(width, blocks, keys)
    model.load_state_dict(state["model"])
    model.eval()
    with torch.no_grad():
        numbers = torch.cat([tensor.flatten() for tensor in tensors(model)])
        halves = numbers.to(torch.bfloat16).view(torch.int16).numpy().astype("<i2").tobytes()
    trained = state["options"]
    script = "train_gpu.py" if "minutes" in trained else "train.py"
    hashed = f"{TITLE}\nshape: {width} x {blocks}, {keys} keys\n"
    header = (f"{hashed}hash: {fnv(hashed.encode() + halves):016x}\n"
              f"made by: tuning/policy/{script} --width {width} --blocks {blocks} --keys {keys} "
              f"--batch {trained['batch']} --rate {trained['rate']} --seed {trained['seed']}, "
              f"{state['steps']} steps\ntold: {WHO}\n{options.notes}\n")
    header = header.encode()[:HEADER].ljust(HEADER, b"\0")
    with open(options.file, "wb") as out:
        out.write(header + halves)
    print(header.decode().rstrip("\0"), len(halves), "bytes of numbers")


if __name__ == "__main__":
    main()
