#!/usr/bin/env python3
"""Fits human thinking times to games with clocks: the constants of src/player/pace.rs.

    pip install numpy scipy chess
    python3 fit.py --engine stopdown --depth 6 games.pgn more.pgn.zst ...

The logarithm of the thinking time is normally distributed. Its mean, and the logarithm of its spread, are linear in the
features below, which are those of pace.rs. Clocks show whole seconds, so a recorded time is an interval, and the
likelihood is that of the interval. Games whose number of plies is divisible by four are held out.
"""

import argparse
import io
import re
import subprocess

import chess
import chess.pgn
import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr
from scipy.stats import spearmanr

KINDS = [("bullet", 0, 180), ("blitz", 180, 480), ("rapid", 480, 1500), ("classical", 1500, 1e9)]
SPREADS = ["SPREAD", "SPREAD_TEMPO", "SPREAD_OPENING"]
# How many blitz games, and how many rapid games, are evaluated for the entropy.
EVALUATED_GAMES = 40


def games_of(path):
    """Yields the texts of the games in a PGN file."""
    if path.endswith(".zst"):
        text = subprocess.run(["zstdcat", path], capture_output=True, check=True).stdout.decode("utf8", "replace")
    else:
        text = open(path, errors="replace").read()
    yield from re.split(r"\n(?=\[Event )", text)


def decisions(text):
    """Returns the decisions of a game with clocks as dictionaries, except each side's first move."""
    control = re.search(r'\[TimeControl "(\d+)(?:\+(\d+))?"\]', text)
    elos = [re.search(rf'\[{side}Elo "(\d+)"\]', text) for side in ("White", "Black")]
    if "%clk" not in text or not control or not all(elos) or 'Title "BOT"' in text:
        return []
    base, increment = int(control[1]), int(control[2] or 0)
    if base < 30 or not 60 <= base + 40 * increment <= 5400:
        return []
    game = chess.pgn.read_game(io.StringIO(text))
    nodes = list(game.mainline())
    clocks = [node.clock() for node in nodes]
    board = game.board()
    if None in clocks or board.fen() != chess.STARTING_FEN:
        return []
    # Some files contain all games of one person, who would have too much weight.
    collector = (re.search(r'\[CollectorSide "(\w+)"\]', text) or ["", ""])[1]
    found, took = [], False
    for ply, node in enumerate(nodes):
        takes = board.is_capture(node.move)
        if ply >= 2 and "wb"[ply % 2] not in collector:
            before = clocks[ply - 2]
            seconds = before - clocks[ply] + increment
            if before > 0.5 and 0 <= seconds < before + increment + 1:
                last = nodes[ply - 1].move
                found.append(dict(
                    seconds=seconds, left=before, base=base, increment=increment, plies=ply,
                    elo=int(elos[ply % 2][1]), pieces=len(board.piece_map()), legal=board.legal_moves.count(),
                    check=board.is_check(), takes=takes, castles=board.is_castling(node.move),
                    retakes=takes and took and last.to_square == node.move.to_square,
                ))
        took = takes
        board.push(node.move)
    moves = " ".join(node.move.uci() for node in nodes)
    return [dict(d, moves=moves, held_out=len(nodes) % 4 == 0) for d in found]


def features(rows):
    """Returns the features of decisions, named after their constants in pace.rs."""
    column = lambda name: np.array([row[name] for row in rows], dtype=float)
    base, increment, moves = column("base"), column("increment"), column("plies") / 2
    tempo = np.log((base + 40 * increment) / 300)
    left = np.log(np.clip((column("left") + 10 * increment) / (base + 10 * increment), 1e-3, 1.5))
    opening, early = np.maximum(1 - moves / 10, 0), np.maximum(1 - moves / 20, 0)
    rating = (column("elo") - 1600) / 400
    mean = {
        "INTERCEPT": np.ones(len(rows)),
        "TEMPO": tempo,
        "LEFT": left,
        "HALF_LEFT": np.minimum(left + 0.7, 0),
        "OPENING": opening,
        "EARLY": early,
        "MOVE_NUMBER": np.minimum(moves, 60) / 20,
        "LEGAL": np.log(column("legal") / 30),
        "CHECK": column("check"),
        "RETAKES": column("retakes"),
        "TAKES": column("takes") * (1 - column("retakes")),
        "CASTLES": column("castles"),
        "PIECES": (column("pieces") - 20) / 10,
        "RATING": rating,
        "RATING_OPENING": rating * opening,
    }
    return mean, np.column_stack([np.ones(len(rows)), tempo, opening])


def fit(mean, spread, seconds, known=0.0):
    """Returns the parameters with the largest likelihood: those of the mean, then those of the spread.

    `known` is a fixed part of the mean, without parameters.
    """
    half = np.where(seconds == np.round(seconds), 0.5, 0.05)
    with np.errstate(divide="ignore"):
        low, high = np.log(np.maximum(seconds - half, 0)), np.log(seconds + half)
    count = mean.shape[1]

    def surprise(parameters):
        centre, width = known + mean @ parameters[:count], np.exp(spread @ parameters[count:])
        zl, zh = (low - centre) / width, (high - centre) / width
        # In the upper tail, the mirrored interval has the same probability and no rounding errors.
        a, b = np.where(zl > 0, -zh, zl), np.where(zl > 0, -zl, zh)
        log_p = log_ndtr(b) + np.log1p(-np.exp(np.minimum(log_ndtr(a) - log_ndtr(b), -1e-12)))
        p = np.exp(np.maximum(log_p, -600)) * np.sqrt(2 * np.pi)
        zl = np.where(np.isfinite(zl), zl, 0)
        at_low = np.where(np.isfinite(low), np.exp(-zl**2 / 2), 0)
        at_high = np.exp(-zh**2 / 2)
        of_mean = (at_high - at_low) / width / p
        of_spread = (at_high * zh - at_low * zl) / p
        slope = np.concatenate([mean.T @ of_mean, spread.T @ of_spread])
        return -log_p.mean(), slope / len(seconds)

    start = np.zeros(count + spread.shape[1])
    return minimize(surprise, start, jac=True, method="L-BFGS-B", options=dict(maxiter=500)).x


def entropies(program, depth, rows):
    """Returns the entropy in bits of the level's choice at each decision."""
    engine = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    say = lambda line: engine.stdin.write(line + "\n")
    for name, value in [("UCI_LimitStrength", "true"), ("Explain", "true"), ("Elo Scale", "Lichess-Blitz"), ("Depth", depth)]:
        say(f"setoption name {name} value {value}")
    found = []
    for row in rows:
        say(f"setoption name UCI_Elo value {min(max(row['elo'], 600), 2800)}")
        say("position startpos moves " + " ".join(row["moves"].split()[:row["plies"]]))
        say(f"go depth {depth}")
        engine.stdin.flush()
        shares = []
        for line in engine.stdout:
            if line.startswith("info string prob "):
                shares.append(float(line.split()[4]))
            if line.startswith("bestmove"):
                break
        shares = np.array([share for share in shares if share > 0] or [1.0])
        found.append(-(shares * np.log2(shares)).sum())
    say("quit")
    engine.communicate()
    return np.array(found)


def report(name, centre, width, seconds):
    """Prints how well times are predicted: the rank correlation, and the percentiles of human and predicted times."""
    drawn = np.exp(centre + width * np.random.default_rng(1).standard_normal(len(seconds)))
    at = [10, 25, 50, 75, 90, 97]
    percentiles = " ".join(f"{a:.1f}/{b:.1f}" for a, b in zip(np.percentile(seconds, at), np.percentile(drawn, at)))
    rank = spearmanr(centre, seconds)[0]
    print(f"{name}: {len(seconds)} moves, rank correlation {rank:.3f}, "
          f"percentiles 10 25 50 75 90 97 (humans/model) {percentiles}, mean {seconds.mean():.2f}/{drawn.mean():.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", help="Stopdown program, which prints the probabilities that the entropy is computed from")
    parser.add_argument("--depth", type=int, default=6, help="search depth of this engine in plies")
    parser.add_argument("games", nargs="+")
    arguments = parser.parse_args()
    rows, known = [], set()
    for path in arguments.games:
        for text in games_of(path):
            for row in decisions(text):
                key = (row["moves"], row["elo"], row["plies"])
                if key not in known:
                    known.add(key)
                    rows.append(row)
    column = lambda name: np.array([row[name] for row in rows])
    seconds, held_out = column("seconds").astype(float), column("held_out")
    names, spread = features(rows)
    mean = np.column_stack(list(names.values()))
    parameters = fit(mean[~held_out], spread[~held_out], seconds[~held_out])
    print(f"{len(rows)} decisions, {held_out.sum()} held out")
    for name, value in zip(list(names) + SPREADS, parameters):
        print(f"const {name}: f64 = {value:.3f};")
    count = mean.shape[1]
    centre, width = mean @ parameters[:count], np.exp(spread @ parameters[count:])
    duration = column("base") + 40 * column("increment")
    for name, low, high in KINDS:
        chosen = held_out & (duration >= low) & (duration < high)
        if chosen.sum() > 200:
            report(name, centre[chosen], width[chosen], seconds[chosen])
    if not arguments.engine:
        return
    # The entropy of the choice explains part of the remaining variance. It is fitted to equal numbers of blitz and
    # rapid games.
    for stage, is_held_out in (("fitted", False), ("held out", True)):
        chosen = []
        for _, low, high in KINDS[1:3]:
            games = [r["moves"] for r, o, d in zip(rows, held_out, duration) if o == is_held_out and low <= d < high]
            games = set(list(dict.fromkeys(games))[:EVALUATED_GAMES])
            chosen += [at for at, row in enumerate(rows) if row["moves"] in games]
        chosen = np.array(chosen)
        bits = entropies(arguments.engine, arguments.depth, [rows[at] for at in chosen])
        if stage == "fitted":
            line = np.column_stack([np.ones(len(bits)), bits])
            shift, slope = fit(line, spread[chosen], seconds[chosen], centre[chosen])[:2]
            print(f"const ENTROPY: f64 = {slope:.3f};\nconst USUAL_ENTROPY: f64 = {-shift / slope:.3f};")
        else:
            better = centre[chosen] + shift + slope * bits
            report("without entropy", centre[chosen], width[chosen], seconds[chosen])
            report("with entropy", better, width[chosen], seconds[chosen])


if __name__ == "__main__":
    main()
