#!/usr/bin/env python3
"""Converts checkpoints from `train.py` to the file that the engine reads.

    venv/bin/python tuning/policy/export.py tuning/policy.bin policy.pt
    venv/bin/python tuning/policy/export.py tuning/policy.bin tuning/policy.bin policy.pt

The engine averages the predictions of the networks in the file. The second command adds a network to
those already in the file. `--curve` plots the training log of the last checkpoint.
"""
import argparse
import csv
import os

import torch

from choices import BANDS, POOL_NAMES
from network import Policy, read_networks, write_networks


def curve(log, file):
    """Plots nats per move against training positions, for each band."""
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
        out.append(f'<text x="{x + 4:.1f}" y="{y + offset:.1f}" fill="{colour}">'
                   f'{POOL_NAMES[pool]} {least}-{largest}</text>')
    out.append(f'<text x="{left}" y="{height - 12}">nats per move on test games, over '
               f'{most / 1e6:.1f} million positions</text></svg>')
    with open(file, "w") as svg:
        svg.write("\n".join(out) + "\n")


def networks_of(name):
    """The networks in an exported file, or the network in a checkpoint, with a description."""
    if name.endswith(".bin"):
        return read_networks(name)
    state = torch.load(name, map_location="cpu")
    model, options = Policy(*state["shape"]), state["options"]
    model.load_state_dict(state["model"])
    width, blocks, keys = state["shape"]
    note = (f"{width} x {blocks}: train.py --width {width} --blocks {blocks} --keys {keys} --batch "
            f"{options['batch']} --rate {options['rate']} --minutes {options['minutes']} --seed "
            f"{options['seed']}, {state['steps']} steps")
    return [model], note


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("file", help="file to write")
    arguments.add_argument("networks", nargs="+", help="checkpoints (.pt) and exported files (.bin)")
    arguments.add_argument("--curve", help="plot the learning curve to this file (SVG)")
    options = arguments.parse_args()
    if options.curve:
        curve(os.path.splitext(options.networks[-1])[0] + ".csv", options.curve)
    models, notes = [], []
    for name in options.networks:
        some, note = networks_of(name)
        models += some
        notes.append(note)
    write_networks(options.file, models, "\n".join(notes))
    print(f"{len(models)} networks in {options.file}, {os.path.getsize(options.file)} bytes")


if __name__ == "__main__":
    main()
