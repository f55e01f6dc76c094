#!/bin/sh
# Makes all files of this folder except the games, the README and this script.
cd "$(dirname "$0")" || exit 1
"${STOPDOWN:-../../../target/release/stopdown-lab}" endgame study KQKR --competence 0:50:1 --players 20,30 --games 300 --seed 1 \
    --pgn browne-belle.pgn \
    --fen "8/8/8/5r2/4K1k1/4Q3/8/8 b - - 0 1" \
    --fen "8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1" \
    --fen "8/5r2/8/7k/4K3/6Q1/8/8 b - - 0 1" \
    --fen "8/8/r7/2Q2k2/8/4K3/8/8 b - - 0 1" \
    --fen "8/8/8/2K5/r7/2Q5/4k3/8 b - - 0 1" \
    --out . "$@"
