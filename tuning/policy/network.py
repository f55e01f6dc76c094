"""The policy network, and a transformer for comparison.

A residual network (He et al. 2015) with squeeze-and-excitation (Hu et al. 2018) sees the board from the
mover's side, with the last moves and the attackers of each square. Both ratings, the kind of game and the
clock are inputs to every block. A move's score is the scalar product of a vector for its from square and
one for its to square, plus a bias for the pair of squares and one for its class.
"""
import math
import os
import re

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from choices import CLASSES, PLANES, WHO

CONTEXT = 32


class Heads(nn.Module):
    """Computes move scores from the features of all squares."""

    def __init__(self, width, keys):
        super().__init__()
        self.leave = nn.Conv2d(width, keys, 1)
        self.enter = nn.Conv2d(width, keys, 1)
        self.promote = nn.Conv2d(width, 3, 1)
        self.classes = nn.Linear(CONTEXT, 2 * CLASSES)
        self.habit = nn.Parameter(torch.zeros(64 * 64))

    def forward(self, x, context, moves, classes, count):
        """Returns a score for every legal move, padded with minus infinity."""
        leave, enter = self.leave(x).flatten(2), self.enter(x).flatten(2)
        scores = torch.bmm(leave.transpose(1, 2), enter) / leave.shape[1] ** 0.5
        scores = scores.flatten(1).float() + self.habit
        promotions = self.promote(x).flatten(1).float()
        start, end = moves & 63, moves >> 6 & 63
        found = torch.gather(scores, 1, start * 64 + end)
        found = found + torch.gather(self.classes(context).float(), 1, classes)
        into = (moves >> 12) - 2  # knight, bishop, rook; a queen needs no extra score
        minor = (into >= 0) & (into < 3)
        extra = torch.gather(promotions, 1, into.clamp(0, 2) * 64 + end)
        found = torch.where(minor, found + extra, found)
        known = torch.arange(moves.shape[1], device=moves.device)[None] < count[:, None]
        return found.masked_fill(~known, float("-inf"))


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
        self.heads = Heads(width, keys)

    def forward(self, planes, who, moves, classes, count):
        context = F.relu(self.context(who))
        x = self.entry(planes)
        x = F.relu(x + (self.squares + self.entry_context(context)[:, :, None, None]).to(x.dtype))
        for block in self.blocks:
            x = block(x, context)
        return self.heads(x, context, moves, classes, count)


class Layer(nn.Module):
    """Attention among the 64 squares, with biases that depend on the pair of squares and on the position."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.bias = nn.Parameter(torch.zeros(1, heads, 64, 64))
        self.compress = nn.Linear(width, 16)
        self.summary = nn.Linear(64 * 16, 128)
        self.patterns = nn.Linear(128, heads * 32)

    def forward(self, x, shared):
        n, _, width = x.shape
        y = self.norms[0](x)
        q, k, v = self.mix(y).view(n, 64, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        summary = F.gelu(self.summary(self.compress(y).flatten(1)))
        pattern = self.patterns(summary).view(n, self.heads, 32)
        bias = shared(pattern).view(n, self.heads, 64, 64) + self.bias.to(x.dtype)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        x = x + self.out(y.transpose(1, 2).reshape(n, 64, width))
        return x + self.shrink(F.gelu(self.grow(self.norms[1](x))))


class Transformer(nn.Module):
    """Has the inputs and outputs of `Policy`, but attention (Monroe and Chalmers 2024) instead of convolutions."""

    def __init__(self, width, blocks, keys):
        super().__init__()
        self.shape = (width, blocks, keys)
        self.context = nn.Linear(WHO, CONTEXT)
        self.entry = nn.Linear(PLANES + CONTEXT, width)
        self.squares = nn.Parameter(torch.zeros(1, 64, width))
        self.layers = nn.ModuleList([Layer(width, 8) for _ in range(blocks)])
        self.patterns = nn.Linear(32, 64 * 64)
        self.norm = nn.LayerNorm(width)
        self.heads = Heads(width, keys)

    def forward(self, planes, who, moves, classes, count):
        context = F.relu(self.context(who))
        x = planes.flatten(2).transpose(1, 2)
        x = self.entry(torch.cat([x, context[:, None].expand(-1, 64, -1).to(x.dtype)], 2))
        x = x + self.squares.to(x.dtype)
        for layer in self.layers:
            x = layer(x, self.patterns)
        x = self.norm(x).transpose(1, 2).unflatten(2, (8, 8))
        return self.heads(x, context, moves, classes, count)


TITLE, HEADER = "stopdown policy 5", 1024
# Weights keep this many of the 23 bits of their mantissa. Fewer bits make the download smaller.
MANTISSA = 5


def tensors(model):
    """The weights in the order of the engine's file, with batch norms folded into the preceding convolutions."""
    def layer(module):
        return [module.weight, module.bias]

    def folded(convolution, norm):
        factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        return (convolution.weight * factor[:, None, None, None],
                norm.bias - norm.running_mean * factor)
    heads = model.heads
    yield from layer(model.context) + layer(model.entry) + layer(model.entry_context)
    yield model.squares[0].permute(1, 2, 0)
    for block in model.blocks:
        yield from folded(block.first, block.first_norm)
        yield from folded(block.second, block.second_norm)
        yield from layer(block.squeeze) + layer(block.excite)
    yield from layer(heads.leave) + layer(heads.enter) + layer(heads.promote)
    yield from layer(heads.classes) + [heads.habit]


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def write_networks(file, models, notes):
    """Writes the engine's file: a header, then the upper halves of the weights as rounded 32-bit floats. First come
    all lower bytes of these halves and then all upper bytes, because gzip can compress the latter."""
    with torch.no_grad():
        numbers = torch.cat([tensor.flatten() for model in models for tensor in tensors(model)])
    bits = numbers.numpy().view(np.uint32).astype(np.uint64)
    dropped = 23 - MANTISSA
    rounded = bits + (1 << dropped - 1) - 1 + (bits >> dropped & 1) >> dropped << dropped
    halves = (rounded >> 16).astype("<u2").view(np.uint8).reshape(-1, 2).T.tobytes()
    shapes = "; ".join("{} x {}, {} keys".format(*model.shape) for model in models)
    hashed = f"{TITLE}\nshapes: {shapes}\n"
    header = f"{hashed}hash: {fnv(hashed.encode() + halves):016x}\n{notes}\n"
    with open(file + ".new", "wb") as out:
        out.write(header.encode()[:HEADER].ljust(HEADER, b"\0") + halves)
    os.replace(file + ".new", file)


def read_networks(file):
    """Reads the networks in the engine's file, ready to predict, and the notes in its header."""
    raw = open(file, "rb").read()
    header = raw[:HEADER].rstrip(b"\0").decode().split("\n", 3)
    assert header[0] == TITLE, f"{file} is not a policy file of this version"
    low, high = np.frombuffer(raw, np.uint8, offset=HEADER).reshape(2, -1).astype(np.uint32)
    halves = low << 16 | high << 24
    numbers, place, models = torch.from_numpy(halves.view(np.float32).copy()), 0, []

    def fill(tensor):
        nonlocal place
        count = tensor.numel()
        tensor.copy_(numbers[place:place + count].view(tensor.shape))
        place += count
    with torch.no_grad():
        for shape in header[1].removeprefix("shapes: ").split("; "):
            width, blocks, keys = map(int, re.findall(r"\d+", shape))
            model = Policy(width, blocks, keys).eval()
            squares = torch.empty(8, 8, width)
            for block in model.blocks:
                for norm in (block.first_norm, block.second_norm):
                    norm.running_var.fill_(1 - norm.eps)
            parts = [model.context, model.entry, model.entry_context]
            targets = [tensor for part in parts for tensor in (part.weight, part.bias)] + [squares]
            for block in model.blocks:
                targets += [block.first.weight, block.first_norm.bias, block.second.weight,
                            block.second_norm.bias, block.squeeze.weight, block.squeeze.bias,
                            block.excite.weight, block.excite.bias]
            heads = model.heads
            for part in (heads.leave, heads.enter, heads.promote, heads.classes):
                targets += [part.weight, part.bias]
            for tensor in targets + [heads.habit]:
                fill(tensor)
            model.squares[0].copy_(squares.permute(2, 0, 1))
            models.append(model)
    assert place == len(numbers), f"{file} does not have the size that its header states"
    return models, header[3].strip()


def shares(models, inputs):
    """The logarithm of each move's share, averaged over the networks."""
    each = [F.log_softmax(model(*inputs), 1) for model in models]
    return torch.logsumexp(torch.stack(each), 0) - math.log(len(each))


KINDS = {"convolutions": Policy, "transformer": Transformer}
