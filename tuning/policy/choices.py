"""Reads the choices of players that `stopdown-lab tune choices` has written, and makes the networks' inputs.

The format of a record is described in `tuning/lab/src/tune/choices/record.rs`.
"""
import os

import numpy as np
import torch
import torch.nn.functional as F

MOST = 80
CHOICE = np.dtype([
    ("pieces", "u1", 32), ("castling", "<u8"), ("en_passant", "u1"), ("trail", "u1", 14),
    ("pool", "u1"), ("rating", "<u2"), ("opponent", "<u2"), ("clock", "<u2"), ("ply", "<u2"),
    ("game", "<u8"), ("chosen", "u1"), ("count", "u1"), ("flags", "u1"), ("rest", "u1"),
    ("opening", "<u4"),
    ("moves", "<u2", MOST), ("classes", "u1", MOST), ("attacks", "<u2", 64)])
SIZE = CHOICE.itemsize
PLACE = {name: CHOICE.fields[name][1] for name in CHOICE.names}
POOL_NAMES = ["board", "classical", "rapid", "blitz", "bullet"]
POOLS = len(POOL_NAMES)
# Bits for the attackers of a square: one for each of the 12 kinds of pieces, and one for each side that has
# several attackers.
ATTACKS = 14
# Pieces, castling rooks, en passant, the squares of the last moves, attacks.
PLANES = 12 + 1 + 1 + 14 + ATTACKS
# Classes of moves by what they gain in exchanges and whether they give check. A second set of classes is for
# moves to the square of the opponent's last move.
CLASSES = 16
# The rating and its square, the rating difference if known, the kind of game, the clock if known, and the site.
WHO = 2 + 2 + POOLS + 2 + 1
# Flags of a choice.
COLLECTOR, KIND_GUESSED, CHESSCOM = 1, 2, 4
# The share of each kind among online games, for games that do not state their kind.
LIKELY = [0, 0.02, 0.18, 0.48, 0.32]
UNKNOWN_CLOCK = 65535
# The bands of test positions: kind of game, lowest rating and highest rating.
BANDS = {
    "E": (3, 700, 1150), "A": (3, 1200, 1600), "B": (3, 1800, 2000), "F": (0, 1450, 1750),
    "C": (0, 2000, 2200), "D": (0, 2550, 2650), "R1": (2, 900, 1300), "R2": (2, 1400, 1800),
    "R3": (2, 2000, 2400)}
# A cell is a kind of game and a rating band. It is sampled in proportion to this power of its size.
EVENNESS = 0.5


def save(path, text):
    """Writes a file. At any moment, the file is complete: either the old one or the new one."""
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


def shorts(records, name, count=1):
    """The two-byte numbers in one field of every record."""
    bytes_ = records[:, PLACE[name]:PLACE[name] + 2 * count].int().view(len(records), count, 2)
    return bytes_[:, :, 0] | bytes_[:, :, 1] << 8


def players(records):
    """The player, the opponent and the kind of game, as numbers of the order of 1."""
    rating, opponent = (shorts(records, name)[:, 0].float() for name in ("rating", "opponent"))
    clock = shorts(records, "clock")[:, 0]
    flags = records[:, PLACE["flags"]]
    own = (rating - 2000) / 500
    lead = torch.where(opponent > 0, ((opponent - rating) / 400).clamp(-2, 2), 0.0)
    kind = F.one_hot(records[:, PLACE["pool"]].long(), POOLS).float()
    likely = torch.tensor(LIKELY, device=records.device)
    kind = torch.where(((flags & KIND_GUESSED) > 0)[:, None], likely[None], kind)
    is_known = clock != UNKNOWN_CLOCK
    seconds = torch.where(is_known, torch.log2(1 + clock.float()) / 8, 0.0)
    ratings = torch.stack([own, own ** 2, (opponent > 0).float(), lead], 1)
    rest = torch.stack([is_known.float(), seconds, ((flags & CHESSCOM) > 0).float()], 1)
    return torch.cat([ratings, kind, rest], 1)


def decoded(records, mirror):
    """Makes the network's inputs from the bytes of records. Records selected by `mirror` are reflected left to right.

    Returns planes, players, moves, classes of moves, numbers of moves, and the chosen moves.
    """
    n, device = len(records), records.device
    packed = records[:, :32].int()
    pieces = torch.stack([packed & 15, packed >> 4], 2).view(n, 64)
    castling = records[:, 32:40].int()
    attacks = shorts(records, "attacks", 64)
    flip = mirror & (castling.sum(1) == 0)

    def reflected(board):
        return torch.where(flip[:, None], board.view(n, 8, 8).flip(2).reshape(n, 64), board)

    pieces, attacks = reflected(pieces), reflected(attacks)
    steps = records[:, 40:55].int()  # en passant square, and the from and to squares of the last moves
    steps = torch.where(flip[:, None] & (steps < 64), steps ^ 7, steps)
    squares = torch.arange(64, device=device, dtype=torch.int32)
    rooks = (castling.repeat_interleave(8, 1) >> (squares % 8)[None]) & 1
    kinds = torch.arange(1, 13, device=device, dtype=torch.int32)
    bits = torch.arange(ATTACKS, device=device, dtype=torch.int32)
    planes = torch.cat([
        (pieces[:, :, None] == kinds).float(),
        rooks[:, :, None].float(),
        (squares[None, :, None] == steps[:, None, :]).float(),
        (attacks[:, :, None] >> bits & 1).float()], 2)
    planes = planes.view(n, 8, 8, PLANES).permute(0, 3, 1, 2)
    moves = shorts(records, "moves", MOST).long()
    moves = torch.where(flip[:, None], moves ^ (7 | 7 << 6), moves)
    classes = records[:, PLACE["classes"]:PLACE["classes"] + MOST].long()
    classes = classes + CLASSES * (moves >> 6 & 63 == steps[:, 2:3])
    count = records[:, PLACE["count"]].long()
    return planes, players(records), moves, classes, count, records[:, PLACE["chosen"]].long()


def as_bytes(records):
    return torch.from_numpy(np.array(records).view(np.uint8).reshape(len(records), SIZE))


def batch(records):
    """Makes the network's inputs from records in a file, with all move lists padded to the longest."""
    mirror = torch.zeros(len(records), dtype=torch.bool)
    planes, who, moves, classes, count, chosen = decoded(as_bytes(records), mirror)
    most = int(count.max())
    return planes, who, moves[:, :most], classes[:, :most], count, chosen


def split(game, opening):
    """Splits the choices into those for training and those for tests.

    A tenth of the games are for tests, and another tenth are for the curve that uses the network. Games that share
    their first forty plies with one of these are not used for training either.
    """
    first = np.flatnonzero(np.concatenate([[True], game[1:] != game[:-1]]))
    part, opening = game[first] % 10, opening[first]
    is_apart = np.isin(opening, np.unique(opening[part < 2]))
    plies = np.diff(np.append(first, len(game)))
    return (np.flatnonzero(np.repeat((part >= 2) & ~is_apart, plies)),
            np.flatnonzero(np.repeat(part == 0, plies)))


def test_positions(data, index, limit, first=14, seed=1):
    """The test positions of every band, chosen from those in `index`."""
    bands = {}
    part = {name: data[name][index] for name in ("pool", "rating", "ply", "clock", "flags")}
    for name, (pool, low, high) in BANDS.items():
        fits = ((part["pool"] == pool) & (part["rating"] >= low) & (part["rating"] < high)
                & (part["ply"] >= first) & (part["clock"] >= 30) & (part["flags"] == 0))
        chosen = np.random.default_rng(seed).permutation(index[fits])[:limit]
        bands[name] = np.sort(chosen)
    return bands


def cells(data, index):
    """The choices of each cell (kind of game and 200 rating points), and how often the cell is sampled."""
    pool, rating = data["pool"][index].astype(np.int32), data["rating"][index].astype(np.int32)
    flags = data["flags"][index]
    kind = np.where(flags & KIND_GUESSED > 0, POOLS, pool) + (POOLS + 1) * (flags & CHESSCOM > 0)
    cell = kind * 32 + np.clip(rating, 400, 2999) // 200
    order = np.argsort(cell, kind="stable")
    names, starts = np.unique(cell[order], return_index=True)
    groups = np.split(index[order], starts[1:])
    chance = np.array([len(group) for group in groups], float) ** EVENNESS
    return names, groups, chance / chance.sum()
